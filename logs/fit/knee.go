package fit

import (
	"math/bits"

	"ratelab/internal/spec"
)

// Knee returns the point of a share's line with the least product of rate and burst, of several the one with the
// lowest rate; false if there is none.
//
// Where the product is least, a rate lower by one part in a hundred asks for a burst larger by one part in a hundred or
// more, and a higher rate does not save as much burst as it costs. The product knows neither units nor the ends of the
// grid. It goes to 0 with the rate, though, as no burst is larger than all work of a key: a bucket that does not fill
// up within the log is a stock and no rate, so only points whose bucket does (burst/rate ≤ the time from the first
// request to the last) are looked at.
func (f *Frontier) Knee(of Of, share Share) (Point, bool) {
	var best Point
	found := false
	for _, p := range f.Line(of, share) {
		if !refills(p, f.span) {
			continue
		}
		if !found || dearer(best, p) || !dearer(p, best) && slower(p.Rate.Rate, best.Rate.Rate) {
			best, found = p, true
		}
	}
	return best, found
}

// Near reports whether a point of the same line is within a tenth of the knee's product of rate and burst, so that a
// little more or less traffic could have made it the knee.
func Near(p, knee Point, span int64) bool {
	p.Burst, knee.Burst = 10*p.Burst, 11*knee.Burst
	return refills(Point{Rate: p.Rate, Burst: p.Burst / 10}, span) && !dearer(p, knee)
}

// refills reports whether burst/rate is at most span: burst·P ≤ span·N.
func refills(p Point, span int64) bool {
	h1, l1 := bits.Mul64(uint64(p.Burst), uint64(p.Rate.P))
	h2, l2 := bits.Mul64(uint64(span), uint64(p.Rate.N))
	return h1 < h2 || h1 == h2 && l1 <= l2
}

// dearer reports whether p's product of rate and burst is above q's: B·N/P > B'·N'/P'.
func dearer(p, q Point) bool {
	return times(uint64(p.Burst), uint64(p.Rate.N), uint64(q.Rate.P)).above(
		times(uint64(q.Burst), uint64(q.Rate.N), uint64(p.Rate.P)))
}

func slower(r, s spec.Rate) bool {
	return times(1, uint64(s.N), uint64(r.P)).above(times(1, uint64(r.N), uint64(s.P)))
}

// triple is a product of three numbers, the highest part first.
type triple [3]uint64

func times(a, b, c uint64) triple {
	hi, lo := bits.Mul64(a, b)
	carry, low := bits.Mul64(lo, c)
	top, middle := bits.Mul64(hi, c)
	middle, over := bits.Add64(middle, carry, 0)
	return triple{top + over, middle, low}
}

func (x triple) above(y triple) bool {
	for i := range x {
		if x[i] != y[i] {
			return x[i] > y[i]
		}
	}
	return false
}
