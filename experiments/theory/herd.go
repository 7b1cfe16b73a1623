package theory

import "math"

// A herd of n clients comes back at independent times, uniform over a span of whole seconds: n balls in as many bins. So do n
// blocked clients whose windows turn at edges jittered over a span. Without jitter, or if the jitter is the key's and all have one
// key, the peak is n.

// HerdMaxBalls is the largest number of clients or bins of the functions below.
const HerdMaxBalls = 10_000

// HerdPeakAtMost returns the probability that no bin gets more than peak >= 0 of clients >= 1 that fall into bins >= 1 at random:
// n!/m^n [x^n] (Σ_{j<=c} x^j/j!)^m. Source: given their sum, independent Poisson counts are such bins; nothing is subtracted. Within about
// 1e-18 of 0 and 1 it is 0 and 1.
func HerdPeakAtMost(clients, bins, peak int) float64 {
	switch {
	case clients < 1 || clients > HerdMaxBalls || bins < 1 || bins > HerdMaxBalls || peak < 0:
		return math.NaN()
	case peak >= clients:
		return 1
	case peak*bins < clients:
		return 0
	}
	mean := float64(clients) / float64(bins)
	sum := poissonPMF(float64(clients), clients) // that independent counts have the right sum
	each := math.Pow(poissonLower(mean, peak), float64(bins))
	switch {
	case each < negligible*sum:
		return 0
	case float64(bins)*poissonUpper(mean, peak+1) < negligible*sum:
		return 1
	}
	mass := make([]float64, peak+1)
	for j := range mass {
		mass[j] = poissonPMF(mean, j)
	}
	normalise(mass)
	return min(each*counts{mass: mass}.trimmed().power(bins).at(clients)/sum, 1)
}

// HerdPeakProbability returns the probability that the fullest bin has exactly peak >= 0, in the model of HerdPeakAtMost, with an
// absolute error of about 1e-14.
func HerdPeakProbability(clients, bins, peak int) float64 {
	if peak == 0 {
		return HerdPeakAtMost(clients, bins, 0)
	}
	return max(0, HerdPeakAtMost(clients, bins, peak)-HerdPeakAtMost(clients, bins, peak-1)) // which rounding could undercut
}

// HerdPeakMean returns the mean of the fullest bin, in the model of HerdPeakAtMost: Σ P(peak > c). Fifty clients over thirty seconds: 4.77.
func HerdPeakMean(clients, bins int) float64 {
	mean := 0.0
	for c := 0; ; c++ {
		below := HerdPeakAtMost(clients, bins, c)
		if !(below < 1) { // 1 or NaN
			return mean + (1 - below)
		}
		mean += 1 - below
	}
}

// HerdEmptyBins returns the mean number of empty bins, in the model of HerdPeakAtMost: m(1-1/m)^n.
func HerdEmptyBins(clients, bins int) float64 {
	if clients < 1 || bins < 1 {
		return math.NaN()
	}
	return float64(bins) * math.Pow(1-1/float64(bins), float64(clients))
}

// HerdOneKeyReturns returns how often waiters >= 0 of one key come back in all, if the bucket is empty, everyone is told the same
// wait, the wait of one token or longer, and each round finds tokens >= 1: n + (n-j) + (n-2j) + ... With the exact wait j is 1 and
// the sum n(n+1)/2; at 2/s with waits rounded up to whole seconds it is 2. With a place in line everyone comes back once: n.
func HerdOneKeyReturns(waiters, tokens int) float64 {
	if waiters < 0 || tokens < 1 {
		return math.NaN()
	}
	n, j := float64(waiters), float64(tokens)
	rounds := math.Ceil(n / j)
	return float64(rounds*n) - float64(j*rounds)*(rounds-1)/2
}

// HerdOneKeyDrain returns the seconds in which the waiters >= 0 of HerdOneKeyReturns are served with exact waits, at rate r > 0 per
// second: n/r.
func HerdOneKeyDrain(waiters int, rate float64) float64 {
	if waiters < 0 || !positive(rate) {
		return math.NaN()
	}
	return float64(waiters) / rate
}
