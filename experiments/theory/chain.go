package theory

// never is a probability that counts as 0, chosen so that 1/never² is still a float64.
const never = 1e-150

// stationary returns the stationary law of the Markov chain with transition probabilities p, which it overwrites.
//
// It is the elimination of Grassmann, Taksar and Heyman, "Regenerative analysis and steady state distributions for
// Markov chains", Operations Research 33 (1985): the last state is folded into the others, again and again, with
// additions, products and quotients of non-negative numbers only, so that even a small probability keeps its leading
// digits. A state that goes below itself with a probability under never holds all the mass of the states up to it.
func stationary(p [][]float64) []float64 {
	size := len(p)
	pi := make([]float64, size)
	first := 0
	for n := size - 1; n > 0; n-- {
		down := 0.0
		for j := 0; j < n; j++ {
			down += p[n][j]
		}
		if down < never {
			first = n
			break
		}
		for i := 0; i < n; i++ {
			p[i][n] /= down
			up := p[i][n]
			if up == 0 {
				continue
			}
			for j := 0; j < n; j++ {
				p[i][j] += up * p[n][j]
			}
		}
	}
	pi[first] = 1
	for n := first + 1; n < size; n++ {
		for i := first; i < n; i++ {
			pi[n] += pi[i] * p[i][n]
		}
		if pi[n] > 1/never {
			for i := first; i <= n; i++ {
				pi[i] *= never
			}
		}
	}
	normalise(pi)
	return pi
}
