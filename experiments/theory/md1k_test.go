package theory

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// brunGarcia returns the loss of M/D/1/K by the alternating sum of Brun and Garcia, in 600 bits.
func brunGarcia(rho float64, k int) float64 {
	n := k - 1
	b := bigFloat(0)
	for i := 0; i <= n; i++ {
		x := new(big.Float).SetPrec(precision).Mul(bigFloat(float64(n-i)), bigFloat(rho))
		term := bigExp(x)
		for j := 1; j <= i; j++ {
			term.Mul(term, x)
			term.Quo(term, bigFloat(float64(-j)))
		}
		b.Add(b, term)
	}
	rhoB := new(big.Float).SetPrec(precision).Mul(bigFloat(rho), b)
	rhoB.Add(rhoB, bigFloat(1))
	loss, _ := new(big.Float).SetPrec(precision).Sub(bigFloat(1), b.Quo(b, rhoB)).Float64()
	return loss
}

func TestBucketLossEqualsBrunGarcia(t *testing.T) {
	for _, rho := range []float64{0.1, 0.5, 0.9, 1, 1.1, 2, 5} {
		for _, b := range []int{1, 2, 3, 5, 10, 20, 30} {
			assert.InEpsilon(t, brunGarcia(rho, b), TokenBucketLoss(rho, b), 1e-11, "rho=%v b=%d", rho, b)
		}
	}
}

func TestBucketLossKeepsDigitsWhereSubtractionWouldLoseThem(t *testing.T) {
	assert.InEpsilon(t, 3.15295e-55, TokenBucketLoss(0.5, 100), 2e-6)
	assert.InEpsilon(t, 5.18344e-20, TokenBucketLoss(0.8, 100), 2e-6)
	assert.InEpsilon(t, 1.15805e-10, TokenBucketLoss(0.9, 100), 5e-6)
}

// The balance of level crossings is the general elimination, on the same departure chain.
func TestLevelCrossingsEqualGeneralElimination(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rho := rapid.Float64Range(0.05, 20).Draw(t, "rho")
		k := rapid.IntRange(1, 40).Draw(t, "K")
		chain := make([][]float64, k)
		for i := range chain {
			chain[i] = make([]float64, k)
			from := max(i, 1) - 1
			for j := from; j < k-1; j++ {
				chain[i][j] = poissonPMF(rho, j-from)
			}
			chain[i][k-1] = poissonUpper(rho, k-1-from)
		}
		want := stationary(chain)
		for n, got := range newMD1K(rho, k).left {
			if math.Abs(got-want[n]) > 1e-11*want[n]+never {
				t.Fatalf("π_%d = %v, elimination says %v", n, got, want[n])
			}
		}
	})
}

func TestEliminationOfSmallChains(t *testing.T) {
	assert.InDeltaSlice(t, []float64{0.75, 0.25}, stationary([][]float64{{0.9, 0.1}, {0.3, 0.7}}), 1e-15)
	assert.Equal(t, []float64{1}, stationary([][]float64{{1}}))
	// A cycle has a stationary law although it never settles.
	assert.InDeltaSlice(t, []float64{1. / 3, 1. / 3, 1. / 3}, stationary([][]float64{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}), 1e-15)
	// A state that is never left holds everything.
	assert.InDeltaSlice(t, []float64{0, 0, 1}, stationary([][]float64{{0.5, 0.5, 0}, {0, 0.5, 0.5}, {0, 0, 1}}), 1e-15)
	// A rare way back keeps its digits.
	pi := stationary([][]float64{{1 - 1e-200, 1e-200}, {1, 0}})
	assert.InEpsilon(t, 1e-200, pi[1], 1e-12)
}

func TestLargeBurstsAndLoadsAreContinuous(t *testing.T) {
	// At load 1 the loss of a large bucket is about 1/(2b), at load above 1 the fluid excess.
	assert.InEpsilon(t, 1.0/2000, TokenBucketLoss(1, 1000), 2e-3)
	assert.InEpsilon(t, 1.0/20000, TokenBucketLoss(1, 10000), 2e-4)
	assert.InDelta(t, 0.5, TokenBucketLoss(2, 1000), 1e-12)
	assert.InDelta(t, 1-1/299.9, TokenBucketLoss(299.9, 7), 1e-14)
	assert.InDelta(t, 1-1/300.1, TokenBucketLoss(300.1, 7), 1e-14)
	assert.InDelta(t, 6-1/299.9, MD1KWait(299.9, 7), 1e-12)
	assert.InDelta(t, 6-1/300.1, MD1KWait(300.1, 7), 1e-12)
	assert.InDelta(t, 1-1/1e9, TokenBucketLoss(1e9, 7), 1e-15)
}
