package scenario

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/clients"
	"ratelab/des/metrics"
	"ratelab/fleet"
	"ratelab/limiters"
	"ratelab/workloads"
)

// with lets a population send.
func with(t require.TestingT, c Config, population int, mix ...string) Config {
	var err error
	c.Clients, err = clients.ParseMix(mix...)
	require.NoError(t, err)
	c.Population, c.Sender = population, clients.InTurn
	if !c.Clients.Open() {
		c.Workload = workloads.Spec{}
	}
	return c
}

func TestClientsWhoNeverComeBackChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limiter := rapid.SampledFrom(limiters.Canonical()).Draw(t, "limiter")
		coordination := rapid.SampledFrom([]string{"local", "quota", "central"}).Draw(t, "coordination")
		c := on(t, config(t, canonical[limiter], "poisson:rate=30/s"), rapid.IntRange(1, 3).Draw(t, "servers"), "random", coordination)
		c.Keys = rapid.IntRange(1, 3).Draw(t, "keys")
		c.Horizon, c.Warmup = 20*time.Second, time.Duration(rapid.IntRange(0, 5).Draw(t, "warmup"))*time.Second
		c.Measure = All(c.Limiter, c.Keys)
		plain := simulate(t, c)
		c.Measure.Clients = true
		people := simulate(t, c)
		for _, v := range plain {
			if limiter == "leaky-queue" && strings.HasPrefix(v.Name, "delay") {
				continue // what is in the queue at the horizon has no delay yet
			}
			assert.Equal(t, math.Float64bits(v.Value), math.Float64bits(people.Get(v.Name)), v.Name)
		}
		assert.Equal(t, people.Get("offered"), people.Get("attempts"))
		assert.Equal(t, people.Get("offered"), people.Get("requests"))
		assert.Equal(t, 1.0, people.Get("amplification"))
		if limiter != "leaky-queue" {
			assert.Equal(t, people.Get("admit_share"), people.Get("success_share"))
		}
	})
}

// TestEveryRequestEndsOrIsUnderWay: what began is what succeeded, gave up and
// is unfinished, together and for each policy; every attempt was decided, or
// timed out on its way to the store.
func TestEveryRequestEndsOrIsUnderWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limiter := rapid.SampledFrom([]string{"token-bucket:rate=20/s,burst=5", "sliding-log:limit=20,window=1s", "leaky-queue:rate=20/s,queue=5"}).Draw(t, "limiter")
		c := on(t, config(t, limiter, "poisson:rate=30/s"), 2, rapid.SampledFrom([]string{"random", "least"}).Draw(t, "balancer"), "central")
		c.RTT = fleet.FixedRTT(time.Duration(rapid.IntRange(0, 3).Draw(t, "rtt")) * 10 * time.Millisecond)
		c.Horizon, c.Rep = 5*time.Second, rapid.IntRange(0, 100).Draw(t, "rep")
		c = with(t, c, 10, "rude:every=50ms,attempts=unlimited,timeout=15ms * 0.5", "backoff:base=100ms,cap=1s,timeout=1s * 0.3", "paced:timeout=2s * 0.2", "fixed:wait=1s,users=3,think=100ms,timeout=1s")
		c.Loss = rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "loss")
		c.Idempotent = rapid.Bool().Draw(t, "idempotent")
		if rapid.Bool().Draw(t, "service") {
			c.Capacity = serving(t, "steady:rate=1/s", "exp:mean=80ms", 1, 5).Capacity
			c.Capacity.RefusalCost = 2 * time.Millisecond
			c.Capacity.RefusalAt = fleet.RefusalPlace(rapid.IntRange(0, 1).Draw(t, "place"))
			c.Faults, _ = fleet.ParseFaults("down=0@1s..2s")
		}
		r := simulate(t, c)
		for _, suffix := range append([]string{""}, "_rude", "_backoff", "_paced", "_fixed") {
			assert.Equal(t, r.Get("requests"+suffix), r.Get("succeeded"+suffix)+r.Get("gave_up"+suffix)+r.Get("unfinished"+suffix), suffix)
		}
		for _, metric := range []string{"requests", "attempts", "succeeded", "gave_up", "unfinished"} {
			assert.Equal(t, r.Get(metric), r.Get(metric+"_rude")+r.Get(metric+"_backoff")+r.Get(metric+"_paced")+r.Get(metric+"_fixed"), metric)
		}
		gaveUp := 0.0
		for _, why := range []string{"exhausted", "hopeless", "over_budget", "withheld", "crowded"} {
			gaveUp += r.Get("gave_up_" + why)
		}
		assert.Equal(t, r.Get("gave_up"), gaveUp)
		assert.LessOrEqual(t, r.Get("offered"), r.Get("attempts"))
		if c.RTT.IsZero() && !c.Idempotent && c.Capacity.IsZero() {
			assert.Equal(t, r.Get("offered"), r.Get("attempts"))
		}
	})
}

func TestTheDictionaryKnowsAllThatClientsAreMeasuredBy(t *testing.T) {
	c := with(t, config(t, "gcra:rate=20/s,burst=1", "poisson:rate=30/s"), 10, "rude * 0.5", "retry-after * 0.3", "rude:every=1s * 0.2")
	c.Horizon = time.Minute
	r := simulate(t, c)
	assert.Greater(t, r.Get("requests_rude_2"), 0.0)
	assert.Greater(t, r.Get("hint_honesty_retry_after"), 0.0)
	for _, v := range r {
		_, known := metrics.Describe(v.Name)
		assert.True(t, known, v.Name)
	}
}

// TestALostReplyIsPaidForAgainWithoutAKey: a reply lost with probability q
// makes 1/(1-q) attempts a success, and as many units; with an idempotency key
// one unit.
func TestALostReplyIsPaidForAgainWithoutAKey(t *testing.T) {
	const q = 0.3
	for _, coordination := range []string{"local", "central", "sharded:shards=2", "quota"} {
		c := on(t, config(t, "token-bucket:rate=100000/s,burst=100000", "poisson:rate=100/s"), 2, "round-robin", coordination)
		c.Measure, c.Horizon = Measure{}, 10*time.Minute
		c = with(t, c, 10, "rude:every=10ms,attempts=unlimited,timeout=10ms")
		c.Loss = q
		if coordination == "central" {
			c.RTT = fleet.FixedRTT(5 * time.Millisecond)
		}
		paid := simulate(t, c)
		n := paid.Get("succeeded")
		require.Greater(t, n, 50_000.0)
		within := 4 * math.Sqrt(q) / (1 - q) / math.Sqrt(n) // attempts are geometric
		assert.InDelta(t, 1/(1-q), paid.Get("attempts_per_success"), within, coordination)
		assert.InDelta(t, 1/(1-q), paid.Get("units_per_success"), within, coordination)
		assert.Equal(t, paid.Get("lost_replies"), paid.Get("heard_timeout"))

		c.Idempotent = true
		once := simulate(t, c)
		assert.Equal(t, paid.Get("attempts"), once.Get("attempts"), "it is only the charges that differ")
		assert.InDelta(t, 1, once.Get("units_per_success"), 1e-3, "but for what was lost just before the horizon")
		assert.Equal(t, once.Get("offered"), math.Round(once.Get("units_per_success")*n), "what is known is not decided again")
	}
}

func TestAnAttemptThatTimesOutOnItsWayIsStillCharged(t *testing.T) {
	// A reply takes 20 ms, a client waits 15: every one of its four attempts is
	// admitted, charged and in vain. With a key only the first is charged.
	c := on(t, config(t, "gcra:rate=1000/s,burst=1000", "burst-train:size=1,period=1h"), 1, "round-robin", "central")
	c.RTT, c.Measure = fleet.FixedRTT(20*time.Millisecond), Measure{}
	c = with(t, c, 1, "rude:every=100ms,timeout=15ms")
	r := simulate(t, c)
	assert.Equal(t, 4.0, r.Get("admitted"))
	assert.Equal(t, 4.0, r.Get("heard_timeout"))
	assert.Equal(t, 4.0, r.Get("wasted_charges"))
	assert.Equal(t, 1.0, r.Get("gave_up_exhausted"))
	assert.True(t, math.IsNaN(r.Get("units_per_success")), "there is no success")
	c.Idempotent = true
	assert.Equal(t, 1.0, simulate(t, c).Get("admitted"))
}

// TestFiftyComeBackInOneSecond: who obeys one hint comes back together;
// jitter over 30 s makes a peak of 4.771 in seconds of the clock, on average
// (balls in bins).
func TestFiftyComeBackInOneSecond(t *testing.T) {
	c := config(t, "fixed-window:limit=50,window=30s", "burst-train:size=100,period=1d")
	c.Horizon, c.Warmup, c.Measure = 70*time.Second, time.Second, Measure{}
	together := simulate(t, with(t, c, 50, "retry-after"))
	assert.Equal(t, 50.0, together.Get("peak_retries"))
	assert.Equal(t, 50.0, together.Get("peak_retries_aligned"))
	assert.Equal(t, 50.0, together.Get("hints_obeyed"))
	assert.Equal(t, 1.0, together.Get("hint_honesty"))

	const runs = 400
	sum, squares := 0.0, 0.0
	for c.Rep = range runs {
		peak := simulate(t, with(t, c, 50, "retry-after:jitter=30s")).Get("peak_retries_aligned")
		sum += peak
		squares += peak * peak
	}
	mean := sum / runs
	assert.InDelta(t, 4.771176, mean, 4*math.Sqrt((squares/runs-mean*mean)/runs))
}

func TestHintsAreRoundedAsHeadersDo(t *testing.T) {
	// Refused at 0 with a second's third to wait: the client comes at 1 s.
	c := config(t, "gcra:rate=3/s,burst=1", "burst-train:size=2,period=1d")
	c.Horizon, c.Measure = 10*time.Second, Measure{}
	c = with(t, c, 2, "retry-after")
	assert.InDelta(t, 1./3, simulate(t, c).Get("time_to_success_max"), 1e-8)
	c.Rounded = true
	assert.Equal(t, 1.0, simulate(t, c).Get("time_to_success_max"))
}

func TestPlaceInLineHintsAreAllHonest(t *testing.T) {
	c := config(t, "gcra:rate=10/s,burst=1", "burst-train:size=51,period=1d")
	c.Horizon, c.Measure = time.Minute, Measure{}
	c = with(t, c, 51, "retry-after:attempts=unlimited")
	exact := simulate(t, c)
	assert.Equal(t, 51+50*51/2.0, exact.Get("attempts"), "n(n+1)/2 returns of the n who are refused")
	var err error
	c.Hints, err = clients.ParseHints("place-in-line:rate=10/s")
	require.NoError(t, err)
	line := simulate(t, c)
	assert.Equal(t, 101.0, line.Get("attempts"))
	assert.Equal(t, 1.0, line.Get("hint_honesty"))
}

func TestTheHorizonEndsWhatNeverEnds(t *testing.T) {
	c := with(t, config(t, "token-bucket:rate=1/d,burst=1", "burst-train:size=5,period=1h"), 5, "rude:every=1s,attempts=unlimited")
	c.Horizon, c.Measure = 10*time.Second, Measure{}
	r := simulate(t, c)
	assert.Equal(t, 5.0, r.Get("requests"))
	assert.Equal(t, 1.0, r.Get("succeeded"))
	assert.Equal(t, 4.0, r.Get("unfinished"))
	assert.Equal(t, 0.0, r.Get("gave_up"))
	assert.Equal(t, 1+4*10.0, r.Get("attempts"), "at 0..9 s: the horizon is outside")
	assert.Equal(t, 5.0, r.Get("peak_attempts"))
	assert.Equal(t, 4.0, r.Get("peak_retries_aligned"))
	assert.Equal(t, 5.0/4.1, r.Get("synchronisation"))
}

func TestWhatIsSaidOfClientsMustMakeSense(t *testing.T) {
	plain := func() Config { return config(t, "gcra:rate=1/s,burst=1", "steady:rate=1/s") }
	users := with(t, plain(), 0, "rude:users=3,think=1s")
	users.Workload = plain().Workload
	keyed := with(t, config(t, "gcra:rate=1/s,burst=1", "tenants:rate=10/s,keys=3"), 0, "rude")
	for _, c := range []struct {
		c    Config
		want string
	}{
		{with(t, plain(), -1, "rude"), "population must lie in 0..16777216, got -1"},
		{with(t, plain(), 1, "rude * 0.5", "fixed:wait=1s * 0.5"), `a population of 1 leaves no client for "fixed:wait=1s": it must be larger`},
		{users, `clients "rude:users=3,think=1s" bring their own users: there must be no workload, got "steady:rate=1/s"`},
		{keyed, `population must be given where the workload sets keys`},
		{func() Config { c := plain(); c.Loss = 0.1; return c }(), "loss must be 0 where nobody waits for a reply, got 0.1"},
		{func() Config { c := plain(); c.Idempotent = true; return c }(), "idempotency keys are of no use to clients that never try again"},
		{func() Config { c := with(t, plain(), 1, "rude"); c.Loss = 0.1; return c }(), `client "rude" needs a timeout where replies are lost, or it waits for ever`},
		{func() Config { c := with(t, plain(), 5, "rude"); c.Sender = clients.ByKey; return c }(), "population must be at most keys, 1, where each key is one client's, got 5"},
		{func() Config { c := with(t, plain(), 1, "rude"); c.Workload = workloads.Spec{}; return c }(), "a scenario needs a workload, or clients that bring their own users"},
		{func() Config {
			c := on(t, with(t, plain(), 1, "rude"), 2, "random", "synced:period=1s")
			c.Idempotent = true
			return c
		}(), `coordination "synced:period=1s" does not know idempotency keys; local, quota, central and sharded do`},
	} {
		assert.ErrorContains(t, c.c.Prepare(), c.want)
		_, err := Run(context.Background(), c.c)
		assert.Error(t, err)
	}
}

func TestNothingAllocatesPerRequestOfClients(t *testing.T) {
	c := with(t, config(t, "token-bucket:rate=20/s,burst=20", "poisson:rate=30/s"), 10, "retry-after:jitter=1s,timeout=1s * 0.5", "backoff:base=100ms,cap=1s,budget=ratio * 0.5")
	c.Measure = Measure{}
	c.Idempotent = true
	allocs := func(horizon time.Duration) float64 {
		c.Horizon = horizon
		return testing.AllocsPerRun(2, func() { simulate(t, c) })
	}
	short, long := allocs(10*time.Minute), allocs(60*time.Minute)
	assert.Less(t, long-short, 60.0, "rings may still grow, requests may not cost")
}

func TestACancelledRunOfClientsEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := with(t, config(t, "gcra:rate=1/s,burst=1", "burst-train:size=1,period=1d"), 1, "rude:every=1ns,attempts=unlimited")
	_, err := Run(ctx, c)
	assert.ErrorIs(t, err, context.Canceled)
}
