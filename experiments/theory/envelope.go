package theory

import (
	"math"
	"math/bits"
	"time"
)

// An envelope is the most that a limiter admits in any half-open interval of length δ, whatever arrives, over all
// histories. Each has two forms. In real time it is a supremum, the one in the literature. On a clock of whole
// nanoseconds (…OnClock) it is a maximum that is attained: an interval of δ ns then holds δ instants, the last of them δ-1
// after the first, so that a boundary can cost one or two nanoseconds. The two agree unless a step of the real-time form
// lies within 2 ns below δ. Unit costs. Values are whole numbers; NaN outside the domain or above 2⁵³.

// wholeMax is the largest value up to which every whole number is a float64.
const wholeMax = 1 << 53

// floorMulDiv returns ⌊n·x/d⌋ + add for n, x >= 0, d > 0, exactly, or NaN above wholeMax.
func floorMulDiv(add, n, x, d int64) float64 {
	hi, lo := bits.Mul64(uint64(n), uint64(x))
	if hi >= uint64(d) {
		return math.NaN()
	}
	q, _ := bits.Div64(hi, lo, uint64(d))
	if q > wholeMax || add > wholeMax || q+uint64(add) > wholeMax {
		return math.NaN()
	}
	return float64(q + uint64(add))
}

// ceilMulDiv returns ⌈n·x/d⌉ + add.
func ceilMulDiv(add, n, x, d int64) float64 {
	hi, lo := bits.Mul64(uint64(n), uint64(x))
	if hi >= uint64(d) {
		return math.NaN()
	}
	if _, rest := bits.Div64(hi, lo, uint64(d)); rest > 0 {
		return floorMulDiv(add, n, x, d) + 1
	}
	return floorMulDiv(add, n, x, d)
}

// lengths reports whether limit, window and delta are in the domain of every window limiter.
func lengths(limit int64, window, delta time.Duration) bool {
	return limit >= 1 && limit <= wholeMax && window > 0 && delta > 0
}

// LogEnvelope returns the envelope of a sliding log of limit L >= 1 per window T > 0: L⌈δ/T⌉, so L for 0 < δ <= T. The same in
// real time and on a clock, because an entry of age exactly T has left.
func LogEnvelope(limit int64, window, delta time.Duration) float64 {
	if !lengths(limit, window, delta) {
		return math.NaN()
	}
	return floorMulDiv(0, limit, (int64(delta)-1)/int64(window)+1, 1)
}

// FixedWindowEnvelope returns the envelope of a fixed window of limit L >= 1 per window T > 0, aligned to a clock:
// L(⌈δ/T⌉ + 1). Two windows are touched however short δ > 0 is: 2L in a blink.
func FixedWindowEnvelope(limit int64, window, delta time.Duration) float64 {
	if !lengths(limit, window, delta) {
		return math.NaN()
	}
	return floorMulDiv(0, limit, (int64(delta)-1)/int64(window)+2, 1)
}

// FixedWindowEnvelopeOnClock is FixedWindowEnvelope on a clock: L for δ = 1 ns, else L(⌊(δ-2)/T⌋ + 2).
func FixedWindowEnvelopeOnClock(limit int64, window, delta time.Duration) float64 {
	if !lengths(limit, window, delta) {
		return math.NaN()
	}
	if delta == 1 {
		return float64(limit)
	}
	return floorMulDiv(0, limit, (int64(delta)-2)/int64(window)+2, 1)
}

// FirstRequestWindowEnvelopeOnClock returns the envelope of a fixed window of limit L >= 1 that opens with the first request
// admitted after the last one ended, for 1 ns <= δ <= T and T >= 2 ns: 2L-1, since one request had to open the window at its start; L for δ = 1 ns.
// The bound 2L-1 holds in real time too.
func FirstRequestWindowEnvelopeOnClock(limit int64, window, delta time.Duration) float64 {
	if !lengths(limit, window, delta) || delta > window || window < 2 || limit > wholeMax/2 {
		return math.NaN()
	}
	if delta == 1 {
		return float64(limit)
	}
	return float64(2*limit - 1)
}

// CounterEnvelope returns the envelope of a sliding counter of limit L >= 1 per window T, for 0 < δ <= T: with rule Fits
// L + ⌈Lδ/T⌉ - 1, exactly that of the token bucket with burst L and rate L/T; with rule Below one more. Attained by L requests
// at the end of a window and the rest, as soon as they fit, in the next; so 2L-1 (Fits) or 2L (Below) within T.
//
// Source: C <= L - P(1-f) and P <= L in any window; exhaustive search on small grids.
func CounterEnvelope(rule Rule, limit int64, window, delta time.Duration) float64 {
	if !rule.known() || !lengths(limit, window, delta) || delta > window {
		return math.NaN()
	}
	most := ceilMulDiv(limit, limit, int64(delta), int64(window))
	if rule == Fits {
		most--
	}
	return most
}

// CounterEnvelopeOnClock is CounterEnvelope on a clock, where the burst is at the last ns of its window and the position in
// the next is at most (δ-2)/T: L + ⌊L(δ-2)/T⌋ (Fits), L + ⌈L(δ-2)/T⌉ (Below), L for δ = 1 ns.
func CounterEnvelopeOnClock(rule Rule, limit int64, window, delta time.Duration) float64 {
	if !rule.known() || !lengths(limit, window, delta) || delta > window {
		return math.NaN()
	}
	into := max(int64(delta)-2, 0)
	if rule == Below {
		return ceilMulDiv(limit, limit, into, int64(window))
	}
	return floorMulDiv(limit, limit, into, int64(window))
}

// CounterTwoWindowEnvelope returns the envelope of a sliding counter over δ = 2T, for a limit L >= 1: 3L-2 with rule Fits (2 for
// L = 1), one less than the token bucket with burst L and rate L/T; 3L with rule Below. In real time; on a clock too if the
// window has more than 2L ns.
func CounterTwoWindowEnvelope(rule Rule, limit int64) float64 {
	if !rule.known() || limit < 1 || limit > wholeMax/3 {
		return math.NaN()
	}
	switch {
	case rule == Below:
		return float64(3 * limit)
	case limit == 1:
		return 2
	default:
		return float64(3*limit - 2)
	}
}

// TokenBucketEnvelope returns the envelope of a token bucket of burst b >= 1 that refills continuously, tokens every per, for
// δ > 0: b + ⌈rδ⌉ - 1, r = tokens/per. GCRA alike.
func TokenBucketEnvelope(burst, tokens int64, per, delta time.Duration) float64 {
	if !lengths(burst, per, delta) || tokens < 1 {
		return math.NaN()
	}
	return ceilMulDiv(burst, tokens, int64(delta), int64(per)) - 1
}

// TokenBucketEnvelopeOnClock is TokenBucketEnvelope on a clock, for at most one token a ns (tokens <= per): b + ⌊r(δ-1)⌋. It
// equals the real-time form where per/tokens is a whole number of ns. A burst of 1 cannot keep the fraction of a token that
// the clock makes it wait: 1 + ⌊(δ-1)/⌈per/tokens⌉⌋.
func TokenBucketEnvelopeOnClock(burst, tokens int64, per, delta time.Duration) float64 {
	if !lengths(burst, per, delta) || tokens < 1 || tokens > int64(per) {
		return math.NaN()
	}
	if burst == 1 {
		emission := (int64(per)-1)/tokens + 1
		return floorMulDiv(1, 1, int64(delta)-1, emission)
	}
	return floorMulDiv(burst, tokens, int64(delta)-1, int64(per))
}

// TickBucketEnvelopeOnClock returns the envelope of a token bucket of burst b >= 1 that gets tokens >= 1 at once at every
// whole multiple of per: b + min(tokens, b)·⌈(δ-1)/per⌉. In real time it is b + min(tokens, b)·⌈δ/per⌉.
func TickBucketEnvelopeOnClock(burst, tokens int64, per, delta time.Duration) float64 {
	if !lengths(burst, per, delta) || tokens < 1 {
		return math.NaN()
	}
	ticks := (int64(delta) - 2 + int64(per)) / int64(per) // ⌈(δ-1)/per⌉
	return floorMulDiv(burst, min(tokens, burst), ticks, 1)
}
