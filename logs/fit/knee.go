package fit

import (
	"math/big"

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
	return refills(p, span) && product(10, p.Burst, p.Rate.N, int64(knee.Rate.P)).Cmp(product(11, knee.Burst, knee.Rate.N, int64(p.Rate.P))) <= 0
}

// refills reports whether burst/rate is at most span ns, which may be above 2⁶³: burst·P ≤ span·N.
func refills(p Point, span int64) bool {
	brought := new(big.Int).SetUint64(uint64(span))
	return product(p.Burst, int64(p.Rate.P)).Cmp(brought.Mul(brought, big.NewInt(p.Rate.N))) <= 0
}

// dearer reports whether p's product of rate and burst is above q's: B·N/P > B'·N'/P'.
func dearer(p, q Point) bool {
	return product(p.Burst, p.Rate.N, int64(q.Rate.P)).Cmp(product(q.Burst, q.Rate.N, int64(p.Rate.P))) > 0
}

func slower(r, s spec.Rate) bool {
	return product(r.N, int64(s.P)).Cmp(product(s.N, int64(r.P))) < 0
}

func product(factors ...int64) *big.Int {
	x := big.NewInt(1)
	for _, f := range factors {
		x.Mul(x, big.NewInt(f))
	}
	return x
}
