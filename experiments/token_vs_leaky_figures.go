package experiments

import (
	"fmt"
	"slices"

	"ratelab/experiments/theory"
	"ratelab/plots"
)

// leakyCloudbursts draws the essay's picture, one rain on three doors, as
// running totals: there a burst is a step, and a metronome a straight line.
func leakyCloudbursts(d *Data) (plots.Figure, error) {
	chart := plots.Line{
		X: plots.Axis{Label: "Time", Unit: "s"},
		Y: plots.Axis{Label: "Passed since the beginning", Unit: "requests", Zero: true},
	}
	passed := make(map[string]float64) // share of a burst that passes in the second in which it falls
	busiest := 0.0                     // most that the queue lets go in a second
	for _, name := range []string{"token-bucket", "leaky-meter", "leaky-queue"} {
		burst := leakyStoryBurst
		if name == "leaky-meter" {
			burst = ""
		}
		at := leakyAt("cloudbursts", name, "burst", burst)
		rain, err := d.Series("offered", "offered_in_second", "second", at...)
		if err != nil {
			return plots.Figure{}, err
		}
		out, err := d.Series(name, "passed_in_second", "second", at...)
		if err != nil {
			return plots.Figure{}, err
		}
		fell, through := 0.0, 0.0
		for i, n := range rain.Y {
			if n > 0 {
				fell, through = fell+n, through+out.Y[i]
			}
		}
		passed[name] = through / fell
		if name == "leaky-queue" {
			busiest = slices.Max(out.Y)
		}
		if len(chart.Series) == 0 {
			rain = leakyTotals(rain)
			rain.Theory = true // thin: it is no limiter
			chart.Series = append(chart.Series, rain)
		}
		out.Label = "" // the limiter's plain name
		chart.Series = append(chart.Series, leakyTotals(out))
	}
	return plots.Figure{
		Title: fmt.Sprintf("The same rain: the bucket passes %.0f%% of a cloudburst as it falls, the meter %.0f%%; the queue lets %.0f a second go",
			100*passed["token-bucket"], 100*passed["leaky-meter"], busiest),
		Subtitle: fmt.Sprintf("Bursts of %d requests within a second, every %d s, no chance in it; r = %s, bucket of %s, a queue as long",
			leakyStorySize, leakyStoryPeriod, leakyTestRate, leakyStoryBurst),
		Alt: "Running totals over four bursts. The token bucket rises with the rain, nearly as high, and is flat between bursts; " +
			"the leaky queue rises along a straight line of two a second to the same height; the leaky meter passes two of each burst.",
		Chart: chart,
	}, nil
}

// leakyTotals makes numbers of requests in each second, in order, into their
// running total, from 0 at the beginning of the first. The story is the same
// in every replication: there are no intervals.
func leakyTotals(s plots.Series) plots.Series {
	totals := plots.Series{Name: s.Name, Label: s.Label, X: []float64{s.X[0]}, Y: []float64{0}}
	for i, n := range s.Y {
		totals.X, totals.Y = append(totals.X, s.X[i]+1), append(totals.Y, totals.Y[i]+n)
	}
	return totals
}

// leakyLossFigure draws what buckets refuse of Poisson traffic.
func leakyLossFigure(d *Data) (plots.Figure, error) {
	chart := plots.Line{
		X:    plots.Axis{Label: "Load: arrival rate / r", Min: 0.4, Max: 2},
		Y:    plots.Axis{Label: "Share refused", Percent: true, Zero: true},
		Refs: []plots.Ref{{Value: 1, Vertical: true, Label: "load 1"}},
	}
	for _, burst := range []int{1, 2, 5, 20} {
		name := fmt.Sprintf("b = %d", burst)
		measured, err := d.Series(name, "loss", "load", leakyAt("loss", "token-bucket", "workload", "poisson", "burst", fmt.Sprint(burst))...)
		if err != nil {
			return plots.Figure{}, err
		}
		expected := plots.Series{Name: name, Theory: true}
		for load := 0.4; load < 2.005; load += 0.02 {
			expected.X, expected.Y = append(expected.X, load), append(expected.Y, theory.TokenBucketLoss(load, burst))
		}
		chart.Series = append(chart.Series, expected, dots(measured, 2))
	}
	one, _, _ := d.Mean("loss", leakyAt("loss", "token-bucket", "workload", "poisson", "burst", "1", "load", "1")...)
	twenty, _, _ := d.Mean("loss", leakyAt("loss", "token-bucket", "workload", "poisson", "burst", "20", "load", "1")...)
	return plots.Figure{
		Title:    fmt.Sprintf("With as much traffic as tokens, a bucket of 1 refuses %.0f%% of it, a bucket of 20 refuses %.1f%%", 100*one, 100*twenty),
		Subtitle: fmt.Sprintf("Share of Poisson traffic that a token bucket of burst b refuses; dots: mean of %d replications; lines: M/D/1/b", d.Reps),
		Chart:    chart,
	}, nil
}
