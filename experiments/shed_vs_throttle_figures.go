package experiments

import (
	"fmt"
	"strconv"

	"ratelab/plots"
)

// shedDrawGoodput: all within their limits, and together too many.
func shedDrawGoodput(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "goodput", Title: "Goodput where everybody is within his limit"}
	chart := plots.Line{
		X:    plots.Axis{Label: "Offered load", Unit: "requests/s", Min: 0, Max: 300},
		Y:    plots.Axis{Label: "Goodput", Unit: "requests/s", Min: 0, Max: 120},
		Refs: []plots.Ref{{Value: shedCapacity, Vertical: true, Label: "capacity"}},
	}
	for _, at := range []struct{ defence, label string }{{"shed", "shedding"}, {"throttle", "limits by tenant"}, {"none", "neither"}} {
		s, err := d.Series(at.label, "goodput", "offered", "part", "overload", "limit", shedSpacious, "defence", at.defence)
		if err != nil && d.Partial {
			continue
		}
		if err != nil {
			return f, err
		}
		s.Markers = true
		chart.Series = append(chart.Series, s)
		if at.defence == "shed" {
			curve := plots.Series{Name: s.Name, Theory: true}
			for a := 1; a <= 300; a++ {
				curve.X, curve.Y = append(curve.X, float64(a)), append(curve.Y, float64(a)*(1-shedLoss(float64(a))))
			}
			chart.Series = append(chart.Series, curve)
		}
	}
	shed, _, _ := d.Mean("goodput", shedOverload("shed", 150)...)
	limits, _, _ := d.Mean("goodput", shedOverload("throttle", 150)...)
	bare, _, _ := d.Mean("goodput", shedOverload("none", 150)...)
	if limits == bare && limits < shed {
		f.Title = fmt.Sprintf("Ten tenants within their limits, together half too many: shedding serves %.0f/s in time, limits by tenant %.0f/s, as if there were none", shed, limits)
	}
	f.Subtitle = fmt.Sprintf("Server of 100/s, timeout 1 s, nobody retries; limits of 60/s for each of ten equal tenants; shedding beyond a queue of 20. Thin: M/D/1/K. %d replications, 95%% intervals.", d.Reps)
	f.Chart = chart
	return f, nil
}

// shedDrawGreedy: one takes more and more.
func shedDrawGreedy(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "greedy", Title: "One greedy tenant, and ten polite ones"}
	var panels [2][]plots.Series
	for i, metric := range []string{"others_ok", "greedy_rate"} {
		for _, at := range []struct{ defence, label string }{{"throttle", "limits by tenant"}, {"shed", "shedding"}, {"none", "neither"}} {
			s, err := d.Series(at.label, metric, "greedy", "part", "greedy", "limit", "9", "defence", at.defence)
			if err != nil && d.Partial {
				continue
			}
			if err != nil {
				return f, err
			}
			s.Markers = true
			for k := range s.X {
				s.X[k] *= shedEach
			}
			panels[i] = append(panels[i], s)
		}
	}
	limits, _, _ := d.Mean("others_ok", shedPlace("throttle", 40, 9)...)
	shed, _, _ := d.Mean("others_ok", shedPlace("shed", 40, 9)...)
	bare, _, _ := d.Mean("others_ok", shedPlace("none", 40, 9)...)
	if bare < shed && shed < limits {
		f.Title = fmt.Sprintf("One tenant asks for twice the capacity: of the others’ requests limits by tenant save %.0f%%, shedding %.0f%%, neither %.0f%%", 100*limits, 100*shed, 100*bare)
	}
	f.Subtitle = fmt.Sprintf("Server of 100/s; ten tenants of 5/s; limits of 9/s each; shedding beyond a queue of 20. %d replications, 95%% intervals.", d.Reps)
	x := plots.Axis{Label: "Sent by the greedy tenant", Unit: "requests/s", Min: 0, Max: 200, Ticks: shedTicks()}
	f.Chart = plots.Grid{Panels: []plots.Panel{
		{Title: "The others, served in time", Chart: plots.Line{X: x, Y: plots.Axis{Label: "Requests served in time", Percent: true, Min: 0, Max: 1}, Series: panels[0]}},
		{Title: "What the greedy one gets", Chart: plots.Line{X: x, Y: plots.Axis{Label: "Goodput of the greedy tenant", Unit: "requests/s", Min: 0, Max: 100}, Series: panels[1]}},
	}}
	return f, nil
}

func shedTicks() (ticks []plots.Tick) {
	for x := 0; x <= 200; x += 50 {
		ticks = append(ticks, plots.Tick{Value: float64(x), Label: strconv.Itoa(x)})
	}
	return ticks
}

// shedDrawLabels: the table of what everybody hears.
func shedDrawLabels(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "labels", Title: "What everybody hears"}
	heat := plots.Heat{XLabel: "Share of requests", YLabel: "Situation and defence", Format: "%.3f", Min: 0, Max: 1,
		X: []string{"200 ok", "429 throttled", "503 shed", "timeout"}}
	for _, row := range []struct {
		label, who string
		at         []string
	}{
		{"overload, both", "others", shedOverload("both", 150)},
		{"overload, shedding", "others", shedOverload("shed", 150)},
		{"overload, limits", "others", shedOverload("throttle", 150)},
		{"overload, neither", "others", shedOverload("none", 150)},
		{"polite, both", "others", shedPlace("both", 20, 9)},
		{"polite, shedding", "others", shedPlace("shed", 20, 9)},
		{"polite, limits", "others", shedPlace("throttle", 20, 9)},
		{"polite, neither", "others", shedPlace("none", 20, 9)},
		{"greedy, both", "greedy", shedPlace("both", 20, 9)},
		{"greedy, shedding", "greedy", shedPlace("shed", 20, 9)},
		{"greedy, limits", "greedy", shedPlace("throttle", 20, 9)},
		{"greedy, neither", "greedy", shedPlace("none", 20, 9)},
	} {
		var shares []float64
		for _, outcome := range []string{"ok", "throttled", "shed", "timeout"} {
			share, _, _ := d.Mean(row.who+"_"+outcome, row.at...)
			shares = append(shares, share)
		}
		heat.Y, heat.Z = append(heat.Y, row.label), append(heat.Z, shares)
	}
	polite, _, _ := d.Mean("others_shed", shedPlace("shed", 20, 9)...)
	greedy, _, _ := d.Mean("greedy_throttled", shedPlace("throttle", 20, 9)...)
	if polite > 0.1 && greedy > 0.1 {
		f.Title = fmt.Sprintf("With limits the greedy tenant hears 429 to %.0f%% of its requests; with shedding everybody hears 503 to %.0f%%", 100*greedy, 100*polite)
	}
	f.Subtitle = fmt.Sprintf("150/s at a server of 100/s: ten tenants of 5/s and a greedy one of 100/s, or (overload) ten of 15/s, within their limits. Means of %d replications.", d.Reps)
	f.Chart = heat
	return f, nil
}
