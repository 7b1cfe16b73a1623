package fleet

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/des"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

// everyCoordination has a spec of each, and of each condition in the table.
var everyCoordination = []string{
	"local", "quota", "quota:over=serving", "quota:remainder=drop", "adaptive:period=300ms",
	"central", "central:capacity=1000/s,timeout=5ms,fail=closed",
	"central-racy:delay=2ms", "central-racy:delay=2ms,write=set", "central-racy:delay=0s",
	"sharded:shards=3", "sharded:shards=3,pick=hash",
	"synced:period=100ms", "synced:period=100ms,delay=20ms,own=ignore,debt=carry", "synced:period=100ms,debt=carry",
	"leased:batch=3", "leased:batch=3,ttl=50ms,cache=no",
}

// ofEachKind has limiters of each kind in the table.
var ofEachKind = map[string][]string{
	"fixed-window":                 {"fixed-window:limit=12,window=1s", "fixed-window:limit=12,window=1s,jitter=1s"},
	"fixed-window:origin=first":    {"fixed-window:limit=12,window=1s,origin=first"},
	"sliding-log":                  {"sliding-log:limit=12,window=1s", "sliding-log:limit=12,window=1s,count=all"},
	"sliding-counter":              {"sliding-counter:limit=12,window=1s", "sliding-counter:limit=12,window=1s,rule=below"},
	"token-bucket":                 {"token-bucket:rate=12/s,burst=12", "token-bucket:rate=12/s,burst=12,initial=0"},
	"token-bucket:refill=interval": {"token-bucket:rate=12/s,burst=12,refill=interval"},
	"gcra":                         {"gcra:rate=12/s,burst=12"},
	"leaky-meter":                  {"leaky-meter:rate=12/s"},
	"leaky-queue":                  {"leaky-queue:rate=12/s,queue=11"},
	"dialects":                     {"nginx:rate=12r/s,burst=11,nodelay", "uber:rate=12/s"},
}

func TestEveryPartIsInTheTable(t *testing.T) {
	var tried []string
	for _, text := range everyCoordination {
		name, _, _ := strings.Cut(text, ":")
		tried = append(tried, name)
	}
	for _, e := range Coordinations() {
		assert.Contains(t, tried, e.Name)
		assert.Contains(t, e.More, "Works with ", e.Name)
	}
	for _, kind := range kinds {
		require.NotEmpty(t, ofEachKind[kind], kind)
		for _, text := range ofEachKind[kind] {
			l, err := limiters.Parse(text)
			require.NoError(t, err)
			assert.Equal(t, kind, kindOf(l), text)
		}
	}
	for _, name := range limiters.Canonical() {
		assert.Contains(t, kinds, name)
	}
	for _, u := range unsuited {
		c, err := ParseCoordination(everyCoordination[slices.IndexFunc(everyCoordination, func(s string) bool { return strings.HasPrefix(s, u.coordination) })])
		require.NoError(t, err)
		assert.NotPanics(t, func() { c.meets(u.condition) }, "%s has the parameter of %q", u.coordination, u.condition)
		for _, k := range u.kinds {
			assert.Contains(t, kinds, k)
		}
	}
}

// What the table says works is built and decides; the rest is an error that
// says why and what would work, whatever the round trip.
func TestTheTableIsWhatHappens(t *testing.T) {
	works := 0
	for _, coordination := range everyCoordination {
		for _, kind := range kinds {
			for _, limiter := range ofEachKind[kind] {
				for _, rtt := range []time.Duration{0, 3 * time.Millisecond} {
					c := config(t, limiter, "random", coordination, 3, rtt)
					if _, _, asks := strings.Cut(coordination, "central"); rtt > 0 && c.Coordination.store.fail == "" && !asks {
						continue
					}
					f, err := New(c, quiet{})
					if unsuits := c.Coordination.Suits(c.Limiter); unsuits != nil {
						assert.EqualError(t, err, unsuits.Error())
						assert.Contains(t, err.Error(), "; use ")
						continue
					}
					works++
					if !assert.NoError(t, err, "%s under %s", limiter, coordination) {
						continue
					}
					sim := des.New()
					for i := range 200 {
						sim.Run(time.Duration(i) * 7 * time.Millisecond)
						f.Send(sim, contract.Request{At: sim.Now(), Key: uint32(i % 2), Cost: 1})
					}
					sim.Run(des.Never)
					assert.Zero(t, f.InFlight(), "%s under %s", limiter, coordination)
				}
			}
		}
	}
	assert.Greater(t, works, 200)
}

func TestWhatDoesNotWorkSaysWhyAndWhatWould(t *testing.T) {
	for _, c := range []struct{ limiter, coordination, want string }{
		{"leaky-queue:rate=1/s,queue=2", "leased:batch=3",
			`limiter "leaky-queue:rate=1/s,queue=2" does not work under coordination "leased:batch=3": a lease admits at once, and a queue delays; use gcra, which admits the same, or coordination central`},
		{"gcra:rate=1/s,burst=2", "central-racy:delay=1ms,write=set", "a server writes back one count, and only a fixed-window with origin=epoch is that; use fixed-window, or write=add"},
		{"sliding-log:limit=1,window=1s", "synced:period=1s,debt=carry", "use debt=forgive, or fixed-window"},
	} {
		_, err := New(config(t, c.limiter, "random", c.coordination, 2, 0), nil)
		assert.ErrorContains(t, err, c.want)
	}
	text := suitsText("adaptive")
	assert.Equal(t, "Works with fixed-window, fixed-window:origin=first, sliding-counter, token-bucket, gcra.\n"+
		"Not sliding-log, token-bucket:refill=interval, leaky-meter, leaky-queue, dialects: it can not change its limit under way; "+
		"use token-bucket, gcra, fixed-window or sliding-counter, or coordination quota.", text)
	assert.Equal(t, "Works with every limiter.", suitsText("central"))
}

func TestCoordinationsRefuseNonsenseWithAReason(t *testing.T) {
	for text, want := range map[string]string{
		"central:fail=closed":              `coordination "central": fail needs a timeout: without one servers wait for ever`,
		"central:timeout=1s,fail=shut":     `coordination "central": fail must be open or closed or local, got "shut"`,
		"central:capacity=0/s":             `coordination "central": capacity must be > 0, got 0/s`,
		"central-racy":                     `coordination "central-racy" needs delay`,
		"central-racy:delay=-1s":           `coordination "central-racy": delay must be >= 0, got -1s`,
		"sharded:shards=0":                 `coordination "sharded": shards must lie in 1..65536, got 0`,
		"sharded:shards=2,pick=any":        `pick must be random or hash, got "any"`,
		"leased:batch=0":                   `coordination "leased": batch must be >= 1, got 0`,
		"leased:batch=1,ttl=0s":            `coordination "leased": ttl must be > 0, got 0s`,
		"leased:batch=1,ttl=page":          `ttl must be a duration`,
		"synced:period=0s":                 `coordination "synced": period must be > 0, got 0s`,
		"adaptive:period=1s,smooth=0":      `coordination "adaptive": smooth must be > 0, got 0`,
		"adaptive:period=1s,smooth=0.1234": `smooth must lie in 0..1 with at most three decimals, got "0.1234"`,
		"adaptive:period=1s,even=1.001":    `even must lie in 0..1 with at most three decimals, got "1.001"`,
		"adaptive:period=1s,even=1/2":      `even must lie in 0..1`,
		"quota:shares=4/0/1":               `shares must be whole numbers > 0 separated by /, as in 4/2/1, got "4/0/1"`,
		"quota:shares=9007199254740991/1":  `shares must be whole numbers > 0`,
		"quota:over=those":                 `over must be fleet or serving, got "those"`,
	} {
		_, err := ParseCoordination(text)
		if assert.Error(t, err, text) {
			assert.Contains(t, err.Error(), want)
		}
	}
	for _, c := range []struct{ limiter, coordination, want string }{
		{"gcra:rate=1/s,burst=9", "quota:shares=1/2", `coordination "quota:shares=1/2": shares names 2 servers, the fleet has 3`},
		{"gcra:rate=1/100h,burst=9", "adaptive:period=1s", `coordination "adaptive:period=1s": shares of 1/65536 of the rate 1/100h need numbers above 2^53; use a coarser rate`},
	} {
		_, err := New(config(t, c.limiter, "random", c.coordination, 3, 0), nil)
		assert.EqualError(t, err, c.want)
	}
	for _, coordination := range []string{"adaptive:period=1s", "quota:over=serving", "central-racy:delay=1s,write=set", "synced:period=1s,debt=carry"} {
		c := config(t, "fixed-window:limit=9,window=1s", "random", coordination, 3, 0)
		var err error
		c.Eviction, err = limiters.ParseEviction("lru:capacity=9")
		require.NoError(t, err)
		_, err = New(c, nil)
		assert.ErrorContains(t, err, "not eviction lru:capacity=9", coordination)
	}
}

func TestRoundTripsAreReadAndDrawn(t *testing.T) {
	for _, text := range []string{"0s", "2ms", "exp:mean=1ms", "uniform:min=1ms,max=3ms", "uniform:max=1ns"} {
		rtt, err := ParseRTT(text)
		require.NoError(t, err)
		assert.Equal(t, text, rtt.String())
		assert.Equal(t, text == "0s", rtt.IsZero())
	}
	for text, want := range map[string]string{
		"-1ms":                        "rtt must be >= 0, got -1ms",
		"2400000h":                    "rtt must be at most",
		"fast":                        "rtt must be a duration like 250ms, 1m30s or 1d",
		"exp":                         `rtt "exp" needs mean`,
		"expo:mean=1s":                `unknown rtt "expo" (did you mean "exp"?)`,
		"exp:mean=0s":                 `rtt "exp": mean must be > 0, got 0s`,
		"exp:mean=100000h":            `rtt "exp": mean must be at most`,
		"uniform:min=2s,max=1s":       `rtt "uniform": max must be at least min, 2s, got 1s`,
		"uniform:min=2s,max=2400000h": `rtt "uniform": max must be at most`,
	} {
		_, err := ParseRTT(text)
		if assert.Error(t, err, text) {
			assert.Contains(t, err.Error(), want)
		}
	}
	const n = 100_000
	for text, mean := range map[string]time.Duration{"exp:mean=1ms": time.Millisecond, "uniform:min=1ms,max=3ms": 2 * time.Millisecond} {
		rtt, err := ParseRTT(text)
		require.NoError(t, err)
		r, sum := streams(1)("rtt"), time.Duration(0)
		for range n {
			d := rtt.next(r)
			if sum += d; d < 0 {
				t.Fatal(text, d)
			}
		}
		assert.InDelta(t, float64(mean), float64(sum)/n, 4*float64(time.Millisecond)/316, text) // 4 standard deviations at most
	}
	assert.Equal(t, "1ms", fmt.Sprint(FixedRTT(time.Millisecond)))
}
