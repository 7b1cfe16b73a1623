package theory

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFullJitterProfileAsPublished(t *testing.T) {
	for first, want := range map[int][]float64{
		2: {28.3, 35.3, 15.0, 16.7, 15.4, 10.3, 7.7, 8.2},
		1: {63.6, 31.7, 25.6, 15.8},
	} {
		got := FullJitterProfile(50, first, 30, 30)
		assert.InDeltaSlice(t, want, got[:len(want)], 0.051)
	}
}

func TestFullJitterProfileStartsWithTheClosedSum(t *testing.T) {
	for first := 1; first <= 4; first++ {
		for _, widest := range []int{first, 3 * first, 30} {
			sum := 0.0
			for j, got := range FullJitterProfile(7, first, widest, 12)[:first] {
				sum += got
				assert.InEpsilon(t, FullJitterFirst(7, float64(first), float64(widest), float64(j+1)), sum, 1e-13)
			}
		}
	}
}

func TestFullJitterAgreesWithSimulation(t *testing.T) {
	for _, at := range [][3]int{{1, 30, 30}, {2, 30, 30}, {3, 5, 40}, {1, 1, 10}} {
		want := FullJitterProfile(1, at[0], at[1], at[2])
		got := make([][]float64, at[2])
		for rep := range 20_000 {
			rng := rand.New(rand.NewPCG(71, uint64(rep)))
			retries := make([]float64, at[2])
			width := float64(at[0])
			for t := rng.Float64() * width; t < float64(at[2]); {
				retries[int(t)]++
				width = min(2*width, float64(at[1]))
				t += rng.Float64() * width
			}
			for j, n := range retries {
				got[j] = append(got[j], n)
			}
		}
		for j := range got {
			assertMean(t, want[j], got[j], at, j)
		}
	}
}

func TestLongProfilesSettleAtTheRenewalRate(t *testing.T) {
	profile := FullJitterProfile(50, 1, 4, 400)
	assert.InEpsilon(t, 50/2.0, profile[399], 1e-10) // waits of 2 bases on average
}
