package fit

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// WindowKind is how a window limit counts, named as in package limiters.
type WindowKind string

// FixedWindow counts in windows that begin at multiples of their length since the Unix epoch, SlidingLog in the window
// that ends with each request.
const (
	FixedWindow WindowKind = "fixed-window"
	SlidingLog  WindowKind = "sliding-log"
)

// WindowPoint is the smallest limit of a window for a share of the keys or requests, as [Point] is the smallest burst.
// Low and High are the limit's least and most over all times that the stamps may stand for.
type WindowPoint struct {
	Window    time.Duration
	Kind      WindowKind
	Of        Of
	Share     Share
	Limit     int64
	Low, High int64
}

// Windows are the lengths that limits usually have.
var Windows = []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour}

// FitWindows finds the smallest limits of fixed windows and sliding logs of each length. grain is as in [FitFrontier].
//
// A fixed window whose length the grain divides counts the same whatever the stamps stand for. A sliding log holds what
// came within less than its window: at least what is stamped so when all requests come at the begin of their stamps, at
// most what is stamped a grain further apart.
func FitWindows(a *Arrivals, lengths []time.Duration, shares []Share, grain int64) []WindowPoint {
	var points []WindowPoint
	for _, length := range lengths {
		if int64(length) < grain {
			continue // the times do not say
		}
		for _, kind := range []WindowKind{FixedWindow, SlidingLog} {
			points = append(points, windowPoints(a, length, kind, shares, grain)...)
		}
	}
	return points
}

func windowPoints(a *Arrivals, length time.Duration, kind WindowKind, shares []Share, grain int64) []WindowPoint {
	limits := make([]int64, len(a.from))
	highs := limits
	counts := map[int64]int{} // of requests in fixed windows
	for key := range limits {
		at, cost := a.Of(key)
		if kind == FixedWindow {
			limits[key] = mostFixed(at, cost, int64(length), counts)
		} else {
			limits[key] = mostWithin(at, cost, uint64(length))
		}
	}
	if kind == SlidingLog && grain != 0 {
		highs = make([]int64, len(limits))
		for key := range highs {
			at, cost := a.Of(key)
			highs[key] = mostWithin(at, cost, uint64(length)+uint64(grain))
		}
	}
	var points []WindowPoint
	needs, high := quantiles(limits, a.keys, shares), quantiles(highs, a.keys, shares)
	for i, share := range shares {
		points = append(points, WindowPoint{length, kind, Keys, share, needs[i], needs[i], high[i]})
	}
	if !a.UnitCosts() {
		return points
	}
	var ring []int64
	for _, share := range shares {
		enough := a.requests - share.Of(a.requests)
		limit := int64(0)
		if kind == FixedWindow {
			limit = leastCount(counts, int64(enough))
		} else {
			limit = leastLimit(limits, enough, func(key int, limit int64, enough int) int {
				at, _ := a.Of(key)
				if int64(len(ring)) < limit {
					ring = make([]int64, max(limit, int64(2*len(ring))))
				}
				return refusedByLog(at, uint64(length), ring[:limit], enough)
			})
		}
		points = append(points, WindowPoint{length, kind, Requests, share, limit, limit, limit})
	}
	return points
}

// mostFixed returns the most work in a window aligned to the epoch, and counts the requests of each window.
func mostFixed(at, cost []int64, length int64, counts map[int64]int) (top int64) {
	work, requests, last := int64(0), int64(0), int64(0) // in the window whose last ns is last
	for i, t := range at {
		if i == 0 || t > last {
			if requests > 0 {
				counts[requests]++
			}
			phase := t % length
			if phase < 0 {
				phase += length
			}
			work, requests = 0, 0
			if last = t + (length - 1 - phase); last < t {
				last = math.MaxInt64
			}
		}
		requests++
		if cost == nil {
			work++
		} else {
			work += cost[i]
		}
		top = max(top, work)
	}
	if requests > 0 {
		counts[requests]++
	}
	return top
}

// MostWithin returns the most work in a half-open interval of a length: of requests, in time order and of cost 1 where
// cost is nil, of which the last came less than length after the first.
func MostWithin(at, cost []int64, length time.Duration) int64 {
	return mostWithin(at, cost, uint64(length))
}

func mostWithin(at, cost []int64, length uint64) (top int64) {
	work, first := int64(0), 0
	for i, t := range at {
		for uint64(t)-uint64(at[first]) >= length {
			if cost == nil {
				work--
			} else {
				work -= cost[first]
			}
			first++
		}
		if cost == nil {
			work++
		} else {
			work += cost[i]
		}
		top = max(top, work)
	}
	return top
}

// leastCount returns the smallest limit under which windows with these counts of requests refuse at most enough.
func leastCount(counts map[int64]int, enough int64) int64 {
	type many struct {
		count int64
		n     int64
	}
	var windows []many
	for count, n := range counts {
		windows = append(windows, many{count, int64(n)})
	}
	slices.SortFunc(windows, func(x, y many) int { return cmp.Compare(y.count, x.count) })
	sum, n := int64(0), int64(0)
	for i, w := range windows {
		sum += w.count * w.n
		n += w.n
		next := int64(0)
		if i+1 < len(windows) {
			next = windows[i+1].count
		}
		if sum-n*next > enough {
			return (sum - enough + n - 1) / n
		}
	}
	return 0
}

// refusedByLog returns how many requests a sliding log refuses whose limit is the length of ring, which it overwrites,
// up to one above enough. Every cost is 1.
func refusedByLog(at []int64, length uint64, ring []int64, enough int) int {
	refused, admitted, next := 0, 0, 0
	for _, t := range at {
		if admitted < len(ring) || uint64(t)-uint64(ring[next]) >= length {
			ring[next] = t
			admitted++
			if next++; next == len(ring) {
				next = 0
			}
		} else if refused++; refused > enough {
			break
		}
	}
	return refused
}
