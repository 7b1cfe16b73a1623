package limiters

import (
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	registerDialect(spec.Entry{
		Name: "ulule",
		Doc:  "fixed window from a key's first request, which counts refused requests too",
		Params: []spec.Param{
			{Name: "limit", Unit: "requests", Doc: "most units counted before requests are refused"},
			{Name: "window", Unit: "duration", Doc: "length of a window"},
		},
		More: `Decides as Increment of github.com/ulule/limiter/v3 v3.11.2 with its store in memory.
A key has a count and the time at which it expires, in ns. A request that comes after that
time, not at it, begins a new window; the old one still counts at exactly its end. The cost
is added first, refused or not, and the request is refused if the count is then above the
limit: one that costs more than is left spends what is left.
When the clock goes back, the window stays open until its absolute end.
remaining: the limit less the count, at least 0. reset: the end of the window, an epoch in
whole seconds rounded down, so it may lie before t. It gives no retry_after.`,
	}, Dialect{
		Program:  "github.com/ulule/limiter/v3",
		Version:  "v3.11.2",
		Proven:   true,
		Misleads: "reset is rounded down to whole seconds and the window still counts at exactly its end: a client that comes back at reset is refused, and what it is refused is counted",
	}, func(v *spec.Values) rule {
		return ululeRule{limit: v.Count("limit"), length: v.Duration("window")}
	})
}

type ululeRule struct {
	noShare
	limit  int64
	length time.Duration
}

func (r ululeRule) capacity() int64               { return r.limit }
func (r ululeRule) rate() (spec.Rate, bool)       { return windowRate(r.limit, r.length) }
func (r ululeRule) window() (time.Duration, bool) { return r.length, true }

func (r ululeRule) limiter(uint64, func(uint32) string) Limiter {
	return &ulule{limit: r.limit, length: r.length}
}

type ulule struct {
	slab[ululeCounter, *ululeCounter]
	limit  int64
	length time.Duration
}

type ululeCounter struct {
	touched
	count      int64
	expiration time.Duration // 0 is none
}

// load returns the count and the expiration that hold at now.
func (l *ulule) load(s *ululeCounter, now time.Duration) (count int64, expiration time.Duration) {
	if s == nil || s.expiration == 0 || now > s.expiration {
		return 0, now + l.length
	}
	return s.count, s.expiration
}

func (l *ulule) increment(now time.Duration, key uint32, cost int64) *ululeCounter {
	s := l.at(key)
	if !s.begun {
		l.known++
		s.begun = true
	}
	s.count, s.expiration = l.load(s, now)
	s.count += cost
	return s
}

func (l *ulule) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	return l.increment(now, key, cost).count <= l.limit, 0
}

func (l *ulule) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.increment(now, key, cost)
	d.Admitted = s.count <= l.limit
	l.answer(&d, now, s.count, s.expiration)
	return d
}

// Ask is Peek, and says of the cost whether it would be admitted.
func (l *ulule) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	count, expiration := l.load(l.find(key), now)
	d.Admitted = count+cost <= l.limit
	l.answer(&d, now, count, expiration)
	return d
}

func (l *ulule) Charge(now time.Duration, key uint32, cost int64) { l.increment(now, key, cost) }

func (l *ulule) answer(d *Decision, now time.Duration, count int64, expiration time.Duration) {
	d.Has = contract.HintLimit | contract.HintRemaining | contract.HintReset
	d.Limit = l.limit
	if count <= l.limit {
		d.Remaining = l.limit - count
	}
	d.Reset = instantHint(wholeUnits(expiration, time.Second), time.Second, now)
}

// AtRest reports whether the window has expired.
func (l *ulule) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	return s == nil || s.expiration == 0 || now > s.expiration
}
