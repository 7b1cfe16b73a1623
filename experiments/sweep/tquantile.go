package sweep

import "math"

// StudentT returns the two-sided quantile of Student's t distribution: the t > 0 with P(|T| ≤ t) = level for the given
// degrees of freedom, at least 1, and a level in (0, 1). It is NaN for anything else. Relative error below 1e-11
// for up to 100000 degrees of freedom and levels from 1e-6 to 1 − 1e-6.
//
// A table would have been enough for intervals at 95 %. The intervals of claims are at level 1 − 0.01/m, where m is the
// number of claims of an experiment, so that a function serves better than a table for every m. To give the same bits
// on every architecture it uses additions, multiplications, divisions and square roots only, which IEEE 754 defines to
// the bit, and rounds every product before it is added, so that no compiler may fuse them.
//
// The distribution is the incomplete beta function, P(|T| > t) = I_x(ν/2, 1/2) with x = ν/(ν + t²) (Abramowitz and
// Stegun 26.5.27, 26.7.1); its inverse is found by bisection down to neighbouring floats.
func StudentT(degrees int, level float64) float64 {
	if degrees < 1 || !(level > 0 && level < 1) {
		return math.NaN()
	}
	// tooLow compares on the side where the probability is small, and so has the most digits.
	tooLow := func(t float64) bool {
		central, tail := studentT(degrees, t)
		if level <= 0.5 {
			return central < level
		}
		return tail > 1-level
	}
	lo, hi := 0.0, 1.0
	for tooLow(hi) { // ends: the smallest 1 − level is 2⁻⁵³
		lo, hi = hi, float64(2*hi)
	}
	return bisect(lo, hi, tooLow)
}

// studentT returns P(|T| ≤ t) and P(|T| > t) for t > 0.
func studentT(degrees int, t float64) (central, tail float64) {
	nu := float64(degrees)
	a := nu / 2
	square := float64(t * t)
	x, y := nu/(nu+square), square/(nu+square) // x + y = 1
	// front = x^a · y^(1/2) / B(a, 1/2)
	front := float64(float64(power(math.Sqrt(x), degrees)*math.Sqrt(y)) * inverseBeta(degrees))
	if square < 3 { // each continued fraction is fast on its side of the mean
		central = float64(front*betaFraction(y, 0.5, a)) / 0.5
		return central, 1 - central
	}
	tail = float64(front*betaFraction(x, a, 0.5)) / a
	return 1 - tail, tail
}

// inverseBeta returns 1/B(n/2, 1/2) by B(a+1, 1/2) = B(a, 1/2) · a/(a + 1/2), from B(1/2, 1/2) = π and B(1, 1/2) = 2.
func inverseBeta(n int) float64 {
	product, first := 1/math.Pi, 1
	if n%2 == 0 {
		product, first = 0.5, 2
	}
	for k := first; k < n; k += 2 {
		product = float64(product*float64(k+1)) / float64(k)
	}
	return product
}

// betaFraction is the continued fraction of the incomplete beta function, I_x(a, b) = x^a (1−x)^b / (a B(a, b)) times it
// (Abramowitz and Stegun 26.5.8), by Lentz's method.
func betaFraction(x, a, b float64) float64 {
	const tiny = 1e-300 // stands for a zero denominator
	nonzero := func(v float64) float64 {
		if v > -tiny && v < tiny {
			return tiny
		}
		return v
	}
	c := 1.0
	d := 1 / nonzero(1-float64(float64((a+b)*x)/(a+1)))
	f := d
	for m := 1.0; m <= 100000; m++ { // some hundreds are enough for 100000 degrees of freedom
		twice := a + float64(2*m)
		even := float64(float64(m*(b-m))*x) / float64((twice-1)*twice)
		d = 1 / nonzero(1+float64(even*d))
		c = nonzero(1 + even/c)
		f = float64(f * float64(d*c))
		odd := -float64(float64((a+m)*(a+b+m))*x) / float64(twice*(twice+1))
		d = 1 / nonzero(1+float64(odd*d))
		c = nonzero(1 + odd/c)
		change := float64(d * c)
		f = float64(f * change)
		if change-1 < 1e-16 && 1-change < 1e-16 {
			break
		}
	}
	return f
}

// power returns x^n for n ≥ 0 by repeated squaring.
func power(x float64, n int) float64 {
	result := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result = float64(result * x)
		}
		x = float64(x * x)
	}
	return result
}

// bisect returns the smallest float64 in (lo, hi] at which tooLow no longer holds, for a tooLow that holds up to some
// point and not after it. It ends on neighbouring floats, after some sixty steps.
func bisect(lo, hi float64, tooLow func(float64) bool) float64 {
	for {
		middle := lo + float64((hi-lo)/2)
		if middle <= lo || middle >= hi {
			return hi
		}
		if tooLow(middle) {
			lo = middle
		} else {
			hi = middle
		}
	}
}
