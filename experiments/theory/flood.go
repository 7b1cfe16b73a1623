package theory

import "math"

// A flood is somebody who always knocks: a request at every instant of the clock, whose ticks are much shorter than T/L.
// What is admitted per window of T then does not depend on chance. A fixed window and a sliding log admit their limit L, a log or
// counter that counts refused requests admits nothing, a token bucket rT.

// FloodCounter returns what a sliding counter of limit L >= 1 admits per window in a flood, in the long run: L with rule
// Below; with rule Fits L-1, and ½ for L = 1, which admits one in every second window.
//
// Fits after P > 0 admitted lets C reach ⌊L - P(1-f)⌋, at most L-1 for f < 1. Below lets it reach ⌈L - P(1-f)⌉, so L at the end.
func FloodCounter(rule Rule, limit int64) float64 {
	switch {
	case !rule.known() || limit < 1 || limit > wholeMax:
		return math.NaN()
	case rule == Below:
		return float64(limit)
	case limit == 1:
		return 0.5
	default:
		return float64(limit - 1)
	}
}

// FloodTokenBucket returns what a token bucket of rate r > 0 per second admits in a flood per window of t > 0 seconds, in the
// long run: rt, for any burst >= 1 and at most one token an instant.
func FloodTokenBucket(r, t float64) float64 {
	if !positive(r) || !positive(t) {
		return math.NaN()
	}
	return r * t
}
