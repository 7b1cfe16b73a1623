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
// Low and High are bounds on the limit over all times that the stamps may stand for: High is the most, and so is Low the
// least where all stamps are multiples of their grain and the window is one, too; elsewhere the least may be above Low.
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
// A fixed window counts what surely lies in it at least, and at most what may. A sliding log holds what came within less
// than its window: at least what is stamped a grain closer, at most what is stamped a grain further apart.
func FitWindows(a *Arrivals, lengths []time.Duration, shares []Share, grain int64) []WindowPoint {
	var points []WindowPoint
	aligned := a.multiplesOf(grain)
	for _, length := range lengths {
		if int64(length) < grain {
			continue // the times do not say
		}
		slack := grain // by which a request may lie in another fixed window, or another one further away
		if aligned && grain > 0 && int64(length)%grain == 0 {
			slack = 0
		}
		for _, kind := range []WindowKind{FixedWindow, SlidingLog} {
			points = append(points, windowPoints(a, length, kind, shares, grain, slack)...)
		}
	}
	return points
}

// multiplesOf reports whether all times are multiples of a grain > 0.
func (a *Arrivals) multiplesOf(grain int64) bool {
	if grain <= 0 {
		return false
	}
	for key := range a.from {
		for _, t := range a.at[a.from[key]:a.to[key]] {
			if t%grain != 0 {
				return false
			}
		}
	}
	return true
}

func windowPoints(a *Arrivals, length time.Duration, kind WindowKind, shares []Share, grain, slack int64) []WindowPoint {
	limits := make([]int64, len(a.from))
	lows, highs := limits, limits
	if slack > 0 {
		lows = make([]int64, len(limits))
	}
	if slack > 0 || kind == SlidingLog && grain > 0 {
		highs = make([]int64, len(limits))
	}
	counts := map[int64]int{} // of requests in fixed windows
	for key := range limits {
		at, cost := a.Of(key)
		switch {
		case kind == FixedWindow:
			limits[key] = mostFixed(at, cost, int64(length), counts)
			if slack > 0 {
				lows[key], highs[key] = boundsFixed(at, cost, int64(length), grain)
			}
		case grain > 0:
			limits[key] = mostWithin(at, cost, uint64(length))
			highs[key] = mostWithin(at, cost, uint64(length)+uint64(grain))
			if slack > 0 {
				lows[key] = mostWithin(at, cost, uint64(length)-uint64(grain)+1)
			}
		default:
			limits[key] = mostWithin(at, cost, uint64(length))
		}
	}
	var points []WindowPoint
	needs, low, high := quantiles(limits, a.keys, shares), quantiles(lows, a.keys, shares), quantiles(highs, a.keys, shares)
	for i, share := range shares {
		points = append(points, WindowPoint{length, kind, Keys, share, needs[i], low[i], high[i]})
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

// boundsFixed returns the most work that surely lies in one window aligned to the epoch, or the largest cost, and the
// most that may lie in one, if a request stamped t came in [t, t+grain). No window is shorter than grain.
func boundsFixed(at, cost []int64, length, grain int64) (sure, possible int64) {
	number := int64(math.MinInt64)                     // of the window in which the latest stamp lies
	certain, now, next := int64(0), int64(0), int64(0) // work that lies in it, that may, and that may in the next
	for i, t := range at {
		end := t + (grain - 1)
		if end < t {
			end = math.MaxInt64
		}
		first, last := floor(t, length), floor(end, length)
		if first != number {
			if now = 0; first == number+1 {
				now = next
			}
			number, certain, next = first, 0, 0
		}
		c := int64(1)
		if cost != nil {
			c = cost[i]
		}
		now += c
		if first == last {
			certain += c
		} else {
			next += c
		}
		sure, possible = max(sure, certain, c), max(possible, now, next)
	}
	return sure, possible
}

// floor returns ⌊a/b⌋.
func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
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
