package limiters

import (
	"time"

	"ratelab/internal/spec"
)

func init() {
	registerDialect(spec.Entry{
		Name: "uber",
		Doc:  "a leaky queue that refuses nobody: every caller sleeps until its turn",
		Params: []spec.Param{
			{Name: "rate", Unit: "rate", Doc: "turns; the interval is cut to whole ns, and above 10^9/s nobody waits"},
			{Name: "slack", Unit: "requests", Default: "10", Doc: "turns that may be saved up: slack + 1 pass at once after a rest"},
		},
		More: `Decides as Take of go.uber.org/ratelimit v0.3.1.
A key has the time of its latest turn, in ns; the next is one interval T later. After a rest
of more than slack*T + T it is t - slack*T; without slack, after a rest of more than T, it
is t. The caller is admitted and sleeps until then (delay). There is no bound to the queue.
T is cut to whole ns: 3/s becomes 3.000000003/s. A rate of 0 makes the program panic.
A turn at time 0 exactly stands for none, as in the program.
When the clock goes back the caller sleeps until the old schedule.
It knows requests of cost 1 only, and gives no hints.`,
	}, Dialect{
		Program:  "go.uber.org/ratelimit",
		Version:  "v0.3.1",
		Proven:   true,
		UnitCost: true,
	}, func(v *spec.Values) rule {
		return uberRule{flow: v.Rate("rate"), slack: v.Count("slack")}
	})
}

type uberRule struct {
	noShare
	flow  spec.Rate
	slack int64
}

func (r uberRule) capacity() int64               { return r.slack + 1 }
func (r uberRule) rate() (spec.Rate, bool)       { return r.flow, true }
func (r uberRule) window() (time.Duration, bool) { return 0, false }

func (r uberRule) limiter(uint64, func(uint32) string) Limiter {
	t := r.flow.P / time.Duration(r.flow.N)
	return &uber{interval: t, slack: time.Duration(r.slack) * t}
}

type uber struct {
	slab[uberKey, *uberKey]
	interval, slack time.Duration
}

type uberKey struct {
	touched
	turn time.Duration // of the latest caller; 0 is none
}

// next returns the turn of a caller who comes now.
func (l *uber) next(s *uberKey, now time.Duration) time.Duration {
	switch {
	case s == nil || s.turn == 0 || l.slack == 0 && now-s.turn > l.interval:
		return now
	case l.slack > 0 && now-s.turn > l.slack+l.interval:
		return now - l.slack
	}
	return s.turn + l.interval
}

func (l *uber) Admit(now time.Duration, key uint32, _ int64) (bool, time.Duration) {
	s := l.at(key)
	if !s.begun {
		l.known++
		s.begun = true
	}
	s.turn = l.next(s, now)
	return true, max(0, s.turn-now)
}

func (l *uber) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	d.Admitted, d.Delay = l.Admit(now, key, cost)
	return d
}

func (l *uber) Ask(now time.Duration, key uint32, _ int64) (d Decision) {
	d.Admitted = true
	d.Delay = max(0, l.next(l.find(key), now)-now)
	return d
}

// Charge gives away as many turns as the cost says.
func (l *uber) Charge(now time.Duration, key uint32, cost int64) {
	l.Admit(now, key, 1)
	l.at(key).turn += time.Duration(cost-1) * l.interval
}

// AtRest reports whether the next turn is now. With slack it is never: a rested
// key has saved up turns that a new one has not.
func (l *uber) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	return s == nil || s.turn == 0 || l.slack == 0 && now-s.turn > l.interval
}
