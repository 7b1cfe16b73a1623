package theory

// overloaded is the load above which M/D/1/K with K >= 2 is never found empty: P(empty) < e^-overloaded.
const overloaded = 300

// md1k is the queue with Poisson arrivals, deterministic service of length 1, load rho <= overloaded, and k places
// including the one in service, seen at departures.
type md1k struct {
	rho  float64
	left []float64 // stationary law of the number that a departure leaves behind, on 0..k-1
	loss float64   // share of arrivals turned away
}

// newMD1K solves the departure chain.
//
// With A ~ Poisson(rho) arrivals in a service, a departure lowers the number in the system by one at most. So the
// elimination of Grassmann, Taksar and Heyman (see stationary) folds every state into its neighbour, and what is left of
// it is the balance of crossings of each level,
//
//	π_n e^-ρ = Σ_{i<n} π_i P(A >= n - max(i,1) + 1):
//
// no subtraction, and O(k) a level instead of O(k²). The loss is what overflows during a service over what arrives from
// one departure to the next,
//
//	Σ_i π_i E[(A - (k - max(i,1)))^+] / (ρ + π_0).
//
// Where π_n falls below the range of float64 it is 0.
func newMD1K(rho float64, k int) md1k {
	tail := poissonTails(rho, k)
	none := poissonPMF(rho, 0)
	pi := make([]float64, k)
	pi[0] = 1
	for n := 1; n < k; n++ {
		up := pi[0] * tail[n]
		for i := n - 1; i >= 1 && tail[n-i+1] > 0; i-- {
			up += pi[i] * tail[n-i+1]
		}
		pi[n] = up / none
		if pi[n] > 1/never {
			for i := 0; i <= n; i++ {
				pi[i] *= never
			}
		}
	}
	normalise(pi)

	excess := poissonExcess(rho, k-1) // E[(A-m)^+] at m = k-1 for i = 0, 1, then a place less for each i: + P(A >= m)
	lost := pi[0] * excess
	for i := 1; i < k; i++ {
		lost += pi[i] * excess
		excess += tail[k-i]
	}
	return md1k{rho: rho, left: pi, loss: lost / (rho + pi[0])}
}

// empty returns the share of time that the queue is empty, π_0/(π_0+ρ).
func (q md1k) empty() float64 { return q.left[0] / (q.left[0] + q.rho) }

// wait returns the mean time from arrival to service of those that get a place, in services: Little's law on the
// places that wait, Σ (n-1)p_n over the admitted rate ρ/(ρ+π_0), with p_n = π_n/(ρ+π_0) for n < k and p_k the loss.
func (q md1k) wait() float64 {
	waiting := 0.0
	for n := 2; n < len(q.left); n++ {
		waiting += float64(n-1) * q.left[n]
	}
	full := float64(len(q.left)-1) * q.loss * (q.rho + q.left[0])
	return (waiting + full) / q.rho
}

// normalise scales p to the sum 1.
func normalise(p []float64) {
	total := 0.0
	for _, x := range p {
		total += x
	}
	for i := range p {
		p[i] /= total
	}
}
