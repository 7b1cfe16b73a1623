package random

import "math/rand/v2"

// Normal draws from the normal law with mean 0 and variance 1. It has the same
// bits on every architecture.
//
// The method is von Neumann's: of two exponential draws x and e, x is kept if
// e > (x − 1)²/2, which 76 % of them are, and then has the law of the absolute
// value (L. Devroye, "Non-Uniform Random Variate Generation", 1986, II.3.3).
func Normal(r *rand.Rand) float64 {
	for {
		x, e := Exponential(r), Exponential(r)
		if d := x - 1; float64(d*d) >= 2*e {
			continue
		}
		if r.Uint64()&1 == 0 {
			return -x
		}
		return x
	}
}
