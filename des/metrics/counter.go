package metrics

import (
	"math"
	"math/bits"
	"time"
)

// counter is the weighted two-window counter beside the truth it estimates.
// At time t, with f = (t mod T)/T, it estimates prev·(1−f) + cur from the counts
// of the previous and the current aligned window; the truth is the count in
// (t−T, t]. It is written apart from the limiter of that kind: what measures
// must not share the fault of what is measured.
type counter struct {
	window    time.Duration
	edge      time.Duration // end of the current window
	prev, cur int64
	trail     trail
	small     bool // prev·T < 2⁵³: a deviation is one division of exact numbers
}

func newCounter(window time.Duration) counter {
	mustBePositive("window", window)
	return counter{window: window, edge: math.MinInt64}
}

// move brings the counter and the truth to t. Times never decrease.
func (c *counter) move(t time.Duration) {
	if t >= c.edge {
		c.turn(t)
	}
	c.trail.expire(t, c.window)
}

func (c *counter) turn(t time.Duration) {
	start := floorEdge(t, c.window)
	if start == c.edge {
		c.prev = c.cur
	} else {
		c.prev = 0
	}
	c.cur = 0
	c.edge = start + c.window
	high, low := bits.Mul64(uint64(c.prev), uint64(c.window))
	c.small = high == 0 && low < 1<<53
}

// add counts a cost at the time last moved to.
func (c *counter) add(t time.Duration, cost int64) {
	c.cur += cost
	c.trail.push(t, cost)
}

// deviation returns estimate − truth at the time last moved to, t. With whole =
// prev + cur − truth and m = t mod T it is (whole·T − prev·m)/T, at most prev in
// magnitude. It is rounded once, or twice where prev·T reaches 2⁵³.
func (c *counter) deviation(t time.Duration) float64 {
	whole := c.prev + c.cur - c.trail.sum
	m := c.window - (c.edge - t)
	if c.small {
		return float64(whole*int64(c.window)-c.prev*int64(m)) / float64(c.window)
	}
	high, low := bits.Mul64(uint64(c.prev), uint64(m))
	quotient, rest := bits.Div64(high, low, uint64(c.window)) // fits: m < T, so it is below prev
	return float64(whole-int64(quotient)) - float64(rest)/float64(c.window)
}
