package experiments

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ratelab/experiments/theory"
	"ratelab/internal/spec"
	"ratelab/plots"
)

// backoffLabels are the algorithms as the figures name them.
var backoffLabels = map[string]string{
	"exponential": "no jitter", "decorrelated": "decorrelated", "equal": "equal jitter", "full": "full jitter", "none": "no back-off",
}

// backoffSeries reads a metric of every algorithm along a factor.
func backoffSeries(d *Data, metric, x string, at ...string) (all []plots.Series, err error) {
	for _, a := range backoffAlgorithms {
		s, err := d.Series(backoffLabels[a.name], metric, x, append([]string{"part", "each", "algorithm", a.name}, at...)...)
		if err != nil && d.Partial {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// backoffOracle draws the other simulation under each algorithm, as dots.
func backoffOracle(value func(p theory.AWSBackoffPoint) float64) (all []plots.Series) {
	for _, a := range backoffAlgorithms {
		s := plots.Series{Name: backoffLabels[a.name], Theory: true}
		for _, p := range theory.AWSBackoff() {
			if string(p.Algorithm) == a.name {
				s.X, s.Y = append(s.X, float64(p.Clients)), append(s.Y, value(p))
			}
		}
		all = append(all, dots(s, math.Inf(1)))
	}
	return all
}

// backoffAt returns a series' value at x.
func backoffAt(all []plots.Series, algorithm string, x float64) (float64, bool) {
	for _, s := range all {
		if i := slices.Index(s.X, x); i >= 0 && s.Name == backoffLabels[algorithm] {
			return s.Y[i], true
		}
	}
	return 0, false
}

func backoffTicks() (ticks []plots.Tick) {
	for _, n := range []int{10, 50, 100, 150, 190} {
		ticks = append(ticks, plots.Tick{Value: float64(n), Label: fmt.Sprint(n)})
	}
	return ticks
}

func backoffDrawCalls(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "calls", Title: "What back-off costs in calls"}
	all, err := backoffSeries(d, "calls", "clients", "service", "0s")
	if err != nil {
		return f, err
	}
	full, some := backoffAt(all, "full", 100)
	if plain, ok := backoffAt(all, "exponential", 100); ok && some && full < plain {
		f.Title = fmt.Sprintf("Jitter saves %.0f%% of the calls of 100 clients: %.0f instead of %.0f", 100*(1-full/plain), full, plain)
	}
	f.Subtitle = fmt.Sprintf("Writes until each client has succeeded once, one row, a server that takes no time. Dots: another program. %s.", backoffN(d))
	f.Chart = plots.Line{
		X:      plots.Axis{Label: "Clients", Min: 0, Max: 190, Ticks: backoffTicks()},
		Y:      plots.Axis{Label: "Calls", Unit: "writes", Log: true, Min: 30, Max: 10_000},
		Series: append(all, backoffOracle(func(p theory.AWSBackoffPoint) float64 { return p.Calls })...),
	}
	return f, nil
}

func backoffDrawTime(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "time", Title: "What back-off costs in time"}
	all, err := backoffSeries(d, "time", "clients", "service", "0s")
	if err != nil {
		return f, err
	}
	plain, some := backoffAt(all, "exponential", 100)
	full, ok := backoffAt(all, "full", 100)
	if rude, has := backoffAt(all, "none", 100); ok && has && some && rude < full && full < plain {
		f.Title = fmt.Sprintf("Without jitter 100 clients take %.0f s, with full jitter %.1f s; a server that takes no time rewards not backing off: %.1f s", plain, full, rude)
	}
	f.Subtitle = fmt.Sprintf("Until the last client has succeeded, one row, a server that takes no time. Dots: another program. %s.", backoffN(d))
	f.Chart = plots.Line{
		X:      plots.Axis{Label: "Clients", Min: 0, Max: 190, Ticks: backoffTicks()},
		Y:      plots.Axis{Label: "Time", Unit: "s", Log: true, Min: 0.2, Max: 200},
		Series: append(all, backoffOracle(func(p theory.AWSBackoffPoint) float64 { return p.Time / 1000 })...),
	}
	return f, nil
}

// backoffDrawService: what becomes of the ranks once the server takes its
// time.
func backoffDrawService(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "service", Title: "What back-off costs where the server takes its time"}
	services, err := d.Runs.Distinct("service")
	if err != nil {
		return f, err
	}
	slices.SortFunc(services, func(a, b string) int { return cmp.Compare(backoffMilliseconds(a), backoffMilliseconds(b)) })
	var all []plots.Series
	for _, a := range backoffAlgorithms {
		s := plots.Series{Name: backoffLabels[a.name], Markers: true}
		for _, service := range services {
			if y, lo, hi := d.Mean("time", backoffEach(a.name, 100, service)...); !math.IsNaN(y) {
				s.X, s.Y = append(s.X, backoffMilliseconds(service)), append(s.Y, y)
				s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, hi)
			}
		}
		if len(s.X) > 0 {
			all = append(all, s)
		}
	}
	rude, some := backoffAt(all, "none", 5)
	if full, ok := backoffAt(all, "full", 5); ok && some && rude > full {
		f.Title = fmt.Sprintf("With 5 ms for a read or a write, not backing off takes %.1f times as long as full jitter", rude/full)
	}
	f.Subtitle = fmt.Sprintf("Until the last of 100 clients has succeeded, one row, one request at a time. %s.", backoffN(d))
	f.Chart = plots.Line{
		X:      plots.Axis{Label: "Time that a read or a write takes the server", Unit: "ms", Zero: true},
		Y:      plots.Axis{Label: "Time", Unit: "s", Log: true},
		Series: all,
	}
	return f, nil
}

// backoffMilliseconds reads a value of the factor service.
func backoffMilliseconds(service string) float64 {
	d, err := spec.ParseDuration(service)
	if err != nil {
		return math.NaN()
	}
	return d.Seconds() * 1000
}

// backoffN says how often everything was run.
func backoffN(d *Data) string { return fmt.Sprintf("%d replications, 95%% intervals", d.Reps) }
