package limiters

import (
	"math"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	registerDialect(spec.Entry{
		Name: "httprate",
		Doc:  "sliding counter whose estimate is rounded to whole requests",
		Params: []spec.Param{
			{Name: "limit", Unit: "requests", Doc: "most units that the estimate may reach"},
			{Name: "window", Unit: "duration", Doc: "length of a window"},
		},
		More: `Decides as RateLimiter of github.com/go-chi/httprate v0.16.1 with its counter in memory.
Its windows begin when the limiter is made; here, at multiples of their length since the
epoch. With el since the window began the estimate is prev*(window - el)/window + cur in
float64, rounded half up to whole requests; a request of cost n is admitted if that + n is at
most the limit. So there is room again when the estimate falls below limit - n + 0.5.
Refused requests are not counted.
One pair of counts for all keys: an admitted request in the window after the latest shifts
it, in any other it clears it. A clock that goes back into an earlier window so finds no
counts, and an admission there forgets those of every key.
retry_after: the window's length in whole seconds, rounded down, whatever is left of it.
remaining: the limit less the rounded estimate (and the cost, if admitted); below 0 when an
estimate exceeds the limit. reset: the end of the window, an epoch in whole seconds rounded
down.`,
	}, Dialect{
		Program:  "github.com/go-chi/httprate",
		Version:  "v0.16.1",
		Proven:   true,
		Misleads: "retry_after is always the window's length in whole seconds: too long as a rule, too short when the next window is still weighted by a full one or when the window is not whole seconds (below 1 s it is 0)",
	}, func(v *spec.Values) rule {
		return httprateRule{limit: v.Count("limit"), length: v.Duration("window")}
	})
}

type httprateRule struct {
	noShare
	limit  int64
	length time.Duration
}

func (r httprateRule) capacity() int64               { return r.limit }
func (r httprateRule) rate() (spec.Rate, bool)       { return windowRate(r.limit, r.length) }
func (r httprateRule) window() (time.Duration, bool) { return r.length, true }

func (r httprateRule) limiter(uint64, func(uint32) string) Limiter {
	return &httprate{limit: r.limit, length: r.length}
}

// httprate numbers the states of its pair of counts: a shift makes the latest
// counts the previous ones and is one era on, a clearing two.
type httprate struct {
	slab[httprateKey, *httprateKey]
	limit  int64
	length time.Duration
	window int64 // of the latest admission
	era    uint64
}

type httprateKey struct {
	touched
	era              uint64 // in which the counts were the latest and the previous
	latest, previous int64
}

// counts returns the key's counts for the window k and the one before it.
func (l *httprate) counts(s *httprateKey, k int64) (current, previous int64) {
	if s == nil {
		return 0, 0
	}
	switch {
	case s.era == l.era:
		current, previous = s.latest, s.previous
	case s.era+1 == l.era:
		previous = s.latest
	}
	switch {
	case l.window == k:
		return current, previous
	case l.window == k-1:
		return 0, current
	}
	return 0, 0
}

// estimate returns the rounded estimate at now, which lies in window k.
func (l *httprate) estimate(s *httprateKey, now time.Duration, k int64) int64 {
	current, previous := l.counts(s, k)
	length, el := float64(l.length), float64(phase(now, l.length, 0))
	e := float64(previous)*(length-el)/length + float64(current)
	return cut(math.Round(e))
}

func (l *httprate) seen(key uint32) *httprateKey {
	s := l.at(key)
	if !s.begun {
		l.known++
		s.begun, s.era = true, l.era
	}
	return s
}

// count adds to the key's count in window k.
func (l *httprate) count(s *httprateKey, k, cost int64) {
	if l.window != k {
		l.era++
		if l.window != k-1 {
			l.era++
		}
		l.window = k
	}
	switch l.era - s.era {
	case 0:
	case 1:
		s.latest, s.previous = 0, s.latest
	default:
		s.latest, s.previous = 0, 0
	}
	s.era = l.era
	s.latest += cost
}

func (l *httprate) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	s, k := l.seen(key), wholeUnits(now, l.length)
	if l.estimate(s, now, k)+cost > l.limit {
		return false, 0
	}
	l.count(s, k, cost)
	return true, 0
}

func (l *httprate) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	s, k := l.seen(key), wholeUnits(now, l.length)
	e := l.estimate(s, now, k)
	if e+cost <= l.limit {
		l.count(s, k, cost)
		d.Admitted = true
		e += cost
	}
	l.answer(&d, now, e)
	return d
}

func (l *httprate) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	e := l.estimate(l.find(key), now, wholeUnits(now, l.length))
	d.Admitted = e+cost <= l.limit
	l.answer(&d, now, e)
	return d
}

func (l *httprate) Charge(now time.Duration, key uint32, cost int64) {
	l.count(l.seen(key), wholeUnits(now, l.length), cost)
}

func (l *httprate) answer(d *Decision, now time.Duration, estimate int64) {
	d.Has = contract.AllHints
	d.Limit = l.limit
	d.Remaining = l.limit - estimate
	// The end is now + left; their seconds and nanoseconds are added apart.
	left := l.length - phase(now, l.length, 0)
	end := wholeUnits(now, time.Second) + int64(left/time.Second)
	if phase(now, time.Second, 0)+left%time.Second >= time.Second {
		end++
	}
	d.Reset = instantHint(end, time.Second, now)
	if !d.Admitted {
		d.RetryAfter = time.Duration(cut(l.length.Seconds())) * time.Second
	}
}

// AtRest reports whether nothing counts in this window or the one before.
func (l *httprate) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	current, previous := l.counts(s, l.window)
	switch k := wholeUnits(now, l.length); {
	case k > l.window+1:
		return true
	case k == l.window+1:
		return current == 0
	}
	return current == 0 && previous == 0
}
