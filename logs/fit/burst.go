package fit

import (
	"math/bits"
	"time"

	"ratelab/internal/spec"
)

// A key's deficit is what a bucket lacks to be full, just after a request that it admitted: what came since it was last
// full, less what the rate brought. Its maximum over all requests is b(r), the maximum over all intervals of the work
// in it less r times its length, as the interval may begin at any request. It is kept in parts of a token, P to the
// token for a rate of N/P, so that each nanosecond brings N parts and nothing is rounded; so does package limiters.

// deficit is an unsigned integer of 128 bits. Work lies below 2⁶² and P below 2⁵³, so that sums stay below 2¹¹⁶.
type deficit struct{ hi, lo uint64 }

// drained returns max(0, d − ns·n).
func (d deficit) drained(ns, n uint64) deficit {
	hi, lo := bits.Mul64(ns, n)
	low, borrow := bits.Sub64(d.lo, lo, 0)
	high, borrow := bits.Sub64(d.hi, hi, borrow)
	if borrow != 0 {
		return deficit{}
	}
	return deficit{high, low}
}

// plus returns d + a·b.
func (d deficit) plus(a, b uint64) deficit {
	hi, lo := bits.Mul64(a, b)
	low, carry := bits.Add64(d.lo, lo, 0)
	return deficit{d.hi + hi + carry, low}
}

func (d deficit) less(e deficit) bool { return d.hi < e.hi || d.hi == e.hi && d.lo < e.lo }

// tokens returns ⌈d/p⌉.
func (d deficit) tokens(p uint64) int64 {
	q, r := bits.Div64(d.hi, d.lo, p)
	if r > 0 {
		q++
	}
	return int64(q)
}

// tokensAbove returns the smallest whole number of tokens above (d − ns·n)/p, 0 if that is negative.
func (d deficit) tokensAbove(ns, n, p uint64) int64 {
	hi, lo := bits.Mul64(ns, n)
	if d.less(deficit{hi, lo}) {
		return 0
	}
	rest := d.drained(ns, n)
	q, _ := bits.Div64(rest.hi, rest.lo, p)
	return int64(q) + 1
}

// Burst is the smallest whole burst of a token bucket, full at first, that refuses a key nothing.
type Burst struct {
	At        int64 // with the times as they stand in the log
	Low, High int64 // the least and the most with the times that they may stand for
}

// Bursts returns the smallest burst of each key by its number, 0 for keys without requests, in whole tokens.
func (a *Arrivals) Bursts(rate spec.Rate) []int64 {
	bursts := make([]int64, len(a.from))
	n, p := uint64(rate.N), uint64(rate.P)
	for key := range bursts {
		at, cost := a.Of(key)
		bursts[key] = most(at, cost, n, p).tokens(p)
	}
	return bursts
}

// most returns the largest deficit of a key, which is b(r) in parts of a token.
func most(at, cost []int64, n, p uint64) deficit {
	switch {
	case len(at) == 0:
		return deficit{}
	case len(at) == 1 && cost == nil:
		return deficit{0, p}
	case cost == nil && uint64(len(at)) <= small/p:
		return deficit{0, mostSmall(at, n, p)}
	}
	var now, top deficit
	last := at[0]
	for i, t := range at {
		c := uint64(1)
		if cost != nil {
			c = uint64(cost[i])
		}
		now = now.drained(uint64(t)-uint64(last), n).plus(c, p)
		last = t
		if top.less(now) {
			top = now
		}
	}
	return top
}

// small bounds what is computed in 64 bits.
const small = 1 << 62

// mostSmall is most for unit costs whose sum of parts stays below small: the same in 64 bits, the usual case.
func mostSmall(at []int64, n, p uint64) (top uint64) {
	dry := small / n // after so long every deficit is gone
	now, last := uint64(0), at[0]
	for _, t := range at {
		gap := uint64(t) - uint64(last)
		last = t
		switch {
		case gap > dry || gap*n >= now:
			now = p
		default:
			now += p - gap*n
		}
		top = max(top, now)
	}
	return top
}

// Interval returns the smallest burst of a key with the times as they stand, and its least and most over all times that
// they may stand for, if each was cut by less than grain ns: a request stamped t came at any real time in [t, t+grain),
// in any order with others. A stamp need not be a multiple of grain, as the time that a request took may have been taken
// off. With grain 0 all three are equal.
//
// Most: the work from stamp s to a later s' may have come within s'−s−grain, or at once if that is negative; of every
// pair that is the shortest span, and b(r) is a maximum over pairs.
//
// Least: to be sent as soon as there are tokens is best for all that follows, since then no token is lost while a
// request waits; and in the order of the stamps, since each may wait equally long. So all requests pass in time if and
// only if each, with those before it, waits for less than grain, and no cost is above the burst. The deficit that there
// is to wait for is what it is with the times as they stand, so that the least is the smallest burst above
// max deficit − r·grain, or the largest cost.
func (a *Arrivals) Interval(key int, rate spec.Rate, grain int64) Burst {
	at, cost := a.Of(key)
	n, p := uint64(rate.N), uint64(rate.P)
	top := most(at, cost, n, p)
	b := Burst{At: top.tokens(p)}
	b.Low, b.High = b.At, b.At
	if grain == 0 || len(at) == 0 {
		return b
	}
	largest := int64(1)
	if cost != nil {
		largest = 0
		for _, c := range cost {
			largest = max(largest, c)
		}
	}
	b.Low = max(largest, top.tokensAbove(uint64(grain), n, p))

	// before is the deficit of the requests up to first, work what comes from first on to now, less than grain apart.
	var before, highest deficit
	first, work := 0, uint64(0)
	costOf := func(i int) uint64 {
		if cost == nil {
			return 1
		}
		return uint64(cost[i])
	}
	for i, t := range at {
		work += costOf(i)
		for ; uint64(t)-uint64(at[first]) >= uint64(grain); first++ {
			if first > 0 {
				before = before.drained(uint64(at[first])-uint64(at[first-1]), n)
			}
			before = before.plus(costOf(first), p)
			work -= costOf(first)
		}
		var spread deficit
		if first > 0 {
			spread = before.drained(uint64(t)-uint64(at[first-1])-uint64(grain), n)
		}
		if spread = spread.plus(work, p); highest.less(spread) {
			highest = spread
		}
	}
	b.High = highest.tokens(p)
	return b
}

// grains are what times are cut to, the coarsest first.
var grains = []int64{86400 * second, 3600 * second, 60 * second, second}

const second = 1_000_000_000 // ns

// Grain returns what all times are multiples of, if that is a day, an hour, a minute or a second, in ns, else 0: the
// times are taken as exact. What is coarser than a second needs ten different times to be believed.
func (a *Arrivals) Grain() int64 {
	if a.requests == 0 {
		return 0
	}
	distinct := map[int64]bool{}
	level := 0
	for key := range a.from {
		for _, t := range a.at[a.from[key]:a.to[key]] {
			for t%grains[level] != 0 {
				if level++; level == len(grains) {
					return 0
				}
			}
			if len(distinct) < 10 {
				distinct[t] = true
			}
		}
	}
	if len(distinct) < 10 {
		return second
	}
	return grains[level]
}

// grainNames are what people call grains.
var grainNames = map[int64]string{second: "second", 60 * second: "minute", 3600 * second: "hour", 86400 * second: "day"}

// GrainText names a grain for people: second, minute, hour, day, or a duration as in 100ms.
func GrainText(grain int64) string {
	if name, usual := grainNames[grain]; usual {
		return name
	}
	return spec.FormatDuration(time.Duration(grain))
}
