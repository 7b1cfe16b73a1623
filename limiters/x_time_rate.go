package limiters

import (
	"math"
	"strings"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	registerDialect(spec.Entry{
		Name: "x-time-rate",
		Doc:  "token bucket in float64, as Allow of the Go project decides",
		Params: []spec.Param{
			{Name: "rate", Unit: "rate|inf|0", Doc: "tokens earned; inf admits everything, 0 spends the burst once"},
			{Name: "burst", Unit: "requests", Doc: "size of the bucket: units admitted at once"},
		},
		More: `Decides as AllowN of golang.org/x/time/rate v0.16.0.
The tokens are a float64: elapsed seconds (whole seconds + ns/1e9) times the rate, cut at
the burst. A request is admitted if its cost is at most the burst and the wait for what is
missing, (missing/rate)*1e9 cut to whole ns, is 0: what lacks less than 1 ns of waiting
passes, and the balance goes below 0 by that much. Refused requests change nothing.
A clock that goes back earns nothing, but if the request is admitted the bucket's time goes
back with it, and the same time is earned twice.
retry_after: the wait that a reservation would be told, cut to ns; never if the cost exceeds
the burst or the rate is 0. It gives no other hints.`,
	}, Dialect{
		Program:  "golang.org/x/time/rate",
		Version:  "v0.16.0",
		Proven:   true,
		Misleads: "retry_after is cut to ns and the balance is rounded: where tokens are worth many ns, a client that waits exactly as long may be told to wait one ns more",
	}, func(v *spec.Values) rule {
		r := xTimeRule{burst: v.Count("burst")}
		switch text := v.Text("rate"); {
		case text == "inf":
			r.unlimited = true
		case !isZeroRate(text):
			r.flow = v.Rate("rate")
		}
		return r
	})
}

// isZeroRate recognises 0, 0/s, 0.0/13s.
func isZeroRate(text string) bool {
	number, period, ok := strings.Cut(text, "/")
	if n, err := spec.ParseNumber(number); err != nil || n != 0 {
		return false
	}
	if !ok {
		return true
	}
	_, err := spec.ParseRate("1/" + period)
	return err == nil
}

type xTimeRule struct {
	noShare
	flow      spec.Rate
	burst     int64
	unlimited bool
}

func (r xTimeRule) capacity() int64 {
	if r.unlimited {
		return spec.MaxCount
	}
	return r.burst
}
func (r xTimeRule) rate() (spec.Rate, bool)       { return r.flow, r.flow.N > 0 }
func (r xTimeRule) window() (time.Duration, bool) { return 0, false }

func (r xTimeRule) limiter(uint64, func(uint32) string) Limiter {
	return &xTime{rate: r.flow.PerSecond(), burst: r.burst, unlimited: r.unlimited}
}

type xTime struct {
	slab[xTimeBucket, *xTimeBucket]
	rate      float64 // tokens per second
	burst     int64
	unlimited bool
}

type xTimeBucket struct {
	touched
	tokens float64
	last   time.Duration // the time of the latest admission
}

func (l *xTime) seen(now time.Duration, key uint32) *xTimeBucket {
	s := l.at(key)
	if !s.begun {
		l.known++
		s.begun, s.tokens, s.last = true, float64(l.burst), now
	}
	return s
}

// advance returns the tokens that the bucket has at now.
func (l *xTime) advance(s *xTimeBucket, now time.Duration) float64 {
	tokens := s.tokens
	if now > s.last && l.rate > 0 {
		tokens += float64(elapsed(s.last, now).Seconds() * l.rate)
	}
	return min(tokens, float64(l.burst))
}

// wait returns how long the bucket needs to come from this balance to 0.
func (l *xTime) wait(balance float64) time.Duration {
	if balance >= 0 {
		return 0
	}
	if l.rate <= 0 {
		return Never
	}
	d := float64(-balance/l.rate) * 1e9
	if d > float64(math.MaxInt64) {
		return Never
	}
	return time.Duration(cut(d))
}

// decide returns the balance after the cost, the wait, and the decision.
func (l *xTime) decide(s *xTimeBucket, now time.Duration, cost int64) (balance float64, wait time.Duration, admitted bool) {
	balance = l.advance(s, now) - float64(cost)
	wait = l.wait(balance)
	return balance, wait, l.unlimited || cost <= l.burst && wait <= 0
}

func (l *xTime) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	s := l.seen(now, key)
	balance, _, admitted := l.decide(s, now, cost)
	if admitted && !l.unlimited {
		s.tokens, s.last = balance, now
	}
	return admitted, 0
}

func (l *xTime) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.seen(now, key)
	balance, wait, admitted := l.decide(s, now, cost)
	if admitted && !l.unlimited {
		s.tokens, s.last = balance, now
	}
	l.answer(&d, cost, wait, admitted)
	return d
}

func (l *xTime) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.seen(now, key)
	_, wait, admitted := l.decide(s, now, cost)
	l.answer(&d, cost, wait, admitted)
	return d
}

// Charge spends as a reservation does.
func (l *xTime) Charge(now time.Duration, key uint32, cost int64) {
	s := l.seen(now, key)
	if !l.unlimited {
		s.tokens, s.last = l.advance(s, now)-float64(cost), now
	}
}

func (l *xTime) answer(d *Decision, cost int64, wait time.Duration, admitted bool) {
	d.Admitted = admitted
	d.Has = contract.HintRetryAfter
	if !admitted {
		d.RetryAfter = refusal(cost, l.burst, wait)
	}
}

// AtRest reports whether the bucket is full.
func (l *xTime) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	return s == nil || l.unlimited || s.last <= now && l.advance(s, now) >= float64(l.burst)
}
