package theory

import (
	"math"
	"time"
)

// The story of one page turn, quiet and then loud: of size requests 3 come alone, at T/30, 7T/20 and 2T/3 of the first
// window; the others of the first ⌊size/2⌋ at once, half before its end; the rest at once, half after it. Every limiter
// below is empty before (a bucket full). Told with a limit of 100 a minute, size = 200 and half = 1 s: 97 at 0:59, 100 at
// 1:01. Source: the rule of each limiter, applied to these five instants.
//
// All functions are for limits >= 3, sizes >= 8, T >= 60 ns and 0 < half < T/3, and return whole numbers.

// storyQuiet is how many requests come alone.
const storyQuiet = 3

func inStory(limit, size int64, window, half time.Duration) bool {
	return limit >= storyQuiet && limit <= wholeMax && size >= 2*(storyQuiet+1) && size <= wholeMax &&
		window >= 60 && half > 0 && half < window/3
}

// StoryBefore returns what a limiter of capacity L >= 3 admits in the burst before the edge. A window has L-3 left:
// min(⌊size/2⌋, L) - 3. So has a bucket of burst L, unless it earns the three back; see StoryAfterTokenBucket.
func StoryBefore(limit, size int64) float64 {
	if !inStory(limit, size, 60, 1) {
		return math.NaN()
	}
	return float64(min(size/2, limit) - storyQuiet)
}

// StoryAfterFixedWindow returns what a fixed window, aligned to the edge, admits after it: min(size - ⌊size/2⌋, L), as if
// nothing had been before.
func StoryAfterFixedWindow(limit, size int64) float64 {
	if !inStory(limit, size, 60, 1) {
		return math.NaN()
	}
	return float64(min(size-size/2, limit))
}

// StoryAfterLog returns what a sliding log admits after the edge: what the first ⌊size/2⌋ have left of L, and one place
// more if the first quiet request has left the trailing window by then, T/30 <= half.
func StoryAfterLog(limit, size int64, window, half time.Duration) float64 {
	if !inStory(limit, size, window, half) {
		return math.NaN()
	}
	free := limit - min(size/2, limit)
	if half >= window/30 {
		free++
	}
	return float64(min(size-size/2, free))
}

// StoryAfterCounter returns what a sliding counter admits after the edge, at f = half/T of the second window, with P =
// min(⌊size/2⌋, L) in the first: L - P + ⌊Pf⌋ (Fits) or L - P + ⌈Pf⌉ (Below), if as many come. With L = P = 100 and f =
// 1/60 that is 1 or 2.
func StoryAfterCounter(rule Rule, limit, size int64, window, half time.Duration) float64 {
	if !rule.known() || !inStory(limit, size, window, half) {
		return math.NaN()
	}
	previous := min(size/2, limit)
	room := floorMulDiv(limit-previous, previous, int64(half), int64(window))
	if rule == Below {
		room = ceilMulDiv(limit-previous, previous, int64(half), int64(window))
	}
	return min(float64(size-size/2), room)
}

// StoryAfterTokenBucket returns what a token bucket of burst L and rate L/T admits after the edge. It has earned the three
// tokens of the quiet requests back before the first burst, if T/3 - half is enough for one of them; that burst leaves
// L - (⌊size/2⌋ - 3), or nothing; and 2·half bring ⌊2·half·L/T⌋ more, up to L. GCRA and a leaky queue of L-1 alike. NaN if
// a quiet token is not back in time.
func StoryAfterTokenBucket(limit, size int64, window, half time.Duration) float64 {
	if !inStory(limit, size, window, half) || floorMulDiv(0, limit, int64(window/3-half), int64(window)) < 1 {
		return math.NaN()
	}
	left := limit - min(size/2-storyQuiet, limit)
	level := min(float64(limit), floorMulDiv(left, limit, int64(2*half), int64(window)))
	return min(float64(size-size/2), level)
}
