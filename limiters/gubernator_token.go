package limiters

import (
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	registerDialect(spec.Entry{
		Name: "gubernator-token",
		Doc:  "called a token bucket: a fixed window that begins at a key's first request",
		Params: []spec.Param{
			{Name: "limit", Unit: "requests", Doc: "hits a window"},
			{Name: "duration", Unit: "duration", Doc: "length of a window, whole milliseconds"},
		},
		More: `TOKEN_BUCKET on one node, without behaviours. Time is in ms. A key's first request
opens a window of one duration, even if it is refused. The window still counts at exactly
its end, where reset is 0; 1 ms later the next request opens a new one. Nothing is earned
between. Refused requests are not charged. A clock that goes back stays in the window.
The cache of 50,000 keys that forgets the least recently used is the eviction
lru:capacity=50000.
Hints: limit, remaining, reset (when the window expires, epoch ms). There is no
retry_after.`,
	}, Dialect{
		Program: "gubernator", Version: "v2.13.0", Proven: true,
		Misleads: "at reset itself the old window still counts: who comes back exactly then is refused, up to 1 ms long",
	}, func(v *spec.Values) rule {
		return gubernatorRule{limit: v.Count("limit"), millis: wholeMillis(v, "duration")}
	})
}

type gubernatorRule struct {
	noShare
	limit, millis int64
}

func (r gubernatorRule) length() time.Duration         { return time.Duration(r.millis) * time.Millisecond }
func (r gubernatorRule) capacity() int64               { return r.limit }
func (r gubernatorRule) rate() (spec.Rate, bool)       { return windowRate(r.limit, r.length()) }
func (r gubernatorRule) window() (time.Duration, bool) { return r.length(), true }

func (r gubernatorRule) limiter(uint64, func(uint32) string) Limiter {
	return &gubernatorToken{gubernatorRule: r}
}

type gubernatorToken struct {
	slab[gubernatorItem, *gubernatorItem]
	gubernatorRule
}

type gubernatorItem struct {
	touched
	remaining int64
	expires   int64 // ms; still there at that instant
}

// renew makes a new item of one that is not there or has expired.
func (l *gubernatorToken) renew(s *gubernatorItem, now time.Duration) {
	ms := wholeUnits(now, time.Millisecond)
	if !s.begun || s.expires < ms {
		*s = gubernatorItem{remaining: l.limit, expires: ms + l.millis, touched: touched{true}}
	}
}

func (l *gubernatorToken) seen(now time.Duration, key uint32) *gubernatorItem {
	s := l.at(key)
	if !s.begun {
		l.known++
	}
	l.renew(s, now)
	return s
}

func (s *gubernatorItem) take(cost int64) bool {
	if cost > s.remaining {
		return false
	}
	s.remaining -= cost
	return true
}

func (l *gubernatorToken) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	return l.seen(now, key).take(cost), 0
}

func (l *gubernatorToken) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.seen(now, key)
	l.answer(&d, s, now, s.take(cost))
	return d
}

func (l *gubernatorToken) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	s := copyOf(&l.slab, key)
	l.renew(&s, now)
	l.answer(&d, &s, now, cost <= s.remaining)
	return d
}

func (l *gubernatorToken) Charge(now time.Duration, key uint32, cost int64) {
	s := l.seen(now, key)
	s.remaining = -pile(-s.remaining, cost)
}

func (l *gubernatorToken) answer(d *Decision, s *gubernatorItem, now time.Duration, admitted bool) {
	answer(d, admitted, l.limit, s.remaining)
	d.Has = contract.HintLimit | contract.HintRemaining | contract.HintReset
	d.Reset = instantHint(s.expires, time.Millisecond, now)
}

// AtRest reports whether the window has expired.
func (l *gubernatorToken) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	return s == nil || s.expires < wholeUnits(now, time.Millisecond)
}
