package limiters

import (
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	registerDialect(spec.Entry{
		Name: "go-limiter",
		Doc:  "ticks from a key's first request; a tick refills window/limit in ns, not the limit",
		Params: []spec.Param{
			{Name: "limit", Unit: "requests", Doc: "Tokens of the memory store; 0 stands for 1"},
			{Name: "window", Unit: "duration", Doc: "Interval of the memory store"},
		},
		More: `The memory store; its sweeps are the eviction idle:after=12h,sweep=6h. Time is in ns.
Ticks of one window follow each other from the key's first request; a new one begins at
exactly k windows. The first request in a later tick sets the tokens to
min(limit, floor(ticks * window/limit)), with the window in ns: a mix-up of units. It is
the full limit unless limit^2 > window in ns, and then too little: with 100000 per 300 ms
a tick brings 3000, with 10 per 50 ns it brings 5.
A clock that goes back stays in its tick, and earns nothing until it has caught up; but
before the key's first request an unsigned subtraction wraps: the tokens are filled once,
and never again until 2^64 ns have passed.
Costs are 1. Hints: limit; remaining, 0 when refused; reset, the end of the tick. There is
no retry_after.`,
	}, Dialect{
		Program: "sethvargo/go-limiter", Version: "v0.7.1", Proven: true, UnitCost: true,
		Misleads: "with limit^2 > window in ns a tick brings less than the limit, or nothing: who waits for reset may be refused",
	}, func(v *spec.Values) rule {
		return goLimiterRule{limit: max(1, v.Count("limit")), length: v.Duration("window")}
	})
}

type goLimiterRule struct {
	noShare
	limit  int64
	length time.Duration
}

func (r goLimiterRule) capacity() int64               { return r.limit }
func (r goLimiterRule) rate() (spec.Rate, bool)       { return windowRate(r.limit, r.length) }
func (r goLimiterRule) window() (time.Duration, bool) { return r.length, true }

func (r goLimiterRule) limiter(uint64, func(uint32) string) Limiter {
	return &goLimiter{goLimiterRule: r, refill: float64(r.length) / float64(r.limit)}
}

type goLimiter struct {
	slab[ticking, *ticking]
	goLimiterRule
	refill float64 // tokens a tick, as the program has it
}

// ticking counts in the unsigned numbers of the program, which wrap.
type ticking struct {
	touched
	start, tick uint64 // ns; ticks since then, at the last refill
	tokens      int64
}

// tick brings the bucket to now and returns the current tick.
func (l *goLimiter) tick(s *ticking, now time.Duration) uint64 {
	if !s.begun {
		*s = ticking{start: uint64(now), tokens: l.limit, touched: touched{true}}
	}
	tick := (uint64(now) - s.start) / uint64(l.length)
	if s.tick < tick {
		s.tokens = l.limit
		if brought := float64(tick-s.tick) * l.refill; brought < float64(l.limit) {
			s.tokens = int64(brought)
		}
		s.tick = tick
	}
	return tick
}

func (l *goLimiter) seen(now time.Duration, key uint32) (s *ticking, tick uint64) {
	s = l.at(key)
	if !s.begun {
		l.known++
	}
	return s, l.tick(s, now)
}

func (s *ticking) take() bool {
	if s.tokens == 0 {
		return false
	}
	s.tokens--
	return true
}

func (l *goLimiter) Admit(now time.Duration, key uint32, _ int64) (bool, time.Duration) {
	s, _ := l.seen(now, key)
	return s.take(), 0
}

func (l *goLimiter) Take(now time.Duration, key uint32, _ int64) (d Decision) {
	s, tick := l.seen(now, key)
	l.answer(&d, s, tick, now, s.take())
	return d
}

func (l *goLimiter) Ask(now time.Duration, key uint32, _ int64) (d Decision) {
	s := copyOf(&l.slab, key)
	tick := l.tick(&s, now)
	l.answer(&d, &s, tick, now, s.tokens > 0)
	return d
}

// Charge takes what there is: the program knows no debt.
func (l *goLimiter) Charge(now time.Duration, key uint32, cost int64) {
	s, _ := l.seen(now, key)
	s.tokens -= min(s.tokens, cost)
}

func (l *goLimiter) answer(d *Decision, s *ticking, tick uint64, now time.Duration, admitted bool) {
	answer(d, admitted, l.limit, s.tokens)
	d.Has = contract.HintLimit | contract.HintRemaining | contract.HintReset
	d.Reset = time.Duration(s.start + (tick+1)*uint64(l.length) - uint64(now))
}

// AtRest is true of no key that has ticks: a new key's ticks would begin at
// another time.
func (l *goLimiter) AtRest(_ time.Duration, key uint32) bool { return l.find(key) == nil }
