package theory

import "math"

// Origin says where windows of fixed length begin.
type Origin int

// The origins.
const (
	OriginEpoch    Origin = iota // at whole multiples of the length, for all keys alike
	OriginCreation               // at the first request of the key, and at every whole length after it
	OriginFirst                  // at the first request admitted after the last one ended
)

// WindowBursts returns which of several bursts pass whole, each of as many requests as the limit, at times in windows, in order: the
// others are refused whole. No window passes two.
func WindowBursts(o Origin, times ...float64) []bool {
	passed := make([]bool, len(times))
	last := math.Inf(-1) // start of the window that was last spent, or its number
	for i, t := range times {
		window := math.Floor(t)
		switch o {
		case OriginCreation:
			window = math.Floor(t - times[0])
		case OriginFirst:
			if window = last; t >= last+1 {
				window = t
			}
		}
		passed[i] = window != last
		last = window
	}
	return passed
}

// FirstWindowAdmitShare returns the share that a fixed window admits whose windows open with their first request, of Poisson arrivals,
// a > 0 in a window on average, limit >= 1: windows are T apart and the time to the next request, 1/λ, and admit one and then
// min(Pois(a), L-1); so (1 + E[min(Pois(a), L-1)])/(1+a). For limit 1 it is the one-place meter.
func FirstWindowAdmitShare(a float64, limit int) float64 {
	if !positive(a) || limit < 1 {
		return math.NaN()
	}
	more := 0.0
	if limit > 1 {
		more = FixedWindowAdmitted(a, limit-1)
	}
	return (1 + more) / (1 + a)
}

// FixedWindowPartShare returns the share that a fixed window admits of the Poisson requests in a part of it, from 0 <= from < to <= 1 of
// its length; a > 0 in the whole on average, limit >= 1: what is admitted up to a moment is E[min(Pois, L)] of what has come by then.
func FixedWindowPartShare(a float64, limit int, from, to float64) float64 {
	if !positive(a) || limit < 1 || !(from >= 0 && from < to && to <= 1) {
		return math.NaN()
	}
	before := 0.0
	if from > 0 {
		before = FixedWindowAdmitted(a*from, limit)
	}
	return (FixedWindowAdmitted(a*to, limit) - before) / (a * (to - from))
}
