package limiters

import (
	"time"

	"ratelab/internal/spec"
)

// kongWindows are the periods of Kong's plugin in seconds.
var kongWindows = map[string]int64{"second": 1, "minute": 60, "hour": 3600, "day": 86400}

func init() {
	registerDialect(spec.Entry{
		Name: "kong",
		Doc:  "Kong's rate-limiting plugin: a fixed window of the calendar, read first and counted afterwards",
		Params: []spec.Param{
			{Name: "limit", Unit: "requests", Doc: "requests a period, > 0"},
			{Name: "window", Unit: "second|minute|hour|day", Doc: "the period"},
		},
		More: `One period with policy local, on one node. Time is in whole seconds; periods are those of
the UTC calendar. A request is refused if the period's count has reached the limit, else
it is counted. Kong counts in a timer behind the request: those that come while others
are on their way pass too, which is not modelled. Refused requests are not counted. A
clock that goes back by one period finds that period's count.
Costs are 1. Hints: limit; remaining, what is left after this request; reset and
retry_after, whole seconds to the end of the period, at least 1, counted from the whole
second: who waits comes up to 1 s after the period has opened, never before.`,
	}, Dialect{
		Program: "Kong rate-limiting", Version: "22246ef", UnitCost: true,
	}, func(v *spec.Values) rule {
		r := kongRule{limit: v.Count("limit")}
		if r.limit == 0 {
			v.Fail("limit", "must be > 0, got %s", v.Text("limit"))
		}
		r.period = kongWindows[v.Choice("window", "second", "minute", "hour", "day")]
		return r
	})
}

type kongRule struct {
	noShare
	limit, period int64 // seconds
}

func (r kongRule) length() time.Duration         { return time.Duration(r.period) * time.Second }
func (r kongRule) capacity() int64               { return r.limit }
func (r kongRule) rate() (spec.Rate, bool)       { return windowRate(r.limit, r.length()) }
func (r kongRule) window() (time.Duration, bool) { return r.length(), true }

func (r kongRule) limiter(uint64, func(uint32) string) Limiter { return &kong{kongRule: r} }

type kong struct {
	unitSlab
	kongRule
}

// take decides and returns the count that was read.
func (l *kong) take(now time.Duration, key uint32) (used int64, admitted bool) {
	s, period := l.met(key), wholeUnits(now, l.length())
	if used = s.count(period); used >= l.limit {
		return used, false
	}
	s.add(period, 1)
	return used, true
}

func (l *kong) Admit(now time.Duration, key uint32, _ int64) (bool, time.Duration) {
	_, admitted := l.take(now, key)
	return admitted, 0
}

func (l *kong) Take(now time.Duration, key uint32, _ int64) (d Decision) {
	used, admitted := l.take(now, key)
	l.answer(&d, now, admitted, l.limit-used-1)
	return d
}

func (l *kong) Ask(now time.Duration, key uint32, _ int64) (d Decision) {
	s := copyOf(&l.slab, key)
	used := s.count(wholeUnits(now, l.length()))
	l.answer(&d, now, used < l.limit, l.limit-used)
	return d
}

func (l *kong) Charge(now time.Duration, key uint32, cost int64) {
	l.met(key).add(wholeUnits(now, l.length()), cost)
}

func (l *kong) answer(d *Decision, now time.Duration, admitted bool, left int64) {
	answer(d, admitted, l.limit, left)
	second := wholeUnits(now, time.Second)
	d.Reset = time.Duration(l.period-(second-wholeUnits(now, l.length())*l.period)) * time.Second
	if !admitted {
		d.RetryAfter = d.Reset
	}
}

// AtRest reports whether nothing counts in this period.
func (l *kong) AtRest(now time.Duration, key uint32) bool {
	return l.empty(key, wholeUnits(now, l.length()))
}
