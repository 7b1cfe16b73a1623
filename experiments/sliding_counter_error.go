package experiments

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/experiments/theory"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/workloads"
)

// counterErrorT is the window of every cell. Nothing depends on its length
// but the unit of the correlation time.
const counterErrorT = time.Second

func init() {
	register(Experiment{
		Name:     "sliding-counter-error",
		Question: "How wrong is the weighted two-window counter, and for which arrivals?",
		Hypothesis: "Seen at random instants the counter is right on average whatever arrives, and its error grows with how unevenly one window is filled: " +
			"bursts much shorter than the window hurt it, bursts much longer do not, at the same index of dispersion. Seen at arrivals it is " +
			"biased low when arrivals come in bursts. Refusals smooth what it counts: the error that users feel shrinks as load grows.",
		Factors:   counterErrorFactors(),
		Metrics:   counterErrorMetrics(),
		Grids:     counterErrorGrids(),
		Where:     counterErrorMakesSense,
		Reps:      24,
		QuickReps: 24,
		Cell:      counterErrorCell,
		Claims:    counterErrorClaims(),
		Figures:   counterErrorFigures(),
		Findings:  counterErrorFindings,
		Threats: []string{
			"One key, unit costs, one server and no clients that come back: a refusal changes nothing that arrives later.",
			"Windows begin at multiples of their length, whatever the arrivals do. Clients that set their timers by the same clock break that: part phase shows by how much.",
			"The shapes are processes with one or two time scales, taken as rings of some hundred windows. Real traffic has more, and drifts.",
			"The correlation time is one number for what has many: it tells the streams apart that have one decay, and is endless for whatever has a clock of its own or a heavy tail.",
			"The closed forms are of a counter that refuses nothing. For the error of the counter's own admitted requests there is no closed form, and no claim.",
			"Cloudflare reports a mean difference of 6 % over its traffic. Poisson arrivals of 27 a window would give that; the traffic is not known, so it illustrates and decides nothing.",
		},
	})
}

func counterErrorFactors() []sweep.Factor {
	number := func(ok func(x float64) bool, want string) func(string) error {
		return func(text string) error {
			x, err := spec.ParseNumber(text)
			if err == nil && !ok(x) {
				err = fmt.Errorf("must %s, got %s", want, text)
			}
			return err
		}
	}
	positive := number(func(x float64) bool { return x > 0 }, "be > 0")
	unit := number(func(x float64) bool { return x >= 0 && x < 1 }, "lie in 0..1, 1 excluded")
	return []sweep.Factor{
		{
			Name: "part", Check: oneOf("shapes", "phase", "open", "position", "bounds", "share", "load", "flood", "worst"),
			Description: "what is measured. shapes: the error for all shapes of traffic of one mean, windows beginning anywhere; phase: for shapes that keep step with the windows; open: the error of a counter that refuses nothing; position: the same at one place in the window; bounds: its extremes; " +
				"share: what is admitted in the long run; load: the same and the error as load and arrivals vary; flood: admitted of endless requests; worst: the most admitted in one window, by search",
		},
		{Name: "process", Check: counterErrorShapeCheck, Description: "arrival process; of parts shapes and phase, one of the catalogue with a mean of 20 in a window (-brief, -long: the same dispersion, remembered for T/20, 5 T; -in-step: period 2 T), or any spec"},
		{Name: "dispersion", Unit: "1", Check: number(func(x float64) bool { return x > 1 }, "be > 1"), Description: "index of dispersion of an on-off stream: variance / mean of the number of requests in one window"},
		{Name: "decay", Unit: "1/window", Check: positive, Description: "rate at which an on-off stream forgets its state: 1 / its correlation time"},
		{Name: "place", Unit: "window", Check: func(text string) error {
			if text == counterErrorAny {
				return nil
			}
			return unit(text)
		}, Description: "place of a burst in its window, or of the zero of the arrivals' own clock; any: uniform"},
		{Name: "period", Unit: "window", Check: positive, Description: "time from burst to burst"},
		{Name: "seen", Unit: "window", Check: unit, Description: "place in the window at which the error is looked at"},
		{Name: "limit", Unit: "requests", Check: number(func(x float64) bool { return x >= 1 && x <= theory.SlidingCounterMaxLimit && x == math.Trunc(x) }, "be a whole number in 1..1000"), Description: "limit in each window; also the size of a burst"},
		{Name: "load", Unit: "1", Check: positive, Description: "mean number of requests in a window / limit"},
		{Name: "rule", Check: oneOf("fits", "below", "log"), Description: "fits: admit if estimate + 1 <= limit; below: if estimate < limit; log: an exact log in place of the counter"},
		{Name: "count", Check: oneOf("admitted", "all"), Description: "what is counted: admitted requests, or refused ones too"},
	}
}

func counterErrorMetrics() []sweep.Metric {
	return append(fromDictionary(counterErrorMeasured...),
		sweep.Metric{Name: "error_open_time_square", Unit: "requests^2", Description: "Mean square of the error of error_open_time_rms."},
		sweep.Metric{Name: "admitted_per_window", Unit: "requests", Description: "Admitted requests / windows."},
		sweep.Metric{Name: "error_seen_mean", Unit: "requests", Description: "Mean of the estimate of a counter that refuses nothing - true trailing count, at one place in every window."},
		sweep.Metric{Name: "error_seen_square", Unit: "requests^2", Description: "Mean square of the error of error_seen_mean."},
		sweep.Metric{Name: "error_square_by_pairs", Unit: "requests^2", Description: "What the lags between the same arrivals say the mean square error is, averaged over where windows begin: 1/6 for each, and for each two their pair's part."},
		sweep.Metric{Name: "error_square_over_pairs", Unit: "1", Description: "error_open_time_square / error_square_by_pairs."},
		sweep.Metric{Name: "error_mean_over_rms", Unit: "1", Description: "error_open_time_mean / error_open_time_rms."},
		sweep.Metric{Name: "error_arrivals_over_pairs", Unit: "1", Description: "(error_open_arrivals_mean - what the lags between the same arrivals say of it) / sqrt(error_square_by_pairs)."},
		sweep.Metric{Name: "dispersion_of_counts", Unit: "1", Description: "Index of dispersion of the counts of one window, as measured: variance / mean."},
		sweep.Metric{Name: "correlation_time", Unit: "window", Description: "How long the arrivals remember, as the workload's law says; missing if it does not know, or without end."},
		sweep.Metric{Name: "looks", Unit: "1", Description: "How often the error was compared with its bounds."},
		sweep.Metric{Name: "bound_violations", Unit: "1", Description: "How often the error was outside [-P*f, P*(1-f)], with P counted in the window before and f the place in the window."},
		sweep.Metric{Name: "worst_window", Unit: "requests", Description: "Most admitted in a half-open interval as long as the window, among the schedules of requests that a blind search tried."},
	)
}

// counterErrorMeasured are the metrics that scenarios give.
var counterErrorMeasured = []string{
	"admit_share",
	"error_open_time_mean", "error_open_time_mean_abs", "error_open_time_rms",
	"error_open_arrivals_mean", "error_open_arrivals_mean_abs", "error_open_arrivals_rms",
	"error_closed_mean", "error_closed_mean_abs", "error_closed_rms",
	"throughput_deficit", "false_refusals", "false_admissions", "decisions_differ",
}

func counterErrorGrids() []sweep.Grid {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	grid := func(part, process string, more ...sweep.Axis) sweep.Grid {
		return append(sweep.Grid{axis("part", part), axis("process", process)}, more...)
	}
	fits, admitted, full := axis("rule", "fits"), axis("count", "admitted"), axis("load", "1")
	rules, counts := axis("rule", "fits", "below"), axis("count", "admitted", "all")
	open := func(process string, more ...sweep.Axis) sweep.Grid {
		return grid("open", process, append(more, fits, admitted)...)
	}
	seen := axis("seen", "0.25", "0.5", "0.9")
	return []sweep.Grid{
		{axis("part", "shapes"), axis("process", counterErrorShapeNames()...), axis("limit", "20"), axis("place", counterErrorAny)},
		{axis("part", "phase"), axis("process", counterErrorInStep...), axis("limit", "20"), axis("place", "0", "0.1", "0.25", "0.5", "0.75", "0.9")},

		open("poisson", axis("limit", "1", "3", "10", "27", "100", "300"), full),
		open("on-off", axis("limit", "20"), full, axis("dispersion", "2", "4", "8", "16", "32"), axis("decay", "0.2", "2", "20")),
		open("on-off", axis("limit", "10"), full, axis("dispersion", "4", "16", "32", "64"), axis("decay", "0.2", "2", "20")),
		open("burst-train", axis("limit", "10"), axis("place", "0", "0.1", "0.25", "0.5", "0.75", "0.9"), axis("period", "2")),
		open("burst-train", axis("limit", "10"), axis("place", "0", "0.1"), axis("period", "1", "1.5", "3")),

		grid("position", "poisson", axis("limit", "4"), full, seen),
		grid("position", "on-off", axis("limit", "4"), full, axis("dispersion", "2"), axis("decay", "2"), seen),
		grid("position", "on-off", axis("limit", "4"), full, axis("dispersion", "2"), axis("decay", "20"), axis("seen", "0.5")),

		grid("bounds", "steady", axis("limit", "100"), full),
		grid("bounds", "poisson", axis("limit", "100"), full),
		grid("bounds", "on-off", axis("limit", "100"), full, axis("dispersion", "16"), axis("decay", "2", "20")),
		grid("bounds", "burst-train", axis("limit", "100"), axis("place", "0", "0.9"), axis("period", "1")),
		grid("bounds", "poisson", axis("limit", "10"), axis("load", "1.5"), fits, counts),

		// At limit 100 and load 0.8 next to all are admitted, and at load 1.5 a
		// counter of all requests admits one in a million: too few to count.
		grid("share", "poisson", axis("limit", "10"), axis("load", "0.8", "1", "1.5"), rules, counts),
		grid("share", "poisson", axis("limit", "100"), full, rules, admitted),
		grid("share", "poisson", axis("limit", "100"), axis("load", "1.5"), rules, admitted),
		grid("share", "on-off", axis("limit", "10"), full, axis("dispersion", "4"), axis("decay", "2"), fits, counts),

		grid("load", "steady", axis("limit", "100"), counterErrorLoads, fits, admitted),
		grid("load", "poisson", axis("limit", "100"), counterErrorLoads, fits, admitted),
		grid("load", "on-off", axis("limit", "100"), counterErrorLoads, axis("dispersion", "16"), axis("decay", "0.2", "20"), fits, admitted),

		grid("flood", "steady", axis("limit", "1", "2", "5", "10", "100"), axis("load", "20"), rules, counts),
		grid("flood", "steady", axis("limit", "10"), axis("load", "0.5"), fits, counts),

		{axis("part", "worst"), axis("limit", "3", "5", "10"), rules},
		{axis("part", "worst"), axis("limit", "5"), axis("rule", "log")},
	}
}

// counterErrorMakesSense keeps the points whose process has what it needs and
// nothing that means nothing to it, whatever values a user sets.
func counterErrorMakesSense(get func(factor string) string) bool {
	bursts, place := get("dispersion") != "" && get("decay") != "", get("place") != "" && get("period") != ""
	if get("part") == "shapes" || get("part") == "phase" {
		return !bursts && get("place") != "" && get("period") == ""
	}
	if get("place") == counterErrorAny {
		return false
	}
	switch load := get("load") != ""; get("process") {
	case "on-off":
		return load && bursts && !place
	case "burst-train":
		return place && !bursts
	case "":
		return get("part") == "worst"
	case "steady", "poisson":
		return load && !bursts && !place
	}
	return false
}

var counterErrorLoads = sweep.Axis{Factor: "load", Values: []string{"0.5", "0.7", "0.8", "0.9", "1", "1.1", "1.2", "1.5", "2"}}

// counterErrorMean is the mean number of requests in a window: limit·load, to
// the thousandth, as the texts of specs have it.
func counterErrorMean(limit, load float64) float64 { return math.Round(limit*load*1000) / 1000 }

func counterErrorDecimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// counterErrorArrivals is the workload of a cell.
func counterErrorArrivals(c sweep.Cell) (workloads.Spec, error) {
	process := c.Get("process")
	if process == "burst-train" {
		return workloads.Parse(fmt.Sprintf("burst-train:size=%d,period=%s,phase=%s", c.Int("limit"),
			spec.FormatDuration(counterErrorPlace(c, "period")), spec.FormatDuration(counterErrorPlace(c, "place"))))
	}
	mean := counterErrorMean(c.Float("limit"), c.Float("load"))
	if process == "on-off" {
		_, text := counterErrorStream(mean, c.Float("dispersion"), c.Float("decay"))
		return workloads.Parse(text)
	}
	return workloads.Parse(fmt.Sprintf("%s:rate=%s/%s", process, counterErrorDecimal(mean), spec.FormatDuration(counterErrorT)))
}

// counterErrorPlace returns a factor in windows as a time.
func counterErrorPlace(c sweep.Cell, factor string) time.Duration {
	return time.Duration(math.Round(c.Float(factor) * float64(counterErrorT)))
}

// counterErrorLimiter is the limiter of a cell.
func counterErrorLimiter(c sweep.Cell) (limiters.Spec, error) {
	if c.Get("rule") == "log" {
		return limiters.Parse(fmt.Sprintf("sliding-log:limit=%d,window=%s", c.Int("limit"), spec.FormatDuration(counterErrorT)))
	}
	return limiters.Parse(fmt.Sprintf("sliding-counter:limit=%d,window=%s,rule=%s,count=%s",
		c.Int("limit"), spec.FormatDuration(counterErrorT), cmp.Or(c.Get("rule"), "fits"), cmp.Or(c.Get("count"), "admitted")))
}

// counterErrorHorizons is how many windows one replication measures, in full
// and in a quick run: the first row all of whose factors a cell has.
//
// The error depends on the arrivals of one window only, so that under Poisson
// arrivals windows are independent, and precision is a matter of their number.
// On/off streams need more, most of all where rare long silences make the mean.
// A quick run leaves undecided what is dear.
var counterErrorHorizons = []struct {
	at          []string
	full, quick int
}{
	{[]string{"part", "shapes", "process", "batch-4"}, 2800, 60},
	{[]string{"part", "shapes", "process", "on-off-4-brief"}, 2800, 60},
	{[]string{"part", "shapes", "process", "on-off-4"}, 2800, 60},
	{[]string{"part", "shapes", "process", "diurnal"}, 2030, 60}, // a multiple of its period
	{[]string{"part", "shapes", "process", "burst-train"}, 550, 66},
	{[]string{"part", "shapes", "process", "paced-herd-spread"}, 510, 60},
	{[]string{"part", "shapes", "process", "on-off-16"}, 800, 40},
	{[]string{"part", "shapes", "process", "flash-crowd"}, 800, 40},
	{[]string{"part", "shapes", "process", "pareto"}, 800, 40},
	{[]string{"part", "shapes", "process", "weibull"}, 800, 40},
	{[]string{"part", "shapes", "process", "page-load"}, 800, 30},
	{[]string{"part", "shapes", "process", "page-turn"}, 800, 40},
	{[]string{"part", "shapes", "process", "sum"}, 800, 40},
	{[]string{"part", "shapes"}, 800, 80},
	{[]string{"part", "phase"}, 400, 64},
	{[]string{"part", "open", "process", "poisson", "limit", "1"}, 12_000, 4500},
	{[]string{"part", "open", "process", "poisson", "limit", "3"}, 6000, 1200},
	{[]string{"part", "open", "process", "poisson", "limit", "10"}, 4500, 1300},
	{[]string{"part", "open", "process", "poisson", "limit", "27"}, 1500, 40},
	{[]string{"part", "open", "process", "poisson", "limit", "100"}, 4000, 40},
	{[]string{"part", "open", "process", "poisson"}, 1500, 20},
	{[]string{"part", "open", "process", "on-off", "limit", "10", "decay", "2", "dispersion", "16"}, 60_000, 60},
	{[]string{"part", "open", "process", "on-off", "limit", "10", "decay", "2", "dispersion", "32"}, 80_000, 60},
	{[]string{"part", "open", "process", "on-off", "limit", "10", "decay", "2", "dispersion", "64"}, 70_000, 60},
	{[]string{"part", "open", "process", "on-off", "limit", "10"}, 5000, 60},
	{[]string{"part", "open", "process", "on-off", "limit", "20", "dispersion", "4"}, 4000, 40},
	{[]string{"part", "open", "process", "on-off", "limit", "20", "dispersion", "16"}, 12_000, 40},
	{[]string{"part", "open", "process", "on-off"}, 2000, 40},
	{[]string{"part", "open", "process", "burst-train"}, 2400, 600}, // multiples of every period
	{[]string{"part", "position"}, 20_000, 100},
	{[]string{"part", "bounds"}, 300, 10},
	{[]string{"part", "share", "process", "on-off"}, 4000, 500},
	{[]string{"part", "share", "limit", "10", "load", "1.5", "count", "admitted"}, 4000, 500},
	{[]string{"part", "share", "limit", "10", "load", "1.5", "rule", "fits"}, 40_000, 500},
	{[]string{"part", "share", "limit", "10", "load", "1.5"}, 1000, 100},
	{[]string{"part", "share", "limit", "10", "load", "1", "count", "admitted"}, 16_000, 2600},
	{[]string{"part", "share", "limit", "10", "load", "0.8", "count", "admitted"}, 16_000, 100},
	{[]string{"part", "share", "limit", "10", "load", "0.8"}, 16_000, 100},
	{[]string{"part", "share", "limit", "10"}, 16_000, 4500},
	{[]string{"part", "share", "load", "1", "count", "admitted"}, 4000, 10},
	{[]string{"part", "share"}, 500, 100},
	{[]string{"part", "load"}, 300, 3},
	{nil, 10, 10}, // a flood repeats every two windows
}

func counterErrorWindows(c sweep.Cell, quick bool) int {
	for _, h := range counterErrorHorizons {
		has := true
		for i := 0; i < len(h.at); i += 2 {
			has = has && c.Get(h.at[i]) == h.at[i+1]
		}
		switch {
		case has && quick:
			return h.quick
		case has:
			return h.full
		}
	}
	panic("the last row is for every cell")
}

// counterErrorWarmup is how many windows pass before anything is counted. The
// arrivals are stationary from the start and the open error needs one whole
// window behind it, here a multiple of every period; what is admitted forgets
// its start within a few windows, of which a quick run waits four.
func counterErrorWarmup(part string, quick bool) int {
	switch {
	case part != "share" && part != "load":
		return 6
	case quick:
		return 4
	}
	return 12
}

func counterErrorCell(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	switch part := c.Get("part"); part {
	case "worst":
		return counterErrorByAdversary(ctx, lab, c, out)
	case "shapes", "phase":
		return counterErrorByPaths(ctx, lab, c, out)
	case "position", "bounds":
		return counterErrorByLimiters(lab, c, out)
	default:
		return counterErrorByScenario(ctx, lab, c, out)
	}
}

// counterErrorByScenario measures a simulated world.
func counterErrorByScenario(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	arrivals, err := counterErrorArrivals(c)
	if err != nil {
		return err
	}
	limiter, err := counterErrorLimiter(c)
	if err != nil {
		return err
	}
	part, windows := c.Get("part"), counterErrorWindows(c, lab.Quick)
	s := scenario.Default(limiter, arrivals)
	s.Seed, s.Rep = c.Seed, c.Rep
	s.Warmup = time.Duration(counterErrorWarmup(part, lab.Quick)) * counterErrorT
	s.Horizon = s.Warmup + time.Duration(windows)*counterErrorT
	s.Measure.Errors = part == "open" || part == "load"
	s.Measure.Reference = part == "share" && c.Get("count") == "admitted" || part == "load"
	result, err := lab.Simulate(ctx, s)
	if err != nil {
		return err
	}
	for _, name := range counterErrorMeasured {
		out.Set(name, result.Get(name))
	}
	if rms := result.Get("error_open_time_rms"); s.Measure.Errors {
		out.Set("error_open_time_square", rms*rms)
	}
	out.Set("admitted_per_window", result.Get("admitted")/float64(windows))
	return nil
}
