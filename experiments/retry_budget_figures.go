package experiments

import (
	"fmt"
	"math"
	"slices"

	"ratelab/experiments/theory"
	"ratelab/plots"
)

// budgetSeries reads a metric of each policy along the failure share or, in
// part limiter, along the share of calls for which there is no room.
func budgetSeries(d *Data, metric, part string) (all []plots.Series, err error) {
	for _, p := range budgetPolicies {
		at := []string{"part", part, "budget", p.budget, "retries", p.retries}
		x := "failure"
		switch {
		case part == "limiter":
			x = "served"
			at = append(at, "spread", "4s")
		case p.budget == budgetEnvoy:
			at = append(at, "latency", "1s")
		default:
			at = append(at, "calls", "100/s")
		}
		s, err := d.Series(p.label, metric, x, at...)
		if err != nil && d.Partial {
			continue
		}
		if err != nil {
			return nil, err
		}
		if part == "limiter" {
			s = budgetNoRoom(s)
		}
		all = append(all, s)
	}
	return all, nil
}

// budgetNoRoom turns what a limiter serves, c/λ, into what it has no room for.
func budgetNoRoom(s plots.Series) plots.Series {
	kept := plots.Series{Name: s.Name, Label: s.Label}
	for i := len(s.X) - 1; i >= 0; i-- {
		if served := s.X[i]; served <= 1 {
			kept.X, kept.Y = append(kept.X, 1-served), append(kept.Y, s.Y[i])
			kept.Lo, kept.Hi = append(kept.Lo, s.Lo[i]), append(kept.Hi, s.Hi[i])
		}
	}
	return kept
}

func budgetCurve(name string, most float64, y func(x float64) float64) plots.Series {
	s := plots.Series{Name: name, Theory: true}
	for x := 0.0; x <= most+1e-9; x += 0.01 {
		s.X, s.Y = append(s.X, x), append(s.Y, y(x))
	}
	return s
}

func budgetTicks() (ticks []plots.Tick) {
	for _, x := range []int{0, 30, 60, 90} {
		ticks = append(ticks, plots.Tick{Value: float64(x) / 100, Label: fmt.Sprintf("%d%%", x)})
	}
	return ticks
}

// budgetDrawAmplification: what retries make of the load.
func budgetDrawAmplification(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "amplification", Title: "What retries make of the load"}
	outside, err := budgetSeries(d, "amplification", "outside")
	if err != nil {
		return f, err
	}
	limited, err := budgetSeries(d, "amplification", "limiter")
	if err != nil {
		return f, err
	}
	bare, some := budgetAt(outside, "3 retries", 0.5)
	if bucket, ok := budgetAt(outside, "bucket, 10%", 0.5); ok && some && bucket < bare {
		f.Title = fmt.Sprintf("At half of all attempts failing, three retries make %.2f times the load, a bucket of a tenth %.2f times", bare, bucket)
	}
	outside = append(outside, budgetCurve("3 retries", 0.9, func(p float64) float64 { return theory.RetryAttempts(p, 3) }),
		budgetCurve("bucket, 10%", 0.9, func(p float64) float64 { return budgetTenths(p).Attempts }))
	limited = append(limited, budgetCurve("3 retries", 0.9, func(x float64) float64 { return theory.LimiterAttempts(1-x, 3) }))
	f.Subtitle = fmt.Sprintf("Attempts / calls, in the long run. Thin: theory. %d replications, 95%% intervals.", d.Reps)
	y := plots.Axis{Label: "Attempts / calls", Unit: "1", Min: 0, Max: 4}
	f.Chart = plots.Grid{Panels: []plots.Panel{
		{Title: "Failures from outside", Chart: plots.Line{X: plots.Axis{Label: "Attempts that fail", Ticks: budgetTicks()}, Y: y, Series: outside}},
		{Title: "Behind a limiter", Chart: plots.Line{X: plots.Axis{Label: "Calls without room, 1 − c/λ", Ticks: budgetTicks()}, Y: y, Series: limited}},
	}}
	return f, nil
}

// budgetDrawSuccess: what budgets give up for it.
func budgetDrawSuccess(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "success", Title: "What budgets give up"}
	outside, err := budgetSeries(d, "success_share", "outside")
	if err != nil {
		return f, err
	}
	limited, err := budgetSeries(d, "success_share", "limiter")
	if err != nil {
		return f, err
	}
	bare, some := budgetAt(outside, "3 retries", 0.7)
	throttled, ok := budgetAt(outside, "throttling, K = 2", 0.7)
	if bucket, has := budgetAt(outside, "bucket, 10%", 0.7); has && ok && some && throttled < bucket && bucket < bare {
		f.Title = fmt.Sprintf("At 70%% failing, %.0f%% of calls succeed with three retries, %.0f%% with a bucket, %.0f%% with throttling; behind a limiter all get the same",
			100*bare, 100*bucket, 100*throttled)
	}
	outside = append(outside, budgetCurve("3 retries", 0.9, func(p float64) float64 { return theory.RetrySuccess(p, 3) }))
	f.Subtitle = fmt.Sprintf("Calls that succeed in the end, in the long run. Thin: theory. %d replications, 95%% intervals.", d.Reps)
	y := plots.Axis{Label: "Calls that succeed", Percent: true, Min: 0, Max: 1}
	f.Chart = plots.Grid{Panels: []plots.Panel{
		{Title: "Failures from outside", Chart: plots.Line{X: plots.Axis{Label: "Attempts that fail", Ticks: budgetTicks()}, Y: y, Series: outside}},
		{Title: "Behind a limiter", Chart: plots.Line{X: plots.Axis{Label: "Calls without room, 1 − c/λ", Ticks: budgetTicks()}, Y: y, Series: limited}},
	}}
	return f, nil
}

// budgetDrawStart: what full buckets let through before they are empty.
func budgetDrawStart(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "start", Title: "The first ten seconds with full buckets"}
	chart := plots.Line{
		X: plots.Axis{Label: "Attempts that fail", Percent: true, Zero: true},
		Y: plots.Axis{Label: "Attempts / calls", Unit: "1"},
	}
	worst := make(map[int]float64)
	for _, n := range []int{10, 100, 1000} {
		s, err := d.Series(fmt.Sprintf("%d clients", n), "amplification", "failure", "part", "start", "budget", "tokens", "clients", fmt.Sprint(n))
		if err != nil && d.Partial {
			continue
		}
		if err != nil {
			return f, err
		}
		s.Markers = true
		chart.Series = append(chart.Series, s)
		worst[n] = slices.Max(s.Y)
	}
	if worst[10] > 1 && worst[1000] > worst[10]+0.1 {
		f.Title = fmt.Sprintf("The same outage, the same calls: buckets of 1000 clients let %.0f%% more through in 10 s, buckets of 10 clients %.0f%%",
			100*(worst[1000]-1), 100*(worst[10]-1))
	}
	chart.Series = append(chart.Series,
		plots.Series{Name: "no budget", Label: "no budget", Theory: true, X: budgetCurve("", 0.5, math.Abs).X, Y: budgetCurve("", 0.5, func(p float64) float64 { return 1 / (1 - p) }).Y},
		plots.Series{Name: "long run", Label: "long run", Theory: true, X: budgetCurve("", 0.5, math.Abs).X, Y: budgetCurve("", 0.5, func(p float64) float64 { return budgetTenths(p).Attempts }).Y})
	f.Subtitle = fmt.Sprintf("1000 calls a second, shared by the clients; a bucket of 5 retries each, full at first, a tenth for every call. Thin: theory. %d replications, 95%% intervals.", d.Reps)
	f.Chart = chart
	return f, nil
}

// budgetAt returns a series' value at x.
func budgetAt(all []plots.Series, name string, x float64) (float64, bool) {
	for _, s := range all {
		if i := slices.Index(s.X, x); i >= 0 && s.Name == name {
			return s.Y[i], true
		}
	}
	return 0, false
}
