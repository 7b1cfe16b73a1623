package limiters

import (
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	registerDialect(spec.Entry{
		Name: "gubernator-leaky",
		Doc:  "a bucket that fills in whole hits at a time, and loses a fraction whenever it is emptied",
		Params: []spec.Param{
			{Name: "limit", Unit: "requests", Doc: "hits that leak out in one duration"},
			{Name: "duration", Unit: "duration", Doc: "in which limit hits leak out, whole milliseconds"},
			{Name: "burst", Unit: "requests", Default: "limit", Doc: "hits the bucket holds; 0 stands for the limit"},
		},
		More: `LEAKY_BUCKET on one node, without behaviours. Time is in ms, what remains in float64;
one hit leaks in duration/limit ms. The leak since the last one is added when it comes to
a whole hit or more, fractions included, and cut to the burst only when the whole part
exceeds it. A request of cost n is admitted if n <= floor(remaining). If n is equal to
that, remaining becomes 0 and the fraction is lost: 3/s taken one by one at 400 ms is
2.5/s. A first request above the burst leaves the bucket empty.
Every request keeps the key for one duration more; a key idle for longer is new, with a
full bucket. A clock that goes back leaks nothing.
Hints: limit; remaining, the whole hits; reset, now + (limit - remaining)*floor(ms a hit),
which lies in the past when more than the limit remains. There is no retry_after.`,
	}, Dialect{
		Program: "gubernator", Version: "v2.13.0", Proven: true,
		Misleads: "reset cuts the time for a hit to whole ms and ignores fractions: at reset the bucket need not be full",
	}, func(v *spec.Values) rule {
		r := leakyRule{gubernatorRule: gubernatorRule{limit: v.Count("limit"), millis: wholeMillis(v, "duration")}}
		if v.Given("burst") {
			r.burst = v.Count("burst")
		}
		if r.burst == 0 {
			r.burst = r.limit
		}
		return r
	})
}

type leakyRule struct {
	gubernatorRule
	burst int64
}

func (r leakyRule) capacity() int64               { return r.burst }
func (r leakyRule) window() (time.Duration, bool) { return 0, false }

func (r leakyRule) limiter(uint64, func(uint32) string) Limiter {
	perHit := float64(r.millis) / float64(r.limit)
	return &gubernatorLeaky{leakyRule: r, perHit: perHit, wholePerHit: cut(perHit)}
}

type gubernatorLeaky struct {
	slab[leakyItem, *leakyItem]
	leakyRule
	perHit      float64 // ms
	wholePerHit int64
}

type leakyItem struct {
	touched
	remaining float64
	updated   int64 // ms
	expires   int64 // ms; still there at that instant
}

// leak brings the item to the instant ms; fresh says that it is a new one.
func (l *gubernatorLeaky) leak(s *leakyItem, ms int64) (fresh bool) {
	if !s.begun || s.expires < ms {
		*s = leakyItem{remaining: float64(l.burst), updated: ms, expires: ms + l.millis, touched: touched{true}}
		return true
	}
	leaked := float64(ms-s.updated) / l.perHit
	if cut(leaked) > 0 {
		s.remaining += leaked
		s.updated = ms
	}
	if cut(s.remaining) > l.burst {
		s.remaining = float64(l.burst)
	}
	return false
}

// take decides at ms. A request moves the expiry, whatever becomes of it.
func (l *gubernatorLeaky) take(s *leakyItem, ms, cost int64) bool {
	fresh := l.leak(s, ms)
	s.expires = ms + l.millis
	if fresh && cost > l.burst {
		s.remaining = 0
		return false
	}
	if cost > cut(s.remaining) {
		return false
	}
	s.spend(cost)
	return true
}

// spend takes hits, and the fraction with the last of them.
func (s *leakyItem) spend(cost int64) {
	if cost == cut(s.remaining) {
		s.remaining = 0
		return
	}
	s.remaining -= float64(cost)
}

func (l *gubernatorLeaky) met(key uint32) *leakyItem {
	s := l.at(key)
	if !s.begun {
		l.known++
	}
	return s
}

func (l *gubernatorLeaky) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	return l.take(l.met(key), wholeUnits(now, time.Millisecond), cost), 0
}

func (l *gubernatorLeaky) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	s, ms := l.met(key), wholeUnits(now, time.Millisecond)
	admitted := l.take(s, ms, cost)
	l.answer(&d, s, ms, now, admitted)
	return d
}

func (l *gubernatorLeaky) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	s, ms := copyOf(&l.slab, key), wholeUnits(now, time.Millisecond)
	l.leak(&s, ms)
	l.answer(&d, &s, ms, now, cost <= cut(s.remaining))
	return d
}

func (l *gubernatorLeaky) Charge(now time.Duration, key uint32, cost int64) {
	s, ms := l.met(key), wholeUnits(now, time.Millisecond)
	l.leak(s, ms)
	s.expires = ms + l.millis
	s.spend(cost)
}

func (l *gubernatorLeaky) answer(d *Decision, s *leakyItem, ms int64, now time.Duration, admitted bool) {
	whole := cut(s.remaining)
	answer(d, admitted, l.limit, whole)
	d.Has = contract.HintLimit | contract.HintRemaining | contract.HintReset
	d.Reset = instantHint(ms+(l.limit-whole)*l.wholePerHit, time.Millisecond, now)
}

// AtRest reports whether the key has expired. Until then it may have a fraction
// of a hit more than a new one.
func (l *gubernatorLeaky) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	return s == nil || s.expires < wholeUnits(now, time.Millisecond)
}
