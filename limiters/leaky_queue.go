package limiters

import (
	"strconv"
	"time"

	"ratelab/internal/spec"
)

func init() {
	registerCanonical(spec.Entry{
		Name: "leaky-queue",
		Doc:  "a queue that lets one unit go each interval and refuses what finds it full",
		Params: []spec.Param{
			{Name: "rate", Unit: "rate", Doc: "units that leave"},
			{Name: "queue", Unit: "requests", Doc: "most units that wait"},
		},
		More: `I = 1/rate; D is the next free departure. A request of cost n at t is admitted if
max(D,t) - t + (n-1)*I <= queue*I, leaves at max(D,t), and D = max(D,t) + n*I: in
order, one unit each I, never two closer together. Its delay is the time to its departure,
in whole ns, rounded up. Admits exactly what gcra with burst = queue+1 admits.
limit: queue + 1, as one leaves at once. retry_after: until the last of its units finds
room. reset: until D.`,
	}, func(v *spec.Values) rule {
		return queueRule{flow: v.Rate("rate"), queue: v.Count("queue")}
	})
}

type queueRule struct {
	flow  spec.Rate
	queue int64
}

func (r queueRule) capacity() int64               { return r.queue + 1 }
func (r queueRule) rate() (spec.Rate, bool)       { return r.flow, true }
func (r queueRule) window() (time.Duration, bool) { return 0, false }

func (r queueRule) scaled(v *spec.Values, num, den, capacity int64) (string, error) {
	if capacity == 0 {
		return gcraText(r.flow, num, den, 0)
	}
	flow, err := r.flow.Times(num, den)
	if err != nil {
		return "", err
	}
	return withAll(v, "rate", flow.String(), "queue", strconv.FormatInt(capacity-1, 10))
}

func (r queueRule) limiter(uint64, func(uint32) string) Limiter {
	return &leakyQueue{
		queue:    r.queue,
		scale:    uint64(r.flow.N),
		interval: uint64(r.flow.P),
		longest:  product(uint64(r.queue), uint64(r.flow.P)),
	}
}

// leakyQueue measures time in N-ths of a nanosecond for a rate of N/P: there
// departures lie P apart, a whole number, and nothing is ever rounded but the
// delay, on its way out.
type leakyQueue struct {
	slab[departure, *departure]
	queue    int64
	scale    uint64 // N
	interval uint64 // P
	longest  wide   // queue·P, the longest wait
}

type departure struct {
	mark
	free wide // D, the next free departure
}

// seen brings the key's state to the latest of now and what it has seen, and
// returns the wait from there to the next free departure, scaled.
func (l *leakyQueue) seen(now time.Duration, key uint32) (s *departure, wait wide) {
	s = l.at(key)
	if !s.begun {
		l.known++
		s.begun, s.latest = true, now
		s.free = scaled(now, l.scale)
	}
	if wait = s.free.minus(scaled(s.see(now), l.scale)); wait.negative() {
		wait = wide{}
	}
	return s, wait
}

// joins reports whether the last unit of the cost finds room.
func (l *leakyQueue) joins(wait wide, cost int64) bool {
	return !l.longest.less(wait.plus(product(uint64(cost-1), l.interval)))
}

// enter takes departures for the cost and returns the wait that is left for
// the next.
func (l *leakyQueue) enter(s *departure, wait wide, cost int64) wide {
	wait = wait.plus(product(uint64(cost), l.interval)).capped()
	s.free = scaled(s.latest, l.scale).plus(wait).capped()
	return wait
}

// delay is the time from now to a departure.
func (l *leakyQueue) delay(s *departure, now time.Duration, wait wide) time.Duration {
	if now == s.latest && wait == (wide{}) {
		return 0
	}
	return hint(now, s.latest, wait.ceilDiv(l.scale))
}

func (l *leakyQueue) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	s, wait := l.seen(now, key)
	if !l.joins(wait, cost) {
		return false, 0
	}
	l.enter(s, wait, cost)
	return true, l.delay(s, now, wait)
}

func (l *leakyQueue) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	s, wait := l.seen(now, key)
	if !l.joins(wait, cost) {
		l.answer(&d, s, now, cost, wait, false)
		return d
	}
	d.Delay = l.delay(s, now, wait)
	l.answer(&d, s, now, cost, l.enter(s, wait, cost), true)
	return d
}

func (l *leakyQueue) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	s, wait := l.seen(now, key)
	l.answer(&d, s, now, cost, wait, l.joins(wait, cost))
	if d.Admitted {
		d.Delay = l.delay(s, now, wait)
	}
	return d
}

func (l *leakyQueue) Charge(now time.Duration, key uint32, cost int64) {
	s, wait := l.seen(now, key)
	l.enter(s, wait, cost)
}

func (l *leakyQueue) answer(d *Decision, s *departure, now time.Duration, cost int64, wait wide, admitted bool) {
	room := l.longest.minus(wait).plus(wide{0, l.interval})
	answer(d, admitted, l.queue+1, int64(room.floorDiv(l.interval)))
	if d.Remaining <= l.queue {
		d.Reset = hint(now, s.latest, wait.ceilDiv(l.scale))
	}
	if !admitted {
		late := product(uint64(cost), l.interval).minus(room)
		d.RetryAfter = refusal(cost, l.queue+1, hint(now, s.latest, late.ceilDiv(l.scale)))
	}
}

// Level returns the units that would be admitted at now, and the fraction of
// the next: the tokens of the gcra that admits the same.
func (l *leakyQueue) Level(now time.Duration, key uint32) float64 {
	s := l.find(key)
	if s == nil {
		return float64(l.queue + 1)
	}
	wait := s.free.minus(scaled(max(now, s.latest), l.scale))
	if wait.negative() {
		wait = wide{}
	}
	return l.longest.minus(wait).plus(wide{0, l.interval}).ratio(l.interval)
}

// AtRest reports whether the next departure is free.
func (l *leakyQueue) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	return s == nil || s.latest <= now && !scaled(now, l.scale).less(s.free)
}
