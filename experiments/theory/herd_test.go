package theory

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPeakOfFiftyInThirtyAsPublished(t *testing.T) {
	for i, want := range []float64{.027537, .396730, .399604, .137565, .031557, .005903} {
		assert.InDelta(t, want, HerdPeakProbability(50, 30, 3+i), 5.1e-7)
	}
}

func TestPeaksAgreeWithSimulationAndSmallCases(t *testing.T) {
	for _, at := range [][2]int{{7, 3}, {50, 30}, {200, 9}, {30, 200}} {
		var peaks, empty, below []float64
		rng := rand.New(rand.NewPCG(61, uint64(at[0])))
		typical := int(HerdPeakMean(at[0], at[1]))
		for range 10_000 {
			bins := make([]int, at[1])
			for range at[0] {
				bins[rng.IntN(at[1])]++
			}
			none := 0
			for _, b := range bins {
				none += b2i(b == 0)
			}
			peaks, empty = append(peaks, float64(slices.Max(bins))), append(empty, float64(none))
			below = append(below, float64(b2i(slices.Max(bins) <= typical)))
		}
		assertMean(t, HerdPeakMean(at[0], at[1]), peaks, at)
		assertMean(t, HerdPeakAtMost(at[0], at[1], typical), below, at)
		if at[1] < 100 && at[0] > 100 {
			continue // hardly ever an empty bin
		}
		assertMean(t, HerdEmptyBins(at[0], at[1]), empty, at)
	}
	assert.InDelta(t, 2./9, HerdPeakAtMost(3, 3, 1), 1e-15) // 3!/3³
	assert.InDelta(t, 1./4, 1-HerdPeakAtMost(3, 2, 2), 1e-15)
	assert.Equal(t, 9.0, HerdPeakMean(9, 1))
	assert.Equal(t, 1.0, HerdPeakMean(1, 9))
}

func TestPeakProbabilitiesSumToOne(t *testing.T) {
	sum, mean := 0.0, 0.0
	for c := range 101 {
		p := HerdPeakProbability(100, 30, c)
		assert.GreaterOrEqual(t, p, 0.0)
		sum, mean = sum+p, mean+float64(c)*p
	}
	assert.InDelta(t, 1, sum, 1e-13)
	assert.InDelta(t, HerdPeakMean(100, 30), mean, 1e-12)
	assert.False(t, math.IsNaN(HerdPeakMean(5000, 3600)))
}

func TestHerdOnOneKey(t *testing.T) {
	assert.Equal(t, 1275.0, HerdOneKeyReturns(50, 1))
	assert.Equal(t, 650.0, HerdOneKeyReturns(50, 2))
	assert.Equal(t, 25.0, HerdOneKeyDrain(50, 2))
	for n := range 40 {
		for j := 1; j < 9; j++ {
			returns := 0
			for left := n; left > 0; left -= j {
				returns += left
			}
			assert.Equal(t, float64(returns), HerdOneKeyReturns(n, j), "n=%d j=%d", n, j)
		}
	}
}
