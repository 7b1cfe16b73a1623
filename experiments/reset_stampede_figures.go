package experiments

import (
	"fmt"

	"ratelab/plots"
)

// stampedeDrawTimeline: who comes back when, under three windows.
func stampedeDrawTimeline(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "timeline", Title: "Who comes back when a window turns"}
	var ticks []plots.Tick
	for _, s := range []int{60, 90, 120} {
		ticks = append(ticks, plots.Tick{Value: float64(s), Label: fmt.Sprint(s)})
	}
	var panels []plots.Panel
	for _, way := range []struct{ title, limiter string }{
		{"Fixed window", stampedeFixed},
		{"Edges jittered by 30 s", stampedeJitter(30)},
		{"Sliding log", stampedeOwnLog},
	} {
		s, err := d.Series("returns", "in_second", "second", "part", "timeline", "limiter", way.limiter)
		if err != nil {
			return f, err
		}
		s.Label, s.Lo, s.Hi = " ", nil, nil
		panels = append(panels, plots.Panel{Title: way.title, Chart: plots.Step{
			X:      plots.Axis{Label: "Time", Unit: "s", Min: 55, Max: 130, Ticks: ticks},
			Y:      plots.Axis{Label: "Returns in a second", Min: 0, Max: 55},
			Series: []plots.Series{s},
		}})
	}
	turn, _, _ := d.Mean("peak", stampedeAt(50, stampedeFixed, "own")...)
	jittered, _, _ := d.Mean("peak", stampedeAt(50, stampedeJitter(30), "own")...)
	one, _, _ := d.Mean("peak", stampedeAt(50, stampedeJitter(30), "one")...)
	if jittered < turn && jittered < one {
		f.Title = fmt.Sprintf("Of 50 blocked clients %.0f return in the second of the turn; jittered edges: %.1f in the busiest, but still %.0f of one key", turn, jittered, one)
	}
	f.Subtitle = fmt.Sprintf("One request a minute for each client's key; they think for 5 s and ask again. Mean of %d replications.", d.Reps)
	f.Chart = plots.Grid{Columns: 3, Panels: panels}
	return f, nil
}
