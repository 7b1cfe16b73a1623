package random

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// ExpGaps gives the points of a Poisson process, in order, on the clock of
// integer nanoseconds.
//
// Rounding never adds up: the sum of the exponential gaps is held as whole
// nanoseconds plus a fraction in [0, 1), and Next shows the whole part. Rounding
// each gap by itself would shift every gap by half a nanosecond on average,
// which at a million points a second is 0.05 % of the rate. What is lost is the
// float64 rounding of a single gap (half a unit in its last place, without
// bias), never of the time, so the process is as exact after a century as at its
// start. Rounding the sum down keeps counts exact too: a point lies in [a, b),
// for whole a and b, if and only if its rounded time does.
type ExpGaps struct {
	r        *rand.Rand
	mean     float64 // nanoseconds
	whole    int64   // nanoseconds
	fraction float64 // nanoseconds, in [0, 1)
}

// NewExpGaps returns a Poisson process of num points per den nanoseconds that
// starts at time 0 and draws from r. It panics unless num and den are positive:
// a rate is checked where it is read.
func NewExpGaps(r *rand.Rand, num, den int64) *ExpGaps {
	if num <= 0 || den <= 0 {
		panic(fmt.Sprintf("random: rate must be > 0, got %d per %d ns", num, den))
	}
	return &ExpGaps{r: r, mean: float64(den) / float64(num)}
}

// NewExpGapsOfMean returns a Poisson process whose gaps have a mean in
// nanoseconds that no fraction of integers gives. It panics unless the mean is
// positive and finite.
func NewExpGapsOfMean(r *rand.Rand, mean float64) *ExpGaps {
	if !(mean > 0) || math.IsInf(mean, 1) {
		panic(fmt.Sprintf("random: mean gap must be > 0 and finite, got %v ns", mean))
	}
	return &ExpGaps{r: r, mean: mean}
}

// Next returns the time of the next point, in nanoseconds since the start of
// the process. Times never decrease, and two points may share a nanosecond.
// From the first point beyond math.MaxInt64 on it returns math.MaxInt64.
func (g *ExpGaps) Next() time.Duration {
	sum := g.fraction + float64(Exponential(g.r)*g.mean)
	if sum >= math.MaxInt64 { // as a float64 constant: 2⁶³
		g.whole = math.MaxInt64
		return math.MaxInt64
	}
	ns := int64(sum)
	g.fraction = sum - float64(ns)
	if ns > math.MaxInt64-g.whole {
		g.whole = math.MaxInt64
		return math.MaxInt64
	}
	g.whole += ns
	return time.Duration(g.whole)
}
