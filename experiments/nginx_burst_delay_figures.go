package experiments

import (
	"fmt"
	"math"
	"strconv"

	"ratelab/experiments/theory"
	"ratelab/plots"
)

// nginxStoryFigure: two bursts through four configurations.
func nginxStoryFigure(d *Data) (plots.Figure, error) {
	chart := plots.Step{
		X: plots.Axis{Label: "Time", Unit: "s", Min: 0, Max: 7},
		Y: plots.Axis{Label: "Passed since the beginning", Unit: "requests", Zero: true},
	}
	passed := make(map[string]float64)
	last := 0.0 // moment at which the last one that is held leaves
	for _, curve := range []struct{ name, label, burst, hold string }{
		{"nodelay", "burst=5 nodelay", "5", "nodelay"}, {"delay", "burst=5 delay=2", "5", "2"}, {"burst", "burst=5", "5", "0"}, {"none", "no burst", "0", "0"},
	} {
		s, err := d.Series(curve.name, "passed", "moment", "part", "story", "burst", curve.burst, "hold", curve.hold)
		if err != nil {
			return plots.Figure{}, err
		}
		s.Label, s.Lo, s.Hi = curve.label, nil, nil // no chance in it
		end := len(s.Y) - 1
		passed[curve.name] = s.Y[end]
		if curve.name == "burst" {
			for i := end; i > 0 && s.Y[i-1] == s.Y[end]; i-- {
				last = s.X[i-1]
			}
		}
		chart.Series = append(chart.Series, s)
	}
	title := fmt.Sprintf("Two bursts of %d, burst=5: nodelay, delay=2 and neither pass %.0f, %.0f and %.0f, no burst %.0f",
		nginxStorySize, passed["nodelay"], passed["delay"], passed["burst"], passed["none"])
	if passed["nodelay"] == passed["delay"] && passed["delay"] == passed["burst"] {
		title = fmt.Sprintf("burst=5 lets %.0f of %d pass instead of %.0f; delay and nodelay decide only when, not how many",
			passed["burst"], len(nginxStoryBursts)*nginxStorySize, passed["none"])
	}
	return plots.Figure{
		Title: title,
		Subtitle: fmt.Sprintf("Bursts of %d requests at 0 s and 2 s through limit_req with rate=%s. With burst=5 alone the last leaves at %.3g s. No chance in it",
			nginxStorySize, nginxStoryRate, last),
		Alt: "Running totals of what has left nginx. Without a burst one of each burst passes. With burst=5 six of the first and four of the second pass: " +
			"with nodelay at once, with delay=2 three at once and the others two a second, without either all two a second.",
		Chart: chart,
	}, nil
}

// nginxClockFigure: what the clock of milliseconds changes.
func nginxClockFigure(d *Data) (plots.Figure, error) {
	chart := plots.Line{
		X: plots.Axis{Label: "Rate", Unit: "requests/s", Log: true, Ticks: []plots.Tick{{Value: 10, Label: "10"}, {Value: 20, Label: "20"}, {Value: 50, Label: "50"},
			{Value: 100, Label: "100"}, {Value: 200, Label: "200"}, {Value: 500, Label: "500"}, {Value: 1000, Label: "1000"}}},
		Y: plots.Axis{Label: "Share refused", Percent: true, Zero: true},
	}
	at := map[string]float64{}
	for _, burst := range []string{"0", "5"} {
		s := plots.Series{Name: "burst=" + burst, Label: "burst=" + burst}
		expected := plots.Series{Name: s.Name, Theory: true}
		places, _ := strconv.Atoi(burst)
		for _, rate := range []string{"10", "20", "50", "100", "200", "500", "1000"} {
			x, _ := strconv.ParseFloat(rate, 64)
			mean, lo, hi := d.Mean("loss", "part", "poisson", "limiter", "nginx", "workload", "poisson", "rate", rate+"r/s", "burst", burst, "load", "1")
			if math.IsNaN(mean) {
				return plots.Figure{}, fmt.Errorf("nothing was measured of loss at rate %s", rate)
			}
			s.X, s.Y, s.Lo, s.Hi = append(s.X, x), append(s.Y, mean), append(s.Lo, lo), append(s.Hi, hi)
			at[burst+" "+rate] = mean
			slots := int(1000 / x)
			loss, _ := theory.SlottedQueue(1/float64(slots), slots, places*slots)
			expected.X, expected.Y = append(expected.X, x), append(expected.Y, loss)
		}
		chart.Refs = append(chart.Refs, plots.Ref{Value: theory.TokenBucketLoss(1, places+1), Label: "exact clock"})
		marks := dots(s, 1000)
		chart.Series = append(chart.Series, expected, marks)
	}
	return plots.Figure{
		Title: fmt.Sprintf("A clock of 1 ms is nothing to 10 requests a second; at 1000 a second nginx without a burst refuses %.0f%%, not %.0f%%",
			100*at["0 1000"], 100*theory.TokenBucketLoss(1, 1)),
		Subtitle: fmt.Sprintf("Share that nginx refuses of Poisson traffic with as many requests as its rate; dots: mean of %d replications; thin: a queue on a clock of 1 ms; grey: M/D/1/K", d.Reps),
		Chart:    chart,
	}, nil
}
