package experiments

import (
	"fmt"
	"math"
	"slices"

	"ratelab/experiments/theory"
	"ratelab/plots"
)

// quotaDrawUsed: what quotas use of the promise, by balancer and coordination.
func quotaDrawUsed(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "used", Title: "What quotas use of the promise"}
	chart := plots.Line{
		X: plots.Axis{Label: "Offered rate / promised rate", Unit: "1"},
		Y: plots.Axis{Label: "Admitted rate / promised rate", Min: 0.4, Max: 1, Percent: true},
	}
	quotas := theory.Quotas(100, 10, theory.Spread)
	atOne := map[string]float64{}
	for _, b := range []struct {
		name, balancer, coordination string
		expected                     func(a float64) float64
	}{
		{"round robin", fleetRR, "quota", func(a float64) float64 { return theory.FleetRoundRobinFixedWindow(a, quotas) }},
		{"random", fleetRandom, "quota", func(a float64) float64 { return theory.FleetFixedWindow(a, theory.Equal(10), quotas) }},
		{"Zipf weights", fleetZipf, "quota", func(a float64) float64 { return theory.FleetFixedWindow(a, theory.Zipf(10, 1), quotas) }},
		{"adaptive", fleetZipf, quotaAdaptive, nil},
	} {
		s, err := d.Series(b.name, "admitted_rate", "load",
			quotaPlace("split", "fixed-window", 10, b.balancer, b.coordination)...)
		if err != nil && d.Partial {
			continue
		}
		if err != nil {
			return f, err
		}
		s = quotaShare(s, 100)
		s.Markers = true
		switch b.name {
		case "adaptive":
			s.Label = "Zipf, adaptive"
		case "Zipf weights":
			s.Label = "Zipf, quota"
		case "random":
			s.Label = "random, quota"
		case "round robin":
			if quotaMirrors(d) {
				s.Label = "central; in turn, quota"
			}
		}
		chart.Series = append(chart.Series, s)
		if i := slices.Index(s.X, 1); i >= 0 {
			atOne[b.name] = s.Y[i]
		}
		if b.expected == nil || len(s.X) == 0 {
			continue
		}
		curve := plots.Series{Name: s.Name, Theory: true}
		for x := s.X[0]; x <= s.X[len(s.X)-1]; x += 0.02 {
			curve.X, curve.Y = append(curve.X, x), append(curve.Y, b.expected(100*x)/100)
		}
		chart.Series = append(chart.Series, curve)
	}
	if zipf, random, rr, follow := atOne["Zipf weights"], atOne["random"], atOne["round robin"], atOne["adaptive"]; zipf > 0 && zipf < random && random < rr && follow > zipf {
		f.Title = fmt.Sprintf("Offered just the promise, ten quotas use %.0f%% in turn, %.0f%% at random, %.0f%% under Zipf weights", 100*rr, 100*random, 100*zipf)
	}
	f.Subtitle = fmt.Sprintf("Fixed window of 100 over 10 servers, Poisson arrivals. Adaptive: shares follow demand, every window. Thin: theory. %s.", fleetN(d))
	f.Chart = chart
	return f, nil
}

// quotaShare makes requests of a series into shares of so many.
func quotaShare(s plots.Series, of float64) plots.Series {
	for _, ys := range [][]float64{s.Y, s.Lo, s.Hi} {
		for i := range ys {
			ys[i] /= of
		}
	}
	return s
}

// quotaMirrors reports whether quotas behind the round robin admitted what a
// central window did, at every load.
func quotaMirrors(d *Data) bool {
	quota, err := d.Series("", "admitted_rate", "load", quotaPlace("split", "fixed-window", 10, fleetRR, "quota")...)
	if err != nil {
		return false
	}
	central, err := d.Series("", "admitted_rate", "load", quotaPlace("split", "fixed-window", 10, fleetRR, "central")...)
	return err == nil && slices.Equal(quota.X, central.X) && slices.Equal(quota.Y, central.Y)
}

// quotaDrawDivision: what is left of the promise where N does not divide it.
func quotaDrawDivision(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "division", Title: "What division leaves of a limit"}
	chart := plots.Line{
		X: plots.Axis{Label: "Servers", Min: 1, Max: 20},
		Y: plots.Axis{Label: "Admitted rate / promised rate", Min: 0, Max: 1.02, Percent: true},
	}
	at16 := map[string]float64{}
	for _, l := range []struct {
		limiter  string
		expected func(n int) float64
	}{
		{"token-bucket", func(n int) float64 { return math.Ceil(float64(20/n) / 20) }},
		{"fixed-window", func(n int) float64 { return theory.QuotaUsedShare(20, n, theory.Drop) }},
		{"sliding-counter", func(n int) float64 { return theory.QuotaUsedShareCounter(theory.Fits, 20, n, theory.Drop) }},
	} {
		s, err := d.Series(l.limiter, "admitted_over_rate", "servers", quotaPlaces("saturated", l.limiter, fleetRR, quotaDrop)...)
		if err != nil && d.Partial {
			continue
		}
		if err != nil {
			return f, err
		}
		if i := slices.Index(s.X, 16); i >= 0 {
			at16[l.limiter] = s.Y[i]
		}
		s = fleetKeep(s, func(n float64) bool { return n <= 20 })
		s.Label, s.Markers = "", true // the limiter's plain name
		curve := plots.Series{Name: l.limiter, Theory: true}
		for _, n := range s.X {
			curve.X, curve.Y = append(curve.X, n), append(curve.Y, l.expected(int(n)))
		}
		chart.Series = append(chart.Series, s, curve)
	}
	if window, counter, bucket := at16["fixed-window"], at16["sliding-counter"], at16["token-bucket"]; bucket == 1 && counter < window {
		f.Title = fmt.Sprintf("16 servers use %.0f%% of a window's limit of 20, %.0f%% of a counter's, all of a bucket's rate", 100*window, 100*counter)
	}
	f.Subtitle = fmt.Sprintf("A limit of 20 in N whole shares, the remainder dropped; saturated, round robin. Beyond 20 servers all refuse everything. %s.", fleetN(d))
	f.Chart = chart
	return f, nil
}

// quotaPlaces names places at all numbers of servers.
func quotaPlaces(part, limiter, balancer, coordination string, more ...string) []string {
	return append([]string{"part", part, "limiter", limiter, "balancer", balancer, "coordination", coordination}, more...)
}

// quotaDrawGreedy: what a caller gets of its own promise, by the balancer.
func quotaDrawGreedy(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "greedy", Title: "What a caller gets of its limit"}
	chart := plots.Line{
		X:    plots.Axis{Label: "Servers", Log: true, Base: 2},
		Y:    plots.Axis{Label: "Admitted of one caller", Unit: "requests/s", Min: 0, Max: 21},
		Refs: []plots.Ref{{Value: 20, Label: "promised, and offered"}},
	}
	last := map[string]float64{}
	for _, b := range []struct {
		name, balancer string
		expected       func(n int) float64
	}{
		{"round robin", fleetRR, nil},
		{"random", fleetRandom, func(n int) float64 {
			return theory.FleetFixedWindow(20, theory.Equal(n), theory.Quotas(20, n, theory.Spread))
		}},
		{"hash by key", "hash", func(n int) float64 { return theory.ShardedKeyFixedWindow(20, 20, n, theory.Spread) }},
	} {
		s, err := d.Series(b.name, quotaGreedyRate, "servers", quotaPlaces("tenants", "fixed-window", b.balancer, "quota", "greedy", "4")...)
		if err != nil && d.Partial {
			continue
		}
		if err != nil {
			return f, err
		}
		s.Markers = true
		chart.Series = append(chart.Series, s)
		if i := slices.Index(s.X, 20); i >= 0 {
			last[b.name] = s.Y[i]
		}
		if b.expected == nil {
			continue
		}
		curve := plots.Series{Name: s.Name, Theory: true}
		for _, n := range s.X {
			curve.X, curve.Y = append(curve.X, n), append(curve.Y, b.expected(int(n)))
		}
		chart.Series = append(chart.Series, curve)
	}
	if rr, random, hash := last["round robin"], last["random"], last["hash by key"]; hash > 0 && hash < random && random < rr {
		f.Title = fmt.Sprintf("Hashed to one of 20 quotas, a caller gets %.3g of the 20 per second it was promised; in turn %.3g, at random %.3g", hash, rr, random)
	}
	f.Subtitle = fmt.Sprintf("A fixed window of 20 for each caller, divided by N; Poisson arrivals. Thin: theory. %s.", fleetN(d))
	f.Chart = chart
	return f, nil
}
