package limiters

import (
	"strconv"
	"time"

	"ratelab/internal/spec"
)

func init() {
	registerCanonical(spec.Entry{
		Name: "sliding-counter",
		Doc:  "estimate the trailing window from the counts of this window and the last",
		Params: []spec.Param{
			{Name: "limit", Unit: "requests", Doc: "what the estimate is held to"},
			{Name: "window", Unit: "duration", Doc: "length of a window; windows begin at its multiples"},
			{Name: "rule", Unit: "fits|below", Default: "fits", Doc: "admit if the estimate and the request fit in the limit, or if the estimate is below it"},
			{Name: "count", Unit: "admitted|all", Default: "admitted", Doc: "what is counted: admitted requests, or refused ones too"},
		},
		More: `With f = (t mod window)/window the estimate is est = previous*(1-f) + current. A
request of cost n is admitted if est + n <= limit (fits), or est + n - 1 < limit (below).
With count=all a refused request is counted too, unless its cost exceeds the limit.
retry_after, remaining and reset follow from the same estimate, exactly. With below the
limit is there again as soon as the estimate is under 1, with fits when it is 0.`,
	}, func(v *spec.Values) rule {
		return slidingCounterRule{
			limit:  v.Count("limit"),
			length: v.Duration("window"),
			below:  v.Choice("rule", "fits", "below") == "below",
			all:    v.Choice("count", "admitted", "all") == "all",
		}
	})
}

type slidingCounterRule struct {
	limit  int64
	length time.Duration
	below  bool
	all    bool
}

func (r slidingCounterRule) capacity() int64               { return r.limit }
func (r slidingCounterRule) rate() (spec.Rate, bool)       { return windowRate(r.limit, r.length) }
func (r slidingCounterRule) window() (time.Duration, bool) { return r.length, true }

func (r slidingCounterRule) scaled(v *spec.Values, _, _, capacity int64) (string, error) {
	return withAll(v, "limit", strconv.FormatInt(capacity, 10))
}

func (r slidingCounterRule) limiter(uint64, func(uint32) string) Limiter {
	l := &slidingCounter{limit: r.limit, length: uint64(r.length), all: r.all}
	if r.below {
		l.below = 1
	}
	return l
}

// slidingCounter decides est + n <= limit, or est + n - 1 < limit, in whole
// numbers. With left the time to the window's end and T its length,
// est·T = previous·left + current·T, so that with
//
//	room = limit - n - current        fits:  previous·left <= room·T
//	room = limit - n - current + 1    below: previous·left <  room·T
//
// room may be negative; then even an empty previous window admits nothing.
type slidingCounter struct {
	slab[twoWindows, *twoWindows]
	limit  int64
	length uint64 // T in ns
	below  int64  // 1 for rule=below, 0 for fits
	all    bool
}

type twoWindows struct {
	windowed
	previous, current int64
}

// seen brings the key's state to the latest of now and what it has seen.
func (l *slidingCounter) seen(now time.Duration, key uint32) *twoWindows {
	s := l.at(key)
	length := time.Duration(l.length)
	if !s.begun {
		l.known++
		s.begun, s.latest = true, now
		s.open(now, length-phase(now, length, 0))
	}
	if t := s.see(now); s.over(t) {
		if s.roll(t, length) > 1 {
			s.current = 0
		}
		s.previous, s.current = s.current, 0
	}
	return s
}

func (l *slidingCounter) fits(s *twoWindows, cost int64) bool {
	if cost > l.limit {
		return false
	}
	room := l.limit - cost - s.current + l.below
	if room < l.below {
		return false
	}
	if s.previous == 0 {
		return true
	}
	left := s.left(s.latest)
	if l.below == 1 {
		return narrower(uint64(s.previous), left, uint64(room), l.length)
	}
	return !narrower(uint64(room), l.length, uint64(s.previous), left)
}

func (l *slidingCounter) decide(s *twoWindows, cost int64) bool {
	admitted := l.fits(s, cost)
	if admitted || l.all && cost <= l.limit {
		s.current = pile(s.current, cost)
	}
	return admitted
}

func (l *slidingCounter) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	return l.decide(l.seen(now, key), cost), 0
}

func (l *slidingCounter) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.seen(now, key)
	l.answer(&d, s, now, cost, l.decide(s, cost))
	return d
}

func (l *slidingCounter) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.seen(now, key)
	l.answer(&d, s, now, cost, l.fits(s, cost))
	return d
}

func (l *slidingCounter) Charge(now time.Duration, key uint32, cost int64) {
	s := l.seen(now, key)
	s.current = pile(s.current, cost)
}

func (l *slidingCounter) answer(d *Decision, s *twoWindows, now time.Duration, cost int64, admitted bool) {
	t := s.latest
	left := s.left(t)
	// Unit requests pass while est + m <= limit (fits) or est + m-1 < limit
	// (below): limit - current less previous·left/T, rounded up or down.
	weighted := product(uint64(s.previous), left)
	taken := weighted.ceilDiv(l.length)
	if l.below == 1 {
		taken = weighted.floorDiv(l.length)
	}
	answer(d, admitted, l.limit, l.limit-s.current-int64(taken))
	// The whole limit remains once a request of that cost would fit.
	if d.Remaining < l.limit {
		d.Reset = hint(now, t, l.untilRoom(s, left, l.limit))
	}
	if !admitted {
		d.RetryAfter = Never
		if cost <= l.limit {
			d.RetryAfter = hint(now, t, l.untilRoom(s, left, cost))
		}
	}
}

// untilRoom returns the time until a request of the cost, which is at most the
// limit and does not fit now, would fit.
//
// In the rest of this window the previous one fades; in the next it is what is
// now current; after that nothing is left. Where a count c fades the request
// fits as soon as at most e of the window is left, the largest e with
// c·e <= room·T, or c·e < room·T.
func (l *slidingCounter) untilRoom(s *twoWindows, left uint64, cost int64) uint64 {
	fading, wait := s.previous, left
	room := l.limit - cost - s.current + l.below
	if room < l.below {
		fading, wait = s.current, left+l.length
		room = l.limit - cost + l.below
	}
	e := product(uint64(room), l.length).minus(wide{0, uint64(l.below)}).floorDiv(uint64(fading))
	return wait - e
}

// AtRest reports whether both windows are empty.
func (l *slidingCounter) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	if s == nil {
		return true
	}
	if s.latest > now {
		return false
	}
	if !s.over(now) {
		return s.previous == 0 && s.current == 0
	}
	return s.current == 0 || uint64(now)-uint64(s.end) >= l.length
}
