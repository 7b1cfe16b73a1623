package limiters

import (
	"math"
	"time"

	"ratelab/internal/spec"
)

func init() {
	registerDialect(spec.Entry{
		Name: "haproxy",
		Doc:  "http_req_rate of a stick table: two counters a key, every request counted, refused ones too",
		Params: []spec.Param{
			{Name: "limit", Unit: "requests", Doc: "the highest rate that passes: a request is denied if the rate is greater"},
			{Name: "period", Unit: "duration", Doc: "of http_req_rate, whole milliseconds, at most 2147483647ms"},
		},
		More: `As "http-request track-sc0" followed by "deny if { sc_http_req_rate(0) gt limit }",
with entries that do not expire. A request is counted first, so that it is judged with
itself, and stays counted if it is denied: who goes on at too high a rate stays out.
Time is in ms. The reported rate is floor(previous * remaining/period + current). A
period is current from its tick for one period; then the count becomes the previous one
and the tick moves on by a period. After two periods without a request the previous
count is 0 and the tick is now, cut down to an even ms. With no current and at most one
previous request, the previous count itself is reported; since a request is counted
before it is judged, that is never seen here.
As in the program, a key's first tick is 0 and milliseconds are counted modulo 2^32: a
key that is new within two periods of such a turn, every 49.7 days since 1970, starts in
a period aligned to it.
Its own clock never goes back: the latest time of all keys counts. In the program that
clock also passes over jumps of the system's, and so may stand some ms off Unix time,
which shifts what is even; here it is Unix time.
Costs are 1. No hints.`,
	}, Dialect{
		Program: "HAProxy", Version: "2.6.12", Proven: true, UnitCost: true,
	}, func(v *spec.Values) rule {
		r := haproxyRule{limit: v.Count("limit")}
		period := wholeMillis(v, "period")
		if period > math.MaxInt32 {
			v.Fail("period", "must be at most 2147483647ms (24.8 days), got %s", v.Text("period"))
		}
		r.period = uint32(period)
		return r
	})
}

type haproxyRule struct {
	noShare
	limit  int64
	period uint32 // ms
}

func (r haproxyRule) length() time.Duration         { return time.Duration(r.period) * time.Millisecond }
func (r haproxyRule) capacity() int64               { return r.limit }
func (r haproxyRule) rate() (spec.Rate, bool)       { return windowRate(r.limit, r.length()) }
func (r haproxyRule) window() (time.Duration, bool) { return r.length(), true }

func (r haproxyRule) limiter(uint64, func(uint32) string) Limiter {
	return &haproxy{haproxyRule: r, latest: math.MinInt64}
}

type haproxy struct {
	slab[freqCounter, *freqCounter]
	haproxyRule
	latest time.Duration // of the one clock
	before time.Duration // latest, when a key was put aside
}

func (l *haproxy) putAside(key uint32) {
	l.slab.putAside(key)
	l.before = l.latest
}

func (l *haproxy) putBack(key uint32) {
	l.slab.putBack(key)
	l.latest = l.before
}

// freqCounter is a frequency counter, all zero at first.
type freqCounter struct {
	touched
	current, previous uint32
	tick              uint32 // ms, even: when the current period began
}

// clock returns the process's time in ms.
func (l *haproxy) clock(now time.Duration) uint32 {
	l.latest = max(l.latest, now)
	return uint32(wholeUnits(l.latest, time.Millisecond))
}

// count adds n requests at ms.
func (c *freqCounter) count(ms, period, n uint32) {
	if ms-c.tick < period {
		c.current += n
		return
	}
	c.previous, c.current = c.current, n
	c.tick += period
	if ms-c.tick >= period {
		c.previous = 0
		c.tick = ms
	}
	c.tick &^= 1
}

// rate returns the rate that is reported at ms.
func (c *freqCounter) rate(ms, period uint32) int64 {
	current, previous := uint64(c.current), uint64(c.previous)
	remaining := int32(c.tick + period - ms)
	if remaining < 0 {
		remaining += int32(period)
		if previous = current; remaining < 0 {
			previous = 0
		}
		current = 0
	}
	if current == 0 && previous <= 1 {
		return int64(previous)
	}
	total := previous*uint64(remaining) + current*uint64(period)
	return int64(uint32(total / uint64(period)))
}

func (l *haproxy) met(key uint32) *freqCounter {
	c := l.at(key)
	if !c.begun {
		l.known++
		c.begun = true
	}
	return c
}

func (l *haproxy) Admit(now time.Duration, key uint32, _ int64) (bool, time.Duration) {
	c, ms := l.met(key), l.clock(now)
	c.count(ms, l.period, 1)
	return c.rate(ms, l.period) <= l.limit, 0
}

func (l *haproxy) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	d.Admitted, _ = l.Admit(now, key, cost)
	return d
}

func (l *haproxy) Ask(now time.Duration, key uint32, _ int64) (d Decision) {
	c, ms := copyOf(&l.slab, key), l.clock(now)
	c.count(ms, l.period, 1)
	d.Admitted = c.rate(ms, l.period) <= l.limit
	return d
}

func (l *haproxy) Charge(now time.Duration, key uint32, cost int64) {
	l.met(key).count(l.clock(now), l.period, uint32(cost))
}

// AtRest reports whether two periods have passed, on a clock that shows more
// than that: a new counter's period began when the clock was 0.
func (l *haproxy) AtRest(now time.Duration, key uint32) bool {
	c := l.find(key)
	ms := uint32(wholeUnits(max(l.latest, now), time.Millisecond))
	return c == nil || ms-c.tick >= 2*l.period && ms >= 2*l.period
}
