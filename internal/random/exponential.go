package random

import (
	"math"
	"math/rand/v2"
)

// Exponential draws from the exponential law with mean 1: a value in [0, ∞),
// 0 with probability below 2⁻⁵³. It has the same bits on every architecture.
//
// The method is the ziggurat of Marsaglia and Tsang (Journal of Statistical
// Software 5(8), 2000) with 256 layers of equal area and a 53-bit abscissa.
// 98.9 % of the draws take one 64-bit word, one table row and one product.
func Exponential(r *rand.Rand) float64 {
	u := r.Uint64()
	layer := &layers[u&255]
	j := int64(u >> 11)
	if j < layer.inside {
		return float64(float64(j) * layer.unit)
	}
	return exponentialEdge(r, u)
}

// exponentialEdge finishes a draw whose word u fell outside the part of its
// layer that lies wholly under the curve.
//
// In layer 0 that means beyond the last abscissa, R. The law has no memory, so
// what lies beyond R is R plus a fresh draw: the tail needs no logarithm.
func exponentialEdge(r *rand.Rand, u uint64) float64 {
	shift := 0.0
	for {
		i := u & 255
		layer := &layers[i]
		j := int64(u >> 11)
		x := float64(float64(j) * layer.unit)
		switch {
		case j < layer.inside:
			return shift + x
		case i == 0:
			shift += tailStart
		default:
			y := heights[i] + float64(r.Float64()*(heights[i+1]-heights[i]))
			if y < expMinus(x) {
				return shift + x
			}
		}
		u = r.Uint64()
	}
}

// expMinus returns e^-x for x in [0, 700], within one unit in the last place.
//
// It is the reduction and the rational approximation of FreeBSD's e_exp.c
// (Sun Microsystems, 1993), with every product rounded by itself.
func expMinus(x float64) float64 {
	const (
		log2e = 0x1.71547652b82fep+00
		ln2Hi = 0x1.62e42fee00000p-01 // its product with an integer below 2¹¹ is exact
		ln2Lo = 0x1.a39ef35793c76p-33

		p1 = 0x1.555555555553ep-03
		p2 = -0x1.6c16c16bebd93p-09
		p3 = 0x1.1566aaf25de2cp-14
		p4 = -0x1.bbd41c5d26bf1p-20
		p5 = 0x1.6376972bea4d0p-25
	)
	// e^-x = e^(hi-lo) / 2^k with |hi-lo| ≤ ln(2)/2.
	k := int64(float64(x*log2e) + 0.5)
	hi := float64(float64(k)*ln2Hi) - x
	lo := -float64(float64(k) * ln2Lo)
	z := hi - lo
	t := float64(z * z)
	p := p4 + float64(t*p5)
	p = p3 + float64(t*p)
	p = p2 + float64(t*p)
	p = p1 + float64(t*p)
	c := z - float64(t*p)
	y := 1 - ((lo - float64(float64(z*c)/(2-c))) - hi)
	return float64(y * math.Float64frombits(uint64(1023-k)<<52))
}
