package limiters

import (
	"math"
	"math/bits"
	"time"

	"ratelab/internal/spec"
)

func init() {
	registerDialect(spec.Entry{
		Name: "bucket4j",
		Doc:  "a token bucket in whole tokens and an exact remainder; its waits are cut down",
		Params: []spec.Param{
			{Name: "rate", Unit: "rate", Doc: "refillGreedy: tokens and period as written, at most one token a ns"},
			{Name: "burst", Unit: "requests", Doc: "capacity, > 0"},
		},
		More: `One bandwidth with greedy refill, 64-bit integers, withNanosecondPrecision;
tryConsumeAndReturnRemaining. Time is in ns. Tokens come in whole; the part of a token
that is left over is kept exactly, so it decides as a token bucket does. Where products
overflow 64 bits the program goes on in float64, and so does this. Refused requests are
not charged. A clock that goes back earns nothing and loses nothing.
Hints: retry_after (nanosToWaitForRefill, cut to ns: up to 1 ns too short; never if the
cost exceeds the burst), limit, remaining (the whole tokens), reset (nanosToWaitForReset,
until the bucket is full, cut to ns).`,
	}, Dialect{
		Program: "bucket4j", Version: "731354a",
		Misleads: "retry_after is cut to whole ns: who comes at that very ns may be refused once more, with retry_after 0",
	}, func(v *spec.Values) rule {
		r := bucket4jRule{flow: v.Rate("rate"), burst: v.Count("burst")}
		r.tokens, r.period = r.flow.N, int64(r.flow.P)
		if p, err := spec.ParsePeriodic(v.Text("rate")); err == nil {
			if hi, lo := bits.Mul64(uint64(p.Den), uint64(p.Every)); hi == 0 && lo <= math.MaxInt64 {
				r.tokens, r.period = p.Num, int64(lo)
			}
		}
		if r.burst == 0 {
			v.Fail("burst", "must be > 0, got %s", v.Text("burst"))
		}
		if r.tokens > r.period {
			v.Fail("rate", "must be at most one token a nanosecond, got %s", v.Text("rate"))
		}
		return r
	})
}

type bucket4jRule struct {
	noShare
	flow           spec.Rate
	burst          int64
	tokens, period int64 // tokens in a period, ns
}

func (r bucket4jRule) capacity() int64               { return r.burst }
func (r bucket4jRule) rate() (spec.Rate, bool)       { return r.flow, true }
func (r bucket4jRule) window() (time.Duration, bool) { return 0, false }

func (r bucket4jRule) limiter(uint64, func(uint32) string) Limiter {
	return &bucket4j{bucket4jRule: r}
}

type bucket4j struct {
	slab[bandwidthState, *bandwidthState]
	bucket4jRule
}

type bandwidthState struct {
	touched
	refilled time.Duration // the last time that counted
	tokens   int64
	rest     int64 // of a token, in period-ths
}

// timesOrMost returns x*y for x, y >= 0, or MaxInt64 if that overflows.
func timesOrMost(x, y int64) int64 {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// javaLong is a cast of a double >= 0 to long.
func javaLong(x float64) int64 {
	if x < 0x1p63 {
		return int64(x)
	}
	return math.MaxInt64
}

func (l *bucket4j) refill(s *bandwidthState, now time.Duration) {
	if !s.begun {
		*s = bandwidthState{refilled: now, tokens: l.burst, touched: touched{true}}
	}
	if now <= s.refilled {
		return
	}
	elapsed := int64(now - s.refilled) // wraps where the program's does
	s.refilled = now
	if s.tokens >= l.burst {
		return
	}
	tokens, rest := s.tokens, s.rest
	if elapsed > l.period {
		tokens += elapsed / l.period * l.tokens
		if tokens > l.burst || tokens < s.tokens {
			s.tokens, s.rest = l.burst, 0
			return
		}
		elapsed %= l.period
	}
	part := timesOrMost(l.tokens, elapsed)
	if sum := part + rest; part == math.MaxInt64 || sum < 0 {
		tokens += javaLong(float64(elapsed) / float64(l.period) * float64(l.tokens))
		rest = 0
	} else {
		tokens += sum / l.period
		rest = sum % l.period
	}
	if tokens >= l.burst || tokens < s.tokens {
		s.tokens, s.rest = l.burst, 0
		return
	}
	s.tokens, s.rest = tokens, rest
}

// wait returns the time until a deficit has come.
func (l *bucket4j) wait(s *bandwidthState, deficit int64) time.Duration {
	needed := timesOrMost(l.period, deficit)
	if needed == math.MaxInt64 {
		return time.Duration(javaLong(float64(deficit) / float64(l.tokens) * float64(l.period)))
	}
	return time.Duration((needed - s.rest) / l.tokens)
}

func (l *bucket4j) seen(now time.Duration, key uint32) *bandwidthState {
	s := l.at(key)
	if !s.begun {
		l.known++
	}
	l.refill(s, now)
	return s
}

func (s *bandwidthState) take(cost int64) bool {
	if cost > s.tokens {
		return false
	}
	s.tokens -= cost
	return true
}

func (l *bucket4j) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	return l.seen(now, key).take(cost), 0
}

func (l *bucket4j) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.seen(now, key)
	l.answer(&d, s, cost, s.take(cost))
	return d
}

func (l *bucket4j) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	s := copyOf(&l.slab, key)
	l.refill(&s, now)
	l.answer(&d, &s, cost, cost <= s.tokens)
	return d
}

func (l *bucket4j) Charge(now time.Duration, key uint32, cost int64) {
	s := l.seen(now, key)
	s.tokens = -pile(-s.tokens, cost)
}

func (l *bucket4j) answer(d *Decision, s *bandwidthState, cost int64, admitted bool) {
	answer(d, admitted, l.burst, s.tokens)
	if s.tokens < l.burst {
		d.Reset = l.wait(s, l.burst-s.tokens)
	}
	if !admitted {
		d.RetryAfter = Never
		if cost <= l.burst {
			d.RetryAfter = l.wait(s, cost-s.tokens)
		}
	}
}

// AtRest reports whether the bucket is full.
func (l *bucket4j) AtRest(now time.Duration, key uint32) bool {
	s := copyOf(&l.slab, key)
	if !s.begun {
		return true
	}
	late := now >= s.refilled
	l.refill(&s, now)
	return late && s.tokens >= l.burst
}
