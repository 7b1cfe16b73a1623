package experiments

import (
	"math"
	"strconv"
	"strings"
	"time"

	"ratelab/experiments/theory"
)

// The claims of the experiment, in the order of the question: what bounds the
// error, what it is on average, how large it is, and what it lets through.
func counterErrorClaims() []Claim {
	return []Claim{
		{
			Text:   "the error never leaves [-P*f, P*(1-f)]",
			Domain: "P requests in the window before, place f in the window; whatever arrives; the truth is of what the counter counts",
			Wrong:  "one look at the error outside its bounds",
			Source: "theory.CounterErrorBounds", Metric: "bound_violations", Relation: Exact,
			Points: []Point{
				counterErrorAt(0, 0, "part", "bounds", "process", "steady"),
				counterErrorAt(0, 0, "part", "bounds", "process", "poisson", "limit", "100"),
				counterErrorAt(0, 0, "part", "bounds", "process", "on-off", "decay", "2"),
				counterErrorAt(0, 0, "part", "bounds", "process", "on-off", "decay", "20"),
				counterErrorAt(0, 0, "part", "bounds", "process", "burst-train", "place", "0"),
				counterErrorAt(0, 0, "part", "bounds", "process", "burst-train", "place", "0.9"),
				counterErrorAt(0, 0, "part", "bounds", "process", "poisson", "limit", "10", "load", "1.5", "count", "admitted"),
			},
			Outside: []Point{ // it counts refused requests, and the truth does not
				counterErrorAt(0, 0, "part", "bounds", "process", "poisson", "limit", "10", "load", "1.5", "count", "all"),
			},
		},
		{
			Text:   "whatever arrives, the lags between arrivals within one window fix the mean square error: 1/6 for each arrival and (1-s)(2(1-s)^2-1)/3 for each two that are s windows apart",
			Domain: "any arrivals, if windows begin at a place that has nothing to do with them; mean over time and over that place, through the limiters",
			Wrong:  "another mean square for one shape of traffic, by 2 %",
			Source: "theory.CounterErrorPair", Metric: "error_square_over_pairs", Relation: Equal,
			Points: counterErrorEach(counterErrorShapeNames(), func(name string) Point { return counterErrorAt(1, 0, counterErrorShaped(name)...) }),
			Outside: []Point{ // windows that keep step with the bursts
				counterErrorAt(1, 0, "part", "phase", "process", "burst-train-in-step", "place", "0.1"),
				counterErrorAt(1, 0, "part", "phase", "process", "burst-train-in-step", "place", "0.5"),
			},
		},
		{
			Text:   "the index of dispersion over all lengths up to the window fixes the mean square error: 2*Int (1-f)*V(fT) df - V(T)/6 with V(t) = mean count in t * index of dispersion over t",
			Domain: "a stationary process, or one with a clock of its own that has nothing to do with where windows begin, whose law is known",
			Wrong:  "another mean square for one shape of traffic, by 2 %",
			Source: "theory.CounterErrorMeanSquare with the law of the workload", Metric: "error_open_time_square", Relation: Equal,
			Points: counterErrorEach(counterErrorLawful, func(name string) Point { return counterErrorByLaw(name, name) }),
			Outside: []Point{ // what the law says of a process of the same mean and dispersion over T
				counterErrorByLaw("on-off-4-long", "on-off-4-brief"),
				counterErrorByLaw("batch-4", "on-off-4"),
			},
		},
		{
			Text:   "whatever arrives, the lags between arrivals within two windows fix the mean error at arrivals: -s^2/2 for each that came s < 1 windows before, (2-s)^2/2 for s < 2",
			Domain: "any arrivals, if windows begin at a place that has nothing to do with them",
			Wrong:  "another mean for one shape of traffic, by 2 % of the root mean square error",
			Source: "theory.CounterErrorPairAtArrival", Metric: "error_arrivals_over_pairs", Relation: Equal,
			Points: counterErrorEach(counterErrorSeen, func(name string) Point {
				return counterErrorAt(0, 1, counterErrorShaped(name)...)
			}),
			Outside: []Point{counterErrorAt(0, 0, "part", "phase", "process", "page-turn-in-step", "place", "0")},
		},
		{
			Text:   "where windows keep step with the arrivals, each at place x leaves a mean error of 1/2-x over the next window",
			Domain: "arrivals whose clock has a period of whole windows",
			Wrong:  "another mean error, by 2 % of the mean absolute error of one burst",
			Source: "theory.CounterErrorBurstMean, averaged over the places of the arrivals", Metric: "error_open_time_mean", Relation: Equal,
			Points:  counterErrorInStepPoints(),
			Outside: []Point{counterErrorAt(counterErrorShapeMean*theory.CounterErrorBurstMean(0.1), 0, counterErrorShaped("burst-train")...)},
		},
		{
			Text:   "over time the mean error is 0",
			Domain: "arrivals that know nothing of where windows begin; seen at random instants",
			Wrong:  "a mean error that is not 0, by 2 % of the root mean square error",
			Source: "stationarity: the error is (1-f)E - f(P-E) with E of mean fP", Metric: "error_mean_over_rms", Relation: Equal,
			Points: counterErrorEach(counterErrorShapeNames()[1:], func(name string) Point { // the error of a metronome is nearly 0 anyway
				return counterErrorAt(0, 1, counterErrorShaped(name)...)
			}),
			Outside: []Point{counterErrorAt(0, 1, "part", "phase", "process", "burst-train-in-step", "place", "0.1")},
		},
		{
			Text:   "under Poisson arrivals the mean square error is a/6",
			Domain: "Poisson arrivals, a in a window on average; seen at random instants",
			Wrong:  "another mean square, by 2 %; the root mean square error is sqrt(a/6)",
			Source: "theory.CounterErrorPoissonRMS", Metric: "error_open_time_square", Relation: Equal,
			Points: counterErrorEach([]string{"1", "3", "10", "100"}, func(limit string) Point {
				return counterErrorAt(counterErrorPoissonSquare(limit), 0, counterErrorOpenPoisson(limit)...)
			}),
			Outside: []Point{counterErrorAt(counterErrorPoissonSquare("20"), 0, counterErrorOpenOnOff("20", "16", "20")...)},
		},
		{
			Text:   "under Poisson arrivals the mean absolute error is the exact sum, near 0.313*sqrt(a)",
			Domain: "Poisson arrivals, a in a window on average; seen at random instants",
			Wrong:  "another mean absolute error, by 2 %",
			Source: "theory.CounterErrorPoissonMeanAbs", Metric: "error_open_time_mean_abs", Relation: Equal,
			Points: counterErrorEach([]string{"3", "10", "27", "100"}, func(limit string) Point {
				return counterErrorLate(counterErrorMeanAbs(limit), counterErrorOpenPoisson(limit)...)
			}),
			Outside: []Point{counterErrorLate(counterErrorMeanAbs("20"), counterErrorOpenOnOff("20", "16", "20")...)},
		},
		{
			Text:   "under Poisson arrivals the variance at place f of the window is a*f*(1-f)",
			Domain: "Poisson arrivals, a in a window on average; seen at place f of every window, through the limiters",
			Wrong:  "another mean square at one of the places, by 2 %",
			Source: "theory.CounterErrorPoissonVariance", Metric: "error_seen_square", Relation: Equal,
			Points: counterErrorEach(counterErrorPlaces, func(f string) Point {
				return counterErrorAt(theory.CounterErrorPoissonVariance(4, counterErrorNumber(f)), 0, "part", "position", "process", "poisson", "limit", "4", "load", "1", "seen", f)
			}),
			Outside: []Point{counterErrorAt(theory.CounterErrorPoissonVariance(4, 0.5), 0, "part", "position", "process", "on-off", "limit", "4", "load", "1", "dispersion", "2", "decay", "2", "seen", "0.5")},
		},
		{
			Text:   "of an on/off stream the variance at place f of the window is the closed form",
			Domain: "on/off stream of the stated mean, dispersion and decay; seen at place f of every window, through the limiters",
			Wrong:  "another mean square at one of the places, by 2 %",
			Source: "theory.CounterErrorOnOffVariance", Metric: "error_seen_square", Relation: Equal,
			Points: counterErrorEach(counterErrorPlaces, func(f string) Point {
				s, _ := counterErrorStream(4, 2, 2)
				return counterErrorAt(theory.CounterErrorOnOffVariance(s, 1, counterErrorNumber(f)), 0, "part", "position", "process", "on-off", "limit", "4", "load", "1", "dispersion", "2", "decay", "2", "seen", f)
			}),
			Outside: []Point{func() Point { // the same mean and dispersion, another decay
				s, _ := counterErrorStream(4, 2, 2)
				return counterErrorAt(theory.CounterErrorOnOffVariance(s, 1, 0.5), 0, "part", "position", "process", "on-off", "limit", "4", "load", "1", "dispersion", "2", "decay", "20", "seen", "0.5")
			}()},
		},
		{
			Text:   "dispersion alone does not fix the error: the mean square error of an on/off stream is the closed form of its dispersion and its decay",
			Domain: "on/off stream of the stated mean, dispersion and decay; seen at random instants",
			Wrong:  "another mean square, by 2 %, or the same for two decays",
			Source: "theory.CounterErrorOnOffMeanVariance", Metric: "error_open_time_square", Relation: Equal,
			Points: counterErrorEach(counterErrorDecays, func(decay string) Point { return counterErrorOnOffPoint("16", decay, decay) }),
			Outside: []Point{ // what the closed form says of the other decay, at the same mean and dispersion
				counterErrorOnOffPoint("16", "20", "0.2"),
				counterErrorOnOffPoint("16", "0.2", "20"),
			},
		},
		{
			Text:   "arrivals that come in bursts see the counter too low, on average by the closed form",
			Domain: "on/off stream of the stated mean, dispersion and decay; seen at arrivals",
			Wrong:  "another mean error, by 2 % of it",
			Source: "theory.CounterErrorOnOffArrivalBias", Metric: "error_open_arrivals_mean", Relation: Equal,
			Points: counterErrorEach([]string{"16", "32", "64"}, func(dispersion string) Point {
				return counterErrorAt(counterErrorBias("10", dispersion, "2"), 0, counterErrorOpenOnOff("10", dispersion, "2")...)
			}),
			Outside: []Point{counterErrorAt(counterErrorBias("10", "64", "2"), 0, counterErrorOpenOnOff("10", "64", "20")...)},
		},
		{
			Text:   "Poisson arrivals see no bias",
			Domain: "Poisson arrivals; seen at arrivals",
			Wrong:  "a mean error that is not 0, by 2 % of the root mean square error",
			Source: "PASTA: Poisson arrivals see time averages", Metric: "error_open_arrivals_mean", Relation: Equal,
			Points: counterErrorEach(counterErrorPoissonLimits, func(limit string) Point {
				return counterErrorAt(0, theory.CounterErrorPoissonRMS(counterErrorNumber(limit)), counterErrorOpenPoisson(limit)...)
			}),
			Outside: []Point{counterErrorAt(0, 0, counterErrorOpenOnOff("10", "16", "2")...)},
		},
		{
			Text:   "a burst of P at place x of its window leaves a mean error of (1/2-x)*P over the next window",
			Domain: "bursts a whole number of windows apart; over all windows the mean is (1/2-x)*P divided by that number",
			Wrong:  "another mean error, by 2 % of it (at x = 1/2, of the mean absolute error)",
			Source: "theory.CounterErrorBurstMean", Metric: "error_open_time_mean", Relation: Equal,
			Points: []Point{
				counterErrorBurst("0.1", "2"), counterErrorBurst("0.9", "2"), counterErrorBurst("0.1", "1"),
			},
			Outside: []Point{counterErrorBurst("0.1", "1.5")}, // every second burst is at place 0.6
		},
		{
			Text:   "the worst window, found by search, admits 2L-1 (fits) or 2L (below)",
			Domain: "the weighted counter, any schedule of requests",
			Wrong:  "a schedule that gets more through, or none that gets so much",
			Source: "theory.CounterEnvelopeOnClock", Metric: "worst_window", Relation: Exact,
			Points: append(
				counterErrorEach(counterErrorWorstLimits, func(limit string) Point { return counterErrorWorst(limit, "fits", theory.Fits) }),
				counterErrorEach(counterErrorWorstLimits, func(limit string) Point { return counterErrorWorst(limit, "below", theory.Below) })...,
			),
			Outside: []Point{counterErrorWorst("5", "log", theory.Fits)}, // an exact log keeps its promise
		},
		{
			Text:   "a counter of admitted requests admits the share of the exact chain",
			Domain: "Poisson arrivals, long run",
			Wrong:  "another share, by 2 % of the rarer answer (10 % if that is rarer than 1 in 50)",
			Source: "theory.SlidingCounterAdmitShare, CountAdmitted", Metric: "admit_share", Relation: Equal,
			Points:  counterErrorShares("admitted", "10 0.8", "10 1", "10 1.5", "100 1", "100 1.5"),
			Outside: []Point{counterErrorShare("on-off", "fits", "admitted", "10", "1")},
		},
		{
			Text:   "a counter of all requests admits the share of the exact sum",
			Domain: "Poisson arrivals, long run",
			Wrong:  "another share, by 2 % of the rarer answer (10 % if that is rarer than 1 in 50)",
			Source: "theory.SlidingCounterAdmitShare, CountAll", Metric: "admit_share", Relation: Equal,
			Points: append(counterErrorShares("all", "10 0.8", "10 1"),
				counterErrorShare("poisson", "fits", "all", "10", "1.5")),
			Outside: []Point{counterErrorShare("on-off", "fits", "all", "10", "1")},
		},
		{
			Text:   "against an exact log the throughput deficit is that of the chain and Erlang B",
			Domain: "Poisson arrivals, long run; a negative deficit is more than the log admits",
			Wrong:  "another deficit, by 2 % of it (10 % of one below 1 in 50)",
			Source: "theory.SlidingCounterAdmitShare, theory.SlidingLogAdmitShare", Metric: "throughput_deficit", Relation: Equal,
			Points: []Point{
				counterErrorDeficit("poisson", "fits", "10", "1"), counterErrorDeficit("poisson", "below", "10", "1"),
				counterErrorDeficit("poisson", "fits", "100", "1"), counterErrorDeficit("poisson", "below", "100", "1"),
			},
			Outside: []Point{counterErrorDeficit("on-off", "fits", "10", "1")},
		},
		{
			Text:   "a flood gets L-1 a window through (fits; one in two windows if L = 1) or L (below)",
			Domain: "many more requests than the limit in every window",
			Wrong:  "one request more or less in all",
			Source: "theory.FloodCounter", Metric: "admitted_per_window", Relation: Exact,
			Points: append(
				counterErrorEach(counterErrorFloodLimits, func(limit string) Point { return counterErrorFlood(limit, "20", "fits", theory.Fits) }),
				counterErrorEach(counterErrorFloodLimits, func(limit string) Point { return counterErrorFlood(limit, "20", "below", theory.Below) })...,
			),
			Outside: []Point{counterErrorFlood("10", "0.5", "fits", theory.Fits)}, // half the limit arrives, and passes
		},
		{
			Text:   "a flood gets nothing through a counter of all requests",
			Domain: "many more requests than the limit in every window",
			Wrong:  "one request admitted after the start",
			Source: "direct argument: the estimate stays near the number that arrives in a window, far above the limit", Metric: "admitted_per_window", Relation: Exact,
			Points: append(
				counterErrorEach(counterErrorFloodLimits, func(limit string) Point {
					return counterErrorAt(0, 0, "part", "flood", "limit", limit, "load", "20", "rule", "fits", "count", "all")
				}),
				counterErrorEach(counterErrorFloodLimits, func(limit string) Point {
					return counterErrorAt(0, 0, "part", "flood", "limit", limit, "load", "20", "rule", "below", "count", "all")
				})...,
			),
			Outside: []Point{counterErrorAt(0, 0, "part", "flood", "limit", "10", "load", "0.5", "count", "all")},
		},
	}
}

// counterErrorShaped is where the points of a shape are.
func counterErrorShaped(name string) []string { return []string{"part", "shapes", "process", name} }

// counterErrorLawful are shapes whose law is known, of every kind: without
// memory, with short and long memory, with a clock of their own.
var counterErrorLawful = []string{
	"steady", "batch-4", "on-off-4-brief", "on-off-4", "diurnal", "burst-train", "page-turn", "paced-herd-spread",
}

// counterErrorSeen are shapes of every kind whose arrivals tell the error that
// they see soon.
var counterErrorSeen = []string{
	"poisson", "thinned", "batch-4", "on-off-4-brief", "on-off-4-long", "diurnal", "pareto-light", "page-load", "burst-train", "page-turn", "paced-herd-spread",
}

// counterErrorByLaw expects of a shape what the law of another says.
func counterErrorByLaw(name, of string) Point {
	return counterErrorLate(func() float64 { return counterErrorLawSquare(of) }, counterErrorShaped(name)...)
}

// counterErrorLawSquare is the mean square error that a shape's law gives; NaN if it has none.
func counterErrorLawSquare(name string) float64 {
	w, _, err := counterErrorShape(name)
	if err != nil {
		return math.NaN()
	}
	rate, ok := w.MeanRate()
	law, known := w.Law()
	if !ok || !known || law.Measured() {
		return math.NaN()
	}
	return theory.CounterErrorMeanSquare(func(t float64) float64 {
		if t == 0 {
			return 0
		}
		return rate * t * law.Dispersion(time.Duration(math.Round(t*1e9)))
	}, counterErrorT.Seconds())
}

// counterErrorInStepPoints expects of bursts at a place, of page turns 0.05
// before and after it, and of herds that take 0.2 from it on, what each request
// brings.
func counterErrorInStepPoints() (points []Point) {
	spread := map[string][2]float64{ // of the places of requests: from and to, uniform or, for a page turn, at the ends
		"burst-train-in-step": {0, 0}, "page-turn-in-step": {-0.05, 0.05}, "paced-herd-in-step": {0, 0.2},
	}
	for _, name := range counterErrorInStep {
		for _, place := range []string{"0.1", "0.25", "0.75"} {
			x := counterErrorNumber(place) + (spread[name][0]+spread[name][1])/2
			points = append(points, Point{
				At: []string{"part", "phase", "process", name, "place", place}, Expected: counterErrorShapeMean * theory.CounterErrorBurstMean(x),
				Scale: counterErrorShapeMean * theory.CounterErrorBurstMeanAbs(x),
			})
		}
	}
	return points
}

var (
	counterErrorPoissonLimits = []string{"1", "3", "10"}
	counterErrorDecays        = []string{"0.2", "2", "20"}
	counterErrorWorstLimits   = []string{"3", "5", "10"}
	counterErrorFloodLimits   = []string{"1", "2", "5", "10", "100"}
	counterErrorPlaces        = []string{"0.25", "0.5", "0.9"}
)

func counterErrorAt(expected, scale float64, at ...string) Point {
	return Point{At: at, Expected: expected, Scale: scale}
}

func counterErrorLate(expected func() float64, at ...string) Point {
	return Point{At: at, Late: func(p *Point) { p.Expected = expected() }}
}

func counterErrorEach(values []string, point func(value string) Point) []Point {
	var points []Point
	for _, v := range values {
		points = append(points, point(v))
	}
	return points
}

// counterErrorNumber reads a factor's value that this program wrote.
func counterErrorNumber(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return x
}

func counterErrorOpenPoisson(limit string) []string {
	return []string{"part", "open", "process", "poisson", "limit", limit, "load", "1"}
}

func counterErrorOpenOnOff(limit, dispersion, decay string) []string {
	return []string{"part", "open", "process", "on-off", "limit", limit, "load", "1", "dispersion", dispersion, "decay", decay}
}

func counterErrorPoissonSquare(a string) float64 {
	rms := theory.CounterErrorPoissonRMS(counterErrorNumber(a))
	return rms * rms
}

func counterErrorMeanAbs(a string) func() float64 {
	return func() float64 { return theory.CounterErrorPoissonMeanAbs(counterErrorNumber(a)) }
}

// counterErrorOnOffSquare is the mean square error of an on/off stream at
// load 1.
func counterErrorOnOffSquare(limit, dispersion, decay string) float64 {
	s, _ := counterErrorStream(counterErrorNumber(limit), counterErrorNumber(dispersion), counterErrorNumber(decay))
	return theory.CounterErrorOnOffMeanVariance(s, counterErrorT.Seconds())
}

// counterErrorBias is the mean error that its arrivals see.
func counterErrorBias(limit, dispersion, decay string) float64 {
	s, _ := counterErrorStream(counterErrorNumber(limit), counterErrorNumber(dispersion), counterErrorNumber(decay))
	return theory.CounterErrorOnOffArrivalBias(s, counterErrorT.Seconds()) * s.CountMean(counterErrorT.Seconds())
}

// counterErrorOnOffPoint expects at one decay what the closed form says of
// another.
func counterErrorOnOffPoint(dispersion, decay, expectedOf string) Point {
	return counterErrorAt(counterErrorOnOffSquare("20", dispersion, expectedOf), 0, counterErrorOpenOnOff("20", dispersion, decay)...)
}

// counterErrorBurst expects of bursts of 10 at a place, period windows apart,
// that each leaves its error over one window.
func counterErrorBurst(place, period string) Point {
	const size = 10
	x, n := counterErrorNumber(place), counterErrorNumber(period)
	p := counterErrorAt(size*theory.CounterErrorBurstMean(x)/n, 0, "part", "open", "process", "burst-train", "limit", "10", "place", place, "period", period)
	if p.Expected == 0 {
		p.Scale = size * theory.CounterErrorBurstMeanAbs(x) / n
	}
	return p
}

func counterErrorWorst(limit, rule string, of theory.Rule) Point {
	return counterErrorAt(theory.CounterEnvelopeOnClock(of, int64(counterErrorNumber(limit)), counterErrorT, counterErrorT), 0, "part", "worst", "limit", limit, "rule", rule)
}

func counterErrorFlood(limit, load, rule string, of theory.Rule) Point {
	return counterErrorAt(theory.FloodCounter(of, int64(counterErrorNumber(limit))), 0, "part", "flood", "limit", limit, "load", load, "rule", rule, "count", "admitted")
}

// counterErrorShares are points for both rules at limits and loads, such as
// "10 0.8".
func counterErrorShares(count string, at ...string) []Point {
	var points []Point
	for _, rule := range []string{"fits", "below"} {
		for _, a := range at {
			limit, load, _ := strings.Cut(a, " ")
			points = append(points, counterErrorShare("poisson", rule, count, limit, load))
		}
	}
	return points
}

// counterErrorShare expects what the chain says of Poisson arrivals.
func counterErrorShare(process, rule, count, limit, load string) Point {
	return Point{
		At: []string{"part", "share", "process", process, "limit", limit, "load", load, "rule", rule, "count", count},
		Late: func(p *Point) {
			p.Expected = counterErrorChain(rule, count, limit, load)
			p.Scale = shareScale(p.Expected)
		},
	}
}

// counterErrorDeficit expects what Poisson arrivals give.
func counterErrorDeficit(process, rule, limit, load string) Point {
	return Point{
		At: []string{"part", "share", "process", process, "limit", limit, "load", load, "rule", rule, "count", "admitted"},
		Late: func(p *Point) {
			l := counterErrorNumber(limit)
			log := theory.SlidingLogAdmitShare(counterErrorMean(l, counterErrorNumber(load)), int(l))
			p.Expected = (log - counterErrorChain(rule, "admitted", limit, load)) / log
			p.Scale = shareScale(math.Abs(p.Expected))
		},
	}
}

func counterErrorChain(rule, count, limit, load string) float64 {
	rules := map[string]theory.Rule{"fits": theory.Fits, "below": theory.Below}
	counts := map[string]theory.Count{"admitted": theory.CountAdmitted, "all": theory.CountAll}
	l := counterErrorNumber(limit)
	return theory.SlidingCounterAdmitShare(rules[rule], counts[count], int(l), counterErrorMean(l, counterErrorNumber(load)))
}
