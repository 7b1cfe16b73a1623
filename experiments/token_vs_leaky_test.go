package experiments

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/scenario"
	"ratelab/experiments/theory"
	"ratelab/internal/spec"
	"ratelab/limiters"
)

// leakySwapped puts another limiter in the place of every limiter of a lab.
func leakySwapped(swap func(limiters.Spec) limiters.Spec) breakage {
	return func(lab *Lab) {
		simulate, limiter := lab.Simulate, lab.Limiter
		lab.Simulate = func(ctx context.Context, c scenario.Config) (scenario.Result, error) {
			c.Limiter = swap(c.Limiter)
			return simulate(ctx, c)
		}
		lab.Limiter = func(s limiters.Spec, seed uint64) limiters.Limiter { return limiter(swap(s), seed) }
	}
}

func leakyMust(s limiters.Spec, err error) limiters.Spec {
	if err != nil {
		panic(err)
	}
	return s
}

// leakyParameter sets a parameter of the limiters that have it.
func leakyParameter(name string, change func(limiters.Spec) string) breakage {
	return leakySwapped(func(s limiters.Spec) limiters.Spec {
		if !strings.Contains(s.String(), name+"=") {
			return s
		}
		return leakyMust(s.With(name, change(s)))
	})
}

// leakyMore makes a limiter hold some more than it should.
func leakyMore(parameter string, more int64) breakage {
	return leakyParameter(parameter, func(s limiters.Spec) string {
		n := s.Capacity() + more
		if parameter == "queue" {
			n--
		}
		return strconv.FormatInt(n, 10)
	})
}

// leakyFaster doubles the rate.
var leakyFaster = leakyParameter("rate", func(s limiters.Spec) string {
	rate, _ := s.Rate()
	rate, err := rate.Times(2, 1)
	if err != nil {
		panic(err)
	}
	return rate.String()
})

// leakyTwice puts the limit on two servers, each with all of it.
func leakyTwice(lab *Lab) {
	simulate := lab.Simulate
	lab.Simulate = func(ctx context.Context, c scenario.Config) (scenario.Result, error) {
		c.Servers = 2
		return simulate(ctx, c)
	}
}

func TestTokenVsLeakyClaims(t *testing.T) {
	testClaims(t, "token-vs-leaky", map[string]breakage{
		"a token bucket, and GCRA, refuse of Poisson traffic what M/D/1/b turns away": leakyMore("burst", 1),
		"a bucket that gets its tokens one by one at ticks refuses less: what the chain of its levels says": leakyParameter("refill",
			func(limiters.Spec) string { return "continuous" }),
		"a leaky meter forgives no burst: it admits 1/(1+load)": leakySwapped(func(s limiters.Spec) limiters.Spec {
			return leakyMust(limiters.Parse(strings.Replace(s.String(), "leaky-meter:", "token-bucket:burst=2,", 1)))
		}),
		"a leaky queue refuses what M/D/1/K turns away, K its waiting places and one": leakyMore("queue", 1),
		"what a leaky queue admits waits as long as in M/D/1/K": func(lab *Lab) { // departures at ticks
			simulate := lab.Simulate
			lab.Simulate = func(ctx context.Context, c scenario.Config) (scenario.Result, error) {
				r, err := simulate(ctx, c)
				rate, _ := c.Limiter.Rate()
				for i := range r {
					if r[i].Name == "delay_mean" {
						r[i].Value += 0.5 / rate.PerSecond()
					}
				}
				return r, err
			}
		},
		"the admitted rate tends to r as load grows, by what M/D/1/b says, whatever the burst":            leakyTwice,
		"admitted rate / r = 1 - share of time full":                                                      leakyTwice,
		"of requests at one instant the bucket passes b: at 20 tokens the 21st is refused":                leakyMore("burst", 1),
		"who keeps to the rate after a burst emptied the bucket never finds more than one token":          leakyFaster,
		"three tokens gained while idle, and one that was left, pass a burst of four and no more":         leakyFaster,
		"smooth or bursty at the same mean, everything passes exactly when every burst fits b(r)":         leakyMore("burst", 1),
		"a flood is admitted L per window by a fixed window, a sliding log and a counter with rule below": leakyMore("limit", 1),
		"a counter with rule fits admits L-1 of a flood per window, and one in two windows if L = 1": leakyParameter("rule",
			func(limiters.Spec) string { return "below" }),
		"who counts refused requests too admits nothing of a flood": leakyParameter("count", func(limiters.Spec) string { return "admitted" }),
		"a flood is admitted r by every bucket, whatever its burst": leakyFaster,
	})
}

func TestTokenVsLeakyFiguresDrawFromAQuickRun(t *testing.T) {
	d := quickly(t, "token-vs-leaky", trueLab(true), 2, func(get func(string) string) bool {
		return get("part") != "loss" || get("load") != "10" && get("limiter") != "gcra"
	})
	titles := drawAll(t, d)
	assert.Contains(t, titles["cloudbursts"], "passes 89% of a cloudburst as it falls, the meter 11%; the queue lets 2 a second go",
		"16 and 2 of 18, and the metronome")
	findings, err := d.Experiment.Findings(d)
	require.NoError(t, err)
	assert.Contains(t, findings[0], "forgives exactly when every burst fits into it: at its own rate it refuses nothing of steady traffic with a burst of 1")
	assert.Equal(t, "Of many at once with 20 tokens the first to be refused is number 21; who then keeps to the rate never finds more than 1 token.", findings[2])
	assert.Equal(t, "Three tokens gained while idle, and one that was left, pass a burst of 4.", findings[3])
	assert.Equal(t, "In a flood with a limit of 20 a fixed window, a log and the counter (below) admit 20, 20 and 20 a window, the counter (fits) 19, "+
		"who counts refused requests too 0, a bucket its rate, 20. With a limit of 1 the counter (fits) admits 0.5.", findings[5])
	drawsNothing(t, d)
	d.Runs, err = d.Runs.Where("part", "none")
	require.NoError(t, err)
	_, err = d.Experiment.Findings(d)
	assert.ErrorContains(t, err, "nothing was measured")
}

func TestTokenVsLeakyRefusesSettingsThatMakeNoSense(t *testing.T) {
	refuses(t, "token-vs-leaky", [][3]string{
		{"part", "flod", `value "flod": unknown (did you mean "flood"?)`},
		{"limiter", "token-buket", `value "token-buket": unknown (did you mean "token-bucket"?)`},
		{"workload", "trace", `value "trace": unknown`},
		{"size", "0", `value "0": must be a whole number in 1..10000`},
		{"rate", "1/h", `value "1/h": want at least 1/m`},
		{"rate", "2", `"2"`},
		{"burst", "1.5", `value "1.5": must be a whole number in 1..1000`},
		{"limit", "-1", `value "-1": must be a whole number in 1..1000`},
		{"load", "0", `value "0": want a decimal in 0.01..1000`},
		{"second", "32", `value "32": want a whole number in 0..31`},
	})
}

func TestTokenVsLeakyRunsWithASettingWhereItApplies(t *testing.T) {
	e, err := Lookup("token-vs-leaky")
	require.NoError(t, err)
	for _, set := range []Setting{
		{"part", []string{"loss"}}, {"limiter", []string{"gcra"}}, {"limiter", []string{"leaky-meter"}}, {"limiter", []string{"sliding-log"}},
		{"workload", []string{"burst-train"}}, {"rate", []string{"7/13s"}}, {"load", []string{"0.75"}}, {"limit", []string{"7"}}, {"second", []string{"3"}},
	} {
		plan, err := e.Prepare(Options{Seed: 1, Quick: true, Set: []Setting{set}})
		require.NoError(t, err, set)
		plan.Reps = 1
		plan.Grids = plan.Grids[8:] // without the long runs of the losses
		runs := execute(t, plan)
		assert.Positive(t, runs.Len())
	}
}

func TestLeakyOfferedIsExact(t *testing.T) {
	for _, test := range []struct{ load, rate, want string }{
		{"1", "2/s", "2/s"}, {"0.9", "2/s", "9/5s"}, {"1.1", "7/13s", "77/130s"}, {"20", "1/s", "20/s"}, {"0.01", "1/m", "1/6000s"},
	} {
		rate, err := spec.ParseRate(test.rate)
		require.NoError(t, err)
		want, err := spec.ParseRate(test.want)
		require.NoError(t, err)
		got, err := leakyOffered(test.load, rate)
		require.NoError(t, err)
		assert.Equal(t, want, got, "%s of %s", test.load, test.rate)
	}
}

func TestLeakyLengthIsShortWhereALossIsRareByTheory(t *testing.T) {
	for _, b := range []int64{2, 5, 20} {
		for _, load := range []float64{0.5, 0.8, 0.9, 1} {
			rare := theory.TokenBucketLoss(load, int(b)) < leakyRare
			assert.Equal(t, !rare, leakyLength(b, load, false) == 50_000*b, "burst %d, load %v", b, load)
		}
	}
	assert.EqualValues(t, 200_000, leakyLength(20, 0.8, false), "rare")
	assert.EqualValues(t, 200_000, leakyLength(20, 1.1, false), "varies less")
	assert.EqualValues(t, 1_000_000, leakyLength(100, 1.1, false), "100·b²")
	assert.EqualValues(t, 15_000, leakyLength(20, 1, true), "quick")
	assert.EqualValues(t, 5_000, leakyLength(20, 2, true), "quick, and known soon")
	assert.EqualValues(t, 5_000, leakyLength(5, 0.9, true), "quick, and too rare")
	assert.EqualValues(t, 15_000, leakyLength(2, 0.9, true), "quick, and not so rare")
}

func TestLeakyAfterRoundsUp(t *testing.T) {
	third := spec.Rate{N: 3, P: time.Second}
	assert.Equal(t, time.Second, leakyAfter(3, third))
	assert.Equal(t, 333_333_334*time.Nanosecond, leakyAfter(1, third))
	assert.Zero(t, leakyAfter(0, third))
}
