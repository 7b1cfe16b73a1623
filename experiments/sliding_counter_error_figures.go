package experiments

import (
	"fmt"
	"math"
	"strings"

	"ratelab/experiments/theory"
	"ratelab/plots"
)

func counterErrorFigures() []Figure {
	return []Figure{
		{Name: "plane", Draw: counterErrorPlaneFigure},
		{Name: "shapes", Draw: counterErrorShapesFigure},
		{Name: "dispersion", Draw: counterErrorDispersionFigure},
		{Name: "bias", Draw: counterErrorBiasFigure},
		{Name: "load", Draw: counterErrorLoadFigure},
		{Name: "poisson", Draw: counterErrorPoissonFigure},
		{Name: "burst", Draw: counterErrorBurstFigure},
	}
}

// counterErrorDecayNames say a decay as a correlation time.
var counterErrorDecayNames = map[string]string{"0.2": "5 T", "2": "T/2", "20": "T/20"}

func counterErrorTicks(values ...float64) []plots.Tick {
	var ticks []plots.Tick
	for _, v := range values {
		ticks = append(ticks, plots.Tick{Value: v, Label: fmt.Sprintf("%g", v)})
	}
	return ticks
}

// counterErrorScaled multiplies a series, as from requests to shares.
func counterErrorScaled(s plots.Series, by float64) plots.Series {
	for _, values := range [][]float64{s.Y, s.Lo, s.Hi} {
		for i := range values {
			values[i] *= by
		}
	}
	return s
}

// counterErrorCurve is what theory says from one x to another, at equal
// ratios.
func counterErrorCurve(name string, from, to float64, steps int, y func(x float64) float64) plots.Series {
	s := plots.Series{Name: name, Theory: true}
	for i := range steps + 1 {
		x := from * math.Pow(to/from, float64(i)/float64(steps))
		s.X, s.Y = append(s.X, x), append(s.Y, y(x))
	}
	return s
}

func counterErrorDispersionFigure(d *Data) (plots.Figure, error) {
	const mean = 20
	var series []plots.Series
	for _, decay := range counterErrorDecays {
		name := "correlation time " + counterErrorDecayNames[decay]
		s, err := d.Series(name, "error_open_time_rms", "dispersion", "part", "open", "process", "on-off", "limit", "20", "decay", decay)
		if err != nil {
			return plots.Figure{}, err
		}
		s.Markers = true
		series = append(series, counterErrorScaled(s, 1.0/mean), counterErrorCurve(name, 2, 32, 40, func(x float64) float64 {
			return math.Sqrt(theory.CounterErrorOnOffMeanVariance(theory.OnOffWithDecay(mean, x, 1, counterErrorNumber(decay)), 1)) / mean
		}))
	}
	at := func(decay string) float64 {
		m, _, _ := d.Mean("error_open_time_rms", counterErrorOpenOnOff("20", "32", decay)...)
		return 100 * m / mean
	}
	slow, fast := at("0.2"), at("20")
	title := fmt.Sprintf("Equally bursty, unequally wrong: the counter errs by %.1f%% or by %.1f%%", slow, fast)
	if !(fast > 1.5*slow) {
		title = fmt.Sprintf("At index of dispersion 32 the counter errs by %.1f%% and %.1f%%", slow, fast)
	}
	return plots.Figure{
		Title: title,
		Subtitle: fmt.Sprintf("Root mean square over time of estimate − truth, per mean count of %d in a window T. On/off streams, "+
			"nothing refused. Means of %d replications, bands 95%%; thin: closed form. Title: at dispersion 32", mean, d.Reps),
		Alt: "The error grows with the index of dispersion, steeply if bursts are short beside the window, hardly if they are long.",
		Chart: plots.Line{
			X:      plots.Axis{Label: "Index of dispersion of the count in one window", Log: true, Base: 2, Ticks: counterErrorTicks(2, 4, 8, 16, 32)},
			Y:      plots.Axis{Label: "RMS error / mean count", Percent: true, Zero: true},
			Series: series,
			Refs:   []plots.Ref{{Value: theory.CounterErrorPoissonRMS(mean) / mean, Label: "Poisson"}},
		},
	}, nil
}

func counterErrorBiasFigure(d *Data) (plots.Figure, error) {
	const mean = 10
	var series []plots.Series
	for _, decay := range counterErrorDecays {
		name := "at arrivals, " + counterErrorDecayNames[decay]
		s, err := d.Series(name, "error_open_arrivals_mean", "dispersion", "part", "open", "process", "on-off", "limit", "10", "decay", decay)
		if err != nil {
			return plots.Figure{}, err
		}
		s.Markers = true
		series = append(series, counterErrorScaled(s, 1.0/mean), counterErrorCurve(name, 4, 64, 40, func(x float64) float64 {
			return theory.CounterErrorOnOffArrivalBias(theory.OnOffWithDecay(mean, x, 1, counterErrorNumber(decay)), 1)
		}))
	}
	s, err := d.Series("over time, T/2", "error_open_time_mean", "dispersion", "part", "open", "process", "on-off", "limit", "10", "decay", "2")
	if err != nil {
		return plots.Figure{}, err
	}
	s.Markers = true
	series = append(series, counterErrorScaled(s, 1.0/mean))
	bias, _, hi := d.Mean("error_open_arrivals_mean", counterErrorOpenOnOff("10", "64", "2")...)
	title := fmt.Sprintf("Arrivals in bursts see the counter too low, by up to %.0f%% of the mean; time sees it right", -100*bias/mean)
	if !(hi < 0) {
		title = fmt.Sprintf("At the arrivals of bursts the counter is off by %.0f%% of the mean count", 100*math.Abs(bias)/mean)
	}
	return plots.Figure{
		Title: title,
		Subtitle: fmt.Sprintf("Mean of estimate − truth per mean count of %d in a window T, by correlation time. On/off streams, "+
			"nothing refused. Means of %d replications, bands 95%%; thin: closed form", mean, d.Reps),
		Chart: plots.Line{
			X:      plots.Axis{Label: "Index of dispersion of the count in one window", Ticks: counterErrorTicks(4, 16, 32, 48, 64)},
			Y:      plots.Axis{Label: "Mean error / mean count", Percent: true, Zero: true},
			Series: series,
		},
	}, nil
}

func counterErrorLoadFigure(d *Data) (plots.Figure, error) {
	const limit = 100
	kinds := []struct {
		name string
		at   []string
	}{
		{"steady", []string{"process", "steady"}},
		{"Poisson", []string{"process", "poisson"}},
		{"bursts, 5 T", []string{"process", "on-off", "decay", "0.2"}},
		{"bursts, T/20", []string{"process", "on-off", "decay", "20"}},
	}
	panel := func(metric string, by float64) ([]plots.Series, error) {
		var series []plots.Series
		for _, k := range kinds {
			s, err := d.Series(k.name, metric, "load", append([]string{"part", "load"}, k.at...)...)
			if err != nil {
				return nil, err
			}
			series = append(series, counterErrorScaled(s, by))
		}
		return series, nil
	}
	deficit, err := panel("throughput_deficit", 1)
	if err != nil {
		return plots.Figure{}, err
	}
	closed, err := panel("error_closed_mean_abs", 1.0/limit)
	if err != nil {
		return plots.Figure{}, err
	}
	x := plots.Axis{Label: "Mean requests in a window / limit"}
	one := []plots.Ref{{Value: 1, Vertical: true}}
	low, high := 0.0, 0.0
	for _, s := range deficit {
		for _, y := range s.Y {
			low, high = min(low, y), max(high, y)
		}
	}
	return plots.Figure{
		Title: fmt.Sprintf("What the error costs: at most %.1f%% fewer admitted than by an exact log, or %.1f%% more", 100*high, -100*low),
		Subtitle: fmt.Sprintf("Sliding counter (fits), limit %d, window T; bursts: on/off streams of dispersion 16 in a window, by "+
			"correlation time. Means of %d replications, bands 95%%", limit, d.Reps),
		Height: 440,
		Chart: plots.Grid{Columns: 1, Panels: []plots.Panel{
			{Title: "Throughput deficit against an exact log", Chart: plots.Line{X: x, Y: plots.Axis{Label: "(log − counter) / log", Percent: true}, Series: deficit, Refs: one}},
			{Title: "Error of what it admitted, at arrivals", Chart: plots.Line{X: x, Y: plots.Axis{Label: "Mean |error| / limit", Percent: true, Zero: true}, Series: closed, Refs: one}},
		}, FreeY: true},
	}, nil
}

func counterErrorPoissonFigure(d *Data) (plots.Figure, error) {
	var measured [2]plots.Series
	for i, m := range []struct{ name, metric string }{
		{"nothing refused", "error_open_time_mean_abs"},
		{"its own admitted", "error_closed_mean_abs"},
	} {
		s, err := d.Series(m.name, m.metric, "limit", "part", "open", "process", "poisson")
		if err != nil {
			return plots.Figure{}, err
		}
		s.Markers = true
		for k, a := range s.X {
			s.Y[k], s.Lo[k], s.Hi[k] = s.Y[k]/a, s.Lo[k]/a, s.Hi[k]/a
		}
		measured[i] = s
	}
	at27, _, _ := d.Mean("error_open_time_mean_abs", counterErrorOpenPoisson("27")...)
	at300, _, _ := d.Mean("error_open_time_mean_abs", counterErrorOpenPoisson("300")...)
	return plots.Figure{
		Title: fmt.Sprintf("Under Poisson arrivals the counter errs by %.1f%% of 27 requests, by %.1f%% of 300", 100*at27/27, 100*at300/300),
		Subtitle: fmt.Sprintf("Mean |estimate − truth| per mean count a. Upper curve: over time, thin: exact sum; lower curve: at arrivals, with "+
			"limit a (fits). Means of %d replications, bands 95%%. 6%% is what Cloudflare reports of its traffic, which is not known", d.Reps),
		Chart: plots.Line{
			X: plots.Axis{Label: "Mean requests in a window", Log: true, Ticks: counterErrorTicks(1, 3, 10, 27, 100, 300)},
			Y: plots.Axis{Label: "Mean |error| / mean count", Min: 0.01, Max: 0.3, Log: true, Ticks: []plots.Tick{{Value: 0.01, Label: "1%"}, {Value: 0.02, Label: "2%"}, {Value: 0.05, Label: "5%"}, {Value: 0.1, Label: "10%"}, {Value: 0.2, Label: "20%"}}},
			Series: []plots.Series{measured[0], counterErrorCurve("nothing refused", 1, 300, 15, func(a float64) float64 {
				return theory.CounterErrorPoissonMeanAbs(a) / a
			}), measured[1]},
			Refs: []plots.Ref{{Value: 0.06, Label: "6%"}},
		},
	}, nil
}

func counterErrorBurstFigure(d *Data) (plots.Figure, error) {
	const size, period = 10, 2
	s, err := d.Series("mean error", "error_open_time_mean", "place", "part", "open", "process", "burst-train", "period", "2")
	if err != nil {
		return plots.Figure{}, err
	}
	s.Markers = true
	abs, err := d.Series("mean |error|", "error_open_time_mean_abs", "place", "part", "open", "process", "burst-train", "period", "2")
	if err != nil {
		return plots.Figure{}, err
	}
	abs.Markers = true
	curve := func(name string, y func(x float64) float64) plots.Series {
		c := plots.Series{Name: name, Theory: true}
		for i := range 46 {
			x := float64(i) / 50
			c.X, c.Y = append(c.X, x), append(c.Y, y(x))
		}
		return c
	}
	early, _, _ := d.Mean("error_open_time_mean", counterErrorBurst("0.1", "2").At...)
	late, _, _ := d.Mean("error_open_time_mean", counterErrorBurst("0.9", "2").At...)
	return plots.Figure{
		Title: strings.ReplaceAll(fmt.Sprintf("A burst early in a window lingers, a late one is half forgotten: %+.0f%% and %+.0f%%", 100*early*period/size, 100*late*period/size), "-", "−"),
		Subtitle: fmt.Sprintf("Mean of estimate − truth over the window after a burst of %d, per size; an empty window comes between bursts. "+
			"Means of %d replications, bands 95%%; thin: 1/2 − x and ((1 − x)² + x²)/2", size, d.Reps),
		Chart: plots.Line{
			X: plots.Axis{Label: "Place x of the burst in its window", Min: 0, Max: 1},
			Y: plots.Axis{Label: "Error / size of the burst", Percent: true},
			Series: []plots.Series{
				counterErrorScaled(s, period/float64(size)), curve("mean error", theory.CounterErrorBurstMean),
				counterErrorScaled(abs, period/float64(size)), curve("mean |error|", theory.CounterErrorBurstMeanAbs),
			},
			Refs: []plots.Ref{{Value: 0}},
		},
	}, nil
}
