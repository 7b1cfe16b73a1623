package theory

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBatchesOfOneArePoisson(t *testing.T) {
	for _, w := range [][]float64{{1}, Equal(10), Zipf(10, 1)} {
		for _, a := range []float64{0.3, 80, 100, 120} {
			quotas := Quotas(100, len(w), Spread)
			assert.InDelta(t, FleetFixedWindow(a, w, quotas), FleetFixedWindowBatches(a, 1, w, quotas), 1e-9, "%v %v", a, w)
		}
	}
}

func TestBatchesOnOneServerAreWhole(t *testing.T) {
	for _, size := range []int{1, 4, 5, 20, 100} {
		want := float64(size) * FixedWindowAdmitted(100/float64(size), 100/size)
		assert.InDelta(t, want, FleetFixedWindowBatches(100, size, Equal(1), []int{100}), 1e-9, size)
	}
}

func TestBatchesAgreeWithSimulation(t *testing.T) {
	for seed, at := range []struct {
		size int
		w    []float64
	}{{5, Equal(4)}, {20, Equal(10)}, {7, Zipf(3, 1)}} {
		const a, limit = 60.0, 50
		rng := rand.New(rand.NewPCG(31, uint64(seed)))
		quotas := Quotas(limit, len(at.w), Spread)
		var admitted []float64
		for range 20_000 {
			got := make([]int, len(at.w))
			for range poissonDraw(rng, a/float64(at.size)) {
				for range at.size {
					u, i := rng.Float64(), 0
					for ; i < len(at.w)-1 && u >= at.w[i]; i++ {
						u -= at.w[i]
					}
					got[i]++
				}
			}
			sum := 0
			for i, n := range got {
				sum += min(n, quotas[i])
			}
			admitted = append(admitted, float64(sum))
		}
		assertMean(t, FleetFixedWindowBatches(a, at.size, at.w, quotas), admitted, at)
	}
}

func TestBatchesHaveADomain(t *testing.T) {
	for _, got := range []float64{
		FleetFixedWindowBatches(0, 5, Equal(2), []int{1, 1}),
		FleetFixedWindowBatches(math.Inf(1), 5, Equal(2), []int{1, 1}),
		FleetFixedWindowBatches(701, 1, Equal(2), []int{1, 1}),
		FleetFixedWindowBatches(10, 0, Equal(2), []int{1, 1}),
		FleetFixedWindowBatches(10, 5, Equal(2), []int{1}),
		FleetFixedWindowBatches(10, 5, Equal(2), []int{1, -1}),
		FleetFixedWindowBatches(10, 5, []float64{0.5, 0.6}, []int{1, 1}),
	} {
		assert.True(t, math.IsNaN(got), got)
	}
	assert.Zero(t, FleetFixedWindowBatches(10, 5, Equal(2), []int{0, 0}))
}
