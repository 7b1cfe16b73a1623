package limiters

import (
	"strconv"
	"time"

	"ratelab/internal/spec"
)

func init() {
	registerCanonical(spec.Entry{
		Name: "gcra",
		Doc:  "generic cell rate algorithm: one theoretical arrival time a key",
		Params: []spec.Param{
			{Name: "rate", Unit: "rate", Doc: "units admitted in the long run"},
			{Name: "burst", Unit: "requests", Doc: "units admitted at once after a long rest"},
		},
		More: `I = 1/rate is the emission interval. A request of cost n at t is admitted if
max(TAT,t) + n*I - burst*I <= t; then TAT = max(TAT,t) + n*I. Decides exactly as the
token-bucket with the same rate and burst.
retry_after: until the inequality holds. remaining: how often it holds in a row for unit
requests at t. reset: until TAT.`,
	}, func(v *spec.Values) rule {
		return gcraRule{flow: v.Rate("rate"), burst: v.Count("burst")}
	})
}

type gcraRule struct {
	flow  spec.Rate
	burst int64
}

func (r gcraRule) capacity() int64               { return r.burst }
func (r gcraRule) rate() (spec.Rate, bool)       { return r.flow, true }
func (r gcraRule) window() (time.Duration, bool) { return 0, false }

func (r gcraRule) scaled(_ *spec.Values, num, den, capacity int64) (string, error) {
	return gcraText(r.flow, num, den, capacity)
}

// gcraText is the spec of a gcra with a multiple of the rate.
func gcraText(flow spec.Rate, num, den, burst int64) (string, error) {
	flow, err := flow.Times(num, den)
	if err != nil {
		return "", err
	}
	return "gcra:rate=" + flow.String() + ",burst=" + strconv.FormatInt(burst, 10), nil
}

func (r gcraRule) limiter(uint64, func(uint32) string) Limiter {
	return &gcra{
		burst:     r.burst,
		scale:     uint64(r.flow.N),
		emission:  uint64(r.flow.P),
		tolerance: product(uint64(r.burst), uint64(r.flow.P)),
	}
}

// gcra measures time in N-ths of a nanosecond for a rate of N/P: there the
// emission interval is P, a whole number, and nothing is ever rounded.
type gcra struct {
	slab[arrival, *arrival]
	burst     int64
	scale     uint64 // N
	emission  uint64 // P
	tolerance wide   // burst·P
}

type arrival struct {
	mark
	tat wide // the theoretical arrival time
}

// seen brings the key's state to the latest of now and what it has seen, and
// returns that time and the larger of it and TAT, scaled.
func (l *gcra) seen(now time.Duration, key uint32) (s *arrival, t, tat wide) {
	s = l.at(key)
	if !s.begun {
		l.known++
		s.begun, s.latest = true, now
		s.tat = scaled(now, l.scale)
	}
	t = scaled(s.see(now), l.scale)
	tat = s.tat
	if tat.less(t) {
		tat = t
	}
	return s, t, tat
}

// next returns what TAT becomes when the cost is spent, and whether it
// conforms.
func (l *gcra) next(t, tat wide, cost int64) (wide, bool) {
	after := tat.plus(product(uint64(cost), l.emission))
	return after, !t.plus(l.tolerance).less(after)
}

func (l *gcra) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	s, t, tat := l.seen(now, key)
	after, admitted := l.next(t, tat, cost)
	if admitted {
		s.tat = after
	}
	return admitted, 0
}

func (l *gcra) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	s, t, tat := l.seen(now, key)
	after, admitted := l.next(t, tat, cost)
	if admitted {
		s.tat, tat = after, after
	}
	l.answer(&d, s, now, cost, t, tat, admitted)
	return d
}

func (l *gcra) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	s, t, tat := l.seen(now, key)
	_, admitted := l.next(t, tat, cost)
	l.answer(&d, s, now, cost, t, tat, admitted)
	return d
}

func (l *gcra) Charge(now time.Duration, key uint32, cost int64) {
	s, _, tat := l.seen(now, key)
	s.tat = tat.plus(product(uint64(cost), l.emission)).capped()
}

func (l *gcra) answer(d *Decision, s *arrival, now time.Duration, cost int64, t, tat wide, admitted bool) {
	room := t.plus(l.tolerance).minus(tat)
	answer(d, admitted, l.burst, int64(room.floorDiv(l.emission)))
	if d.Remaining < l.burst {
		d.Reset = hint(now, s.latest, tat.minus(t).ceilDiv(l.scale))
	}
	if !admitted {
		early := product(uint64(cost), l.emission).minus(room)
		d.RetryAfter = refusal(cost, l.burst, hint(now, s.latest, early.ceilDiv(l.scale)))
	}
}

// Level returns the tokens of the bucket that decides as this does.
func (l *gcra) Level(now time.Duration, key uint32) float64 {
	s := l.find(key)
	if s == nil {
		return float64(l.burst)
	}
	ahead := s.tat.minus(scaled(max(now, s.latest), l.scale))
	if ahead.negative() {
		ahead = wide{}
	}
	return l.tolerance.minus(ahead).ratio(l.emission)
}

// AtRest reports whether the theoretical arrival time has come.
func (l *gcra) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	return s == nil || s.latest <= now && !scaled(now, l.scale).less(s.tat)
}
