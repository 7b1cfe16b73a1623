package limiters

import (
	"math"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	registerDialect(spec.Entry{
		Name: "upstash-sliding",
		Doc:  "two counters in Redis, the older weighted and cut down; a cost above the room is refused and charged",
		Params: []spec.Param{
			{Name: "limit", Unit: "requests", Doc: "tokens a window"},
			{Name: "window", Unit: "duration", Doc: "length of a window, whole milliseconds"},
		},
		More: `The script of Ratelimit.slidingWindow, one region, without the client's cache of
blocked keys. Time is in ms; windows are aligned to the epoch. The count of the window
before is weighted and cut down: floor((1 - (now mod window)/window) * previous), in
float64. If that and the current count reach the limit, the request is refused and not
charged. Otherwise its whole cost is charged, and it is admitted if the sum is within
the limit: a cost above what is left is refused, but stays charged.
Cutting down gives up to one request of room before an exact rule would.
A counter lives for two windows and 1 s from its first request, longer than it is read. A
clock that goes back finds older counters: here those of four windows at most.
Hints: limit; remaining, at least 0; reset, the end of the current window. There is no
retry_after.`,
	}, Dialect{
		Program: "upstash/ratelimit-js", Version: "5b5448a (9 March 2026)", Proven: true,
		Misleads: "reset is the end of the window: there may be room long before it, and none at it, since this window weighs on the next",
	}, func(v *spec.Values) rule {
		return upstashRule{limit: v.Count("limit"), millis: wholeMillis(v, "window")}
	})
}

type upstashRule struct {
	noShare
	limit, millis int64
}

func (r upstashRule) length() time.Duration         { return time.Duration(r.millis) * time.Millisecond }
func (r upstashRule) capacity() int64               { return r.limit }
func (r upstashRule) rate() (spec.Rate, bool)       { return windowRate(r.limit, r.length()) }
func (r upstashRule) window() (time.Duration, bool) { return r.length(), true }

func (r upstashRule) limiter(uint64, func(uint32) string) Limiter {
	return &upstashSliding{upstashRule: r}
}

// upstashSliding is one Redis and one client clock.
type upstashSliding struct {
	slab[upstashKey, *upstashKey]
	upstashRule
}

// upstashKey holds the Redis counters of one identifier: that of window w in
// place w mod 4. A counter that is not there is 0.
type upstashKey struct {
	touched
	counters [4]upstashCounter
}

type upstashCounter struct{ window, count int64 }

func (s *upstashKey) count(window int64) int64 {
	if c := &s.counters[uint64(window)%4]; c.window == window {
		return c.count
	}
	return 0
}

// upstashView is what the script reads.
type upstashView struct{ window, weighted, current int64 }

func (l *upstashSliding) read(s *upstashKey, now time.Duration) upstashView {
	ms := wholeUnits(now, time.Millisecond)
	w := wholeUnits(now, l.length())
	elapsed := float64(ms-w*l.millis) / float64(l.millis)
	weighted := math.Floor((1 - elapsed) * float64(s.count(w-1)))
	return upstashView{window: w, weighted: int64(weighted), current: s.count(w)}
}

// charge is INCRBY.
func (s *upstashKey) charge(v *upstashView, cost int64) {
	v.current = pile(v.current, cost)
	s.counters[uint64(v.window)%4] = upstashCounter{v.window, v.current}
}

// take runs the script and returns what remains, below 0 if it refuses.
func (l *upstashSliding) take(s *upstashKey, v *upstashView, cost int64) int64 {
	if v.weighted+v.current >= l.limit {
		return -1
	}
	s.charge(v, cost)
	return l.limit - (v.current + v.weighted)
}

func (l *upstashSliding) met(key uint32) *upstashKey {
	s := l.at(key)
	if !s.begun {
		l.known++
		s.begun = true
	}
	return s
}

func (l *upstashSliding) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	s := l.met(key)
	v := l.read(s, now)
	return l.take(s, &v, cost) >= 0, 0
}

func (l *upstashSliding) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.met(key)
	v := l.read(s, now)
	left := l.take(s, &v, cost)
	l.answer(&d, v.window, now, left >= 0, left)
	return d
}

func (l *upstashSliding) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	s := copyOf(&l.slab, key)
	v := l.read(&s, now)
	left := l.limit - (v.current + v.weighted)
	l.answer(&d, v.window, now, left > 0 && left >= cost, left)
	return d
}

func (l *upstashSliding) Charge(now time.Duration, key uint32, cost int64) {
	s := l.met(key)
	v := l.read(s, now)
	s.charge(&v, cost)
}

func (l *upstashSliding) answer(d *Decision, window int64, now time.Duration, admitted bool, left int64) {
	answer(d, admitted, l.limit, left)
	d.Has = contract.HintLimit | contract.HintRemaining | contract.HintReset
	d.Reset = instantHint((window+1)*l.millis, time.Millisecond, now)
}

// AtRest reports whether nothing counts in this window or the one before.
func (l *upstashSliding) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	if s == nil {
		return true
	}
	w := wholeUnits(now, l.length())
	for _, c := range s.counters {
		if c.window >= w-1 && c.count != 0 {
			return false
		}
	}
	return true
}
