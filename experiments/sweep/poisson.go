package sweep

import "math"

// maxPoisson is the largest count for which PoissonInterval answers.
const maxPoisson = 1000

// PoissonInterval returns the exact confidence interval for the mean of a Poisson count (Garwood, "Fiducial Limits for
// the Poisson Distribution", 1936), at a level in (0, 1): for the mean lo, count or more is as rare as (1 − level)/2;
// for the mean hi, count or fewer is. It is for claims on rare events, where Student's t does not hold; above a count
// of 1000, below 0 or for another level it returns NaN. Relative error below 1e-9 for levels up to 1 − 1e-6; the same
// bits on every architecture, by the same means as StudentT.
func PoissonInterval(count int64, level float64) (lo, hi float64) {
	if count < 0 || count > maxPoisson || !(level > 0 && level < 1) {
		return math.NaN(), math.NaN()
	}
	k := int(count)
	side := (1 - level) / 2
	end := func(tooLow func(float64) bool) float64 {
		from, to := 0.0, float64(k+1)
		for tooLow(to) {
			from, to = to, float64(2*to)
		}
		return bisect(from, to, tooLow)
	}
	if k > 0 {
		lo = end(func(mean float64) bool { return poissonFrom(k, mean) < side })
	}
	hi = end(func(mean float64) bool { return poissonTo(k, mean) > side })
	return lo, hi
}

// poissonTo returns P(X ≤ k) for a Poisson X with this mean: terms from k down.
func poissonTo(k int, mean float64) float64 {
	sum, term := 0.0, poissonAt(k, mean)
	for i := k; i >= 0; i-- {
		sum += term
		term = float64(term*float64(i)) / mean
	}
	return sum
}

// poissonFrom returns P(X ≥ k) for a Poisson X with this mean: terms from k up.
func poissonFrom(k int, mean float64) float64 {
	sum, term := 0.0, poissonAt(k, mean)
	for i := k + 1; ; i++ {
		sum += term
		term = float64(term*mean) / float64(i)
		if float64(i) > mean && term <= sum*1e-18 {
			return sum
		}
	}
}

// poissonAt returns P(X = k) for a Poisson X with this mean. Each factor of mean^k/k! is taken together with its share
// of e^−mean, and large and small factors alternate, so that the product stays within the range of a float64.
func poissonAt(k int, mean float64) float64 {
	if k == 0 {
		return expMinus(mean)
	}
	share := expMinus(mean / float64(k))
	product := 1.0
	for low, high := 1, k; low <= high; {
		i := low
		if product > 1 {
			i = high
			high--
		} else {
			low++
		}
		product = float64(product*share) * mean / float64(i)
	}
	return product
}

// expMinus returns e^−x for x ≥ 0: the Taylor series after halving x below 1/8, squared as often. math.Exp would give
// other bits on other architectures.
func expMinus(x float64) float64 {
	halvings := 0
	for ; x >= 0.125; halvings++ {
		x /= 2
	}
	sum := 1.0
	for i := 15; i > 0; i-- { // Horner: 1 − x/1 (1 − x/2 (1 − …))
		sum = 1 - float64(x*sum)/float64(i)
	}
	for range halvings {
		sum = float64(sum * sum)
	}
	return sum
}
