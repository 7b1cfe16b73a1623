package limiters

import (
	"math"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	registerDialect(spec.Entry{
		Name: "resilience4j",
		Doc:  "permissions renewed every cycle, and reserved in advance: callers wait up to a timeout",
		Params: []spec.Param{
			{Name: "limit", Unit: "requests", Doc: "limitForPeriod, 1 to 2147483647"},
			{Name: "period", Unit: "duration", Doc: "limitRefreshPeriod, length of a cycle"},
			{Name: "timeout", Unit: "duration", Default: "5s", Doc: "timeoutDuration, the longest that a caller waits; may be 0s"},
		},
		More: `AtomicRateLimiter. Time is in ns; cycles are counted from the epoch, as from the making of
the limiter. In a new cycle the permissions are min(limit, permissions + cycles*limit).
If they do not suffice, the caller waits for the next cycle that brings enough, and
reserves them at once: permissions go below 0, a cost above the limit waits for several
cycles, and later callers wait behind it. A wait above the timeout is refused and
reserves nothing. Callers in different cycles may come together: up to twice the limit
in one period.
A refused caller of the real program sleeps for the whole timeout before it learns so
(acquirePermission); here it learns at once. Counts are 32-bit integers and wrap; a cost
that does not fit is refused. The clock is monotonic: the latest time of all keys counts.
Hints: retry_after, the wait that was too long; it holds no place. No others.`,
	}, Dialect{
		Program: "resilience4j AtomicRateLimiter", Version: "af9e7c9",
		Misleads: "permissions do not add up above the limit unless reserved: a cost above it may wait as told in vain; any other is let in up to one timeout earlier than told",
	}, func(v *spec.Values) rule {
		limit := v.Count("limit")
		if limit < 1 || limit > math.MaxInt32 {
			v.Fail("limit", "must be 1 to 2147483647, got %s", v.Text("limit"))
		}
		return resilienceRule{limit: int32(limit), period: v.Duration("period"), timeout: v.DurationOrZero("timeout")}
	})
}

type resilienceRule struct {
	noShare
	limit           int32
	period, timeout time.Duration
}

func (r resilienceRule) capacity() int64               { return int64(r.limit) }
func (r resilienceRule) rate() (spec.Rate, bool)       { return windowRate(int64(r.limit), r.period) }
func (r resilienceRule) window() (time.Duration, bool) { return r.period, true }

func (r resilienceRule) limiter(uint64, func(uint32) string) Limiter {
	return &resilience{resilienceRule: r, latest: math.MinInt64}
}

type resilience struct {
	slab[permissions, *permissions]
	resilienceRule
	latest time.Duration // of the one clock
	before time.Duration // latest, when a key was put aside
}

func (l *resilience) putAside(key uint32) {
	l.slab.putAside(key)
	l.before = l.latest
}

func (l *resilience) putBack(key uint32) {
	l.slab.putBack(key)
	l.latest = l.before
}

type permissions struct {
	touched
	cycle int64
	left  int32 // below 0: reserved
}

// clock returns the time of the process, which never goes back.
func (l *resilience) clock(now time.Duration) time.Duration {
	l.latest = max(l.latest, now)
	return l.latest
}

// turn brings the permissions to the cycle of t.
func (l *resilience) turn(s *permissions, t time.Duration) {
	if !s.begun {
		*s = permissions{left: l.limit, touched: touched{true}}
	}
	if cycle := int64(t / l.period); cycle != s.cycle {
		brought := (cycle - s.cycle) * int64(l.limit)
		s.cycle = cycle
		s.left = int32(min(int64(s.left)+brought, int64(l.limit)))
	}
}

// wait returns the time from t until the permissions have come.
func (l *resilience) wait(s *permissions, t time.Duration, permits int32) time.Duration {
	if s.left >= permits {
		return 0
	}
	toNext := time.Duration(s.cycle+1)*l.period - t
	missing := -(s.left + l.limit - permits)
	cycles := (missing + l.limit - 1) / l.limit
	return time.Duration(cycles)*l.period + toNext
}

// decide returns whether a caller gets its permissions, and the wait.
func (l *resilience) decide(s *permissions, t time.Duration, cost int64) (bool, time.Duration) {
	l.turn(s, t)
	if cost > math.MaxInt32 {
		return false, Never
	}
	wait := l.wait(s, t, int32(cost))
	return wait <= l.timeout, max(0, wait)
}

func (l *resilience) met(key uint32) *permissions {
	s := l.at(key)
	if !s.begun {
		l.known++
	}
	return s
}

func (l *resilience) Admit(now time.Duration, key uint32, cost int64) (admitted bool, delay time.Duration) {
	s := l.met(key)
	admitted, wait := l.decide(s, l.clock(now), cost)
	if !admitted {
		return false, 0
	}
	s.left -= int32(cost)
	return true, wait
}

func (l *resilience) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.met(key)
	l.answer(&d, s, l.clock(now), cost)
	if d.Admitted {
		s.left -= int32(cost)
	}
	return d
}

func (l *resilience) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	s := copyOf(&l.slab, key)
	l.answer(&d, &s, l.clock(now), cost)
	return d
}

func (l *resilience) Charge(now time.Duration, key uint32, cost int64) {
	s := l.met(key)
	l.turn(s, l.clock(now))
	s.left = int32(max(int64(s.left)-min(cost, math.MaxInt32), -1<<30))
}

func (l *resilience) answer(d *Decision, s *permissions, t time.Duration, cost int64) {
	d.Has = contract.HintRetryAfter
	var wait time.Duration
	if d.Admitted, wait = l.decide(s, t, cost); d.Admitted {
		d.Delay = wait
	} else {
		d.RetryAfter = wait
	}
}

// AtRest reports whether the key has all its permissions.
func (l *resilience) AtRest(now time.Duration, key uint32) bool {
	s, fresh := copyOf(&l.slab, key), permissions{}
	t := max(l.latest, now)
	l.turn(&s, t)
	l.turn(&fresh, t)
	return s == fresh
}
