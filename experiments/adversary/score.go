package adversary

import (
	"math"
	"time"
)

// score is how much harm a schedule does: value/of, and among equals how near
// it is to more.
type score struct {
	value, of int64
	slope     int64
}

// harm compares harms alone: below 0 if a does less.
func (a score) harm(b score) int {
	x, y := a.value, b.value
	if a.of != b.of {
		x, y = a.value*b.of, b.value*a.of // shares of counts up to MaxRequests
	}
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// worse reports whether a does less harm, or as much and is farther from more.
func (a score) worse(b score) bool {
	c := a.harm(b)
	return c < 0 || c == 0 && a.slope < b.slope
}

// outcome is what became of a schedule.
type outcome struct {
	admitted []time.Duration // when each admitted request was decided, in order
	own, log int64           // admitted, and by an exact log; log only if it is asked for
	delay    time.Duration   // the longest of an admitted request
}

func (o *outcome) clear() { o.admitted, o.own, o.log, o.delay = o.admitted[:0], 0, 0, 0 }

// score returns the harm.
func (o *outcome) score(h Harm, within time.Duration) score {
	switch h {
	case Deficit:
		return score{value: o.log - o.own, of: max(o.log, 1)}
	case Delay:
		return score{value: int64(o.delay), of: 1}
	}
	most, _ := mostWithin(o.admitted, within)
	// The shorter the shortest interval that holds one more, the nearer it is.
	nearest := int64(math.MaxInt64)
	for i := most; i < len(o.admitted); i++ {
		nearest = min(nearest, int64(o.admitted[i]-o.admitted[i-most]))
	}
	return score{value: int64(most), of: 1, slope: -nearest}
}

// mostWithin returns the most of times, which are in order, that lie in one
// interval [t, t+length), and the first of them.
func mostWithin(times []time.Duration, length time.Duration) (most int, from time.Duration) {
	first := 0
	for i, t := range times {
		for t-times[first] >= length {
			first++
		}
		if n := i - first + 1; n > most {
			most, from = n, times[first]
		}
	}
	return most, from
}
