package theory

import "math"

// Batches: requests that come several at one instant, the instants a Poisson process. A balancer that draws a server for each
// request spreads a batch over the servers; what one of them gets per window is then a compound Poisson count.

// FleetFixedWindowBatches returns the mean admitted per window by servers that get the shares weights of batches of size >= 1
// requests, each with a fixed window of its own limit >= 0; a > 0 requests, so a/size batches, come per window. Each request of
// a batch draws its server by itself: Σ E[min(X_i, L_i)] with X_i the sum of Poisson(a/size) draws of Binomial(size, w_i).
// One server of weight 1 is a central window, and a round robin over N windows of L/N each is the same as that, whatever
// the arrivals. Windows aligned. The domain ends at 700 batches per window.
//
// Source: the recursion of a compound Poisson law, g_0 = e^(-λ(1-f_0)), n·g_n = λ Σ_k k·f_k·g_{n-k} (H. Panjer, "Recursive
// evaluation of a family of compound distributions", ASTIN Bulletin 12, 1981). Its terms are positive: nothing cancels.
func FleetFixedWindowBatches(a float64, size int, weights []float64, limits []int) float64 {
	if size < 1 || !(a/float64(size) <= 700) {
		return math.NaN()
	}
	batches := a / float64(size)
	if !positive(batches) || len(weights) != len(limits) || !shares(weights) {
		return math.NaN()
	}
	sum := 0.0
	for i, w := range weights {
		if limits[i] < 0 {
			return math.NaN()
		}
		sum += compoundMin(batches, binomialPMF(size, w), limits[i])
	}
	return sum
}

// compoundMin returns E[min(X, m)] with X the sum of Poisson(mean) draws of the law pmf on 0, 1, ….
func compoundMin(mean float64, pmf []float64, m int) float64 {
	g := make([]float64, m+1)
	g[0] = math.Exp(-mean * (1 - pmf[0]))
	lack := float64(m) * g[0] // E[(m-X)^+]
	for n := 1; n < m; n++ {
		for k := 1; k <= min(n, len(pmf)-1); k++ {
			g[n] += mean / float64(n) * float64(k) * pmf[k] * g[n-k]
		}
		lack += float64(m-n) * g[n]
	}
	return float64(m) - lack
}

// binomialPMF returns the law of the number of successes in n >= 0 trials of probability 0 <= p <= 1.
func binomialPMF(n int, p float64) []float64 {
	pmf := make([]float64, n+1)
	pmf[0] = 1
	for trials := 1; trials <= n; trials++ {
		for k := trials; k > 0; k-- {
			pmf[k] = pmf[k]*(1-p) + pmf[k-1]*p
		}
		pmf[0] *= 1 - p
	}
	return pmf
}
