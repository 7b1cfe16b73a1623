package limiters

import (
	"time"

	"ratelab/internal/spec"
)

func init() {
	registerCanonical(spec.Entry{
		Name: "leaky-meter",
		Doc:  "a leaky bucket of capacity one that refuses what would overflow",
		Params: []spec.Param{
			{Name: "rate", Unit: "rate", Doc: "units that leak out"},
		},
		More: `A request pours its cost into the bucket, which leaks at the rate; it is admitted
if the bucket then holds at most 1. So requests of cost 1 are admitted at least 1/rate
apart, and a larger cost never. Decides as a token-bucket with burst=1.
retry_after and reset: until the bucket is empty.`,
	}, func(v *spec.Values) rule { return meterRule{flow: v.Rate("rate")} })
}

type meterRule struct{ flow spec.Rate }

func (r meterRule) capacity() int64               { return 1 }
func (r meterRule) rate() (spec.Rate, bool)       { return r.flow, true }
func (r meterRule) window() (time.Duration, bool) { return 0, false }

func (r meterRule) scaled(v *spec.Values, num, den, capacity int64) (string, error) {
	if capacity != 1 {
		return gcraText(r.flow, num, den, capacity)
	}
	flow, err := r.flow.Times(num, den)
	if err != nil {
		return "", err
	}
	return withAll(v, "rate", flow.String())
}

func (r meterRule) limiter(uint64, func(uint32) string) Limiter {
	return &leakyMeter{leak: uint64(r.flow.N), unit: uint64(r.flow.P)}
}

// leakyMeter keeps what is in the bucket in parts, P to the unit for a rate of
// N/P: then N parts leak in a nanosecond.
type leakyMeter struct {
	slab[meterContent, *meterContent]
	leak uint64 // N, parts that leak in a nanosecond
	unit uint64 // P, parts of a unit: the capacity
}

type meterContent struct {
	mark
	water wide // parts in the bucket
}

// seen brings the key's state to the latest of now and what it has seen.
func (l *leakyMeter) seen(now time.Duration, key uint32) *meterContent {
	s := l.at(key)
	if !s.begun {
		l.known++
		s.begun, s.latest = true, now
	}
	if now > s.latest {
		s.water = l.leaked(s, now)
		s.latest = now
	}
	return s
}

// leaked returns what is left in the bucket at a time not before the latest.
func (l *leakyMeter) leaked(s *meterContent, now time.Duration) wide {
	water := s.water.minus(product(uint64(now)-uint64(s.latest), l.leak))
	if water.negative() {
		return wide{}
	}
	return water
}

// pours reports whether a cost can be poured in: only a single unit, and only
// into an empty bucket.
func (s *meterContent) pours(cost int64) bool { return cost <= 1 && s.water == wide{} }

func (l *leakyMeter) decide(s *meterContent, cost int64) bool {
	if !s.pours(cost) {
		return false
	}
	s.water = product(uint64(cost), l.unit)
	return true
}

func (l *leakyMeter) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	return l.decide(l.seen(now, key), cost), 0
}

func (l *leakyMeter) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.seen(now, key)
	l.answer(&d, s, now, cost, l.decide(s, cost))
	return d
}

func (l *leakyMeter) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.seen(now, key)
	l.answer(&d, s, now, cost, s.pours(cost))
	return d
}

func (l *leakyMeter) Charge(now time.Duration, key uint32, cost int64) {
	s := l.seen(now, key)
	s.water = s.water.plus(product(uint64(cost), l.unit)).capped()
}

func (l *leakyMeter) answer(d *Decision, s *meterContent, now time.Duration, cost int64, admitted bool) {
	answer(d, admitted, 1, 1)
	if (s.water != wide{}) {
		d.Remaining = 0
		d.Reset = hint(now, s.latest, s.water.ceilDiv(l.leak))
	}
	if !admitted {
		d.RetryAfter = refusal(cost, 1, d.Reset)
	}
}

// Level returns the room in the bucket, 1 if it is empty.
func (l *leakyMeter) Level(now time.Duration, key uint32) float64 {
	s := l.find(key)
	if s == nil {
		return 1
	}
	return product(1, l.unit).minus(l.leaked(s, max(now, s.latest))).ratio(l.unit)
}

// AtRest reports whether the bucket is empty.
func (l *leakyMeter) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	return s == nil || s.latest <= now && l.leaked(s, now) == wide{}
}
