package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/workloads"
)

func init() {
	register(Experiment{
		Name:     "boundary-burst",
		Question: "What passes when a burst straddles a page turn?",
		Hypothesis: "A fixed window admits twice its limit in a blink around its edge, be it a second or a day long; a sliding log never more than the limit; " +
			"the weighted counter admits at an edge what a token bucket would whose burst is the limit.",
		Factors: []sweep.Factor{
			{
				Name: "part", Check: oneOf("straddle", "story", "timeline", "envelope"),
				Description: "sub-question: straddle: bursts of the limit on both sides of every second edge; story: quiet, then loud, once; " +
					"timeline: the story as it is told, moment by moment; envelope: the most that an adversary gets in any interval",
			},
			{Name: "limiter", Description: "limiter, with limit and window or as a bucket with burst = limit and rate = limit/window", Check: oneOf(boundaryNames()...)},
			{Name: "limit", Unit: "requests", Description: "limit of the window, burst of the bucket; page turns send twice as many", Check: boundaryLimitCheck},
			{Name: "window", Unit: "duration", Description: "window, or time in which a bucket refills; the length w of max_window_admitted and overshoot", Check: boundaryWindowCheck},
			{Name: "delta", Unit: "windows", Description: "length of the intervals of part envelope", Check: boundaryDeltaCheck},
			{Name: "sixtieth", Unit: "window/60", Description: "moment of part timeline, in seconds if the window is a minute", Check: boundaryMomentCheck},
		},
		Metrics: boundaryMetrics(),
		Grids: []sweep.Grid{
			boundaryGrid("straddle", "10,100", "1s,10s,1m,1h,1d"),
			boundaryGrid("story", "10,100,1000", "10s,1m,1h"),
			append(boundaryGrid("timeline", "100", "1m"), sweep.Axis{Factor: "sixtieth", Values: strings.Split("0,2,21,40,59,61,70", ",")}),
			append(boundaryGrid("envelope", "10,100", "1s,10s"), sweep.Axis{Factor: "delta", Values: strings.Split(boundaryDeltas, ",")}),
		},
		Where: func(get func(string) string) bool {
			return (get("part") == "envelope") == (get("delta") != "") && (get("part") == "timeline") == (get("sixtieth") != "")
		},
		// All but the timeline draws something: how far from the edge the bursts are, or where the adversary starts. The
		// exact claims must hold for every draw.
		Reps: 3, QuickReps: 2,
		Cell:   boundaryCell,
		Claims: boundaryClaims(),
		Figures: []Figure{
			{"story", boundaryStoryFigure},
			{"blink", boundaryBlinkFigure},
			{"envelope", boundaryEnvelopeFigure},
		},
		Findings: boundaryFindings,
		Threats: []string{
			"One client, one server, one clock, and requests of cost 1: a real burst is spread by the network and split by a balancer.",
			"Bursts are instantaneous. Spread over a time d, a token bucket admits up to rate·d more; the fixed window does not care.",
			"Every limiter is idle before the burst, which is when the loophole is widest.",
			"The adversary's search is not exhaustive: that no history does better is theory's claim, proved and searched on small grids, not this experiment's.",
			"Windows are aligned to an epoch that the bursts know. Edges that differ by key hide from a burst at midnight, not from a caller who reads Retry-After.",
		},
	})
}

// boundaryDeltas are tenths of a window up to two, and a little more than none and than one.
const boundaryDeltas = "0.001,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1,1.001,1.1,1.2,1.3,1.4,1.5,1.6,1.7,1.8,1.9,2"

// boundaryLimiters are the canonical limiters, with one capacity and one long-run rate.
var boundaryLimiters = []struct{ name, spec string }{
	{"fixed-window", "fixed-window:limit={limit},window={window}"},
	{"fixed-window-first", "fixed-window:limit={limit},window={window},origin=first"},
	{"fixed-window-jitter", "fixed-window:limit={limit},window={window},jitter={window}"},
	{"sliding-log", "sliding-log:limit={limit},window={window}"},
	{"sliding-counter-fits", "sliding-counter:limit={limit},window={window},rule=fits"},
	{"sliding-counter-below", "sliding-counter:limit={limit},window={window},rule=below"},
	{"token-bucket", "token-bucket:rate={limit}/{window},burst={limit}"},
	{"gcra", "gcra:rate={limit}/{window},burst={limit}"},
	{"leaky-meter", "leaky-meter:rate={limit}/{window}"},
	{"leaky-queue", "leaky-queue:rate={limit}/{window},queue={queue}"}, // one fewer than the limit: one leaves at once
}

func boundaryNames() (names []string) {
	for _, l := range boundaryLimiters {
		names = append(names, l.name)
	}
	return names
}

func boundaryLimiter(name string, limit int64, window time.Duration) (limiters.Spec, error) {
	for _, l := range boundaryLimiters {
		if l.name == name {
			return limiters.Parse(strings.NewReplacer(
				"{limit}", strconv.FormatInt(limit, 10), "{queue}", strconv.FormatInt(limit-1, 10), "{window}", spec.FormatDuration(window),
			).Replace(l.spec))
		}
	}
	return limiters.Spec{}, fmt.Errorf("unknown limiter %q", name)
}

func boundaryGrid(part, limits, windows string) sweep.Grid {
	return sweep.Grid{
		{Factor: "part", Values: []string{part}},
		{Factor: "limiter", Values: boundaryNames()},
		{Factor: "limit", Values: strings.Split(limits, ",")},
		{Factor: "window", Values: strings.Split(windows, ",")},
	}
}

func boundaryMetrics() []sweep.Metric {
	return append(fromDictionary("admitted", "refused", "max_window_admitted", "overshoot", "delay_max"),
		sweep.Metric{Name: "half", Unit: "s", Description: "Time from a burst to the edge, drawn for each replication."},
		sweep.Metric{Name: "admitted_in_blink", Unit: "requests", Description: "Most admitted in any interval of 2*half + 1 ns, which just holds both bursts around an edge."},
		sweep.Metric{Name: "admitted_after_edge", Unit: "requests", Description: "Of the story's last burst, half after the edge, how many were admitted."},
		sweep.Metric{Name: "most_admitted", Unit: "requests", Description: "Most admitted to the adversary in any half-open interval of length delta."},
		sweep.Metric{Name: "most_released", Unit: "requests", Description: "Most let out to the adversary in any such interval: later than admitted, if the limiter delays."},
	)
}

func boundaryLimitCheck(value string) error {
	if n, err := spec.ParseCount(value); err != nil || n < 4 || n > 10_000 {
		return errors.New("must be a whole number from 4 (the story needs three and more) to 10000")
	}
	return nil
}

func boundaryWindowCheck(value string) error {
	if d, err := spec.ParseDuration(value); err != nil || d < time.Millisecond || d > 100*24*time.Hour {
		return errors.New("must be a duration from 1ms to 100d")
	}
	return nil
}

func boundaryDeltaCheck(value string) error {
	if x, err := spec.ParseNumber(value); err != nil || x < 0.001 || x > 10 {
		return errors.New("must be a number of windows from 0.001 to 10")
	}
	return nil
}

func boundaryMomentCheck(value string) error {
	if n, err := spec.ParseCount(value); err != nil || n > 600 {
		return errors.New("must be a whole number of sixtieths of a window from 0 to 600")
	}
	return nil
}

func boundaryCell(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	limit, window := c.Int("limit"), c.Duration("window")
	limiter, err := boundaryLimiter(c.Get("limiter"), limit, window)
	if err != nil {
		return err
	}
	random := workloads.Streams(c.Seed, c.Rep, "boundary-burst")
	switch c.Get("part") {
	case "straddle":
		half := boundaryStraddleHalf(random("half"), limit, window)
		// Three edges, at 1, 3 and 5 windows.
		return boundaryPageTurn(ctx, lab, c, out, limiter, half, "straddle", 6*window)
	case "story":
		half := window / 60
		if c.Rep > 0 { // replication 0 is the story as it is told
			half = boundaryStoryHalf(random("half"), limit, window)
		}
		return boundaryPageTurn(ctx, lab, c, out, limiter, half, "quiet-then-loud", 2*window)
	case "timeline":
		return boundaryTimeline(ctx, lab, c, out, limiter)
	default:
		admitted, released, err := boundaryAdversary{
			fresh:  func() limiters.Limiter { return lab.Limiter(limiter, c.Seed) },
			limit:  limit,
			window: window,
			delta:  boundaryDelta(c.Float("delta"), window),
			random: random("starts"),
		}.most()
		out.Set("most_admitted", float64(admitted))
		out.Set("most_released", float64(released))
		return err
	}
}

// boundaryStraddleHalf draws how far the bursts are from the edge: at most 1 ms, and so little that even a bucket earns no token in
// between.
func boundaryStraddleHalf(r *rand.Rand, limit int64, window time.Duration) time.Duration {
	return 1 + time.Duration(r.Int64N(max(1, int64(min(time.Millisecond, window/time.Duration(4*limit))))))
}

// boundaryStoryHalf draws how far the bursts of the story are from the edge, around a sixtieth of the window: as far as a bucket earns
// the same number of whole half tokens, and not as far as the first quiet request leaves a log. No limiter may tell the difference.
func boundaryStoryHalf(r *rand.Rand, limit int64, window time.Duration) time.Duration {
	told, halves := window/60, time.Duration(2*limit)
	k := told * halves / window
	from := k*window/halves + 1
	to := min((k+1)*window/halves, window/30)
	if from >= to {
		return told
	}
	return from + time.Duration(r.Int64N(int64(to-from)))
}

func boundaryScenario(c sweep.Cell, limiter limiters.Spec, half time.Duration, story string, horizon time.Duration) (scenario.Config, error) {
	workload, err := workloads.Parse(fmt.Sprintf("page-turn:size=%d,window=%s,half=%s,story=%s",
		2*c.Int("limit"), spec.FormatDuration(c.Duration("window")), spec.FormatDuration(half), story))
	world := scenario.Default(limiter, workload)
	world.Seed, world.Rep, world.Horizon = c.Seed, c.Rep, horizon
	return world, err
}

// boundaryPageTurn measures one page turn over a window, and over a blink.
func boundaryPageTurn(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row, limiter limiters.Spec, half time.Duration, story string, horizon time.Duration) error {
	window := c.Duration("window")
	world, err := boundaryScenario(c, limiter, half, story, horizon)
	if err != nil {
		return err
	}
	world.Measure.Within = window
	all, err := lab.Simulate(ctx, world)
	if err != nil {
		return err
	}
	world.Measure.Within = 2*half + 1
	blink, err := lab.Simulate(ctx, world)
	if err != nil {
		return err
	}
	for _, name := range []string{"admitted", "refused", "max_window_admitted", "overshoot", "delay_max"} {
		out.Set(name, all.Get(name))
	}
	out.Set("half", half.Seconds())
	out.Set("admitted_in_blink", blink.Get("max_window_admitted"))
	if story == "quiet-then-loud" {
		world.Warmup = window // serve, but do not count, what comes before the edge
		after, err := lab.Simulate(ctx, world)
		if err != nil {
			return err
		}
		out.Set("admitted_after_edge", after.Get("admitted"))
	}
	return nil
}

// boundaryTimeline measures what the story as it is told was admitted up to a moment. The bursts may miss a sixtieth of a window by
// nanoseconds; half a sixtieth more counts them.
func boundaryTimeline(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row, limiter limiters.Spec) error {
	window := c.Duration("window")
	world, err := boundaryScenario(c, limiter, window/60, "quiet-then-loud", window/60*time.Duration(c.Int("sixtieth"))+window/120)
	if err != nil {
		return err
	}
	result, err := lab.Simulate(ctx, world)
	if err != nil {
		return err
	}
	out.Set("admitted", result.Get("admitted"))
	out.Set("refused", result.Get("refused"))
	return nil
}

// boundaryDelta returns a length given in windows, in whole ns.
func boundaryDelta(windows float64, window time.Duration) time.Duration {
	return time.Duration(math.Round(windows * float64(window)))
}
