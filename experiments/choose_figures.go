package experiments

import (
	"fmt"
	"math"
	"slices"

	"ratelab/plots"
)

// chooseShown are the shapes in the figure of the fronts, from smooth to
// bursty.
var chooseShown = []string{"poisson", "page-turn", "flash-crowd", "page-load", "self-similar", "shared-key"}

// chooseFrontsFigure draws, for some shapes, what each limiter refuses at its
// best tuning, by the worst window that it is given.
func chooseFrontsFigure(d *Data) (plots.Figure, error) {
	found := make(map[string][]chooseFound) // by worst window
	levels, err := chooseMosts(d)
	if err != nil {
		return plots.Figure{}, err
	}
	for _, most := range levels {
		list, err := chooseFind(d, most)
		if err != nil {
			return plots.Figure{}, err
		}
		found[most] = list
	}
	if len(levels) == 0 {
		return plots.Figure{}, nothingMeasured("harm", []string{"part", "window"})
	}
	var panels []plots.Panel
	for _, shape := range chooseShown {
		chart := plots.Line{
			X: plots.Axis{Label: "Most in any 10 s", Unit: "requests", Min: 17, Max: 60.5},
			Y: plots.Axis{Label: "Well-behaved refused", Zero: true},
		}
		for _, share := range []float64{0, 0.2, 0.4, 0.6} {
			chart.Y.Ticks = append(chart.Y.Ticks, plots.Tick{Value: share, Label: fmt.Sprintf("%.0f%%", 100*share)})
		}
		for _, most := range levels {
			chart.X.Ticks = append(chart.X.Ticks, plots.Tick{Value: parsed(most), Label: most})
		}
		for _, l := range chooseTuned {
			if !chooseDrawn(l.name) {
				continue
			}
			s := plots.Series{Name: l.name, Markers: true}
			switch l.name {
			case "sliding-counter-fits":
				s.Label = "counter"
			case "sliding-log":
				s.Label = "log"
			case "token-bucket":
				s.Label = "bucket"
			case "leaky-queue":
				s.Label = "queue"
			case "optimum":
				s.Name, s.Theory, s.Markers = "sliding-log", true, false
			}
			for _, most := range levels {
				own := chooseWhere(found[most], func(f chooseFound) bool { return f.workload == shape && f.limiter == l.name })
				if len(own) == 0 {
					return plots.Figure{}, nothingMeasured("harm", chooseAt(shape, l.name, "", most))
				}
				best := chooseLeast(own, chooseFound.harm)[0]
				s.X, s.Y = append(s.X, parsed(most)), append(s.Y, best.harm())
				s.Lo, s.Hi = append(s.Lo, max(0, best.lo)), append(s.Hi, best.hi)
			}
			if l.name == "optimum" {
				s.Lo, s.Hi = nil, nil
			}
			chart.Series = append(chart.Series, s)
		}
		panels = append(panels, plots.Panel{Title: shape, Chart: chart})
	}
	curve := fmt.Sprint(chooseMost)
	return plots.Figure{
		Title: fmt.Sprintf("At most %s in any %s: a bucket refuses %s of the well-behaved, a log %s, a fixed window %s",
			curve, chooseSpan(), choosePercent(chooseMean(found[curve], "token-bucket")), choosePercent(chooseMean(found[curve], "sliding-log")), choosePercent(chooseMean(found[curve], "fixed-window"))),
		Subtitle: fmt.Sprintf("Share refused of the requests that keep to %s, by the most that may pass; each limiter at its best tuning; mean of %d replications, bands: 95%%; "+
			"thin: the optimum of who knows the future. Only the queue delays. Title: mean over %d shapes",
			arrivalCurve{chooseBurst, chooseRate}.says(), d.Reps, len(chooseShapes())),
		Alt: "Six panels, one for each traffic shape. In all of them the curves fall as more may pass in ten seconds. The fixed window and the sliding counter lie highest, the log below them; " +
			"the token bucket reaches zero where the worst window is that of the arrival curve, and the leaky queue, which delays, lies lowest where less may pass.",
		Height: 500,
		Chart:  plots.Grid{Columns: 2, Panels: panels},
	}, nil
}

// chooseMean returns the harm of a limiter at its best tuning, on average over
// the shapes.
func chooseMean(list []chooseFound, limiter string) float64 {
	sum, n := 0.0, 0
	for _, shape := range chooseShapes() {
		own := chooseWhere(list, func(f chooseFound) bool { return f.workload == shape && f.limiter == limiter })
		if len(own) > 0 {
			sum, n = sum+chooseLeast(own, chooseFound.harm)[0].harm(), n+1
		}
	}
	return sum / float64(n)
}

// chooseRefusedFigure shows what each limiter refuses at its best tuning, for
// all shapes, at the worst window of the curve.
func chooseRefusedFigure(d *Data) (plots.Figure, error) {
	list, err := chooseFind(d, fmt.Sprint(chooseMost))
	if err != nil {
		return plots.Figure{}, err
	}
	columns := []struct{ limiter, label string }{
		{"leaky-meter", "meter"}, {"fixed-window", "fixed window"}, {"sliding-counter-fits", "counter"}, {"sliding-log", "log"}, {"token-bucket", "bucket"}, {"leaky-queue", "queue"},
	}
	chart := plots.Heat{XLabel: "Limiter", Format: "%.1f"}
	for _, c := range columns {
		chart.X = append(chart.X, c.label)
	}
	worst := make(map[string]float64)
	for _, shape := range slices.Backward(chooseShapes()) {
		row := make([]float64, len(columns))
		for i, c := range columns {
			row[i] = math.NaN()
			if own := chooseWhere(list, func(f chooseFound) bool { return f.workload == shape && f.limiter == c.limiter }); len(own) > 0 {
				row[i] = 100 * chooseLeast(own, chooseFound.harm)[0].harm()
				worst[c.limiter] = max(worst[c.limiter], row[i])
			}
		}
		chart.Y, chart.Z = append(chart.Y, shape), append(chart.Z, row)
	}
	if len(worst) == 0 {
		return plots.Figure{}, nothingMeasured("harm", []string{"part", "window", "most", fmt.Sprint(chooseMost)})
	}
	return plots.Figure{
		Title: fmt.Sprintf("With the same worst window a bucket refuses up to %.0f%% of the well-behaved, a log up to %.0f%%, a counter up to %.0f%%",
			worst["token-bucket"], worst["sliding-log"], worst["sliding-counter-fits"]),
		Subtitle: fmt.Sprintf("Percent refused of the requests that keep to %s, where at most %d pass in any %s, each limiter at its best tuning; mean of %d replications. The queue delays; the others do not",
			arrivalCurve{chooseBurst, chooseRate}.says(), chooseMost, chooseSpan(), d.Reps),
		Chart: chart,
	}, nil
}
