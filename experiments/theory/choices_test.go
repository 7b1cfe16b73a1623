package theory

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// In equilibrium as many servers reach n requests as fall below it: ρ(s_{n-1}^d - s_n^d) = s_n - s_{n+1}.
func TestChoicesAreInEquilibrium(t *testing.T) {
	for _, rho := range []float64{0.2, 0.7, 0.99} {
		for _, d := range []int{1, 2, 3, 5} {
			power := func(s float64) float64 {
				p := 1.0
				for range d {
					p *= s
				}
				return p
			}
			sum := 0.0
			for n := 1; n < 60; n++ {
				s := ChoicesTail(rho, d, n)
				sum += s
				assert.InDelta(t, s-ChoicesTail(rho, d, n+1), rho*(power(ChoicesTail(rho, d, n-1))-power(s)), 1e-14)
			}
			if d > 1 { // Little's law
				assert.InEpsilon(t, ChoicesTime(rho, d), sum/rho, 1e-13)
			}
		}
		assert.InEpsilon(t, 1+MM1Wait(rho), ChoicesTime(rho, 1), 1e-12)
	}
}
