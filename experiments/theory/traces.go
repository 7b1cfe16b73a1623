package theory

import (
	"math/bits"
	"slices"
)

// The least limits below are the smallest whole limit L per window under which nothing of one key's requests is refused: times are
// theirs in nanoseconds, >= 0 and in order, all of cost 1. 0 for no requests, -1 outside the domain. What is admitted is then all that
// came, so that the limit is a maximum over the requests themselves.

// LeastFixedWindow is for windows that start at multiples of their length, window > 0 ns: the most that come in one of them.
func LeastFixedWindow(times []int64, window int64) (least int64) {
	if !traced(times, window) {
		return -1
	}
	count := int64(0)
	for i, t := range times {
		if i > 0 && times[i-1]/window != t/window {
			count = 0
		}
		count++
		least = max(least, count)
	}
	return least
}

// LeastLog is for a log of the last window > 0 ns: the most that come in any half-open interval as long.
func LeastLog(times []int64, window int64) (least int64) {
	if !traced(times, window) {
		return -1
	}
	first := 0
	for i, t := range times {
		for t-times[first] >= window {
			first++
		}
		least = max(least, int64(i-first+1))
	}
	return least
}

// LeastCounter is for a weighted counter that admits what fits, window > 0 ns: the largest P(1-f) + C + 1 over the requests, rounded up,
// P and C what came before it in the previous window and its own, f its place in that.
func LeastCounter(times []int64, window int64) (least int64) {
	if !traced(times, window) {
		return -1
	}
	var previous, current, at int64
	for _, t := range times {
		switch now := t / window; {
		case now == at+1:
			previous, current, at = current, 0, now
		case now != at:
			previous, current, at = 0, 0, now
		}
		least = max(least, leastWhole(previous, window-t%window, window)+current+1)
		current++
	}
	return least
}

// LeastBucket is for a token bucket of burst L that is full at first and is filled by L tokens in window > 0 ns; GCRA of that rate and
// burst, and a leaky queue of L-1, are as large. Of n requests in a time d, from the first to the last of them, L + L·d/window >= n: the
// largest n·window/(window + d) over all pairs, rounded up. It takes time in the square of the requests.
func LeastBucket(times []int64, window int64) (least int64) {
	if !traced(times, window) {
		return -1
	}
	for i := range times {
		for j := i; j < len(times); j++ {
			if n := int64(j - i + 1); n > least { // a longer time never asks for more than n
				least = max(least, leastWhole(n, window, window+times[j]-times[i]))
			}
		}
	}
	return least
}

func traced(times []int64, window int64) bool {
	return window > 0 && slices.IsSorted(times) && (len(times) == 0 || times[0] >= 0)
}

// leastWhole returns ⌈a·b/c⌉ for a, b >= 0 and c > 0, if it fits.
func leastWhole(a, b, c int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	quotient, rest := bits.Div64(high, low, uint64(c))
	if rest > 0 {
		quotient++
	}
	return int64(quotient)
}
