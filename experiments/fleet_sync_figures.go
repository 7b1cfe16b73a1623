package experiments

import (
	"fmt"
	"slices"
	"strconv"

	"ratelab/experiments/theory"
	"ratelab/plots"
)

// syncDrawPeriod: what is admitted above the limit, by the period.
func syncDrawPeriod(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "period", Title: "What a fleet that syncs admits above its limit"}
	chart := plots.Line{
		X: plots.Axis{Label: "Sync period", Unit: "ms", Log: true, Ticks: syncTicks(5, 10, 20, 50, 100, 200)},
		Y: plots.Axis{Label: "Admitted above the limit, per window", Unit: "requests", Log: true},
	}
	at := map[float64]float64{} // by ms, of 16 servers
	for _, row := range []struct {
		name, servers, own string
		expected           func(perPeriod float64, periods int) float64
	}{
		{"own ignored", "4", "ignore", func(p float64, n int) float64 { return theory.SyncedIgnoreOvershoot(100, p, 0, n) }},
		{"N = 16", "16", "count", func(p float64, n int) float64 { return theory.SyncedOvershoot(16, 100, p, n) }},
		{"N = 4", "4", "count", func(p float64, n int) float64 { return theory.SyncedOvershoot(4, 100, p, n) }},
		{"N = 2", "2", "count", func(p float64, n int) float64 { return theory.SyncedOvershoot(2, 100, p, n) }},
	} {
		s, err := syncSeries(d, row.name, "excess_mean", "part", "curve", "servers", row.servers, "own", row.own)
		if err != nil && d.Partial {
			continue
		}
		if err != nil {
			return f, err
		}
		s.Markers = true
		for i, x := range s.X {
			if row.servers == "16" {
				at[x] = s.Y[i]
			}
		}
		curve := plots.Series{Name: s.Name, Theory: true}
		for periods := 200; periods >= 5; periods-- {
			curve.X = append(curve.X, 1000/float64(periods))
			curve.Y = append(curve.Y, row.expected(200/float64(periods), periods))
		}
		chart.Series = append(chart.Series, s, curve)
	}
	if slow, quick := at[100], at[10]; quick > 0 && slow > quick {
		f.Title = fmt.Sprintf("Told every 100 ms, 16 servers admit %.0f%% too much; every 10 ms, %.1f%%", slow, quick)
	}
	f.Subtitle = fmt.Sprintf("Limit of 100 per second, offered twice that, Poisson. Own ignored: servers decide by the news alone (N = 4). Thin: theory. %s.", fleetN(d))
	f.Chart = chart
	return f, nil
}

// syncSeries returns a metric along the period, in ms, for the points at which
// other factors have the given values.
func syncSeries(d *Data, name, metric string, at ...string) (plots.Series, error) {
	rows, err := d.Summary.Where(append([]string{"metric", metric}, at...)...)
	if err != nil {
		return plots.Series{}, err
	}
	all, err := plots.FromSummary(rows, metric, "part", "period")
	if err != nil {
		return plots.Series{}, err
	}
	if len(all) != 1 {
		return plots.Series{}, nothingMeasured(metric, at)
	}
	s := all[0]
	s.Name, s.Label = name, name
	for i := range s.X {
		s.X[i] *= 1000
	}
	return s, nil
}

func syncTicks(values ...float64) (ticks []plots.Tick) {
	for _, v := range values {
		ticks = append(ticks, plots.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', -1, 64)})
	}
	return ticks
}

// syncDrawDebt: the long run, with debts carried and forgiven.
func syncDrawDebt(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "debt", Title: "What the long run makes of debts"}
	chart := plots.Line{
		X:    plots.Axis{Label: "Sync period", Unit: "ms", Ticks: syncTicks(10, 50, 100, 150, 200)},
		Y:    plots.Axis{Label: "Admitted rate / promised rate", Unit: "1", Min: 0.9, Max: 2},
		Refs: []plots.Ref{{Value: 1, Label: "the promise"}},
	}
	last := map[string]float64{}
	// Forgiven before carried: the limiter's colour, first with its own dash.
	for _, row := range []struct{ name, limiter, debt string }{
		{"bucket, forgiven", "token-bucket", "forgive"},
		{"window, forgiven", "fixed-window", "forgive"},
		{"bucket, carried", "token-bucket", "carry"},
		{"window, carried", "fixed-window", "carry"},
	} {
		s, err := syncSeries(d, row.name, "admitted_over_rate", "part", "debt", "limiter", row.limiter, "debt", row.debt, "servers", "4", "own", "count")
		if err != nil && d.Partial {
			continue
		}
		if err != nil {
			return f, err
		}
		s.Name, s.Markers = row.limiter+":debt="+row.debt, true
		chart.Series = append(chart.Series, s)
		if i := slices.Index(s.X, 200); i >= 0 {
			last[row.name] = s.Y[i]
		}
	}
	if bucket, window := last["bucket, forgiven"], last["window, forgiven"]; bucket > 0 && window > 1 && max(last["bucket, carried"], last["window, carried"]) < 1.02 {
		f.Title = fmt.Sprintf("Told every 200 ms, buckets whose debts are forgiven admit %.2f times the rate, windows %.2f, either with debts carried %.2f",
			bucket, window, max(last["bucket, carried"], last["window, carried"]))
	}
	f.Subtitle = fmt.Sprintf("Limit of 100 per second on 4 servers, offered twice that for good, Poisson. %s.", fleetN(d))
	f.Chart = chart
	return f, nil
}
