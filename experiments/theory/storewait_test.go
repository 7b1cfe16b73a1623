package theory

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMD1WaitAboveAgreesWithSimulation(t *testing.T) {
	const rho = 0.7
	at := []float64{0, 0.5, 1, 2.5, 6}
	observed := make([][]float64, len(at))
	for rep := range 200 {
		rng := rand.New(rand.NewPCG(43, uint64(rep)))
		wait, above := 0.0, make([]float64, len(at))
		const requests = 4000
		for i := range 2 * requests {
			for j, x := range at {
				if i >= requests && wait > x {
					above[j] += 1.0 / requests
				}
			}
			wait = max(wait+1-rng.ExpFloat64()/rho, 0)
		}
		for j := range at {
			observed[j] = append(observed[j], above[j])
		}
	}
	for j, x := range at {
		assertMean(t, MD1WaitAbove(rho, x), observed[j])
	}
}

// The mean wait is the integral of the tail, which falls off before the longest wait at a small load.
func TestMD1WaitAboveIntegratesToTheMeanWait(t *testing.T) {
	for _, rho := range []float64{0.05, 0.2, 0.4} {
		const steps = 20_000
		sum := 0.0
		for i := range steps {
			sum += MD1WaitAbove(rho, (float64(i)+0.5)*MD1WaitMost/steps) * MD1WaitMost / steps
		}
		assert.InDelta(t, MD1Wait(rho), sum, 1e-5, "load %v", rho)
	}
	assert.InDelta(t, 0.8, MD1WaitAbove(0.8, 0), 1e-15)
	assert.InDelta(t, 1-0.2*math.Exp(0.4), MD1WaitAbove(0.8, 0.5), 1e-15)
}

func TestMD1WaitAboveHasADomain(t *testing.T) {
	for _, at := range [][2]float64{{0, 1}, {1, 1}, {math.NaN(), 1}, {0.5, -1}, {0.5, 11}, {0.5, math.NaN()}} {
		assert.True(t, math.IsNaN(MD1WaitAbove(at[0], at[1])), at)
	}
}
