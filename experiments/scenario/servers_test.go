package scenario

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/fleet"
)

// serving lets one server take its time behind a limit that admits all.
func serving(t require.TestingT, workload, service string, workers, queue int) Config {
	c := config(t, "gcra:rate=1000000/s,burst=1000000", workload)
	c.Measure = Measure{}
	var err error
	c.Capacity.Service, err = fleet.ParseService(service)
	require.NoError(t, err)
	c.Capacity.Workers, c.Capacity.Queue = workers, queue
	return c
}

// near runs replications and compares the mean of a metric with what it should
// be, within four standard errors, which must be small.
func near(t *testing.T, c Config, reps int, metric string, want, mostError float64, of func(Result) float64) {
	t.Helper()
	sum, squares := 0.0, 0.0
	for c.Rep = range reps {
		x := of(simulate(t, c))
		sum += x
		squares += x * x
	}
	n := float64(reps)
	mean := sum / n
	se := math.Sqrt(max(0, squares/n-mean*mean) / (n - 1))
	assert.InDelta(t, want, mean, 4*se, metric)
	assert.Less(t, se, mostError*want, "%s: the simulation says too little", metric)
}

func get(metric string) func(Result) float64 {
	return func(r Result) float64 { return r.Get(metric) }
}

// erlangB returns the loss of c workers at an offered load of a.
func erlangB(c int, a float64) float64 {
	b := 1.0
	for k := 1; k <= c; k++ {
		b = a * b / (float64(k) + a*b)
	}
	return b
}

// erlangC returns the probability of a wait.
func erlangC(c int, a float64) float64 {
	b, rho := erlangB(c, a), a/float64(c)
	return b / (1 - rho*(1-b))
}

// lossMMcK returns the loss of c workers and a queue of q: from the stationary
// law of the birth and death chain.
func lossMMcK(c, q int, a float64) float64 {
	p, sum := 1.0, 1.0
	for n := 1; n <= c+q; n++ {
		p *= a / float64(min(n, c))
		sum += p
	}
	return p / sum
}

// TestQueuesAreWhatErlangSays: mean waits of M/M/1, M/M/c and M/D/1, the wait's
// probability, loss of M/M/c/c+q, utilisation, and Little's law.
func TestQueuesAreWhatErlangSays(t *testing.T) {
	const reps = 12
	world := func(workload, service string, workers, queue int) Config {
		c := serving(t, workload, service, workers, queue)
		c.Horizon, c.Warmup = 22*time.Second, 2*time.Second
		return c
	}
	mm1 := world("poisson:rate=800/s", "exp:mean=1ms", 1, fleet.Unlimited)
	near(t, mm1, reps, "M/M/1 wait", 0.8/200, 0.05, get("queue_delay_mean"))
	near(t, mm1, reps, "M/M/1 utilisation", 0.8, 0.01, get("utilisation"))
	near(t, mm1, reps, "Little's law", 1, 0.01, func(r Result) float64 {
		return r.Get("queue_length_mean") / (r.Get("admitted_rate") * r.Get("queue_delay_mean"))
	})
	mmc := world("poisson:rate=800/s", "exp:mean=4ms", 4, fleet.Unlimited)
	near(t, mmc, reps, "M/M/4 wait", erlangC(4, 3.2)/200, 0.05, get("queue_delay_mean"))
	md1 := world("poisson:rate=800/s", "const:mean=1ms", 1, fleet.Unlimited)
	near(t, md1, reps, "M/D/1 wait", 0.8*1e-3/(2*0.2), 0.05, get("queue_delay_mean"))
	loss := func(r Result) float64 { return r.Get("shed") / r.Get("admitted") }
	near(t, world("poisson:rate=800/s", "exp:mean=5ms", 4, 3), reps, "M/M/4/7 loss", lossMMcK(4, 3, 4), 0.02, loss)
	near(t, world("poisson:rate=800/s", "exp:mean=5ms", 4, 0), reps, "M/M/4/4 loss", erlangB(4, 4), 0.02, loss)
	near(t, world("poisson:rate=800/s", "uniform:max=10ms", 4, 0), reps, "M/G/4/4 loss is insensitive", erlangB(4, 4), 0.02, loss)
	far := world("poisson:rate=800/s", "exp:mean=5ms", 0, 0)
	near(t, far, reps, "M/M/∞ time", 5e-3, 0.01, get("time_to_success_mean"))
}

// herd is a load with one retry after a timeout of 1 s on a server of 300/s,
// after a crowd.
func herd(t require.TestingT, load, crowd string, queue int) Config {
	c := serving(t, "flash-crowd:rate="+load+",peak="+crowd+",from=10s,to=15s", "const:mean=3333333ns", 1, queue)
	c = with(t, c, 1, "rude:attempts=2,timeout=1s")
	c.Measure.Recovery, c.Measure.RecoverFrom = true, 15*time.Second
	return c
}

// TestOverloadHealsOrDoesNot: Bronson et al., HotOS 2021. Load times attempts
// below the capacity heals from any backlog; above it, not with a queue that is
// longer than patience; a queue bounded below capacity × timeout saves it.
func TestOverloadHealsOrDoesNot(t *testing.T) {
	for _, c := range []struct {
		load, crowd string
		queue       int
		horizon     time.Duration
		stuck       float64
	}{
		{"100/s", "900/s", fleet.Unlimited, 200 * time.Second, 0}, // 2·100 < 300
		{"280/s", "600/s", fleet.Unlimited, 100 * time.Second, 1}, // 280 < 300 < 2·280
		{"280/s", "600/s", 200, 100 * time.Second, 0},             // served within 667 ms
		{"320/s", "600/s", 200, 100 * time.Second, 0},             // overloaded, and well
		{"320/s", "600/s", fleet.Unlimited, 100 * time.Second, 1},
	} {
		h := herd(t, c.load, c.crowd, c.queue)
		h.Horizon = c.horizon
		for h.Rep = range 3 {
			r := simulate(t, h)
			assert.Equal(t, c.stuck, r.Get("stuck"), "load %s, queue %d", c.load, c.queue)
			assert.Equal(t, 1-c.stuck, r.Get("recovered"))
			if c.stuck == 1 {
				assert.True(t, math.IsNaN(r.Get("time_to_recover")))
				assert.Greater(t, r.Get("wasted_work_share"), 0.5)
			}
		}
	}
	// The backlog of the first: (2·900 - 300)·5 s drains at 300 - 2·100, and
	// nobody is served in time until it is below 300.
	h := herd(t, "100/s", "900/s", fleet.Unlimited)
	h.Horizon = 200 * time.Second
	assert.InDelta(t, (7500-300)/100., simulate(t, h).Get("time_to_recover"), 15)
	// Work that is dropped when nobody waits for it is not wasted.
	h = herd(t, "280/s", "600/s", fleet.Unlimited)
	h.Horizon, h.Capacity.DropAbandoned = 100*time.Second, true
	r := simulate(t, h)
	assert.Less(t, r.Get("wasted_work_share"), 0.5)
	assert.Greater(t, r.Get("dropped_abandoned"), 0.0)
}

// TestRefusalsThatCostWorkersLeaveThemLess: A arrivals, goodput g, cost D and
// service S keep c workers busy: (A - g)·D + g·S = c. At A = c/D nothing is
// left.
func TestRefusalsThatCostWorkersLeaveThemLess(t *testing.T) {
	for _, c := range []struct {
		arrivals string
		want     float64
	}{
		{"50/s", 20},    // the limit
		{"90/s", 10},    // (1 - 0.9)/(0.02 - 0.01)
		{"95/s", 5},     //
		{"120/s", 0.02}, // the door itself: nothing after the beginning
	} {
		w := serving(t, "poisson:rate="+c.arrivals, "const:mean=20ms", 1, 50)
		w.Limiter = config(t, "gcra:rate=20/s,burst=5", "steady:rate=1/s").Limiter
		w.Capacity.RefusalCost, w.Capacity.RefusalAt = 10*time.Millisecond, fleet.Desk
		w.Horizon, w.Warmup = 420*time.Second, 20*time.Second
		if c.want < 1 {
			r := simulate(t, w)
			assert.Less(t, r.Get("goodput"), 0.1)
			assert.InDelta(t, 1, r.Get("utilisation"), 1e-9)
			assert.Greater(t, r.Get("refusal_latency_max"), 10.0, "and refusals come ever later")
			continue
		}
		near(t, w, 10, "goodput at "+c.arrivals, c.want, 0.1, get("goodput"))
	}
}

// TestADoorThatRefusesIsItselfALimit: a clerk who needs D for each refusal
// lets 1/D refusals and what is admitted through, and no more.
func TestADoorThatRefusesIsItselfALimit(t *testing.T) {
	c := config(t, "gcra:rate=20/s,burst=1", "poisson:rate=200/s")
	c.Measure, c.Horizon, c.Warmup = Measure{}, 60*time.Second, 0
	c.Capacity.RefusalCost = 10 * time.Millisecond
	r := simulate(t, c)
	assert.InDelta(t, 120, r.Get("offered")/60, 1, "decisions per second")
	assert.InDelta(t, 20, r.Get("admitted_rate"), 0.1)
	assert.Greater(t, r.Get("refusal_latency_max"), 20.0)
	assert.Greater(t, r.Get("unfinished"), 4000.0)
}

func TestShedRequestsAreNoIdentitys(t *testing.T) {
	c := serving(t, "poisson:rate=400/s", "const:mean=10ms", 1, 10)
	c.Limiter = config(t, "token-bucket:rate=200/s,burst=10", "steady:rate=1/s").Limiter
	c.Horizon = 30 * time.Second
	r := simulate(t, c)
	assert.InDelta(t, 200, r.Get("heard_throttled")/30, 10, "over the limit")
	assert.InDelta(t, 100, r.Get("heard_shed")/30, 10, "within it, and too many for the server")
	assert.Equal(t, r.Get("shed"), r.Get("heard_shed"))
	assert.InDelta(t, 100, r.Get("goodput"), 1)
	assert.Equal(t, r.Get("requests"), r.Get("heard_throttled")+r.Get("heard_shed")+r.Get("succeeded")+r.Get("unfinished"))
}

// TestSlowdownIsAFixedPoint: with any number of workers and services that take
// 1 + a·n times S with n in flight, itself included, n = λS(1 + a(1+n)) on
// average, where Poisson arrivals find what there is on average: Brooker's
// server of 10 ms a call in flight collapses at 1/(aS) = 100/s.
func TestSlowdownIsAFixedPoint(t *testing.T) {
	c := serving(t, "poisson:rate=40/s", "const:mean=1s", 0, 0)
	var err error
	c.Capacity.Slowdown, err = fleet.ParseSlowdown("0.01")
	require.NoError(t, err)
	c.Horizon, c.Warmup = 500*time.Second, 50*time.Second
	n := 40 * 1.01 / (1 - 0.4)
	near(t, c, 10, "time", n/40, 0.01, get("time_to_success_mean"))
	c = serving(t, "poisson:rate=120/s", "const:mean=1s", 0, 0)
	c.Capacity.Slowdown, c.Horizon = 10_000_000, 100*time.Second
	then := simulate(t, c).Get("unfinished")
	c.Horizon = 200 * time.Second
	assert.Greater(t, simulate(t, c).Get("unfinished"), 1.5*then)
}

func TestTiersAreServedInOrder(t *testing.T) {
	c := serving(t, "poisson:rate=150/s", "const:mean=10ms", 1, 20)
	var err error
	c.Capacity.Tiers, err = fleet.ParseTiers("1/2/3")
	require.NoError(t, err)
	c.Keys, c.Horizon, c.Warmup = 1000, 30*time.Second, time.Second
	r := simulate(t, c)
	assert.Greater(t, r.Get("useful_share_tier_0"), 0.999)
	assert.Greater(t, r.Get("useful_share_tier_1"), 0.999, "the two of them are 75 of 100/s")
	assert.InDelta(t, 25./75, r.Get("useful_share_tier_2"), 0.05, "what is left")
	assert.InDelta(t, 100, r.Get("goodput"), 0.5)
	plain := serving(t, "poisson:rate=200/s", "const:mean=10ms", 1, 20)
	plain.Horizon = time.Second
	assert.True(t, math.IsNaN(simulate(t, plain).Get("useful_share_tier_0")))
}

func TestARunWithServersIsTheSameAgain(t *testing.T) {
	c := on(t, herd(t, "100/s", "900/s", 50), 3, "two-choices", "central")
	c.RTT, c.Horizon = fleet.FixedRTT(time.Millisecond), 30*time.Second
	first := simulate(t, c)
	again := simulate(t, c)
	for i, v := range first {
		assert.Equal(t, math.Float64bits(v.Value), math.Float64bits(again[i].Value), v.Name)
	}
}

func TestNothingAllocatesPerRequestThatIsServed(t *testing.T) {
	c := herd(t, "100/s", "400/s", 20)
	allocs := func(horizon time.Duration) float64 {
		c.Horizon = horizon
		return testing.AllocsPerRun(2, func() { simulate(t, c) })
	}
	short, long := allocs(1*time.Minute), allocs(6*time.Minute)
	assert.Less(t, long-short, 60.0)
}
