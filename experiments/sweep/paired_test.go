package sweep

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPairedDifferenceByHand(t *testing.T) {
	p := PairedDifference([]float64{10, 12, 14}, []float64{11, 14, 15})
	assert.Equal(t, 3, p.Difference.N)
	assert.Equal(t, []float64{12, 40.0 / 3, 4.0 / 3}, []float64{p.A.Mean, p.B.Mean, p.Difference.Mean})
	// Differences 1, 2, 1: variance 1/3. Variances 4 and 13/3.
	assert.InDelta(t, (4+13.0/3)/(1.0/3), p.VarianceRatio, 1e-9)
	lo, hi := p.Difference.Interval(0.95)
	half := 4.302652729749 * math.Sqrt(1.0/3) / math.Sqrt(3) // t with 2 degrees of freedom
	assert.InDelta(t, 4.0/3-half, lo, 1e-9)
	assert.InDelta(t, 4.0/3+half, hi, 1e-9)
}

func TestAPairWithAMissingValueIsLeftOut(t *testing.T) {
	nan := math.NaN()
	assert.Equal(t, PairedDifference([]float64{1, 4}, []float64{2, 7}), PairedDifference([]float64{1, nan, 9, 4, 5}, []float64{2, 3, nan, 7}))
	assert.Equal(t, 0, PairedDifference(nil, []float64{1}).Difference.N)
}

func TestVarianceRatioAtItsEnds(t *testing.T) {
	assert.True(t, math.IsInf(PairedDifference([]float64{1, 2}, []float64{2, 3}).VarianceRatio, 1), "all differences equal")
	assert.True(t, math.IsNaN(PairedDifference([]float64{1, 1}, []float64{2, 2}).VarianceRatio), "nothing varies")
	assert.True(t, math.IsNaN(PairedDifference([]float64{1}, []float64{2}).VarianceRatio), "one pair")
	assert.Equal(t, 0.5, PairedDifference([]float64{1, 2}, []float64{2, 1}).VarianceRatio, "pairs that go against each other")
}

func TestSwappingTheSidesTurnsTheDifferenceAround(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 2, 30)
		a, b := values.Draw(t, "a"), values.Draw(t, "b")
		p, q := PairedDifference(a, b), PairedDifference(b, a)
		require.Equal(t, p.Difference.Mean, -q.Difference.Mean)
		require.Equal(t, p.Difference.SD, q.Difference.SD)
		require.Equal(t, p.A, q.B)
		require.True(t, p.VarianceRatio == q.VarianceRatio || math.IsNaN(p.VarianceRatio))
	})
}

// Correlation ρ between the sides makes the ratio 1/(1 − ρ); the interval covers the true difference 95 times in 100.
func TestPairingBringsWhatTheCorrelationSays(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	const trials, n, shared = 4000, 12, 3.0
	covered := 0
	var all [2][]float64
	for range trials {
		var a, b []float64
		for range n {
			common := shared * random.NormFloat64()
			a, b = append(a, common+random.NormFloat64()), append(b, 5+common+random.NormFloat64())
		}
		lo, hi := PairedDifference(a, b).Difference.Interval(0.95)
		if lo <= 5 && 5 <= hi {
			covered++
		}
		all[0], all[1] = append(all[0], a...), append(all[1], b...)
	}
	assert.InDelta(t, 0.95, float64(covered)/trials, 4*math.Sqrt(0.95*0.05/trials))
	rho := shared * shared / (shared*shared + 1)
	assert.InEpsilon(t, 1/(1-rho), PairedDifference(all[0], all[1]).VarianceRatio, 0.03)
}
