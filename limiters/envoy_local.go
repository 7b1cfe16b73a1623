package limiters

import (
	"math"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	registerDialect(spec.Entry{
		Name: "envoy-local",
		Doc:  "the local rate limit filter: a token bucket as one float64 instant",
		Params: []spec.Param{
			{Name: "rate", Unit: "rate", Doc: "tokens_per_fill/fill_interval"},
			{Name: "burst", Unit: "requests", Doc: "max_tokens: units admitted at once; > 0"},
		},
		More: `Follows the local rate limit filter of Envoy 1.34, from its source: the bucket without a
timer, one bucket a key (a descriptor), no share of a cluster. Older versions add
tokens_per_fill whole tokens every fill_interval.
A bucket is the instant Z, in float64 seconds of a monotonic clock, at which it was empty:
it has min(burst, (t - Z)*rate) tokens, and admits a cost n if that is at least n; then
Z = t - (tokens - n)/rate. Refused requests change nothing. Rounding may refuse a request at
the very instant of a refill: at 10/s, burst 1, two in five.
The clock, which counts from the start of the machine, is taken to begin at the key's first
request; the bucket is full then. It does not go back; a time before an earlier one is
taken as it comes, and nothing is earned twice.
remaining: whole tokens, after this request if it was admitted. It gives no retry_after, and
this version no reset.`,
	}, Dialect{
		Program: "Envoy local rate limit",
		Version: "1.34",
	}, func(v *spec.Values) rule {
		r := envoyLocalRule{flow: v.Rate("rate"), burst: v.Count("burst")}
		if v.Err() == nil && (r.burst == 0 || r.burst > math.MaxUint32) {
			v.Fail("burst", "must be > 0 and below 2^32, got %s", v.Text("burst"))
		}
		return r
	})
}

type envoyLocalRule struct {
	noShare
	flow  spec.Rate
	burst int64
}

func (r envoyLocalRule) capacity() int64               { return r.burst }
func (r envoyLocalRule) rate() (spec.Rate, bool)       { return r.flow, true }
func (r envoyLocalRule) window() (time.Duration, bool) { return 0, false }

func (r envoyLocalRule) limiter(uint64, func(uint32) string) Limiter {
	return &envoyLocal{burst: float64(r.burst), rate: r.flow.PerSecond()}
}

type envoyLocal struct {
	slab[envoyBucket, *envoyBucket]
	burst float64
	rate  float64 // tokens per second
}

type envoyBucket struct {
	touched
	began time.Duration // where the clock is 0
	empty float64       // seconds
}

// read returns the clock and the tokens that the bucket has.
func (l *envoyLocal) read(s *envoyBucket, now time.Duration) (clock, tokens float64) {
	began, empty := now, -(l.burst / l.rate)
	if s != nil && s.begun {
		began, empty = s.began, s.empty
	}
	clock = float64(elapsed(began, now)) / 1e9
	return clock, min(l.burst, (clock-empty)*l.rate)
}

func (l *envoyLocal) seen(now time.Duration, key uint32) *envoyBucket {
	s := l.at(key)
	if !s.begun {
		l.known++
		*s = envoyBucket{touched{true}, now, -(l.burst / l.rate)}
	}
	return s
}

func (l *envoyLocal) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	s := l.seen(now, key)
	clock, tokens := l.read(s, now)
	if tokens < float64(cost) {
		return false, 0
	}
	s.empty = clock - (tokens-float64(cost))/l.rate
	return true, 0
}

func (l *envoyLocal) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	d.Admitted, _ = l.Admit(now, key, cost)
	l.answer(&d, key, now)
	return d
}

func (l *envoyLocal) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	_, tokens := l.read(l.find(key), now)
	d.Admitted = tokens >= float64(cost)
	l.answer(&d, key, now)
	return d
}

func (l *envoyLocal) Charge(now time.Duration, key uint32, cost int64) {
	s := l.seen(now, key)
	clock, tokens := l.read(s, now)
	s.empty = clock - (tokens-float64(cost))/l.rate
}

func (l *envoyLocal) answer(d *Decision, key uint32, now time.Duration) {
	d.Has = contract.HintLimit | contract.HintRemaining
	d.Limit = int64(l.burst)
	_, tokens := l.read(l.find(key), now)
	d.Remaining = max(0, cut(tokens))
}

// AtRest reports whether the bucket is full. A new key's clock begins anew, and
// its float64 are rounded a little differently.
func (l *envoyLocal) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	if s == nil {
		return true
	}
	_, tokens := l.read(s, now)
	return tokens >= l.burst
}
