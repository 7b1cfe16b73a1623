package experiments

import (
	"fmt"

	"ratelab/experiments/theory"
	"ratelab/plots"
)

// etiquetteDrawLimiter: what retries bring behind a limiter.
func etiquetteDrawLimiter(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "limiter", Title: "What retries bring behind a limiter"}
	x := plots.Axis{Label: "Calls that the limiter has room for", Min: 0, Max: 1}
	for _, share := range []int{0, 25, 50, 75, 100} {
		x.Ticks = append(x.Ticks, plots.Tick{Value: float64(share) / 100, Label: fmt.Sprintf("%d%%", share)})
	}
	refused := plots.Line{X: x, Y: plots.Axis{Label: "Attempts refused", Percent: true, Min: 0, Max: 1}}
	success := plots.Line{X: x, Y: plots.Axis{Label: "Calls that succeed", Percent: true, Min: 0, Max: 1}}
	for _, m := range []int{0, 3, 10} {
		name := fmt.Sprintf("%d retries", m)
		at := []string{"part", "limiter", "retries", fmt.Sprint(m), "spread", "4s"}
		s, err := d.Series(name, "refused_share", "served", at...)
		if err != nil {
			return f, err
		}
		s.Markers = true
		curve := plots.Series{Name: name, Theory: true}
		for k := 1; k <= 1000; k++ {
			served := float64(k) / 1000
			curve.X, curve.Y = append(curve.X, served), append(curve.Y, theory.LimiterRefusal(served, m))
		}
		refused.Series = append(refused.Series, s, curve)
		if s, err = d.Series(name, "success_share", "served", at...); err != nil {
			return f, err
		}
		s.Markers = true
		success.Series = append(success.Series, s)
	}
	bare, _, _ := d.Mean("refused_share", etiquetteLimited(0.5, 0, "4s")...)
	many, _, _ := d.Mean("refused_share", etiquetteLimited(0.5, 10, "4s")...)
	same, _, _ := d.Mean("success_share", etiquetteLimited(0.5, 10, "4s")...)
	if bare < many {
		f.Title = fmt.Sprintf("With room for half, ten retries raise the refusals from %.0f%% to %.0f%% of attempts; %.0f%% of calls succeed as before", 100*bare, 100*many, 100*same)
	}
	f.Subtitle = fmt.Sprintf("Retries spread over 4 s. Thin: theory. %d replications, 95%% intervals.", d.Reps)
	f.Chart = plots.Grid{Columns: 1, Panels: []plots.Panel{{Title: "What the server refuses", Chart: refused}, {Title: "What the callers get", Chart: success}}}
	return f, nil
}

// etiquetteDrawLost: what a lost reply costs.
func etiquetteDrawLost(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "lost", Title: "What lost replies cost"}
	chart := plots.Line{
		X: plots.Axis{Label: "Replies that are lost", Percent: true, Min: 0, Max: 0.8},
		Y: plots.Axis{Label: "Tokens for a success", Min: 0, Max: 5},
	}
	for _, way := range []struct{ label, key string }{{"no key", "none"}, {"idempotency key", "idempotency"}} {
		s, err := d.Series(way.label, "units_per_success", "lost", "part", "lost", "key", way.key)
		if err != nil {
			return f, err
		}
		s.Markers = true
		chart.Series = append(chart.Series, s)
	}
	curve := plots.Series{Name: "no key", Theory: true}
	for k := 0; k <= 78; k++ {
		q := float64(k) / 100
		curve.X, curve.Y = append(curve.X, q), append(curve.Y, theory.TokensPerSuccess(q))
	}
	chart.Series = append(chart.Series, curve)
	none, _, _ := d.Mean("units_per_success", etiquetteAstray(0.5, "none")...)
	key, _, _ := d.Mean("units_per_success", etiquetteAstray(0.5, "idempotency")...)
	if key < none {
		f.Title = fmt.Sprintf("With half of the replies lost a success costs %.2f tokens, with an idempotency key %.0f", none, key)
	}
	f.Subtitle = fmt.Sprintf("Clients ask until they hear. Thin: theory. %d replications, 95%% intervals.", d.Reps)
	f.Chart = chart
	return f, nil
}
