package limiters

import (
	"math"
	"math/big"
	"strconv"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	registerDialect(spec.Entry{
		Name: "redis-rate",
		Doc:  "GCRA in a Lua script, in float64 seconds",
		Params: []spec.Param{
			{Name: "rate", Unit: "rate", Doc: "units admitted in the long run"},
			{Name: "burst", Unit: "requests", Doc: "units admitted at once after a long rest"},
		},
		More: `Decides as AllowN of github.com/go-redis/redis_rate/v10 v10.0.1 on Redis 7.0.15.
Time is Redis's: whole microseconds, as float64 seconds since 2017, which lie 3e-8 s apart
(6e-8 s from 2025 on). T = period/rate, new = max(TAT, now) + T*n, diff = now - (new - T*burst);
refused if diff/T < 0, and then nothing changes. At many rates a request at exactly the refill
instant is refused, because TAT was rounded up: at 20/s two in five.
A key lives for ceil(reset) s, in whole ms, the last one included. A TAT in the future stays
when the clock goes back. Redis also deletes expired keys unasked, in its own time; that can
be seen only when the clock goes back afterwards, and is not modelled.
retry_after: -diff, also for a cost above the burst, which no wait helps. reset: until TAT;
refused, as the key stands. Both go through a text of 14 digits and are cut to ns. remaining:
diff/T without its fraction, 0 when refused.`,
	}, Dialect{
		Program:  "github.com/go-redis/redis_rate/v10",
		Version:  "v10.0.1",
		Proven:   true,
		Misleads: "retry_after is finite for a cost above the burst, which is refused for ever; and because it is rounded, the request that comes after exactly that wait may be refused again",
	}, func(v *spec.Values) rule {
		return redisRateRule{flow: v.Rate("rate"), burst: v.Count("burst")}
	})
}

type redisRateRule struct {
	noShare
	flow  spec.Rate
	burst int64
}

func (r redisRateRule) capacity() int64               { return r.burst }
func (r redisRateRule) rate() (spec.Rate, bool)       { return r.flow, true }
func (r redisRateRule) window() (time.Duration, bool) { return 0, false }

func (r redisRateRule) limiter(uint64, func(uint32) string) Limiter {
	interval := big.NewRat(int64(r.flow.P), r.flow.N)
	t, _ := interval.Mul(interval, big.NewRat(1, int64(time.Second))).Float64()
	return &redisRate{burst: r.burst, interval: t, offset: t * float64(r.burst)}
}

type redisRate struct {
	slab[redisRateKey, *redisRateKey]
	burst    int64
	interval float64 // seconds
	offset   float64 // seconds
}

type redisRateKey struct {
	touched
	stored bool
	until  int64   // the last ms of the key
	tat    float64 // seconds since 2017
}

// scriptTime is the time as the script reads it.
func scriptTime(now time.Duration) float64 {
	const jan2017 = 1483228800
	second := wholeUnits(now, time.Second)
	micros := wholeUnits(now, time.Microsecond) - second*1e6
	return float64(second-jan2017) + float64(micros)/1e6
}

// verdict is what one run of the script works out.
type verdict struct {
	now, tat, next, diff, remaining float64
}

func (l *redisRate) verdict(s *redisRateKey, now time.Duration, cost int64) (v verdict) {
	v.now = scriptTime(now)
	v.tat = v.now
	if s != nil && s.stored && wholeUnits(now, time.Millisecond) <= s.until {
		v.tat = max(s.tat, v.now)
	}
	increment := float64(l.interval * float64(cost))
	v.next = v.tat + increment
	v.diff = v.now - (v.next - l.offset)
	v.remaining = v.diff / l.interval
	return v
}

func (l *redisRate) seen(now time.Duration, key uint32) *redisRateKey {
	s := l.at(key)
	if !s.begun {
		l.known++
		s.begun = true
	}
	if wholeUnits(now, time.Millisecond) > s.until {
		s.stored = false // found to have expired, and deleted
	}
	return s
}

func (l *redisRate) keep(s *redisRateKey, now time.Duration, v *verdict) {
	reset := v.next - v.now
	if reset <= 0 {
		return
	}
	const most = math.MaxInt64 / 2
	s.stored, s.tat = true, v.next
	s.until = wholeUnits(now, time.Millisecond) + int64(min(math.Ceil(reset)*1000, most))
}

func (l *redisRate) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	s := l.seen(now, key)
	v := l.verdict(s, now, cost)
	if v.remaining < 0 {
		return false, 0
	}
	l.keep(s, now, &v)
	return true, 0
}

func (l *redisRate) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.seen(now, key)
	v := l.verdict(s, now, cost)
	if v.remaining < 0 {
		l.refuse(&d, &v)
		return d
	}
	l.keep(s, now, &v)
	l.pass(&d, v.remaining, v.next-v.now)
	return d
}

func (l *redisRate) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.find(key)
	v := l.verdict(s, now, cost)
	if v.remaining < 0 {
		l.refuse(&d, &v)
		return d
	}
	v = l.verdict(s, now, 0)
	l.pass(&d, max(0, v.remaining), v.tat-v.now)
	return d
}

func (l *redisRate) Charge(now time.Duration, key uint32, cost int64) {
	s := l.seen(now, key)
	v := l.verdict(s, now, cost)
	l.keep(s, now, &v)
}

func (l *redisRate) refuse(d *Decision, v *verdict) {
	d.RetryAfter = throughText(-v.diff)
	l.hints(d, v.tat-v.now)
}

func (l *redisRate) pass(d *Decision, remaining, reset float64) {
	d.Admitted = true
	d.Remaining = cut(remaining)
	l.hints(d, reset)
}

func (l *redisRate) hints(d *Decision, reset float64) {
	d.Limit = l.burst
	d.Reset = throughText(reset)
	d.Has = contract.AllHints
}

// throughText returns seconds as a duration after they were written with 14
// digits and read again.
func throughText(seconds float64) time.Duration {
	var buf [32]byte
	text := strconv.AppendFloat(buf[:0], seconds, 'g', 14, 64)
	f, err := strconv.ParseFloat(string(text), 64)
	if ns := f * 1e9; err == nil && ns < 0x1p63 {
		return time.Duration(cut(ns))
	}
	return Never
}

// AtRest reports whether the key has expired, or its TAT has come.
func (l *redisRate) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	return s == nil || !s.stored || wholeUnits(now, time.Millisecond) > s.until || s.tat <= scriptTime(now)
}
