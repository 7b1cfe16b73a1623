package random

import (
	"fmt"
	"math/rand/v2"
)

// Pareto draws from the law of Pareto with index alpha and least value 1: it
// exceeds x >= 1 with chance x^-alpha. The mean is alpha/(alpha-1) for alpha > 1,
// infinite otherwise. It panics unless alpha lies in 0.1..1000.
//
// It is e^(E/alpha) of an exponential E, within two units in the last place and
// with the same bits on every architecture.
func Pareto(r *rand.Rand, alpha float64) float64 {
	if !(alpha >= 0.1 && alpha <= 1000) {
		panic(fmt.Sprintf("random: the index of a Pareto law lies in 0.1..1000, got %v", alpha))
	}
	return 1 / expMinus(min(Exponential(r)/alpha, 700))
}

// LargestOf draws the largest of n independent uniform numbers on (0, 1): it is
// below x with chance xⁿ. It panics unless n is positive.
func LargestOf(r *rand.Rand, n int64) float64 {
	if n <= 0 {
		panic(fmt.Sprintf("random: the largest is of one number or more, got %d", n))
	}
	return expMinus(Exponential(r) / float64(n))
}
