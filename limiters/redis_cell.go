package limiters

import (
	"math"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	registerDialect(spec.Entry{
		Name: "redis-cell",
		Doc:  "GCRA in whole nanoseconds, in a Redis module that hints in whole seconds",
		Params: []spec.Param{
			{Name: "rate", Unit: "rate", Doc: "units admitted in the long run; the emission interval is cut to whole ns"},
			{Name: "burst", Unit: "requests", Doc: "its max_burst: how many pass at once beside the first"},
		},
		More: `Follows CL.THROTTLE of the Redis module redis-cell 0.5.0, from its source.
Decides as throttled: T = period/rate, divided in float64 and cut to whole ns (0 is an error),
DVT = T*(burst+1), new = max(TAT, t) + n*T, refused if t < new - DVT; n*T and DVT wrap at 64
bits. Its key lives for TAT - t cut to whole ms, counted from the whole ms of t, and can so
die up to 1 ms before its TAT: that much debt is forgotten.
retry_after and reset are whole seconds, rounded up if any whole millisecond is over: 0.4 ms
is 0. retry_after is never if n*T > DVT. remaining: (DVT - until TAT)/T, both cut to whole us,
in float64; at a rate above 10^6/s that is a division by 0.`,
	}, Dialect{
		Program:  "redis-cell",
		Version:  "0.5.0",
		Misleads: "retry_after drops what is below a millisecond: a wait of 1.0004 s is told as 1 s, one of 0.4 ms as 0, and the client comes too early",
	}, func(v *spec.Values) rule {
		r := redisCellRule{flow: v.Rate("rate"), burst: v.Count("burst")}
		if v.Err() == nil && r.emission() == 0 {
			v.Fail("rate", "must be at most 1000000000/s, because the emission interval is whole nanoseconds, got %s", v.Text("rate"))
		}
		return r
	})
}

type redisCellRule struct {
	noShare
	flow  spec.Rate
	burst int64
}

func (r redisCellRule) emission() time.Duration {
	return time.Duration(float64(r.flow.P) / float64(r.flow.N))
}
func (r redisCellRule) capacity() int64               { return r.burst + 1 }
func (r redisCellRule) rate() (spec.Rate, bool)       { return spec.Rate{N: 1, P: r.emission()}, true }
func (r redisCellRule) window() (time.Duration, bool) { return 0, false }

func (r redisCellRule) limiter(uint64, func(uint32) string) Limiter {
	t := r.emission()
	return &redisCell{limit: r.burst + 1, emission: t, tolerance: t * time.Duration(r.burst+1)}
}

type redisCell struct {
	slab[redisCellKey, *redisCellKey]
	limit               int64
	emission, tolerance time.Duration // tolerance may have wrapped
}

type redisCellKey struct {
	touched
	stored bool
	tat    time.Duration
	until  int64 // the last ms of the key
}

// debt works out a decision as throttled does, from a key that may have died.
func (l *redisCell) debt(s *redisCellKey, now time.Duration, cost int64) (d debt) {
	var ahead wide
	if s != nil && s.stored && wholeUnits(now, time.Millisecond) <= s.until {
		ahead = scaled(s.tat, 1).minus(scaled(now, 1))
	}
	return newDebt(ahead, time.Duration(cost)*l.emission, l.tolerance)
}

func (l *redisCell) seen(now time.Duration, key uint32) *redisCellKey {
	s := l.at(key)
	if !s.begun {
		l.known++
		s.begun = true
	}
	if wholeUnits(now, time.Millisecond) > s.until {
		s.stored = false // found to have expired, and deleted
	}
	return s
}

func (l *redisCell) keep(s *redisCellKey, now time.Duration, d *debt) {
	s.stored, s.tat = true, time.Duration(d.next.plus(scaled(now, 1)).lo)
	s.until = wholeUnits(now, time.Millisecond) + int64(d.next.narrow()/time.Millisecond)
}

func (l *redisCell) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	s := l.seen(now, key)
	d := l.debt(s, now, cost)
	if d.diff < 0 {
		return false, 0
	}
	l.keep(s, now, &d)
	return true, 0
}

func (l *redisCell) Take(now time.Duration, key uint32, cost int64) (a Decision) {
	s := l.seen(now, key)
	d := l.debt(s, now, cost)
	if d.diff < 0 {
		l.refuse(&a, &d)
		return a
	}
	l.keep(s, now, &d)
	a.Admitted = true
	l.answer(&a, d.next.narrow())
	return a
}

func (l *redisCell) Ask(now time.Duration, key uint32, cost int64) (a Decision) {
	d := l.debt(l.find(key), now, cost)
	if d.diff < 0 {
		l.refuse(&a, &d)
		return a
	}
	a.Admitted = true
	l.answer(&a, max(0, d.ttl))
	return a
}

func (l *redisCell) Charge(now time.Duration, key uint32, cost int64) {
	s := l.seen(now, key)
	d := l.debt(s, now, cost)
	l.keep(s, now, &d)
}

func (l *redisCell) refuse(a *Decision, d *debt) {
	a.RetryAfter = Never
	if d.increment <= l.tolerance {
		a.RetryAfter = secondsUp(-d.diff)
	}
	l.answer(a, d.ttl)
}

func (l *redisCell) answer(a *Decision, ttl time.Duration) {
	a.Has = contract.AllHints
	a.Limit = l.limit
	next := scaled(l.tolerance, 1).minus(scaled(ttl, 1)) // does not wrap in the program
	if scaled(-l.emission, 1).less(next) {
		a.Remaining = saturated(float64(next.narrow()/time.Microsecond) / float64(l.emission/time.Microsecond))
	}
	a.Reset = secondsUp(ttl)
}

// secondsUp rounds to whole seconds: up, if there is a whole millisecond over.
func secondsUp(d time.Duration) time.Duration {
	s := d / time.Second
	if d%time.Second >= time.Millisecond {
		s++
	}
	if s > math.MaxInt64/time.Second {
		return Never
	}
	return s * time.Second
}

// saturated converts as Rust does: what does not fit becomes the nearest, what
// is no number 0.
func saturated(f float64) int64 {
	switch {
	case f != f:
		return 0
	case f >= 0x1p63:
		return math.MaxInt64
	case f < -0x1p63:
		return math.MinInt64
	}
	return int64(f)
}

// AtRest reports whether the key has expired, or its TAT has come.
func (l *redisCell) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	return s == nil || !s.stored || wholeUnits(now, time.Millisecond) > s.until || s.tat <= now
}
