package theory

import "math"

// The throughput deficit of a limiter is (log - own)/log: by how much it admits less of the same requests than an exact log of
// the same limit L per window T. Unit costs, any requests, any number of them, from the beginning on.

// CounterDeficitMost returns the largest throughput deficit of a sliding counter of limit L >= 1 that counts what it admits: ½,
// with either rule. Attained by L requests at the start of a window and L at the start of the next, of which it admits none.
//
// Source: in a window with a requests after one with P admitted, it refuses none or has come to L - P, so it admits C >=
// min(a, L - P); the log admits at most min(a, L) in a window, which is at most C + P. Summed over windows, log <= 2·own.
func CounterDeficitMost(limit int64) float64 {
	if limit < 1 || limit > wholeMax {
		return math.NaN()
	}
	return 0.5
}

// WindowDeficitMost returns the largest throughput deficit of a fixed window of limit L >= 1, wherever its windows begin: 0. In each
// of its windows it admits min(a, L) of a requests, and the log no more.
func WindowDeficitMost(limit int64) float64 {
	if limit < 1 || limit > wholeMax {
		return math.NaN()
	}
	return 0
}
