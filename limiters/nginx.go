package limiters

import (
	"math"
	"strings"
	"time"

	"ratelab/internal/spec"
)

func init() {
	registerDialect(spec.Entry{
		Name: "nginx",
		Doc:  "limit_req: a leaky bucket in thousandths of a request and whole milliseconds",
		Params: []spec.Param{
			{Name: "rate", Unit: "nginx rate", Doc: "in nginx's own syntax: 10r/s or 30r/m"},
			{Name: "burst", Unit: "requests", Default: "0", Doc: "how many requests may be ahead of the rate: one more passes at once"},
			{Name: "delay", Unit: "requests", Default: "0", Doc: "of the burst, how many pass without being held"},
			{Name: "nodelay", Unit: spec.Flag, Doc: "none is held"},
		},
		More: `Decides as the limit_req module of nginx 1.22.1 with one limit; several are layers with
charge=admitted.
Time is whole milliseconds. A key has an excess in thousandths of a request: of the time
since the latest accepted request, floor(R*ms/1000) leaks, R = floor(1000*rate/60) for r/m
(1r/m is one request in 62.5 s), a fraction is lost; then 1000 is added. The request is
refused if the excess is above 1000*burst, and then changes nothing, the time included. A
key's first request has an excess of 0.
What is above 1000*delay is held for floor((excess - 1000*delay)*1000/R) ms, computed at
the arrival; with nodelay nothing is.
A clock that goes back by at most 60 s counts as standing still and the key's time stays; by
more, it counts as 1 ms, and the key's time goes back if the request is accepted.
It knows requests of cost 1 only, and gives no hints.`,
	}, Dialect{
		Program:  "nginx",
		Version:  "1.22.1",
		Proven:   true,
		UnitCost: true,
	}, func(v *spec.Values) rule {
		r := nginxRule{burst: v.Count("burst"), delay: v.Count("delay")}
		text := v.Text("rate")
		scale := int64(1)
		number, ok := strings.CutSuffix(text, "r/s")
		if !ok {
			scale = 60
			number, ok = strings.CutSuffix(text, "r/m")
		}
		n, err := spec.ParseCount(number)
		switch {
		case !ok || number == "":
			v.Fail("rate", "must be <number>r/s or <number>r/m like 10r/s or 30r/m, got %q", text)
		case err != nil:
			v.Fail("rate", "%s", err)
		case n == 0:
			v.Fail("rate", "must be > 0, got %s", text)
		}
		r.milli = n * 1000 / scale
		if v.Given("nodelay") {
			if v.Given("delay") {
				v.Fail("delay", "and nodelay exclude each other: leave one out")
			}
			r.delay = math.MaxInt64 / 1000
		}
		return r
	})
}

type nginxRule struct {
	noShare
	milli        int64 // thousandths of a request per second
	burst, delay int64
}

func (r nginxRule) capacity() int64 { return r.burst + 1 }

func (r nginxRule) rate() (spec.Rate, bool) {
	return windowRate(r.milli, 1000*time.Second)
}
func (r nginxRule) window() (time.Duration, bool) { return 0, false }

func (r nginxRule) limiter(uint64, func(uint32) string) Limiter {
	return &nginx{rate: uint64(r.milli), burst: uint64(r.burst) * 1000, delay: uint64(r.delay) * 1000}
}

type nginx struct {
	slab[nginxNode, *nginxNode]
	rate, burst, delay uint64 // thousandths of a request, per second
}

type nginxNode struct {
	touched
	last   int64 // ms
	excess uint64
}

// account returns the excess with this request and the key's time after it.
func (l *nginx) account(s *nginxNode, now time.Duration) (excess uint64, last int64) {
	last = wholeUnits(now, time.Millisecond)
	if s == nil || !s.begun {
		return 0, last
	}
	ms := last - s.last
	if ms < -60000 {
		ms = 1
	} else if ms < 0 {
		ms = 0
	}
	if ms == 0 {
		last = s.last
	}
	e := int64(s.excess - l.rate*uint64(ms)/1000 + 1000)
	return uint64(max(0, e)), last
}

// hold returns how long a request with this excess waits.
func (l *nginx) hold(excess uint64) time.Duration {
	if excess <= l.delay {
		return 0
	}
	ms := (excess - l.delay) * 1000 / l.rate
	return time.Duration(min(ms, math.MaxInt64/uint64(time.Millisecond))) * time.Millisecond
}

func (l *nginx) keep(s *nginxNode, excess uint64, last int64) {
	if !s.begun {
		l.known++
		s.begun = true
	}
	s.excess, s.last = excess, last
}

func (l *nginx) Admit(now time.Duration, key uint32, _ int64) (bool, time.Duration) {
	s := l.at(key)
	excess, last := l.account(s, now)
	if excess > l.burst {
		return false, 0
	}
	l.keep(s, excess, last)
	return true, l.hold(excess)
}

func (l *nginx) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	d.Admitted, d.Delay = l.Admit(now, key, cost)
	return d
}

func (l *nginx) Ask(now time.Duration, key uint32, _ int64) (d Decision) {
	excess, _ := l.account(l.find(key), now)
	if excess <= l.burst {
		d.Admitted, d.Delay = true, l.hold(excess)
	}
	return d
}

// Charge accepts as many requests as the cost says.
func (l *nginx) Charge(now time.Duration, key uint32, cost int64) {
	s := l.at(key)
	excess, last := l.account(s, now)
	l.keep(s, uint64(pile(int64(excess), min(cost-1, 1<<52)*1000)), last)
}

// AtRest reports whether the excess, with the next request, is 0: that of a new
// key. An excess of 0 without it is not enough.
func (l *nginx) AtRest(now time.Duration, key uint32) bool {
	excess, _ := l.account(l.find(key), now)
	return excess == 0
}

// zoneExpired reports whether the zone may drop the key to make room: its
// latest accepted request is 60 s old, and its excess, without the next
// request, has leaked away.
func (l *nginx) zoneExpired(now time.Duration, key uint32) (expired, known bool) {
	s := l.find(key)
	if s == nil {
		return false, false
	}
	ms := wholeUnits(now, time.Millisecond) - s.last
	if ms < 0 {
		ms = -ms
	}
	return ms >= zoneIdle.Milliseconds() && int64(s.excess-l.rate*uint64(ms)/1000) <= 0, true
}
