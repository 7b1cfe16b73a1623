package limiters

import (
	"strconv"
	"time"

	"ratelab/internal/spec"
)

func init() {
	registerCanonical(spec.Entry{
		Name: "token-bucket",
		Doc:  "a bucket of tokens that fills at a rate; a request takes its cost in tokens",
		Params: []spec.Param{
			{Name: "rate", Unit: "rate", Doc: "tokens that come in"},
			{Name: "burst", Unit: "requests", Doc: "tokens the bucket holds"},
			{Name: "initial", Unit: "requests", Default: "burst", Doc: "tokens in the bucket at a key's first request; at most the burst"},
			{Name: "refill", Unit: "continuous|interval", Default: "continuous", Doc: "tokens come in evenly, or all at once at the end of each period of the rate as written"},
		},
		More: `In a time dt come dt*rate tokens, fractions included, up to the burst. A request of
cost n is admitted if there are n tokens, and takes them. Decides exactly as gcra.
With refill=interval, rate=100/m brings 100 tokens at every whole minute since the
epoch and nothing between: there the period counts as it is written, and 100/m is not
5/3s. The number may be a fraction, as in 0.5/s, half a token each second, or a
ratio, as in 100/3/m.
retry_after: until the missing tokens have come. remaining: the whole tokens. reset:
until the bucket is full.`,
	}, func(v *spec.Values) rule {
		r := bucketRule{burst: v.Count("burst")}
		r.initial = r.burst
		if v.Given("initial") {
			if r.initial = v.Count("initial"); r.initial > r.burst {
				v.Fail("initial", "must be at most the burst, %d, got %d", r.burst, r.initial)
			}
		}
		if v.Choice("refill", "continuous", "interval") == "continuous" {
			r.flow = v.Rate("rate")
			return r
		}
		var err error
		if r.periodic, err = spec.ParsePeriodic(v.Text("rate")); err != nil {
			v.Fail("rate", "%s", err)
		}
		r.flow = r.periodic.Rate()
		return r
	})
}

type bucketRule struct {
	flow           spec.Rate
	periodic       spec.Periodic // with refill=interval, else zero
	burst, initial int64
}

func (r bucketRule) capacity() int64               { return r.burst }
func (r bucketRule) rate() (spec.Rate, bool)       { return r.flow, true }
func (r bucketRule) window() (time.Duration, bool) { return 0, false }

func (r bucketRule) scaled(v *spec.Values, num, den, capacity int64) (string, error) {
	var text string
	if r.periodic.Every != 0 {
		p, err := r.periodic.Times(num, den)
		if err != nil {
			return "", err
		}
		text = p.String()
	} else {
		f, err := r.flow.Times(num, den)
		if err != nil {
			return "", err
		}
		text = f.String()
	}
	pairs := []string{"rate", text, "burst", strconv.FormatInt(capacity, 10)}
	if v.Given("initial") {
		share, ok := portion(r.initial, num, den)
		if !ok {
			share = capacity
		}
		pairs = append(pairs, "initial", strconv.FormatInt(min(share, capacity), 10))
	}
	return withAll(v, pairs...)
}

func (r bucketRule) limiter(uint64, func(uint32) string) Limiter {
	if r.periodic.Every != 0 {
		part := uint64(r.periodic.Den)
		return &intervalBucket{
			burst:   r.burst,
			every:   r.periodic.Every,
			gain:    uint64(r.periodic.Num),
			part:    part,
			full:    product(uint64(r.burst), part),
			initial: product(uint64(r.initial), part),
		}
	}
	part := uint64(r.flow.P)
	return &tokenBucket{
		burst:   r.burst,
		gain:    uint64(r.flow.N),
		part:    part,
		full:    product(uint64(r.burst), part),
		initial: product(uint64(r.initial), part),
	}
}

// tokenBucket keeps each key's level in parts of a token, P to the token for a
// rate of N/P: then a nanosecond brings N parts, a whole number, and nothing
// is ever rounded.
type tokenBucket struct {
	slab[bucketLevel, *bucketLevel]
	burst   int64
	gain    uint64 // N, parts that come in a nanosecond
	part    uint64 // P, parts of a token
	full    wide   // parts of the whole burst
	initial wide
}

type bucketLevel struct {
	mark
	level wide // in parts of a token; below 0 after forced charges
}

// seen brings the key's state to the latest of now and what it has seen.
func (l *tokenBucket) seen(now time.Duration, key uint32) *bucketLevel {
	s := l.at(key)
	if !s.begun {
		l.known++
		s.begun, s.latest, s.level = true, now, l.initial
	}
	if now > s.latest {
		s.level = s.level.plus(product(uint64(now)-uint64(s.latest), l.gain))
		if l.full.less(s.level) {
			s.level = l.full
		}
		s.latest = now
	}
	return s
}

// take takes the tokens if they are there. A cost above the burst needs no
// test of its own: its tokens are never there.
func (l *tokenBucket) take(s *bucketLevel, cost int64) bool {
	rest := s.level.minus(product(uint64(cost), l.part))
	if rest.negative() {
		return false
	}
	s.level = rest
	return true
}

func (l *tokenBucket) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	return l.take(l.seen(now, key), cost), 0
}

func (l *tokenBucket) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.seen(now, key)
	l.answer(&d, s, now, cost, l.take(s, cost))
	return d
}

func (l *tokenBucket) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.seen(now, key)
	l.answer(&d, s, now, cost, !s.level.less(product(uint64(cost), l.part)))
	return d
}

func (l *tokenBucket) Charge(now time.Duration, key uint32, cost int64) {
	s := l.seen(now, key)
	s.level = s.level.minus(product(uint64(cost), l.part)).capped()
}

func (l *tokenBucket) answer(d *Decision, s *bucketLevel, now time.Duration, cost int64, admitted bool) {
	answer(d, admitted, l.burst, int64(s.level.floorDiv(l.part)))
	if d.Remaining < l.burst {
		d.Reset = hint(now, s.latest, l.full.minus(s.level).ceilDiv(l.gain))
	}
	if !admitted {
		missing := product(uint64(cost), l.part).minus(s.level)
		d.RetryAfter = refusal(cost, l.burst, hint(now, s.latest, missing.ceilDiv(l.gain)))
	}
}

// Level returns the tokens that the key has at now.
func (l *tokenBucket) Level(now time.Duration, key uint32) float64 {
	s := l.find(key)
	if s == nil {
		return l.initial.ratio(l.part)
	}
	level := s.level
	if now > s.latest {
		level = level.plus(product(uint64(now)-uint64(s.latest), l.gain))
	}
	if l.full.less(level) {
		level = l.full
	}
	return level.ratio(l.part)
}

// AtRest reports whether the bucket is full, if keys begin with a full one.
func (l *tokenBucket) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	return s == nil || l.initial == l.full && s.latest <= now &&
		!s.level.plus(product(uint64(now)-uint64(s.latest), l.gain)).less(l.full)
}
