package limiters

import (
	"math"
	"math/bits"
	"time"
)

// wide is a signed integer of 128 bits in two's complement: what exact
// decisions about times (63 bits) and rates (53 bits) are computed in.
//
// What is kept stays within ±2¹²⁵, so that sums and differences never overflow
// on the way to a decision: products of a time and a rate stay below 2¹¹⁷, products of
// a count and a period below 2¹¹⁶, and what [Limiter.Charge] piles up is cut
// by [wide.capped].
type wide struct{ hi, lo uint64 }

// product returns a·b, which must lie below 2¹²⁷.
func product(a, b uint64) wide {
	hi, lo := bits.Mul64(a, b)
	return wide{hi, lo}
}

// scaled returns t·n for a time of either sign.
func scaled(t time.Duration, n uint64) wide {
	hi, lo := bits.Mul64(uint64(t), n)
	return wide{hi - uint64(t>>63)&n, lo}
}

func (x wide) plus(y wide) wide {
	lo, carry := bits.Add64(x.lo, y.lo, 0)
	hi, _ := bits.Add64(x.hi, y.hi, carry)
	return wide{hi, lo}
}

func (x wide) minus(y wide) wide {
	lo, borrow := bits.Sub64(x.lo, y.lo, 0)
	hi, _ := bits.Sub64(x.hi, y.hi, borrow)
	return wide{hi, lo}
}

func (x wide) negative() bool { return int64(x.hi) < 0 }

func (x wide) less(y wide) bool { return x.minus(y).negative() }

// most bounds what forced charges add up to, either way: 2¹²⁵, half a million
// times the largest capacity in the finest unit. What goes beyond is cut.
var most = wide{hi: 1 << 61}

func (x wide) capped() wide {
	if most.less(x) {
		return most
	}
	if least := (wide{}).minus(most); x.less(least) {
		return least
	}
	return x
}

// floorDiv returns ⌊x/d⌋, or 0 if x is negative, or MaxUint64 if the quotient
// is larger than that.
func (x wide) floorDiv(d uint64) uint64 {
	switch {
	case x.negative():
		return 0
	case x.hi == 0:
		return x.lo / d
	case x.hi >= d:
		return math.MaxUint64
	}
	q, _ := bits.Div64(x.hi, x.lo, d)
	return q
}

// ceilDiv returns ⌈x/d⌉, or 0 if x is negative, or MaxUint64 if the quotient
// is larger than that.
func (x wide) ceilDiv(d uint64) uint64 {
	return x.plus(wide{0, d - 1}).floorDiv(d)
}

// ratio returns x/d rounded to float64 in a way that is the same everywhere.
func (x wide) ratio(d uint64) float64 {
	sign := 1.0
	if x.negative() {
		x, sign = wide{}.minus(x), -1
	}
	hi, lo := x.hi/d, x.lo
	q, r := bits.Div64(x.hi%d, lo, d)
	return sign * (float64(float64(hi)*0x1p64) + float64(q) + float64(r)/float64(d))
}

// hint returns the time from a request's own instant, now, to wait beyond the
// instant t >= now that the decision was made for. Beyond int64 it is Never.
func hint(now, t time.Duration, wait uint64) time.Duration {
	sum, carry := bits.Add64(uint64(t)-uint64(now), wait, 0)
	if carry != 0 || sum > math.MaxInt64 {
		return Never
	}
	return time.Duration(sum)
}
