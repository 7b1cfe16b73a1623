package adversary

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/fleet"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

func against(t require.TestingT, limiter string, h Harm) Config {
	l, err := limiters.Parse(limiter)
	require.NoError(t, err)
	return Against(l, h)
}

// on puts a search on a fleet.
func (c Config) on(t require.TestingT, servers int, balancer, coordination, rtt string) Config {
	var err error
	c.Servers = servers
	c.Balancer, err = fleet.ParseBalancer(balancer)
	require.NoError(t, err)
	c.Coordination, err = fleet.ParseCoordination(coordination)
	require.NoError(t, err)
	c.RTT, err = fleet.ParseRTT(rtt)
	require.NoError(t, err)
	return c
}

// TestWhatIsFoundOfTheBound has, for each limiter, the most that one climb
// from seed 1 finds, and what is proved to be the most.
func TestWhatIsFoundOfTheBound(t *testing.T) {
	const (
		unproved = -1
		week     = 7 * 24 * time.Hour
	)
	for _, c := range []struct {
		limiter      string
		servers      int // 0: one, alone
		balancer     string
		coordination string
		rtt          string
		harm         Harm
		within       time.Duration
		found, bound float64
	}{
		{limiter: "fixed-window:limit=10,window=1s", found: 20, bound: 20},
		{limiter: "fixed-window:limit=100,window=1s", found: 200, bound: 200},
		{limiter: "fixed-window:limit=10,window=7d", found: 20, bound: 20},
		{limiter: "fixed-window:limit=10,window=1s", within: 2, found: 20, bound: 20},    // two ns around an edge
		{limiter: "fixed-window:limit=10,window=1h", within: 1e3, found: 20, bound: 20},  // a µs of an hour
		{limiter: "fixed-window:limit=10,window=7d", within: week, found: 20, bound: 20}, //
		{limiter: "fixed-window:limit=10,window=1s,origin=first", found: 19, bound: 19},
		{limiter: "fixed-window:limit=10,window=1s,jitter=1s", found: 20, bound: 20},
		{limiter: "sliding-log:limit=10,window=1s", found: 10, bound: 10},
		{limiter: "sliding-log:limit=100,window=1s", found: 100, bound: 100},
		{limiter: "sliding-log:limit=10,window=1s,count=all", found: 10, bound: 10},
		{limiter: "sliding-counter:limit=1,window=1s", found: 1, bound: 1},
		{limiter: "sliding-counter:limit=10,window=1s", found: 19, bound: 19},
		{limiter: "sliding-counter:limit=100,window=1m", found: 199, bound: 199},
		{limiter: "sliding-counter:limit=10,window=1s,rule=below", found: 20, bound: 20},
		{limiter: "sliding-counter:limit=100,window=1m,rule=below", found: 200, bound: 200},
		{limiter: "sliding-counter:limit=10,window=1s,count=all", found: 19, bound: 19},
		{limiter: "sliding-counter:limit=10,window=1s", within: 500 * time.Millisecond, found: 14, bound: 14},
		{limiter: "sliding-counter:limit=10,window=1s", within: 2 * time.Second, found: 28, bound: 28},
		{limiter: "token-bucket:rate=10/s,burst=10", found: 19, bound: 19}, // B+⌊r(w-1ns)⌋
		{limiter: "token-bucket:rate=2.5/s,burst=20", found: 22, bound: 22},
		{limiter: "token-bucket:rate=10/s,burst=20,refill=interval", found: 30, bound: 30},
		{limiter: "token-bucket:rate=10/s,burst=5,initial=0", found: 14, bound: 14},
		{limiter: "gcra:rate=50/s,burst=50", found: 99, bound: 99},
		{limiter: "leaky-meter:rate=10/s", found: 10, bound: 10},
		{limiter: "leaky-meter:rate=100/s", found: 100, bound: 100},
		{limiter: "leaky-queue:rate=10/s,queue=9", found: 19, bound: 19},
		{limiter: "envoy-local:rate=10/s,burst=10", found: 19, bound: unproved},

		{limiter: "fixed-window:limit=10,window=1s", servers: 3, found: 60, bound: 60},
		{limiter: "fixed-window:limit=10,window=1s", servers: 3, balancer: "random", found: 60, bound: 60},
		{limiter: "fixed-window:limit=10,window=1s", servers: 3, balancer: "hash", found: 20, bound: 20},
		{limiter: "sliding-counter:limit=10,window=1s", servers: 3, found: 57, bound: 57},
		{limiter: "gcra:rate=10/s,burst=10", servers: 4, found: 76, bound: 76},
		{limiter: "sliding-log:limit=4,window=1s", servers: 3, balancer: "two-choices", found: 12, bound: 12},
		{limiter: "fixed-window:limit=10,window=1s", servers: 3, coordination: "quota", found: 20, bound: 20},
		{limiter: "sliding-counter:limit=10,window=1s", servers: 3, coordination: "quota", found: 17, bound: 17},
		{limiter: "gcra:rate=10/s,burst=10", servers: 4, coordination: "quota", found: 18, bound: 18},
		{limiter: "fixed-window:limit=10,window=1s", servers: 3, coordination: "quota:remainder=drop", found: 18, bound: 18},
		{limiter: "fixed-window:limit=10,window=1s", servers: 3, coordination: "central", found: 20, bound: 20},
		{limiter: "sliding-counter:limit=10,window=1s", servers: 2, coordination: "central", rtt: "20ms", found: 19, bound: 19},
		{limiter: "sliding-log:limit=5,window=1s", servers: 3, coordination: "central", rtt: "exp:mean=20ms", found: 5, bound: 5},
		{limiter: "fixed-window:limit=6,window=1s", servers: 3, coordination: "sharded:shards=3", found: 12, bound: 12},
		{limiter: "fixed-window:limit=10,window=1s", servers: 2, coordination: "synced:period=100ms", found: 40, bound: 40},
		{limiter: "fixed-window:limit=10,window=1s", servers: 2, coordination: "leased:batch=3,ttl=10s", found: 24, bound: 24},
		{limiter: "fixed-window:limit=10,window=1s", servers: 4, coordination: "leased:batch=3", found: 20, bound: 20},
		{limiter: "fixed-window:limit=10,window=1s,origin=first", servers: 2, coordination: "leased:batch=3,ttl=window", found: 19, bound: 19},
		{limiter: "fixed-window:limit=6,window=1s", servers: 3, coordination: "adaptive:period=1s", found: 12, bound: unproved},
		{limiter: "fixed-window:limit=3,window=1s", servers: 3, coordination: "central-racy:delay=100ms", found: 27, bound: unproved}, // all that were sent

		{limiter: "fixed-window:limit=10,window=1s", harm: Deficit, found: 0, bound: 0},
		{limiter: "sliding-log:limit=10,window=1s", harm: Deficit, found: 0, bound: 0},
		{limiter: "sliding-counter:limit=10,window=1s", harm: Deficit, found: 0.5, bound: 0.5},
		{limiter: "sliding-counter:limit=10,window=1s,rule=below", harm: Deficit, found: 0.5, bound: 0.5},
		{limiter: "sliding-counter:limit=10,window=1s", servers: 2, balancer: "hash", harm: Deficit, found: 0.5, bound: 0.5},
		{limiter: "sliding-counter:limit=10,window=1s", servers: 2, harm: Deficit, found: 0, bound: 0.5}, // each admits as much as the log
		{limiter: "sliding-log:limit=4,window=1s,count=all", harm: Deficit, found: 8.0 / 12, bound: unproved},

		{limiter: "leaky-queue:rate=10/s,queue=10", harm: Delay, found: 1e9, bound: 1e9},
		{limiter: "leaky-queue:rate=3/s,queue=7", servers: 2, coordination: "central", rtt: "10ms", harm: Delay, found: 2_343_333_334, bound: 2_343_333_334},
		{limiter: "gcra:rate=10/s,burst=10", harm: Delay, found: 0, bound: 0},
	} {
		s := against(t, c.limiter, Window)
		if c.harm != "" {
			s.Harm = c.harm
		}
		if c.servers > 0 {
			s = s.on(t, c.servers, or(c.balancer, "round-robin"), or(c.coordination, "local"), or(c.rtt, "0s"))
		}
		s.Within, s.Tries = c.within, 1
		t.Run(fmt.Sprintf("%s of %s on %d, %s, %s, within %s", s.Harm, c.limiter, s.Servers, s.Balancer, s.Coordination, c.within), func(t *testing.T) {
			t.Parallel()
			f, err := Search(t.Context(), s)
			require.NoError(t, err)
			assert.InDelta(t, c.found, f.Value(), 1e-15, "%v", f.Arrivals)
			b, ok := s.Bound()
			require.Equal(t, c.bound != unproved, ok, b)
			if ok {
				assert.InDelta(t, c.bound, b.Most, 0, b.Source)
				assert.NotEmpty(t, b.Source)
			}
		})
	}
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// TestNoBoundIsPassed looks for a bound that is wrong, or a limiter.
func TestNoBoundIsPassed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 5).Draw(t, "limit")
		per := rapid.IntRange(2, 40).Draw(t, "ns")
		limiter := rapid.SampledFrom([]string{
			"fixed-window:limit=%d,window=%dns", "fixed-window:limit=%d,window=%dns,origin=first", "fixed-window:limit=%d,window=%dns,jitter=%[2]dns",
			"sliding-log:limit=%d,window=%dns", "sliding-log:limit=%d,window=%dns,count=all",
			"sliding-counter:limit=%d,window=%dns", "sliding-counter:limit=%d,window=%dns,rule=below", "sliding-counter:limit=%d,window=%dns,count=all",
			"token-bucket:burst=%d,rate=2/%dns", "token-bucket:burst=%d,rate=2/%dns,refill=interval", "gcra:burst=%d,rate=1/%dns",
			"leaky-meter:rate=%d/%dns", "leaky-queue:queue=%d,rate=3/%dns",
		}).Draw(t, "limiter")
		l, err := limiters.Parse(fmt.Sprintf(limiter, n, per))
		if err != nil {
			l, err = limiters.Parse(fmt.Sprintf(limiter, n+1, per)) // some know no 0
		}
		require.NoError(t, err)
		c := Against(l, rapid.SampledFrom([]Harm{Window, Window, Window, Deficit, Delay}).Draw(t, "harm"))
		if _, windowed := l.Window(); c.Harm == Deficit && (!windowed || l.Capacity() == 0) {
			c.Harm = Window
		}
		c = c.on(t, rapid.IntRange(1, 3).Draw(t, "servers"),
			rapid.SampledFrom([]string{"round-robin", "random", "hash", "least"}).Draw(t, "balancer"),
			rapid.SampledFrom([]string{"local", "local", "quota", "central", "sharded:shards=2", "synced:period=7ns,delay=3ns", "leased:batch=2", "leased:batch=4,ttl=window,cache=no", "leased:batch=3,ttl=50ns", "leased:batch=2,ttl=5ns",
				"synced:period=7ns,debt=forgive", "synced:period=5ns,delay=9ns,debt=carry", "quota:remainder=drop", "sharded:shards=3,pick=hash"}).Draw(t, "coordination"), "0s")
		if k := c.kind(); k == "central" || k == "leased" {
			c.RTT = fleet.FixedRTT(time.Duration(rapid.IntRange(0, 9).Draw(t, "rtt")))
		}
		if c.Coordination.Suits(l) != nil {
			return
		}
		c.Within = time.Duration(rapid.IntRange(1, 2*per).Draw(t, "within"))
		c.Seed = rapid.Uint64Range(1, 1<<40).Draw(t, "seed")
		c.Tries, c.Patience, c.Requests = 1, 150, 30
		b, ok := c.Bound()
		if !ok {
			return
		}
		f, err := Search(context.Background(), c)
		require.NoError(t, err)
		require.LessOrEqual(t, f.Value(), b.Most, "%s under %s: %s by %v", l, c.Coordination, b.Source, f.Arrivals)
	})
}

// generous admits one more than it should, at one instant in a window.
type generous struct {
	limiters.Limiter
	given bool
}

func (g *generous) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	ok, delay := g.Limiter.Admit(now, key, cost)
	if !ok && !g.given && now%time.Second > 900*time.Millisecond {
		g.given = true
		return true, 0
	}
	return ok, delay
}

func (g *generous) Forget(key uint32) {
	g.given = false
	g.Limiter.Forget(key)
}

func TestALimiterThatAdmitsOneTooManyIsFoundOut(t *testing.T) {
	for _, limiter := range []string{"sliding-log:limit=10,window=1s", "sliding-counter:limit=10,window=1s", "gcra:rate=10/s,burst=10"} {
		c := against(t, limiter, Window)
		c.Tries = 2
		c.Fresh = func() limiters.Limiter { return &generous{Limiter: c.Limiter.New(1, nil)} }
		f, err := Search(t.Context(), c)
		require.NoError(t, err)
		b, ok := c.Bound()
		require.True(t, ok)
		assert.InDelta(t, b.Most+1, f.Value(), 0, limiter)
	}
}

// deaf gives no hint: whoever asks for one panics.
type deaf struct{ limiters.Limiter }

func (deaf) Take(time.Duration, uint32, int64) contract.Decision { panic("a hint was asked for") }
func (deaf) Ask(time.Duration, uint32, int64) contract.Decision  { panic("a hint was asked for") }

func TestTheSearchIsBlind(t *testing.T) {
	c := against(t, "sliding-counter:limit=10,window=1s", Window)
	c.Tries = 1
	seen, err := Search(t.Context(), c)
	require.NoError(t, err)
	c.Fresh = func() limiters.Limiter { return deaf{c.Limiter.New(1, nil)} }
	blind, err := Search(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, seen.Arrivals, blind.Arrivals)
}

func TestTheSameIsFoundWhateverTheWorkers(t *testing.T) {
	c := against(t, "sliding-counter:limit=5,window=1s", Window).on(t, 2, "random", "local", "0s")
	c.Tries = 5
	var all []Found
	for workers := range 4 {
		c.Workers = workers
		calls := 0
		c.Progress = func(done, total int) {
			calls++
			assert.Equal(t, [2]int{calls, 5}, [2]int{done, total})
		}
		f, err := Search(t.Context(), c)
		require.NoError(t, err)
		assert.Equal(t, 5, calls)
		f.Workers, f.Progress, f.Config = 0, nil, Config{}
		all = append(all, f)
	}
	for _, f := range all[1:] {
		assert.Equal(t, all[0], f)
	}
	for _, change := range []func(){func() { c.Seed, c.Progress = 2, nil }, func() { c.Seed, c.Rep = 1, 1 }} {
		change()
		other, err := Search(t.Context(), c)
		require.NoError(t, err)
		assert.NotEqual(t, all[0].Tried, other.Tried)
	}
}

func TestASearchCanBeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := against(t, "sliding-counter:limit=100,window=1s", Window)
	c.Tries, c.Patience = 100, 1<<60
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := Search(ctx, c)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestWhatCanNotBeSearched(t *testing.T) {
	good := against(t, "sliding-counter:limit=10,window=1s", Window)
	for want, change := range map[string]func(c *Config){
		"needs a limiter":                              func(c *Config) { *c = Config{Servers: 1, Harm: Window} },
		"must be window, deficit or delay":             func(c *Config) { c.Harm = "noise" },
		"servers must lie in 1..65536, got 0":          func(c *Config) { c.Servers = 0 },
		"requests must lie in 1..100000, got -1":       func(c *Config) { c.Requests = -1 },
		"tries must lie in 1..10000, got 10001":        func(c *Config) { c.Tries = 10001 },
		"span must be > 0":                             func(c *Config) { c.Span = -1 },
		"length of the intervals (within) must be > 0": func(c *Config) { c.Within = -1 },
		"compares with a log of the same window":       func(c *Config) { *c = against(t, "gcra:rate=1/s,burst=1", Deficit) },
		"harm deficit needs a limit > 0":               func(c *Config) { *c = against(t, "sliding-log:limit=0,window=1s", Deficit) },
		"asks no store, so rtt must be 0":              func(c *Config) { *c = c.on(t, 2, "random", "local", "1ms") },
		"does not work under coordination": func(c *Config) {
			*c = against(t, "leaky-queue:rate=1/s,queue=1", Window).on(t, 2, "random", "leased:batch=2", "0s")
		},
		"a limiter of one's own is for a single se": func(c *Config) { c.Servers, c.Fresh = 2, func() limiters.Limiter { return nil } },
	} {
		c := good
		change(&c)
		_, err := Search(t.Context(), c)
		assert.ErrorContains(t, err, want)
	}
}
