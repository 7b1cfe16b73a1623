package experiments

import (
	"fmt"
	"slices"

	"ratelab/experiments/theory"
	"ratelab/plots"
)

// leaseDrawPrice: calls that leases save, and tokens that they strand, by
// batch.
func leaseDrawPrice(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "price", Title: "What leases save, and what they strand"}
	batches := plots.Axis{Label: "Batch k", Unit: "tokens", Log: true}
	calls := plots.Line{X: batches, Y: plots.Axis{Label: "Calls per admitted request", Log: true}}
	stranded := plots.Line{X: batches, Y: plots.Axis{Label: "Stranded, of the limit", Percent: true, Min: 0, Max: 0.5}}
	const k = 20
	saved, lost := 0.0, 0.0
	for _, cache := range []struct{ value, label string }{{"yes", "remembers"}, {"no", "forgets"}} {
		s, err := d.Series(cache.label, leaseCalls, "batch",
			"part", "flood", "cache", cache.value, "servers", "8", "limit", "1000", "ttl", "window", "rtt", "0s")
		if err != nil && d.Partial {
			continue
		}
		if err != nil {
			return f, err
		}
		s.Markers = true
		calls.Series = append(calls.Series, s)
		if i := slices.Index(s.X, k); i >= 0 && cache.value == "yes" {
			saved = 1 / s.Y[i]
		}
	}
	s, err := d.Series("measured", "stranded_tokens", "batch",
		"part", "stranded", "servers", "8", "limit", "1000", "balancer", fleetRandom)
	switch {
	case err == nil:
		exact := plots.Series{Name: "measured", Theory: true}
		for i, x := range s.X {
			s.Y[i], s.Lo[i], s.Hi[i] = s.Y[i]/1000, s.Lo[i]/1000, s.Hi[i]/1000
			if x == k {
				lost = s.Y[i]
			}
		}
		for x := s.X[0]; x <= s.X[len(s.X)-1]; x++ { // every batch: it leaps where one more lease is begun
			exact.X, exact.Y = append(exact.X, x), append(exact.Y, theory.LeaseStranded(8, int(x), 1000)/1000)
		}
		s.Label = "measured"
		stranded.Series = append(stranded.Series, dots(s, s.X[len(s.X)-1]), exact)
	case !d.Partial:
		return f, err
	}
	if saved > 1 && lost > 0 {
		f.Title = fmt.Sprintf("Leases of %d save %.0f calls of %.0f, and strand %.1f%% of the limit", k, saved-1, saved, 100*lost)
	}
	f.Subtitle = fmt.Sprintf("Eight servers, a fixed window of 1000. Above: four times the limit comes, and a server that was refused remembers it or not. "+
		"Below: what others hold at the first refusal; thin: exact theory. %s.", fleetN(d))
	f.Chart = plots.Grid{Columns: 1, Panels: []plots.Panel{{Title: "Calls", Chart: calls}, {Title: "Tokens", Chart: stranded}}}
	return f, nil
}
