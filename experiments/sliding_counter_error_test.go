package experiments

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/experiments/theory"
	"ratelab/limiters"
	"ratelab/plots"
	"ratelab/workloads"
)

func TestSlidingCounterErrorClaims(t *testing.T) {
	// What is broken shows in a tenth of the time that precision takes.
	briefly := func(ctx context.Context, c scenario.Config) (scenario.Result, error) {
		if windows := (c.Horizon - c.Warmup) / counterErrorT; windows >= 100 {
			c.Horizon = c.Warmup + windows/10*counterErrorT
		}
		return scenario.Run(ctx, c)
	}
	// A world in which something of the scenario is another.
	world := func(change func(c *scenario.Config)) breakage {
		return func(lab *Lab) {
			lab.Simulate = func(ctx context.Context, c scenario.Config) (scenario.Result, error) {
				change(&c)
				return briefly(ctx, c)
			}
		}
	}
	arrivals := func(spec string) breakage {
		return world(func(c *scenario.Config) { c.Workload = mustWorkload(spec) })
	}
	counter := func(param, value string) breakage {
		return world(func(c *scenario.Config) { c.Limiter = mustWith(c.Limiter, param, value) })
	}
	// A counter whose windows begin late, beside a log that knows no windows.
	late := func(by time.Duration) breakage {
		return func(lab *Lab) {
			lab.Limiter = func(s limiters.Spec, seed uint64) limiters.Limiter {
				l := s.New(seed, nil)
				if s.Name() == "sliding-counter" {
					return lateLimiter{l, by}
				}
				return l
			}
		}
	}
	// A counter that forgets the window before.
	forgetful := func(lab *Lab) {
		lab.Limiter = func(s limiters.Spec, seed uint64) limiters.Limiter {
			if s.Name() == "sliding-counter" {
				s = mustLimiter(strings.Replace(s.String(), "sliding-counter", "fixed-window", 1))
			}
			return s.New(seed, nil)
		}
	}
	moreGenerous := world(func(c *scenario.Config) {
		c.Limiter = mustWith(c.Limiter, "limit", strconv.FormatInt(c.Limiter.Capacity()+1, 10))
	})
	testClaims(t, "sliding-counter-error", map[string]breakage{
		"the error never leaves [-P*f, P*(1-f)]": late(counterErrorT / 2),
		"over time the mean error is 0":          forgetful,
		"whatever arrives, the lags between arrivals within one window fix the mean square error: 1/6 for each arrival and (1-s)(2(1-s)^2-1)/3 for each two that are s windows apart":   forgetful,
		"the index of dispersion over all lengths up to the window fixes the mean square error: 2*Int (1-f)*V(fT) df - V(T)/6 with V(t) = mean count in t * index of dispersion over t": forgetful,
		"whatever arrives, the lags between arrivals within two windows fix the mean error at arrivals: -s^2/2 for each that came s < 1 windows before, (2-s)^2/2 for s < 2":            forgetful,
		"where windows keep step with the arrivals, each at place x leaves a mean error of 1/2-x over the next window":                                                                  late(counterErrorT / 5),
		"under Poisson arrivals the mean square error is a/6":                                 arrivals("on-off:rate=20/s,on=200ms,off=200ms"),
		"under Poisson arrivals the mean absolute error is the exact sum, near 0.313*sqrt(a)": arrivals("on-off:rate=20/s,on=200ms,off=200ms"),
		"under Poisson arrivals the variance at place f of the window is a*f*(1-f)":           late(counterErrorT / 5),
		"of an on/off stream the variance at place f of the window is the closed form":        late(counterErrorT / 5),
		"arrivals that come in bursts see the counter too low, on average by the closed form": arrivals("poisson:rate=10/s"),
		"Poisson arrivals see no bias":                                                        arrivals("on-off:rate=100/s,on=500ms,off=4500ms"),
		"a burst of P at place x of its window leaves a mean error of (1/2-x)*P over the next window": world(func(c *scenario.Config) {
			c.Workload = mustWorkloadWith(c.Workload, "phase", "600ms")
		}),
		"dispersion alone does not fix the error: the mean square error of an on/off stream is the closed form of its dispersion and its decay": arrivals("on-off:rate=426.3/s,on=65ms,off=213ms"),
		"the worst window, found by search, admits 2L-1 (fits) or 2L (below)": func(lab *Lab) {
			lab.Limiter = func(s limiters.Spec, seed uint64) limiters.Limiter {
				return mustWith(s, "limit", strconv.FormatInt(s.Capacity()+1, 10)).New(seed, nil)
			}
		},
		"a counter of admitted requests admits the share of the exact chain":                 moreGenerous,
		"a counter of all requests admits the share of the exact sum":                        counter("count", "admitted"),
		"against an exact log the throughput deficit is that of the chain and Erlang B":      counter("count", "all"),
		"a flood gets L-1 a window through (fits; one in two windows if L = 1) or L (below)": counter("rule", "below"),
		"a flood gets nothing through a counter of all requests":                             counter("count", "admitted"),
	})
}

// lateLimiter is told times that lie a while back.
type lateLimiter struct {
	limiters.Limiter
	by time.Duration
}

func (l lateLimiter) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	return l.Limiter.Admit(now-l.by, key, cost)
}

func (l lateLimiter) Ask(now time.Duration, key uint32, cost int64) limiters.Decision {
	return l.Limiter.Ask(now-l.by, key, cost)
}

func (l lateLimiter) Charge(now time.Duration, key uint32, cost int64) {
	l.Limiter.Charge(now-l.by, key, cost)
}

func mustWith(s limiters.Spec, param, value string) limiters.Spec {
	s, err := s.With(param, value)
	if err != nil {
		panic(err)
	}
	return s
}

func mustLimiter(text string) limiters.Spec {
	s, err := limiters.Parse(text)
	if err != nil {
		panic(err)
	}
	return s
}

func mustWorkload(text string) workloads.Spec {
	s, err := workloads.Parse(text)
	if err != nil {
		panic(err)
	}
	return s
}

func mustWorkloadWith(s workloads.Spec, param, value string) workloads.Spec {
	s, err := s.With(param, value)
	if err != nil {
		panic(err)
	}
	return s
}

func TestSlidingCounterErrorFiguresDrawFromQuickData(t *testing.T) {
	e, err := Lookup("sliding-counter-error")
	require.NoError(t, err)
	lab := trueLab(true)
	lab.Simulate = func(ctx context.Context, c scenario.Config) (scenario.Result, error) {
		c.Horizon = c.Warmup + 20*counterErrorT // there must be data; it need not be precise
		return scenario.Run(ctx, c)
	}
	plan := e.plan(lab)
	plan.Reps = 2
	plan.Where = func(get func(string) string) bool {
		return get("part") == "open" || get("part") == "load" || get("part") == "shapes"
	}
	result, err := sweep.Execute(context.Background(), plan, sweep.Options{})
	require.NoError(t, err)
	runs, err := result.Runs()
	require.NoError(t, err)
	summary, err := result.Summary()
	require.NoError(t, err)
	d := &Data{Experiment: e, Dir: t.TempDir(), Quick: true, Reps: plan.Reps, Runs: runs, Summary: summary}
	for _, f := range e.Figures {
		t.Run(f.Name, func(t *testing.T) {
			figure, err := f.Draw(d)
			require.NoError(t, err)
			assert.NotContains(t, figure.Title, "NaN")
			_, err = plots.SVG(figure)
			require.NoError(t, err)
		})
	}
	findings, err := e.Findings(d)
	require.NoError(t, err)
	assert.Contains(t, findings[0], "errs least for steady, by 2.0 % of the mean")
	assert.NotContains(t, strings.Join(findings, ""), "NaN")
	drawsNothing(t, d)
}

func TestSlidingCounterErrorRefusesBadSettings(t *testing.T) {
	e, err := Lookup("sliding-counter-error")
	require.NoError(t, err)
	for _, c := range []struct{ factor, value, want string }{
		{"part", "everything", `unknown; known: shapes, phase, open, position, bounds, share, load, flood, worst`},
		{"process", "paretto", `unknown (did you mean "pareto"?); known: on-off, steady`},
		{"process", "poisson:rate=0/s", `rate`},
		{"process", "trace:file=x.log", `trace:file=x.log has no mean rate`},
		{"dispersion", "1", "must be > 1, got 1"},
		{"decay", "0", "must be > 0, got 0"},
		{"place", "1", "must lie in 0..1, 1 excluded, got 1"},
		{"seen", "-0.1", "must lie in 0..1, 1 excluded, got -0.1"},
		{"limit", "2.5", "must be a whole number in 1..1000, got 2.5"},
		{"limit", "1001", "must be a whole number in 1..1000, got 1001"},
		{"load", "many", `must be a decimal number like 0.5, got "many"`},
		{"rule", "floor", `unknown; known: fits, below, log`},
	} {
		t.Run(c.factor+"="+c.value, func(t *testing.T) {
			_, err := e.Prepare(Options{Out: filepath.Join(t.TempDir(), "out"), Set: []Setting{{c.factor, []string{c.value}}}})
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestSlidingCounterErrorKeepsThePointsThatASettingLeavesMeaning(t *testing.T) {
	e, err := Lookup("sliding-counter-error")
	require.NoError(t, err)
	for _, process := range []string{"steady", "poisson", "on-off", "burst-train"} {
		t.Run(process, func(t *testing.T) {
			plan, err := e.Prepare(Options{Set: []Setting{{"process", []string{process}}}})
			require.NoError(t, err)
			cells, err := plan.Cells()
			require.NoError(t, err)
			for _, c := range cells {
				if part := c.Get("part"); part == "worst" || part == "shapes" || part == "phase" {
					continue
				}
				_, err := counterErrorArrivals(c)
				require.NoError(t, err, c.Key())
				_, err = counterErrorLimiter(c)
				require.NoError(t, err, c.Key())
			}
		})
	}
}

func TestCounterErrorStreamsAreByTheoryWhatTheyAreToBe(t *testing.T) {
	e, err := Lookup("sliding-counter-error")
	require.NoError(t, err)
	cells, err := e.plan(trueLab(false)).Cells()
	require.NoError(t, err)
	used := make(map[counterErrorBursts]bool)
	for _, c := range cells {
		if c.Get("process") == "on-off" && c.Get("dispersion") != "" {
			used[counterErrorBursts{counterErrorMean(c.Float("limit"), c.Float("load")), c.Float("dispersion"), c.Float("decay")}] = true
		}
	}
	assert.Len(t, counterErrorStreams, len(used))
	used[counterErrorBursts{20, 3, 0.5}] = true // as a user might set
	for b := range used {
		if _, ok := counterErrorStreams[b]; !ok {
			assert.Equal(t, 20.0, b.mean, "%v is missing", b)
		}
		s, text := counterErrorStream(b.mean, b.dispersion, b.decay)
		rate, ok := mustWorkload(text).MeanRate()
		require.True(t, ok)
		assert.InDelta(t, s.MeanRate(), rate, 1e-9, text)
		assert.InEpsilon(t, b.mean, s.CountMean(counterErrorT.Seconds()), 1e-4, text)
		assert.InEpsilon(t, b.dispersion, s.Dispersion(counterErrorT.Seconds()), 1e-4, text)
		assert.InEpsilon(t, b.decay, s.Decay()*counterErrorT.Seconds(), 1e-4, text)
	}
}

func TestCounterShadowSeesTheErrorOfAStory(t *testing.T) {
	plan := &sweep.Plan{
		Factors: []sweep.Factor{{Name: "count"}, {Name: "limit"}}, Metrics: []sweep.Metric{{Name: "x"}}, Name: "story",
		Grids: []sweep.Grid{{}}, Reps: 1, Seed: 1, Run: func(context.Context, sweep.Cell, *sweep.Row) error { return nil },
	}
	cells, err := plan.Cells()
	require.NoError(t, err)
	s, err := newCounterShadow(trueLab(true), cells[0])
	require.NoError(t, err)
	for _, at := range []time.Duration{250 * time.Millisecond, 250 * time.Millisecond, 900 * time.Millisecond} {
		s.arrive(at, counterShadowUnits)
	}
	for _, c := range []struct {
		at   time.Duration
		want int64 // thousandths
	}{
		{999 * time.Millisecond, 0},
		{1000 * time.Millisecond, 0},
		{1100 * time.Millisecond, -300},          // 2.7 for 3
		{1250 * time.Millisecond, 1250},          // 2.25 for the one at 900 ms
		{1899999999 * time.Nanosecond, -700 + 1}, // 0.300000003, rounded up, for 1
		{1900 * time.Millisecond, 300},           // 0.3 for none
		{2000 * time.Millisecond, 0},
	} {
		got, within := s.look(c.at)
		assert.Equal(t, c.want, got, c.at)
		assert.True(t, within, c.at)
	}
}

func TestEveryWorkloadWithAMeanRateIsAmongTheShapes(t *testing.T) {
	without := map[string]string{
		"trace": "needs a file", "clip": "ends", "shift": "changes nothing where windows begin anywhere",
	}
	seen := make(map[string]bool)
	for _, s := range counterErrorShapes {
		w, unit, err := counterErrorShape(s.name)
		require.NoError(t, err, s.name)
		rate, ok := w.MeanRate()
		require.True(t, ok, s.name)
		assert.InEpsilon(t, counterErrorShapeMean, rate*counterErrorT.Seconds(), 1e-4, s.name)
		assert.Positive(t, unit)
		seen[w.Name()] = true
	}
	for _, e := range workloads.Entries() {
		assert.True(t, seen[e.Name] != (without[e.Name] != ""), "%s is a shape, or has a reason not to be", e.Name)
	}
	assert.Equal(t, counterErrorInStep, counterErrorAllShapes()[len(counterErrorAllShapes())-len(counterErrorInStep):])
}

func TestAWorkloadOfTheUsersIsAShape(t *testing.T) {
	e, err := Lookup("sliding-counter-error")
	require.NoError(t, err)
	plan, err := e.Prepare(Options{Quick: true, Reps: 2, Set: []Setting{
		{"part", []string{"shapes"}}, {"process", []string{"on-off:rate=40/s,on=1s,off=1s"}}, {"place", []string{"any"}}, {"limit", []string{"20"}},
	}})
	require.NoError(t, err)
	ratios, err := execute(t, plan).Floats("error_square_over_pairs")
	require.NoError(t, err)
	require.Len(t, ratios, 2)
	assert.InDeltaSlice(t, []float64{1, 1}, ratios, 0.1)
}

func TestThePlaneHasEqualDispersionsWithUnequalMemories(t *testing.T) {
	for _, dispersion := range []string{"4", "16"} {
		var correlations []float64
		for _, name := range []string{"batch-" + dispersion, "on-off-" + dispersion + "-brief", "on-off-" + dispersion, "on-off-" + dispersion + "-long"} {
			w, _, err := counterErrorShape(name)
			require.NoError(t, err)
			law, ok := w.Law()
			require.True(t, ok)
			assert.InEpsilon(t, counterErrorNumber(dispersion), law.Dispersion(counterErrorT), 1e-3, name)
			correlations = append(correlations, law.Correlation/counterErrorT.Seconds())
		}
		assert.True(t, slices.IsSorted(correlations))
		assert.InDeltaSlice(t, []float64{0, 0.05, 0.5, 5}, correlations, 0.01)
	}
}

func TestAPathIsARing(t *testing.T) {
	path := counterErrorPath{
		times: []time.Duration{-counterErrorT / 2, counterErrorT / 4, 3*counterErrorT + counterErrorT/2}, costs: []int64{1000, 1000, 1000}, first: 1, windows: 4,
	}
	square, bias := path.byPairs()
	assert.InDelta(t, (2.0/6+theory.CounterErrorPair(0.75))/4, square, 1e-12, "the two are three quarters of a window apart, across the seam")
	assert.InDelta(t, theory.CounterErrorPairAtArrival(0.75)/2, bias, 1e-12)
}
