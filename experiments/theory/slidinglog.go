package theory

import "math"

// ErlangB returns the blocking probability of limit >= 0 servers offered a > 0 erlang.
//
// It is what a sliding log refuses that counts what it admitted: every admitted request holds one of L places for exactly
// T, so that the log is M/D/L/L, and by insensitivity its loss is Erlang B at a = λT. Poisson arrivals, unit costs, long run.
// Source: A. K. Erlang (1917); recursion B(n) = aB(n-1)/(n + aB(n-1)), B(0) = 1, which subtracts nothing.
func ErlangB(a float64, limit int) float64 {
	if !positive(a) || limit < 0 {
		return math.NaN()
	}
	b := 1.0
	for n := 1; n <= limit; n++ {
		ab := a * b
		b = ab / (float64(n) + ab)
	}
	return b
}

// SlidingLogAdmitShare returns the share that a sliding log admits which counts what it admitted: 1 - ErlangB(a, L).
func SlidingLogAdmitShare(a float64, limit int) float64 { return 1 - ErlangB(a, limit) }

// SlidingLogAllAdmitShare returns the share that a sliding log of limit >= 0 admits which logs refused requests too:
// P(N <= L-1), N ~ Poisson(a), a > 0 the mean number of arrivals per window. Poisson arrivals, unit costs. For L = 1 it is
// the paralyzable detector, e^-a; under overload it starves.
func SlidingLogAllAdmitShare(a float64, limit int) float64 {
	if !positive(a) || limit < 0 {
		return math.NaN()
	}
	return poissonLower(a, limit-1)
}
