package experiments

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ratelab/experiments/theory"
	"ratelab/plots"
)

// fleetDrawServers: what is delivered of one promise, by servers.
func fleetDrawServers(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "servers"}
	chart := plots.Line{
		X: plots.Axis{Label: "Servers", Log: true, Base: 2},
		Y: plots.Axis{Label: "Admitted rate / promised rate", Unit: "1", Log: true, Base: 2},
	}
	for _, coordination := range []string{"central", "quota", "local"} {
		s, err := d.Series(coordination, "admitted_over_rate", "servers",
			fleetAt("saturated", "token-bucket", "balancer", fleetRR, "coordination", coordination, "rate", "2/s", "burst", "20")...)
		if err != nil && d.Partial {
			continue
		}
		if err != nil {
			return f, err
		}
		s.Markers = true
		for i, y := range s.Y {
			if y <= 0 { // which a log axis has no place for
				s.Y[i], s.Lo[i], s.Hi[i] = math.NaN(), math.NaN(), math.NaN()
			}
		}
		if coordination == "quota" {
			s.Label = "quota: b/N each"
		}
		chart.Series = append(chart.Series, s)
	}
	f.Title = "What servers make of one promise"
	if i := slices.IndexFunc(chart.Series, func(s plots.Series) bool { return s.Name == "local" }); i >= 0 {
		f.Title = fleetServersTitle(chart.Series[i])
	}
	f.Subtitle = fmt.Sprintf("A token bucket of 2/s and burst 20 for the whole fleet, saturated through a round robin. Beyond 20 servers some quotas are 0 and refuse all. %s.", fleetN(d))
	f.Chart = chart
	return f, nil
}

// fleetServersTitle says what local limits admit, at 8 servers if they were
// measured.
func fleetServersTitle(local plots.Series) string {
	i := slices.Index(local.X, 8)
	if i < 0 {
		i = len(local.X) - 1
	}
	if fleetProportional(local) {
		return fmt.Sprintf("N servers with local limits admit N times the promise: %s servers %.3g×", fleetNumber(local.X[i]), local.Y[i])
	}
	return fmt.Sprintf("%s servers with local limits admit %.3g times the promise", fleetNumber(local.X[i]), local.Y[i])
}

// fleetProportional reports whether a series is y = x within 0.5 %.
func fleetProportional(s plots.Series) bool {
	for i, x := range s.X {
		if !(math.Abs(s.Y[i]/x-1) < 0.005) {
			return false
		}
	}
	return true
}

// fleetDrawCures: balancers and coordinations at saturation.
func fleetDrawCures(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "cures"}
	rows := []struct{ label, coordination, balancer string }{
		{"central, any balancer", "central", fleetRR},
		{"quota, remainder dropped, round robin", "quota:remainder=drop", fleetRR},
		{"quota, hash by key", "quota", "hash"},
		{"quota, Zipf weights", "quota", fleetZipf},
		{"quota, round robin", "quota", fleetRR},
		{"local, hash by key", "local", "hash"},
		{"local, Zipf weights", "local", fleetZipf},
		{"local, random", "local", fleetRandom},
		{"local, round robin", "local", fleetRR},
	}
	saturated, err := d.Runs.Where(fleetAt("saturated", "fixed-window", "rate", "2/s", "burst", "20")...)
	if err != nil {
		return f, err
	}
	h := plots.Heat{XLabel: "Servers", Min: 0, Max: 2}
	if h.X, err = saturated.Distinct("servers"); err != nil {
		return f, err
	}
	// What each coordination comes to, at the extremes, and the widest interval.
	least, most := make(map[string]float64), make(map[string]float64)
	width := 0.0
	for _, row := range rows {
		z := make([]float64, len(h.X))
		for j, n := range h.X {
			var lo, hi float64
			z[j], lo, hi = d.Mean("admitted_over_rate",
				fleetAt("saturated", "fixed-window", "servers", n, "balancer", row.balancer, "coordination", row.coordination, "rate", "2/s", "burst", "20")...)
			if math.IsNaN(z[j]) {
				continue
			}
			if half := (hi - lo) / 2 / z[j]; half > width {
				width = half
			}
			kind, _, _ := strings.Cut(row.coordination, ":")
			if old, ok := least[kind]; !ok || z[j] < old {
				least[kind] = z[j]
			}
			most[kind] = max(most[kind], z[j])
		}
		h.Y, h.Z = append(h.Y, row.label), append(h.Z, z)
	}
	f.Title = "What the balancer and the coordination make of one promise"
	if least["central"] == most["central"] && most["local"] > 1 && least["quota"] < 1 {
		f.Title = fmt.Sprintf("Local limits admit up to %.3g× the promise, quotas as little as %.3g×, one central limit %.3g×", most["local"], least["quota"], most["central"])
	}
	f.Subtitle = fmt.Sprintf("Admitted rate / promised rate (colours end at 2). A fixed window of limit 20, offered 2·N times its rate. %d replications, 95%% intervals within ±%.1f%%.", d.Reps, 100*width)
	f.Chart = h
	return f, nil
}

// fleetDrawLoad: how much demand it takes.
func fleetDrawLoad(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "load"}
	chart := plots.Line{
		X:    plots.Axis{Label: "Offered rate / promised rate", Unit: "1", Log: true, Base: 2},
		Y:    plots.Axis{Label: "Admitted rate / promised rate", Unit: "1", Log: true, Base: 2},
		Refs: []plots.Ref{{Value: 1, Label: "the promise"}},
	}
	f.Title = "How much demand it takes to exceed the promise"
	for _, n := range []int{1, 4, 16} {
		s, err := d.Series(fmt.Sprintf("N = %d", n), "admitted_over_rate", "load",
			fleetAt("split", "token-bucket", "balancer", fleetRandom, "coordination", "local", "servers", strconv.Itoa(n), "burst", "10")...)
		if err != nil && d.Partial {
			continue
		}
		if err != nil {
			return f, err
		}
		s.Markers = true
		curve := plots.Series{Name: s.Name, Theory: true}
		for x := s.X[0]; x <= s.X[len(s.X)-1]; x *= math.Pow(2, 1.0/16) {
			curve.X = append(curve.X, x)
			curve.Y = append(curve.Y, fleetSplitSums["token-bucket"](x, theory.Equal(n)))
		}
		chart.Series = append(chart.Series, s, curve)
		if i := slices.Index(s.X, 8); n == 16 && i >= 0 && s.Y[i] > 7 {
			f.Title = fmt.Sprintf("It takes no flood: 16 servers offered 8 times the promise admit %.3g times it", s.Y[i])
		}
	}
	f.Subtitle = fmt.Sprintf("Token buckets of burst 10, Poisson arrivals, random balancer. Thin: M/D/1/10 for each server. %s.", fleetN(d))
	f.Chart = chart
	return f, nil
}

// fleetDrawQuota: what quotas starve at exactly the promised rate.
func fleetDrawQuota(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "quota", Title: "What quotas use of the promise"}
	chart := plots.Line{
		X: plots.Axis{Label: "Servers", Log: true, Base: 2},
		Y: plots.Axis{Label: "Admitted rate / promised rate", Min: 0, Max: 1, Percent: true},
	}
	last := map[string]float64{}
	for _, b := range []struct {
		label, balancer string
		weights         func(n int) []float64
	}{
		{"round robin", fleetRR, nil},
		{"random", fleetRandom, theory.Equal},
		{"Zipf weights", fleetZipf, func(n int) []float64 { return theory.Zipf(n, 1) }},
	} {
		s, err := d.Series(b.label, "admitted_over_rate", "servers",
			fleetAt("quota", "fixed-window", "balancer", b.balancer, "coordination", "quota")...)
		if err != nil && d.Partial {
			continue
		}
		if err != nil {
			return f, err
		}
		s = fleetKeep(s, func(n float64) bool { return math.Mod(64, n) == 0 })
		s.Markers = true
		if b.balancer == fleetRR && fleetMirrors(d) {
			s.Label = "round robin, as central"
		}
		chart.Series = append(chart.Series, s)
		if i := slices.Index(s.X, 64); i >= 0 {
			last[b.balancer] = s.Y[i]
		}
		if b.weights == nil {
			continue
		}
		curve := plots.Series{Name: s.Name, Theory: true}
		for _, n := range s.X {
			curve.X = append(curve.X, n)
			curve.Y = append(curve.Y, fleetQuotaUsed(int(n), b.weights(int(n))))
		}
		chart.Series = append(chart.Series, curve)
	}
	if rr, random, zipf := last[fleetRR], last[fleetRandom], last[fleetZipf]; random > 0 && random < rr-0.05 {
		f.Title = fmt.Sprintf("Quotas starve: 64 servers admit %.0f%% of the promise at random, %.0f%% under Zipf weights, %.0f%% in turn", 100*random, 100*zipf, 100*rr)
	}
	f.Subtitle = fmt.Sprintf("Fixed window of 64, divided by N; Poisson arrivals at exactly the promised rate. %s.", fleetN(d))
	f.Chart = chart
	return f, nil
}

func fleetAt(part, limiter string, more ...string) []string {
	return append([]string{"part", part, "limiter", limiter}, more...)
}

// fleetKeep returns the points of a series at which keep holds of x.
func fleetKeep(s plots.Series, keep func(x float64) bool) plots.Series {
	kept := plots.Series{Name: s.Name, Label: s.Label}
	for i, x := range s.X {
		if keep(x) {
			kept.X, kept.Y = append(kept.X, x), append(kept.Y, s.Y[i])
			kept.Lo, kept.Hi = append(kept.Lo, s.Lo[i]), append(kept.Hi, s.Hi[i])
		}
	}
	return kept
}

func fleetNumber(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// fleetMirrors reports whether quotas behind the round robin admitted what a
// central window did, wherever they divide the limit.
func fleetMirrors(d *Data) bool {
	for _, n := range []string{"1", "2", "4", "8", "16", "32", "64"} {
		at := fleetAt("quota", "fixed-window", "balancer", fleetRR, "coordination", "quota", "servers", n)
		if mean, lo, hi := d.Mean(fleetMinusCentral, at...); !(mean == 0 && lo == hi) {
			return false
		}
	}
	return true
}

// fleetN says how often everything was run.
func fleetN(d *Data) string { return fmt.Sprintf("%d replications, 95%% intervals", d.Reps) }
