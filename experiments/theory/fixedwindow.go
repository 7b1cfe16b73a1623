package theory

import "math"

// FixedWindowAdmitted returns the mean number of requests that a fixed window of limit >= 0 admits per window:
// E[min(N, L)] with N ~ Poisson(a), a > 0 the mean number of arrivals per window. Windows are aligned to a clock, not to
// the first request; unit costs. The same as a·Q(L-2) + L(1-Q(L-1)) with Q the Poisson distribution function.
func FixedWindowAdmitted(a float64, limit int) float64 {
	if !positive(a) || limit < 0 {
		return math.NaN()
	}
	return poissonMin(a, limit)
}

// FixedWindowAdmitShare returns the share of requests that FixedWindowAdmitted counts: E[min(N, L)]/a.
func FixedWindowAdmitShare(a float64, limit int) float64 {
	return FixedWindowAdmitted(a, limit) / a
}
