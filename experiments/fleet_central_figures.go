package experiments

import (
	"fmt"
	"math"
	"strconv"

	"ratelab/experiments/theory"
	"ratelab/plots"
)

// The frontier's axes are logarithmic, and what is nothing lies at their ends.
const (
	frontierNoDelay  = 0.02 // ms
	frontierNoExcess = 1e-3
)

// centralDrawFrontier: what each coordination overshoots in a flood, against
// what it adds to each request, and what it admits when no more is asked for
// than was promised.
func centralDrawFrontier(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "frontier", Height: 340}
	chart := plots.Line{
		X: plots.Axis{Label: "Time that a check adds", Unit: "ms", Log: true, Min: frontierNoDelay / 1.3, Max: 11, Ticks: []plots.Tick{
			{Value: frontierNoDelay, Label: "none"}, {Value: 0.1, Label: "0.1"}, {Value: 1, Label: "1"}, {Value: 10, Label: "10"}}},
		Y: plots.Axis{Label: "Admitted above the limit in a flood", Log: true, Min: frontierNoExcess / 4, Max: 20, Ticks: []plots.Tick{
			{Value: frontierNoExcess, Label: "none"}, {Value: 0.01, Label: "1%"}, {Value: 0.1, Label: "10%"}, {Value: 1, Label: "100%"}, {Value: 10, Label: "1000%"}}},
	}
	worst, lease := "", ""
	for _, at := range centralFrontier {
		over, _, _ := d.Mean("excess_mean", centralAt("frontier", at.coordination, "load", "8")...)
		used, _, _ := d.Mean("admitted_over_rate", centralAt("frontier", at.coordination, "load", "1")...)
		delay, _, _ := d.Mean("delay_mean", centralAt("frontier", at.coordination, "load", "1")...)
		if math.IsNaN(over + used + delay) {
			if d.Partial {
				continue
			}
			return f, fmt.Errorf("nothing was measured of %s", at.label)
		}
		over, delay = over/1000, delay*1000
		x, y := max(delay, frontierNoDelay), max(over, frontierNoExcess)
		chart.Series = append(chart.Series, plots.Series{
			Name: at.coordination, Label: fmt.Sprintf("%s: %.0f%%", at.label, 100*used), X: []float64{x}, Y: []float64{y}, Markers: true,
		})
		switch at.label {
		case "local":
			worst = fmt.Sprintf("%.1f×", 1+over)
		case "k=25":
			if over == 0 {
				lease = fmt.Sprintf("leases of 25 keep it, for %.1f ms a request", delay)
			}
		}
	}
	f.Title = "What it costs eight servers to keep one promise"
	if worst != "" && lease != "" {
		f.Title = fmt.Sprintf("Eight local limits admit %s the promise; %s", worst, lease)
	}
	f.Subtitle = fmt.Sprintf("Limit 1000 in 10 s, Zipf weights, store 10 ms away; k: leases of k. Flood: eight times the limit. "+
		"After each name: what is admitted of the limit when just so much is asked for. %d replications.", d.Reps)
	f.Chart = chart
	return f, nil
}

// centralDrawLatency: how long a check takes, by load.
func centralDrawLatency(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "latency", Title: "How long a check takes"}
	chart := plots.Line{
		X:    plots.Axis{Label: "Requests to the store", Unit: "1000/s", Min: 0, Max: 4},
		Y:    plots.Axis{Label: "Mean time of a check", Unit: "ms", Min: 0, Max: 8},
		Refs: []plots.Ref{{Value: 1, Vertical: true, Label: "one store is full"}},
	}
	half, full := math.NaN(), math.NaN()
	for _, at := range []struct {
		name, coordination string
		shards             float64
	}{{"central", centralStore, 1}, {"4 random shards", centralShards("4", "random"), 4}} {
		s, err := d.Series(at.name, "delay_mean", "load", centralAt("latency", at.coordination, "rtt", "1ms", "arrivals", "poisson")...)
		if err != nil && d.Partial {
			continue
		}
		if err != nil {
			return f, err
		}
		s.Name, s.Markers = at.coordination, true
		curve := plots.Series{Name: s.Name, Theory: true}
		for i := range s.X {
			s.Y[i], s.Lo[i], s.Hi[i] = 1000*s.Y[i], 1000*s.Lo[i], 1000*s.Hi[i]
			if at.shards == 1 && s.X[i] == 0.5 {
				half = s.Y[i]
			}
			if at.shards == 1 && s.X[i] == 0.9 {
				full = s.Y[i]
			}
		}
		for rho := s.X[0] / at.shards; rho < 0.93; rho += 0.01 {
			curve.X = append(curve.X, rho*at.shards)
			curve.Y = append(curve.Y, 1000*theory.StoreLatency(0.001, 1000*rho, 1000))
		}
		chart.Series = append(chart.Series, s, curve)
	}
	if full > half {
		f.Title = fmt.Sprintf("A check of %.1f ms at half the store's load takes %.1f ms at nine tenths", half, full)
	}
	f.Subtitle = fmt.Sprintf("Round trip 1 ms, 1000 operations a second to a shard, Poisson arrivals. Thin: M/D/1. %s.", fleetN(d))
	f.Chart = chart
	return f, nil
}

// centralDrawOutage: what passes in a window of which the store is down for a
// part.
func centralDrawOutage(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "outage", Title: "What passes while the store is down"}
	chart := plots.Line{
		X:    plots.Axis{Label: "Servers", Log: true, Base: 2},
		Y:    plots.Axis{Label: "Admitted in a window", Unit: "requests", Min: 0, Max: 32},
		Refs: []plots.Ref{{Value: 10, Label: "the promise"}},
	}
	at := map[string]float64{}
	for _, fail := range []string{"open", "local", "closed"} {
		s, err := d.Series(fail, perWindow, "servers", centralAt("outage", centralOutage(fail), "limit", "10", "load", "6")...)
		if err != nil && d.Partial {
			continue
		}
		if err != nil {
			return f, err
		}
		s.Name, s.Label, s.Markers = "fail "+fail, "fail "+fail, true
		curve := plots.Series{Name: s.Name, Theory: true, X: s.X}
		for _, x := range s.X {
			n, _ := strconv.Atoi(fleetNumber(x))
			curve.Y = append(curve.Y, map[string]float64{
				"open": theory.OutageOpen(42, 18, 10), "closed": theory.OutageClosed(42, 10),
				"local": theory.OutageLocal(42, 18, 10, theory.Equal(n), fleetAll(n, 10)),
			}[fail])
		}
		at[fail] = s.Y[len(s.Y)-1]
		chart.Series = append(chart.Series, s, curve)
	}
	if len(at) == 3 && at["local"] > 0.95*at["open"] {
		f.Title = fmt.Sprintf("An outage lets %.0f pass for 10, and limits of their own save nothing on four servers", at["open"])
	}
	f.Subtitle = fmt.Sprintf("Fixed window of 10, six times as many come; the store is down for 3/10 of each window. Thin: theory. %s.", fleetN(d))
	f.Chart = chart
	return f, nil
}
