package experiments

import (
	"fmt"
	"math"

	"ratelab/experiments/theory"
	"ratelab/plots"
)

// herdDrawTimeline: returns a second, in four ways.
func herdDrawTimeline(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "timeline", Title: "How fifty clients return"}
	var panels []plots.Panel
	for _, way := range []struct{ title, client string }{
		{"As told: Retry-After 30", herdTold},
		{"As told, and up to 30 s", herdJittered(30)},
		{"1 s, 2 s, 4 s, …: no jitter", herdPlain},
		{"Full jitter from 1 s", herdFull},
	} {
		s, err := d.Series("returns", "in_second", "second", "part", "timeline", "client", way.client)
		if err != nil {
			return f, err
		}
		s.Label, s.Lo, s.Hi = " ", nil, nil
		panels = append(panels, plots.Panel{Title: way.title, Chart: plots.Step{
			X:      plots.Axis{Label: "Time since the refusal", Unit: "s", Min: 0, Max: 60, Ticks: herdTicks()},
			Y:      plots.Axis{Label: "Returns in a second", Min: 0, Max: 70},
			Series: []plots.Series{s},
		}})
	}
	told, _, _ := d.Mean("peak", herdAt(50, herdTold)...)
	spread, _, _ := d.Mean("peak", herdAt(50, herdJittered(30))...)
	full, _, _ := d.Mean("in_second", herdIn(0, 50, herdFull)...)
	if spread < told && told < full {
		f.Title = fmt.Sprintf("Fifty clients return: %.0f in one second as told, %.1f in the busiest with 30 s of jitter; full jitter from 1 s begins with %.1f", told, spread, full)
	}
	f.Subtitle = fmt.Sprintf("Returns in each second after all were refused and told 30 s; then there is room for all. Mean of %d replications.", d.Reps)
	f.Chart = plots.Grid{Panels: panels}
	return f, nil
}

func herdTicks() (ticks []plots.Tick) {
	for _, s := range []int{0, 15, 30, 45, 60} {
		ticks = append(ticks, plots.Tick{Value: float64(s), Label: fmt.Sprint(s)})
	}
	return ticks
}

// herdDrawKey: what one bucket's waiters are told, and how often they return.
func herdDrawKey(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "key", Title: "How often the waiters of one key return"}
	chart := plots.Line{
		X: plots.Axis{Label: "Clients that wait", Log: true, Ticks: []plots.Tick{{Value: 10, Label: "10"}, {Value: 50, Label: "50"}, {Value: 100, Label: "100"}}},
		Y: plots.Axis{Label: "Returns in all", Log: true},
	}
	at := make(map[string]float64)
	for _, way := range []struct{ label, hints string }{{"exact wait", "exact"}, {"whole seconds", "rounded"}, {"place in line", "line"}} {
		s, curve := plots.Series{Name: way.label, Markers: true}, plots.Series{Name: way.label, Theory: true}
		for _, n := range []int{10, 25, 50, 100} {
			if y, _, _ := d.Mean("returns", herdKeyAt(n, "2/s", way.hints)...); !math.IsNaN(y) {
				s.X, s.Y = append(s.X, float64(n)), append(s.Y, y)
				if n == 50 {
					at[way.hints] = y
				}
			}
		}
		for n := 10; n <= 100; n++ {
			y := map[string]float64{"exact": theory.HerdOneKeyReturns(n, 1), "rounded": theory.HerdOneKeyReturns(n, 2), "line": float64(n)}[way.hints]
			curve.X, curve.Y = append(curve.X, float64(n)), append(curve.Y, y)
		}
		if len(s.X) > 0 {
			chart.Series = append(chart.Series, s, curve)
		}
	}
	if exact, line := at["exact"], at["line"]; line > 0 && line < exact {
		f.Title = fmt.Sprintf("Fifty waiters of one key, told the exact wait, return %.0f times; with a place in line, %.0f times", exact, line)
	}
	f.Subtitle = "One bucket, empty, 2 tokens a second; everyone obeys until served, the last after n/2 s. Thin: theory."
	f.Chart = chart
	return f, nil
}
