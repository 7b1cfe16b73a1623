package limiters_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/limiters"
)

// drawAny draws a spec of a limiter, canonical or not, and requests whose times
// do not go back unless they may.
func drawAny(t *rapid.T, name string, most int, back bool) (limiters.Spec, []op) {
	if _, ok := limiters.DialectOf(name); ok {
		s := rapid.SampledFrom(specsOf(t, name)).Draw(t, "spec")
		return s, drawDialectOps(t, s, most, back)
	}
	r := rapid.SampledFrom([]regime{tiny, usual}).Draw(t, "regime")
	s := drawSpec(t, name, r)
	ops := drawOps(t, s, r, most, true)
	for i := range ops {
		if !back && i > 0 {
			ops[i].now = max(ops[i].now, ops[i-1].now)
		}
	}
	t.Logf("%s", s)
	for i, o := range ops {
		t.Logf("%2d %s", i, o)
	}
	return s, ops
}

func all() (names []string) {
	for _, e := range limiters.Entries() {
		names = append(names, e.Name)
	}
	return names
}

// roundsAnew: Envoy's bucket counts float64 seconds from its first request, so
// that a new one is rounded differently however long the old one was full.
func roundsAnew(name string) bool { return name == "envoy-local" }

func latest(ops []op) time.Duration {
	return slices.MaxFunc(ops, func(a, b op) int { return int(min(1, max(-1, a.now-b.now))) }).now
}

// What is at rest is decided as if it were new, whatever comes after.
func TestAStateAtRestMayBeForgotten(t *testing.T) {
	for _, name := range all() {
		if roundsAnew(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			rested := 0
			rapid.Check(t, func(t *rapid.T) {
				s, ops := drawAny(t, name, 8, true)
				kept, forgot := replay(s, ops), replay(s, ops)
				key := ops[0].key
				now := latest(ops)
				last := kept.Ask(now, key, 1)
				for _, wait := range []time.Duration{last.Reset, last.RetryAfter, rapid.SampledFrom([]time.Duration{
					0, 1, 13, time.Millisecond, 700 * time.Millisecond, time.Second, time.Minute, time.Hour,
				}).Draw(t, "rest")} {
					if wait > 0 && wait < 100*time.Hour && rapid.Bool().Draw(t, "wait") {
						now += wait
					}
				}
				if !kept.(limiters.Resting).AtRest(now, key) {
					return
				}
				rested++
				forgot.Forget(key)
				// The shape of the first ops, once more from now on.
				_, more := drawAny(t, name, 12, false)
				shift := now - more[0].now + time.Duration(rapid.Int64Range(0, 3).Draw(t, "shift"))
				for i, o := range more {
					o.now, o.key, o.charge = o.now+shift, key, false
					if o.cost = min(o.cost, 1+s.Capacity()); s.UnitCost() {
						o.cost = 1
					}
					a, b := run(kept, o), run(forgot, o)
					require.Equal(t, a.Admitted, b.Admitted, "request %d, at %d", i, o.now)
					require.Equal(t, a.Delay, b.Delay, "request %d, at %d", i, o.now)
				}
			})
			if name == "go-limiter" {
				assert.Zero(t, rested, "its ticks begin with a key")
			} else {
				assert.Positive(t, rested)
			}
		})
	}
}

// Canonical limiters are at rest exactly when their reset has come.
func TestRestBeginsWithTheReset(t *testing.T) {
	for _, name := range limiters.Canonical() {
		if name == "sliding-counter" { // tells when a request of the limit would fit, which may be earlier
			continue
		}
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			s, ops := drawAny(t, name, 10, true)
			if s.Capacity() == 0 || strings.Contains(s.String(), "initial") {
				return
			}
			l, now := replay(s, ops), latest(ops)
			rest := l.(limiters.Resting)
			for _, key := range []uint32{0, 1, 7000} {
				d := l.Ask(now, key, 1)
				switch {
				case d.Remaining == d.Limit:
					require.True(t, rest.AtRest(now, key))
				case d.Reset < limiters.Never-max(0, now):
					require.False(t, rest.AtRest(now, key))
					require.False(t, rest.AtRest(now+d.Reset-1, key))
					require.True(t, rest.AtRest(now+d.Reset, key))
				}
			}
		}))
	}
}

func TestACounterRestsWhenBothItsWindowsAreEmpty(t *testing.T) {
	l := parse(t, "sliding-counter:limit=5,window=10s,rule=below").New(1, nil)
	l.Take(3*time.Second, 0, 1)
	rest := l.(limiters.Resting)
	for at, want := range map[time.Duration]bool{
		3 * time.Second: false, 10 * time.Second: false, 20*time.Second - 1: false, 20 * time.Second: true, 2 * time.Second: false,
	} {
		assert.Equal(t, want, rest.AtRest(at, 0), at)
	}
	l.Ask(20*time.Second, 0, 1)
	assert.True(t, rest.AtRest(20*time.Second, 0))
	assert.False(t, rest.AtRest(20*time.Second-1, 0), "its time has gone on")
}

func TestABucketThatBeginsEmptyIsNeverAtRest(t *testing.T) {
	for _, refill := range []string{"continuous", "interval"} {
		l := parse(t, "token-bucket:rate=1/s,burst=5,initial=4,refill="+refill).New(1, nil)
		l.Take(0, 0, 1)
		assert.False(t, l.(limiters.Resting).AtRest(time.Hour, 0), refill)
		assert.True(t, l.(limiters.Resting).AtRest(time.Hour, 1), "nobody's key: %s", refill)
	}
}

func TestAnExcessOfZeroIsNotRest(t *testing.T) {
	l := parse(t, "nginx:rate=1r/m").New(1, nil)
	l.Take(today, 0, 1)
	rest := l.(limiters.Resting)
	assert.False(t, rest.AtRest(today+62499*ms, 0))
	assert.True(t, rest.AtRest(today+62500*ms, 0))
}
