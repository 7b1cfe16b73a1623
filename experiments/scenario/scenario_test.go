package scenario

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/fleet"
	"ratelab/limiters"
	"ratelab/workloads"
)

func config(t require.TestingT, limiter, workload string) Config {
	l, err := limiters.Parse(limiter)
	require.NoError(t, err)
	w, err := workloads.Parse(workload)
	require.NoError(t, err)
	c := Default(l, w)
	c.Measure = All(l, 1)
	return c
}

func on(t require.TestingT, c Config, servers int, balancer, coordination string) Config {
	var err error
	c.Servers = servers
	c.Balancer, err = fleet.ParseBalancer(balancer)
	require.NoError(t, err)
	c.Coordination, err = fleet.ParseCoordination(coordination)
	require.NoError(t, err)
	return c
}

func simulate(t require.TestingT, c Config) Result {
	r, err := Run(context.Background(), c)
	require.NoError(t, err)
	return r
}

func TestASteadyCallerOfABucket(t *testing.T) {
	c := config(t, "token-bucket:rate=2/s,burst=20", "steady:rate=2/s")
	c.Horizon = 10 * time.Second
	r := simulate(t, c)
	assert.Equal(t, 20.0, r.Get("offered"))
	assert.Equal(t, 1.0, r.Get("admit_share"))
	assert.Equal(t, 2.0, r.Get("admitted_rate"))
	assert.Equal(t, 1.0, r.Get("admitted_over_rate"))
	assert.Equal(t, 19.0, r.Get("level_min"), "each takes one token, which is back when the next comes")
	assert.Equal(t, 20.0, r.Get("level_max"))
	assert.InDelta(t, 19.5, r.Get("level_mean"), 1e-12)
	assert.Equal(t, 2.0, r.Get("max_window_admitted"))
	assert.Equal(t, 2.0/22, r.Get("overshoot"), "of the 20 + 2 that it promises in a second")
	assert.True(t, math.IsNaN(r.Get("throughput_deficit")), "a bucket has no window to compare by")
}

func TestABurstAtTheBoundaryPassesTwice(t *testing.T) {
	c := config(t, "fixed-window:limit=100,window=1m", "page-turn:size=200,window=1m,half=1s")
	c.Horizon = 2 * time.Minute
	r := simulate(t, c)
	assert.Equal(t, 200.0, r.Get("max_window_admitted"))
	assert.Equal(t, 2.0, r.Get("overshoot"))
	assert.Equal(t, 0.0, r.Get("excess_mean"), "each page by itself is innocent")
	assert.Equal(t, -1.0, r.Get("throughput_deficit"), "it admits twice what the log does")
	assert.Equal(t, 0.5, r.Get("decisions_differ"))
	assert.Equal(t, 0.5, r.Get("false_admissions"))
}

func TestAQueueDelaysWhatItAdmits(t *testing.T) {
	c := config(t, "leaky-queue:rate=1/s,queue=2", "burst-train:size=5,period=10s")
	c.Horizon = 10 * time.Second
	r := simulate(t, c)
	assert.Equal(t, 3.0, r.Get("admitted"))
	assert.Equal(t, 1.0, r.Get("delay_mean"), "0, 1 and 2 seconds")
	assert.Equal(t, 2.0, r.Get("delay_max"))
}

func TestARoundTripDelaysEveryAnswerAndChangesNoDecision(t *testing.T) {
	c := on(t, config(t, "sliding-log:limit=50,window=1s", "poisson:rate=100/s"), 4, "random", "central")
	c.Horizon = time.Minute
	near := simulate(t, c)
	c.RTT = fleet.FixedRTT(3 * time.Millisecond)
	far := simulate(t, c)
	for _, metric := range []string{"offered", "admitted", "max_window_admitted", "overshoot", "throughput_deficit"} {
		assert.Equal(t, near.Get(metric), far.Get(metric), metric)
	}
	assert.Equal(t, 0.0, near.Get("delay_max"))
	assert.Equal(t, 0.003, far.Get("delay_mean"))
	assert.LessOrEqual(t, far.Get("overshoot"), 1.0)
}

func TestLocalLimitsMultiplyAndQuotasDoNot(t *testing.T) {
	for coordination, want := range map[string]float64{"local": 8, "quota": 1, "central": 1} {
		c := on(t, config(t, "fixed-window:limit=80,window=1s", "steady:rate=4000/s"), 8, "round-robin", coordination)
		c.Horizon = 10 * time.Second
		r := simulate(t, c)
		assert.Equal(t, want, r.Get("admitted_over_rate"), coordination)
		assert.Equal(t, want, r.Get("overshoot"), coordination)
		assert.Equal(t, 80*(want-1), r.Get("excess_mean"), coordination)
	}
}

func TestWhatComesBeforeTheWarmupIsServedAndNotCounted(t *testing.T) {
	c := config(t, "token-bucket:rate=1/s,burst=10", "burst-train:size=10,period=10s")
	c.Horizon, c.Warmup = 20*time.Second, 5*time.Second
	r := simulate(t, c)
	assert.Equal(t, 10.0, r.Get("offered"))
	assert.Equal(t, 10.0, r.Get("admitted"), "the first burst emptied the bucket, ten seconds filled it")
	assert.Equal(t, 10.0/15, r.Get("admitted_rate"))
}

func TestSeveralKeysHaveALimitEach(t *testing.T) {
	c := config(t, "fixed-window:limit=10,window=1s", "poisson:rate=100/s")
	c.Horizon, c.Keys = time.Minute, 20
	c.Measure = All(c.Limiter, c.Keys)
	r := simulate(t, c)
	assert.Greater(t, r.Get("admit_share"), 0.99)
	assert.LessOrEqual(t, r.Get("max_window_admitted"), 20.0)
	assert.True(t, math.IsNaN(r.Get("error_closed_mean")), "the counter errors are of one key")
}

func TestReplicationsDifferAndRepeat(t *testing.T) {
	c := config(t, "gcra:rate=50/s,burst=5", "poisson:rate=60/s")
	c.Horizon = time.Minute
	first := simulate(t, c)
	assert.Equal(t, first, simulate(t, c))
	c.Rep = 1
	assert.NotEqual(t, first, simulate(t, c))
}

func TestReplicationsShareArrivalsWhateverTheLimiter(t *testing.T) {
	for _, limiter := range limiters.Canonical() {
		c := config(t, canonical[limiter], "on-off:rate=80/s,on=1s,off=1s")
		c.Horizon, c.Rep = time.Minute, 7
		offered := simulate(t, c).Get("offered")
		c.Limiter = config(t, "gcra:rate=1/s,burst=1", "steady:rate=1/s").Limiter
		c.Measure = All(c.Limiter, 1)
		assert.Equal(t, simulate(t, c).Get("offered"), offered, limiter)
	}
}

var canonical = map[string]string{
	"fixed-window":    "fixed-window:limit=20,window=1s,jitter=300ms",
	"sliding-log":     "sliding-log:limit=20,window=1s,count=all",
	"sliding-counter": "sliding-counter:limit=20,window=1s",
	"token-bucket":    "token-bucket:rate=20/s,burst=20,refill=interval",
	"gcra":            "gcra:rate=20/s,burst=20",
	"leaky-meter":     "leaky-meter:rate=20/s",
	"leaky-queue":     "leaky-queue:rate=20/s,queue=20",
}

func TestBothPathsGiveTheSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limiter := rapid.SampledFrom(limiters.Canonical()).Draw(t, "limiter")
		require.Contains(t, canonical, limiter, "every canonical limiter takes part")
		workload := rapid.SampledFrom([]string{"poisson:rate=30/s", "on-off:rate=80/s,on=1s,off=1s", "steady:rate=25/s", "burst-train:size=30,period=1s"}).Draw(t, "workload")
		balancer := rapid.SampledFrom([]string{"round-robin", "random", "hash", "weighted:zipf=1", "least", "two-choices"}).Draw(t, "balancer")
		var err error
		coordination := rapid.SampledFrom([]string{
			"local", "quota", "quota:over=serving", "adaptive:period=700ms", "central", "central-racy:delay=0s",
			"sharded:shards=3", "synced:period=300ms,delay=100ms", "leased:batch=3",
		}).Draw(t, "coordination")
		c := on(t, config(t, canonical[limiter], workload), rapid.IntRange(1, 4).Draw(t, "servers"), balancer, coordination)
		c.Keys = rapid.IntRange(1, 3).Draw(t, "keys")
		c.Rep = rapid.IntRange(0, 1000).Draw(t, "rep")
		c.Horizon = 20 * time.Second
		c.Warmup = time.Duration(rapid.IntRange(0, 5).Draw(t, "warmup")) * time.Second
		if c.Coordination.Suits(c.Limiter) != nil {
			t.Skip("the table refuses it")
		}
		c.Measure = Measure{Within: time.Duration(rapid.SampledFrom([]int{0, 1e6, 5e9}).Draw(t, "within"))}
		if rapid.Bool().Draw(t, "everything") {
			c.Measure = All(c.Limiter, c.Keys)
		}
		if rapid.Bool().Draw(t, "trouble") && !strings.HasPrefix(coordination, "central") && !strings.HasPrefix(coordination, "sharded") {
			faults := []string{"restart=0@5s", "restart=0@0s,restart=0@19s"}
			if c.Servers > 1 {
				faults = append(faults, "down=0@4s..9s,restart=1@7s", "down=1@0s..1h")
			}
			c.Faults, err = fleet.ParseFaults(rapid.SampledFrom(faults).Draw(t, "faults"))
			require.NoError(t, err)
			if !strings.HasPrefix(coordination, "leased") { // the store has a clock of its own
				c.Clocks, err = fleet.ParseClocks(rapid.SampledFrom([]string{"0", "200ms"}).Draw(t, "skew"), rapid.SampledFrom([]string{"0", "1000ppm"}).Draw(t, "drift"))
			}
			require.NoError(t, err)
			c.Measure.Level = c.Measure.Level && c.Follows()
		}
		fast, err := run(context.Background(), c, false)
		require.NoError(t, err)
		queued, err := run(context.Background(), c, true)
		require.NoError(t, err)
		assert.Equal(t, len(fast), len(queued))
		for i := range fast {
			assert.Equal(t, fast[i].Name, queued[i].Name)
			assert.Equal(t, math.Float64bits(fast[i].Value), math.Float64bits(queued[i].Value), fast[i].Name)
		}
		assert.Equal(t, fast.Get("offered"), fast.Get("admitted")+fast.Get("refused"))
	})
}

func TestNonsenseIsRefusedWithAReason(t *testing.T) {
	for _, c := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Keys = 0 }, "keys must lie in 1..16777216, got 0"},
		{func(c *Config) { c.Servers = 0 }, "servers must lie in 1..65536, got 0"},
		{func(c *Config) { c.RTT = fleet.FixedRTT(-1) }, "rtt must be >= 0, got -1ns"},
		{func(c *Config) { c.RTT = fleet.FixedRTT(math.MaxInt64) }, "rtt must be at most 640511h59m59.3686926s, got 2562047h47m16.854775807s"},
		{func(c *Config) { c.Horizon = 0 }, "horizon must be > 0, got 0s"},
		{func(c *Config) { c.Horizon = math.MaxInt64 }, "horizon must be at most 640511h59m59.3686926s, got 2562047h47m16.854775807s"},
		{func(c *Config) { c.Warmup = time.Hour }, "warmup must lie in 0..horizon (1h0m0s), got 1h0m0s"},
		{func(c *Config) { c.Rep = -1 }, "replication must be >= 0, got -1"},
	} {
		given := config(t, "gcra:rate=1/s,burst=1", "steady:rate=1/s")
		c.change(&given)
		_, err := Run(context.Background(), given)
		assert.ErrorContains(t, err, c.want[:20])
		assert.Error(t, given.Prepare())
	}
}

func TestAWindowFarShorterThanTheHorizonIsLookedAtABoundedNumberOfTimes(t *testing.T) {
	c := config(t, "sliding-counter:limit=1,window=20ns", "steady:rate=1/m")
	r := simulate(t, c) // 1.4e12 looks if there were no bound
	assert.Equal(t, 60.0, r.Get("offered"))
	assert.InDelta(t, 0, r.Get("error_open_time_mean_abs"), 1e-3)
}

func TestACancelledRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := config(t, "gcra:rate=1/s,burst=1", "poisson:rate=1000000/s")
	for _, measure := range []Measure{c.Measure, {}} {
		c.Measure = measure
		for _, events := range []bool{false, true} {
			_, err := run(ctx, c, events)
			assert.ErrorIs(t, err, context.Canceled)
		}
	}
}

func TestNothingAllocatesPerRequest(t *testing.T) {
	for _, limiter := range canonical {
		c := config(t, limiter, "poisson:rate=30/s")
		for _, measure := range []Measure{c.Measure, {}} {
			for _, events := range []bool{false, true} {
				c.Measure = measure
				allocs := func(horizon time.Duration) float64 {
					c.Horizon = horizon
					return testing.AllocsPerRun(2, func() {
						_, err := run(context.Background(), c, events)
						require.NoError(t, err)
					})
				}
				short, long := allocs(5*time.Minute), allocs(25*time.Minute)
				assert.Less(t, long-short, 60.0, "%s: rings may still grow, requests may not cost", limiter)
			}
		}
	}
}

func TestLevelsTakeMemoryByTheKeysThatCome(t *testing.T) {
	// Sixteen million keys on 64 servers, of which a hundred send a request:
	// an entry for each of the thousand million others would take 8 GB.
	c := on(t, config(t, "token-bucket:rate=1/s,burst=3", "steady:rate=10/s"), 64, "random", "local")
	c.Keys, c.Horizon = MaxKeys, 10*time.Second
	r := simulate(t, c)
	assert.Equal(t, 2.0, r.Get("level_min"))
	assert.Equal(t, 3.0, r.Get("level_max"))
	assert.Less(t, 2.9, r.Get("level_mean"), "each is full again after a second")
}

func TestMoreKeysThanAreFollowedAreToldOf(t *testing.T) {
	for _, c := range []struct {
		limiter string
		keys    int
		level   bool
		servers int
		want    bool
	}{
		{"sliding-log:limit=1,window=1s", 2, false, 1, false},
		{"sliding-log:limit=1,window=1s", 40_000, false, 1, true},
		{"gcra:rate=1/s,burst=1", 5_000, true, 1, false},
		{"gcra:rate=1/s,burst=1", 5_000, true, 8, true}, // buckets are too many, keys are not
	} {
		told := false
		cfg := on(t, config(t, c.limiter, "steady:rate=30000/s"), c.servers, "random", "local")
		cfg.Keys, cfg.Horizon, cfg.Sampled = c.keys, time.Second, func() { told = true }
		cfg.Measure = Measure{Level: c.level}
		simulate(t, cfg)
		assert.Equal(t, c.want, told, "%d keys, %d servers", c.keys, c.servers)
	}
}

func TestKeysThatAreForgottenAreCounted(t *testing.T) {
	c := config(t, "fixed-window:limit=1,window=1m", "steady:rate=10/s")
	c.Horizon, c.Keys = 30*time.Second, 40
	kept := simulate(t, c)
	assert.True(t, math.IsNaN(kept.Get("keys_live_max")), "nothing is said of forgetting where nothing is forgotten")
	assert.Equal(t, 40.0, kept.Get("admitted"))

	var err error
	c.Eviction, err = limiters.ParseEviction("lru:capacity=8")
	require.NoError(t, err)
	forgets := simulate(t, c)
	assert.Equal(t, 8.0, forgets.Get("keys_live_max"))
	assert.Equal(t, forgets.Get("keys_forgotten"), forgets.Get("keys_forgotten_early"), "all within their window")
	assert.Equal(t, forgets.Get("keys_forgotten")+8, forgets.Get("admitted"), "each is admitted when it is new, once")
	assert.Equal(t, kept.Get("offered"), forgets.Get("offered"))

	two := simulate(t, on(t, c, 2, "hash", "local"))
	assert.Equal(t, 8.0, two.Get("keys_live_max"), "of one server")
	assert.Less(t, two.Get("keys_forgotten"), forgets.Get("keys_forgotten"), "together they have more room")
	byEvents, err := run(context.Background(), c, true)
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprint(forgets), fmt.Sprint(byEvents)) // some are NaN

	c.Measure.Level = true
	assert.ErrorContains(t, c.Validate(), "levels can not be followed where keys are forgotten (eviction lru:capacity=8)")
}
