package clients

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/des"
	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/workloads"
)

// drawLimiter draws a canonical limiter that admits something, whose times are
// of the order of unit.
func drawLimiter(t *rapid.T, unit time.Duration) limiters.Spec {
	length := func(name string) string { return fmt.Sprintf("%dns", rapid.Int64Range(1, 9).Draw(t, name)*int64(unit)) }
	count := func(name string) int { return rapid.IntRange(1, 6).Draw(t, name) }
	rate := func() string { return fmt.Sprintf("%d/%s", count("N"), length("P")) }
	some := func(options ...string) string { return rapid.SampledFrom(options).Draw(t, "option") }
	name := rapid.SampledFrom(limiters.Canonical()).Draw(t, "limiter")
	var text string
	switch name {
	case "fixed-window":
		text = fmt.Sprintf("limit=%d,window=%s%s", count("limit"), length("window"), some("", ",origin=first", ",jitter=3ns"))
	case "sliding-log":
		text = fmt.Sprintf("limit=%d,window=%s%s", count("limit"), length("window"), some("", ",count=all"))
	case "sliding-counter":
		text = fmt.Sprintf("limit=%d,window=%s%s%s", count("limit"), length("window"), some("", ",rule=below"), some("", ",count=all"))
	case "token-bucket":
		text = fmt.Sprintf("rate=%s,burst=%d%s%s", rate(), count("burst"), some("", ",initial=0"), some("", ",refill=interval"))
	case "gcra":
		text = fmt.Sprintf("rate=%s,burst=%d", rate(), count("burst"))
	case "leaky-meter":
		text = "rate=" + rate()
	case "leaky-queue":
		text = fmt.Sprintf("rate=%s,queue=%d", rate(), count("queue"))
	default:
		t.Fatalf("the test does not know how to draw a %s", name)
	}
	s, err := limiters.Parse(name + ":" + text)
	if err != nil {
		t.Skip(err.Error())
	}
	return s
}

// drawWorld draws a limiter, how long its answers take, and a client of it
// alone: one user, or a workload with bursts.
func drawWorld(t *rapid.T, policy string, users bool, o Observer) (*server, limiters.Spec) {
	unit := rapid.SampledFrom([]time.Duration{1, 1000, time.Second}).Draw(t, "unit")
	limiter := drawLimiter(t, unit)
	separator := ":"
	for _, c := range policy {
		if c == ':' {
			separator = ","
		}
	}
	c := Config{Stream: workloads.Streams(rapid.Uint64().Draw(t, "seed"), 0, ""), Observer: o}
	if users {
		policy += fmt.Sprintf("%susers=1,think=%dns", separator, rapid.Int64Range(1, 5).Draw(t, "think")*int64(unit))
	} else {
		c.Clients, c.Workload = 1, drawBursts(t, unit, limiter.Capacity())
	}
	mix, err := ParseMix(policy)
	if err != nil {
		t.Fatal(err)
	}
	c.Mix = mix
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	v := &server{sim: des.New(), p: p, delay: unit * time.Duration(rapid.Int64Range(0, 3).Draw(t, "delay"))}
	v.decide = limit(func() *Population { return p }, limiter.New(1, nil))
	p.Start(v.sim, v)
	v.sim.Run(unit * time.Duration(rapid.IntRange(20, 400).Draw(t, "horizon")))
	return v, limiter
}

// drawBursts draws requests of any cost that a capacity has room for.
func drawBursts(t *rapid.T, unit time.Duration, capacity int64) workloads.Workload {
	w := &listed{}
	var at time.Duration
	for range rapid.IntRange(1, 12).Draw(t, "bursts") {
		at += time.Duration(rapid.Int64Range(0, 20).Draw(t, "gap")) * unit
		for range rapid.IntRange(1, 8).Draw(t, "size") {
			w.arrivals = append(w.arrivals, workloads.Arrival{At: at, Cost: rapid.Int64Range(1, capacity).Draw(t, "cost")})
		}
	}
	return w
}

// A client that is alone and obeys exact hints is never refused twice in a
// row, whatever the limiter.
func TestWhoObeysIsNotRefusedTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var seen events
		v, limiter := drawWorld(t, "retry-after:attempts=unlimited", true, &seen)
		for i := 1; i < len(seen.heard); i++ {
			if seen.heard[i].reply.Outcome != contract.OK && seen.heard[i-1].reply.Outcome != contract.OK {
				t.Fatalf("%s, answers after %v: refused at %v and again at %v", limiter, v.delay, seen.heard[i-1].at, seen.heard[i].at)
			}
		}
		total := v.p.Total()
		if total.Obeyed != total.Honest {
			t.Fatalf("%s: %d obeyed, and the hint was true for %d", limiter, total.Obeyed, total.Honest)
		}
	})
}

// A paced client that is alone is never refused, whatever the limiter and
// however its requests come, but where the bucket is empty before it begins.
func TestALonePacedClientIsNeverRefused(t *testing.T) {
	for _, users := range []bool{true, false} {
		var refused, sent int64
		rapid.Check(t, func(t *rapid.T) {
			var seen events
			v, limiter := drawWorld(t, "paced:attempts=unlimited", users, &seen)
			for i, h := range seen.heard {
				d := h.reply.Decision
				if h.reply.Outcome != contract.OK && !(i == 0 && strings.Contains(limiter.String(), "initial=0")) {
					t.Fatalf("%s, answers after %v: refused at %v: %+v", limiter, v.delay, h.at, d)
				}
			}
			refused += v.p.Total().Refused
			sent += v.p.Total().Attempts
		})
		require.Positive(t, sent)
		assert.Less(t, refused, sent/10, "only buckets that begin empty")
	}
}

// A paced client spreads a window's limit evenly over it.
func TestPacedSpreadsTheWindow(t *testing.T) {
	v, p := start(t, Config{Mix: mustMix(t, "paced"), Clients: 1, Workload: &together{n: 250, at: []time.Duration{0}}}, 1)
	v.limited(t, "fixed-window:limit=100,window=1m")
	v.sim.Run(2 * time.Minute)
	require.Len(t, v.sends, 198, "99 in each window: the first at its edge, and the unit that is left at the next edge, which is in the next window")
	for i, at := range v.sends {
		if i > 0 {
			gap := at - v.sends[i-1]
			assert.InDelta(t, float64(time.Minute)/99, float64(gap), 100, "send %d", i)
		}
	}
	assert.Zero(t, p.Total().Refused)
}

// It spreads them too while answers are on their way, and sends no more than
// the limit in any window.
func TestPacedSpreadsBlindly(t *testing.T) {
	for _, delay := range []time.Duration{100 * time.Millisecond, 5 * time.Second} {
		v, p := start(t, Config{Mix: mustMix(t, "paced"), Clients: 1, Workload: &together{n: 250, at: []time.Duration{0}}}, 1)
		v.limited(t, "fixed-window:limit=100,window=1m")
		v.delay = delay
		v.sim.Run(2 * time.Minute)
		for i := 2; i < len(v.sends); i++ { // the first is sent to learn
			assert.Greater(t, v.sends[i]-v.sends[i-1], 500*time.Millisecond, "send %d, answers after %v", i, delay)
		}
		assert.Greater(t, len(v.sends), 150)
		assert.Zero(t, p.Total().Refused)
	}
}

// What finds no room at the gate is given up, and counted.
func TestAGateHasRoomForSoMany(t *testing.T) {
	v, p := start(t, Config{Mix: mustMix(t, "paced:queue=10"), Clients: 1, Workload: &together{n: 250, at: []time.Duration{0}}}, 1)
	v.limited(t, "fixed-window:limit=100,window=1m")
	v.sim.Run(time.Hour)
	total := p.Total()
	assert.EqualValues(t, 11, total.Ended[Succeeded], "one at once, ten behind it")
	assert.EqualValues(t, 239, total.Ended[Crowded])
	assert.Zero(t, total.Unfinished())
}

// A request that is refused is the first to go again, and those that come while
// it waits schedule nothing of their own.
func TestAGateKeepsItsOrder(t *testing.T) {
	for _, policy := range []string{"paced", "greedy"} {
		var seen events
		v, p := start(t, Config{
			Mix: mustMix(t, policy), Clients: 1, Idempotent: true, Observer: &seen,
			Workload: &together{n: 5, at: []time.Duration{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		}, 1)
		v.limited(t, "token-bucket:rate=1/s,burst=50,initial=0")
		v.sim.Run(time.Second)
		require.LessOrEqual(t, v.sim.Len(), 1)
		v.sim.Run(des.Never)
		require.EqualValues(t, 50, p.Total().Ended[Succeeded])
		assert.Equal(t, seen.sent[0].req.Idempotency, seen.sent[1].req.Idempotency)
		for i := 2; i < len(seen.sent); i++ {
			require.Greater(t, uint32(seen.sent[i].req.Idempotency), uint32(seen.sent[i-1].req.Idempotency), "slots are taken in order of arrival")
		}
	}
}

// A server that gives no hints, or useless ones, is asked one request at a
// time, and not again at once.
func TestPacedWithoutHints(t *testing.T) {
	for name, d := range map[string]contract.Decision{
		"none":              {},
		"reset now":         {Limit: 5, Has: contract.AllHints},
		"remaining lies":    {Limit: 5, Remaining: 3, Reset: time.Minute, Has: contract.AllHints},
		"reset in the past": {Limit: 5, Reset: -time.Second, Has: contract.AllHints},
	} {
		for _, policy := range []string{"paced:attempts=unlimited,else=2s", "greedy:attempts=unlimited,else=2s"} {
			v, _ := start(t, Config{Mix: mustMix(t, policy), Clients: 1, Workload: &together{n: 3, at: []time.Duration{0}}}, 1)
			v.decide = func(time.Duration, contract.Request) contract.Reply {
				return contract.Reply{Outcome: contract.Throttled, Decision: d}
			}
			v.sim.Run(7 * time.Second)
			assert.Equal(t, []time.Duration{0, 2 * time.Second, 4 * time.Second, 6 * time.Second}, v.sends, "%s, %s", policy, name)
		}
	}
}

// A greedy client passes twice the limit of a fixed window in a nanosecond,
// and a bucket's whole burst whenever it is full.
func TestGreedyFindsTheWorstInstants(t *testing.T) {
	v, p := start(t, Config{Mix: mustMix(t, "greedy"), Clients: 1, Workload: &together{n: 100, at: []time.Duration{0}}}, 1)
	v.limited(t, "fixed-window:limit=10,window=1s")
	v.sim.Run(4 * time.Second)
	want := map[time.Duration]int{
		0: 1, time.Second - 1: 9, time.Second: 10,
		2 * time.Second: 1, 3*time.Second - 1: 9, 3 * time.Second: 10,
	}
	got := map[time.Duration]int{}
	for _, at := range v.sends {
		got[at]++
	}
	assert.Equal(t, want, got)
	assert.Zero(t, p.Total().Refused)

	v, p = start(t, Config{Mix: mustMix(t, "greedy"), Clients: 1, Workload: &together{n: 100, at: []time.Duration{0}}}, 1)
	v.limited(t, "token-bucket:rate=1/s,burst=5")
	v.sim.Run(time.Minute)
	most := map[time.Duration]int{}
	for _, at := range v.sends {
		most[at]++
	}
	full := 0
	for _, n := range most {
		require.LessOrEqual(t, n, 5)
		if n == 5 {
			full++
		}
	}
	assert.Greater(t, full, 4, "%v", v.sends)
	assert.Zero(t, p.Total().Refused)
}
