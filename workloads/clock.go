package workloads

import (
	"math"
	"time"
)

// clock is a sum of lengths of time in ns that need not be whole. It holds whole
// nanoseconds and a fraction in [0, 1), so that rounding never adds up.
type clock struct {
	whole    time.Duration
	fraction float64
}

// advance adds ns >= 0 and returns the whole part, or false where it does not
// fit; from then on it never does.
func (c *clock) advance(ns float64) (time.Duration, bool) {
	sum := c.fraction + ns
	if sum < math.MaxInt64 { // as a float64 constant: 2⁶³
		step := time.Duration(sum)
		if step < math.MaxInt64-c.whole {
			c.whole += step
			c.fraction = sum - float64(step)
			return c.whole, true
		}
	}
	c.whole = math.MaxInt64
	return c.whole, false
}

// nearest rounds a length of time in ns to a whole number of them, without
// bias; what does not fit becomes the longest.
func nearest(ns float64) time.Duration {
	ns = math.Floor(ns + 0.5)
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}

// later returns t + d, or the end of the clock where it does not fit; t >= 0,
// d >= 0.
func later(t, d time.Duration) time.Duration {
	if d > math.MaxInt64-t {
		return math.MaxInt64
	}
	return t + d
}
