package limiters

import (
	"math"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

// envoyUnits are the units of envoyproxy/ratelimit in seconds.
var envoyUnits = map[string]int64{
	"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800, "month": 30 * 86400, "year": 365 * 86400,
}

func init() {
	registerDialect(spec.Entry{
		Name: "envoy-ratelimit",
		Doc:  "the global rate limit service of Envoy: a fixed window that charges first and asks afterwards",
		Params: []spec.Param{
			{Name: "limit", Unit: "requests", Doc: "requests_per_unit, at most 4294967295"},
			{Name: "unit", Unit: "second|minute|hour|day|week|month|year", Doc: "length of a window; a month has 30 days, a year 365"},
		},
		More: `One limit in Redis, without the local cache of limits that are over. Time is in whole
seconds. Windows are whole multiples of the unit since the epoch. A request adds its cost
to the window's counter, and is over the limit if the sum is greater than it: a refused
request stays charged, so after a cost above what was left smaller ones are refused too.
The random part of a counter's expiry changes no decision. A clock that goes back by one
window finds that window's counter.
Hints: limit; remaining, 0 when refused; reset, whole seconds to the end of the unit,
counted from the whole second: who waits comes up to 1 s after the window has opened,
never before. There is no retry_after.`,
	}, Dialect{
		Program: "envoyproxy/ratelimit", Version: "v1.4.1-0.20260122",
		Misleads: "a cost above the limit is told the same reset, and never passes",
	}, func(v *spec.Values) rule {
		r := envoyRule{limit: v.Count("limit")}
		if r.limit > math.MaxUint32 {
			v.Fail("limit", "must be at most 4294967295, got %s", v.Text("limit"))
		}
		r.unit = envoyUnits[v.Choice("unit", "second", "minute", "hour", "day", "week", "month", "year")]
		return r
	})
}

type envoyRule struct {
	noShare
	limit, unit int64 // seconds
}

func (r envoyRule) length() time.Duration         { return time.Duration(r.unit) * time.Second }
func (r envoyRule) capacity() int64               { return r.limit }
func (r envoyRule) rate() (spec.Rate, bool)       { return windowRate(r.limit, r.length()) }
func (r envoyRule) window() (time.Duration, bool) { return r.length(), true }

func (r envoyRule) limiter(uint64, func(uint32) string) Limiter {
	return &envoyRatelimit{envoyRule: r}
}

type envoyRatelimit struct {
	unitSlab
	envoyRule
}

func (l *envoyRatelimit) take(now time.Duration, key uint32, cost int64) int64 {
	s, unit := l.met(key), wholeUnits(now, time.Second)/l.unit
	s.add(unit, cost)
	return s.count(unit)
}

func (l *envoyRatelimit) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	return l.take(now, key, cost) <= l.limit, 0
}

func (l *envoyRatelimit) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	after := l.take(now, key, cost)
	l.answer(&d, now, after <= l.limit, after)
	return d
}

func (l *envoyRatelimit) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	s := copyOf(&l.slab, key)
	count := s.count(wholeUnits(now, time.Second) / l.unit)
	l.answer(&d, now, cost <= l.limit-count, count)
	return d
}

func (l *envoyRatelimit) Charge(now time.Duration, key uint32, cost int64) { l.take(now, key, cost) }

func (l *envoyRatelimit) answer(d *Decision, now time.Duration, admitted bool, count int64) {
	answer(d, admitted, l.limit, l.limit-count)
	d.Has = contract.HintLimit | contract.HintRemaining | contract.HintReset
	d.Reset = time.Duration(l.unit-wholeUnits(now, time.Second)%l.unit) * time.Second
	if !admitted {
		d.Remaining = 0
	}
}

// AtRest reports whether nothing counts in this unit.
func (l *envoyRatelimit) AtRest(now time.Duration, key uint32) bool {
	return l.empty(key, wholeUnits(now, time.Second)/l.unit)
}
