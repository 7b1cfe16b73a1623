package limiters

import (
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	registerDialect(spec.Entry{
		Name: "throttled",
		Doc:  "GCRA in whole nanoseconds",
		Params: []spec.Param{
			{Name: "rate", Unit: "rate", Doc: "units admitted in the long run; the emission interval is cut to whole ns"},
			{Name: "burst", Unit: "requests", Doc: "its MaxBurst: how many pass at once beside the first"},
		},
		More: `Decides as GCRARateLimiterCtx of github.com/throttled/throttled/v2 v2.15.0 with its store
in memory, which forgets nothing.
The emission interval T is cut to whole ns: 3/s becomes 3.000000003/s; above 10^9/s it would
be 0, which is an error. The tolerance is DVT = T*(burst+1): burst+1 pass at once. With
new = max(TAT, t) + n*T a request is refused if t < new - DVT, and then changes nothing.
n*T and DVT are 64 bits wide and wrap: at 1/d a cost of 106752 passes, and with burst=106751
nothing does.
A TAT in the future stays when the clock goes back: it keeps refusing, nothing is lost.
retry_after: exact, in ns; never if n*T > DVT, and then reset is 0 and remaining counts from
a full bucket. reset: TAT - t. remaining: as reported, (DVT - reset)/T.`,
	}, Dialect{
		Program: "github.com/throttled/throttled/v2",
		Version: "v2.15.0",
		Proven:  true,
	}, func(v *spec.Values) rule {
		r := throttledRule{flow: v.Rate("rate"), burst: v.Count("burst")}
		if v.Err() == nil && r.emission() == 0 {
			v.Fail("rate", "must be at most 1000000000/s, because the emission interval is whole nanoseconds, got %s", v.Text("rate"))
		}
		return r
	})
}

type throttledRule struct {
	noShare
	flow  spec.Rate
	burst int64
}

func (r throttledRule) emission() time.Duration       { return r.flow.P / time.Duration(r.flow.N) }
func (r throttledRule) capacity() int64               { return r.burst + 1 }
func (r throttledRule) rate() (spec.Rate, bool)       { return spec.Rate{N: 1, P: r.emission()}, true }
func (r throttledRule) window() (time.Duration, bool) { return 0, false }

func (r throttledRule) limiter(uint64, func(uint32) string) Limiter {
	t := r.emission()
	return &throttled{limit: r.burst + 1, emission: t, tolerance: t * time.Duration(r.burst+1)}
}

type throttled struct {
	slab[throttledKey, *throttledKey]
	limit               int64
	emission, tolerance time.Duration // tolerance may have wrapped
}

// throttledKey has a TAT once a request was admitted. The value -1 stands for
// none, as in the program.
type throttledKey struct {
	touched
	stored bool
	tat    time.Duration
}

// debt is what a decision is made from: all instants relative to now.
type debt struct {
	ttl       time.Duration // until TAT, as the key stands
	next      wide          // until TAT with this request
	increment time.Duration
	diff      time.Duration // below 0: refused, and how long
}

// newDebt is the debt of a key whose TAT is that far ahead of now.
func newDebt(ahead wide, increment, tolerance time.Duration) (d debt) {
	d.ttl, d.increment = ahead.narrow(), increment
	if ahead.negative() {
		ahead = wide{}
	}
	d.next = ahead.plus(scaled(increment, 1))
	d.diff = wide{}.minus(d.next.plus(scaled(-tolerance, 1))).narrow()
	return d
}

func (l *throttled) debt(s *throttledKey, now time.Duration, cost int64) debt {
	var ahead wide
	if s != nil && s.stored && s.tat != -1 {
		ahead = scaled(s.tat, 1).minus(scaled(now, 1))
	}
	return newDebt(ahead, time.Duration(cost)*l.emission, l.tolerance)
}

func (l *throttled) seen(key uint32) *throttledKey {
	s := l.at(key)
	if !s.begun {
		l.known++
		s.begun = true
	}
	return s
}

func (l *throttled) keep(s *throttledKey, now time.Duration, d *debt) {
	s.stored, s.tat = true, time.Duration(d.next.plus(scaled(now, 1)).lo)
}

func (l *throttled) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	s := l.seen(key)
	d := l.debt(s, now, cost)
	if d.diff < 0 {
		return false, 0
	}
	l.keep(s, now, &d)
	return true, 0
}

func (l *throttled) Take(now time.Duration, key uint32, cost int64) (a Decision) {
	s := l.seen(key)
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

func (l *throttled) Ask(now time.Duration, key uint32, cost int64) (a Decision) {
	d := l.debt(l.find(key), now, cost)
	if d.diff < 0 {
		l.refuse(&a, &d)
		return a
	}
	a.Admitted = true
	l.answer(&a, max(0, d.ttl))
	return a
}

func (l *throttled) Charge(now time.Duration, key uint32, cost int64) {
	s := l.seen(key)
	d := l.debt(s, now, cost)
	l.keep(s, now, &d)
}

func (l *throttled) refuse(a *Decision, d *debt) {
	a.RetryAfter = Never
	ttl := time.Duration(0)
	if d.increment <= l.tolerance {
		a.RetryAfter, ttl = -d.diff, d.ttl
	}
	l.answer(a, ttl)
}

func (l *throttled) answer(a *Decision, ttl time.Duration) {
	a.Has = contract.AllHints
	a.Limit = l.limit
	if next := l.tolerance - ttl; next > -l.emission {
		a.Remaining = int64(next / l.emission)
	}
	a.Reset = ttl
}

// AtRest reports whether the TAT has come.
func (l *throttled) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	return s == nil || !s.stored || s.tat == -1 || s.tat <= now
}
