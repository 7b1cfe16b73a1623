package clients

import (
	"math/bits"
	"math/rand/v2"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	registerHints(HintsEntry{
		Entry: spec.Entry{
			Name: "place-in-line",
			Doc:  "the waiters of a key are told increasing times, so that each is admitted when it comes",
			Params: []spec.Param{
				{Name: "rate", Unit: "rate", Default: "none", Doc: "of a limiter that frees one unit after another"},
				{Name: "limit", Unit: "count", Default: "none", Doc: "of a window that frees all its units at its end"},
				{Name: "window", Unit: "duration", Default: "none", Doc: "the length of that window; goes with limit"},
			},
			More: "The first waiter is told the limiter's own time; the next one the time before and what its cost takes at that rate, or the end of\n" +
				"the first window with room. It takes either rate, or limit and window. Nobody's place is kept: who comes out of turn takes the\n" +
				"unit of a waiter. With the limiter's own numbers it is exact for buckets, GCRA, leaky limiters and fixed windows.",
		},
		Examples: []string{"place-in-line:rate=2/s", "place-in-line:limit=10,window=1m"},
		read: func(v *spec.Values) newHints {
			if v.Given("limit") != v.Given("window") || v.Given("rate") == v.Given("limit") {
				v.Fail("rate", "or both limit and window must be given, as in place-in-line:rate=2/s or place-in-line:limit=10,window=1m")
				return nil
			}
			if v.Given("rate") {
				r := v.Rate("rate")
				return func(func(string) *rand.Rand) Hints { return &evenLine{rate: r, last: map[uint32]time.Duration{}} }
			}
			limit, window := v.Count("limit"), v.Duration("window")
			if limit < 1 {
				v.Fail("limit", "must be >= 1, got %s", v.Text("limit"))
			}
			return func(func(string) *rand.Rand) Hints {
				return &windowLine{limit: limit, window: window, last: map[uint32]seat{}}
			}
		},
	})
}

// evenLine hands out times, each as far behind the one before as the units of
// its waiter take. Each is rounded up to whole nanoseconds: a bucket that is
// full a fraction earlier has lost it.
type evenLine struct {
	rate spec.Rate
	last map[uint32]time.Duration // of each key, the latest time that was told
}

func (h *evenLine) Tell(now time.Duration, req contract.Request, d contract.Decision) contract.Decision {
	if !mayTell(d) {
		return d
	}
	next := plus(now, d.RetryAfter)
	if last, waits := h.last[req.Key]; waits && last >= now {
		next = max(next, h.after(last, req.Cost))
	}
	h.last[req.Key] = next
	d.RetryAfter = next - now
	return d
}

// after returns the time that lies cost units behind t, or Never.
func (h *evenLine) after(t time.Duration, cost int64) time.Duration {
	hi, lo := bits.Mul64(uint64(cost), uint64(h.rate.P))
	lo, carry := bits.Add64(lo, uint64(h.rate.N-1), 0)
	if hi += carry; hi >= uint64(h.rate.N) {
		return contract.Never
	}
	gap, _ := bits.Div64(hi, lo, uint64(h.rate.N))
	if gap > uint64(contract.Never-t) {
		return contract.Never
	}
	return t + time.Duration(gap)
}

// windowLine hands out the ends of windows, each to as many units as a window
// admits.
type windowLine struct {
	limit  int64
	window time.Duration
	last   map[uint32]seat // of each key, the latest that was told
}

type seat struct {
	at    time.Duration // the end of a window
	taken int64         // units told to come then, 1..limit
}

func (h *windowLine) Tell(now time.Duration, req contract.Request, d contract.Decision) contract.Decision {
	if !mayTell(d) {
		return d
	}
	next := seat{at: plus(now, d.RetryAfter)}
	if last, waits := h.last[req.Key]; waits && last.at >= next.at {
		next = last
		if next.taken+req.Cost > h.limit {
			next = seat{at: plus(last.at, h.window)}
		}
	}
	next.taken += req.Cost
	h.last[req.Key] = next
	d.RetryAfter = next.at - now
	return d
}
