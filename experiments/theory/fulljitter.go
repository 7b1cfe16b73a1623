package theory

import "math"

// Full jitter waits U(0, w_i) before retry i, w_i = min(widest, first·2^(i-1)): first is the base, or twice the base where the exponent
// counts from one. Clients are refused at time 0 and ever after, and an answer takes no time. Time is in units of the base.

// FullJitterMaxHorizon is the longest FullJitterProfile, in bases.
const FullJitterMaxHorizon = 1000

// FullJitterFirst returns the mean number of retries of clients >= 0 by time t, in (0, first], for first <= widest:
//
//	n Σ_k t^k / (k! w_1···w_k).
//
// Source: no wait is cut off by then, so that k waits end by t with the volume of a simplex over that of a box.
func FullJitterFirst(clients int, first, widest, t float64) float64 {
	if clients < 0 || !positive(first) || !(first <= widest) || math.IsInf(widest, 1) || !(t > 0 && t <= first) {
		return math.NaN()
	}
	sum, term, width := 0.0, 1.0, first
	for k := 1; term > negligible*sum; k++ {
		term *= t / (float64(k) * width)
		sum += term
		width = min(widest, 2*width)
	}
	return float64(clients) * sum
}

// FullJitterProfile returns the mean number of retries of clients >= 0 in each of the first horizon >= 1 bases: the one of index j is
// in [j, j+1). The widths first >= 1 and widest >= first are whole bases. Nil outside the domain.
//
// Source: the time of retry k is a sum of k uniform times, whose distribution function F_k is a polynomial between whole bases, and
//
//	F_k(t) = (1/w_k) ∫ F_{k-1} from t-w_k to t.
func FullJitterProfile(clients, first, widest, horizon int) []float64 {
	if clients < 0 || first < 1 || widest < first || horizon < 1 || horizon > FullJitterMaxHorizon {
		return nil
	}
	retries := make([]float64, horizon)
	law := make([][]float64, horizon) // F_k in [j, j+1], by its coefficients in the basis of Bernstein
	for j := range law {
		law[j] = []float64{1}
	}
	for width := first; ; width = min(widest, 2*width) {
		law = average(law, width)
		for j, piece := range law {
			retries[j] += float64(clients) * (piece[len(piece)-1] - piece[0])
		}
		if last := law[horizon-1]; last[len(last)-1] < negligible {
			return retries
		}
	}
}

// average returns (1/w) ∫ f from t-w to t, f being 0 before 0. In the basis of Bernstein an integral is a running sum.
func average(f [][]float64, width int) [][]float64 {
	integrals := make([][]float64, len(f))
	below := 0.0
	for j, piece := range f {
		degree := len(piece)
		integrals[j] = make([]float64, degree+1)
		integrals[j][0] = below
		for i, c := range piece {
			integrals[j][i+1] = integrals[j][i] + c/float64(degree)
		}
		below = integrals[j][degree]
	}
	for j := len(integrals) - 1; j >= 0; j-- {
		for i := range integrals[j] {
			if j >= width {
				integrals[j][i] -= integrals[j-width][i]
			}
			integrals[j][i] /= float64(width)
		}
	}
	return integrals
}
