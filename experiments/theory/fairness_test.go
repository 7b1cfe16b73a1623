package theory

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestJainIndex(t *testing.T) {
	assert.Equal(t, 1.0, JainIndex([]float64{3, 3, 3}))
	assert.Equal(t, 0.25, JainIndex([]float64{0, 8, 0, 0}))
	assert.InDelta(t, 36./(3*14), JainIndex([]float64{1, 2, 3}), 1e-15)
	assert.InDelta(t, 36./(3*14), JainIndex([]float64{1e300, 2e300, 3e300}), 1e-15)
}

func TestMaxMinShares(t *testing.T) {
	assert.Equal(t, []float64{4, 2, 4}, MaxMinShares([]float64{9, 2, 5}, 10))
	assert.Equal(t, []float64{9, 2, 5}, MaxMinShares([]float64{9, 2, 5}, 20))
	assert.Equal(t, []float64{0, 0}, MaxMinShares([]float64{9, 2}, 0))
	assert.Equal(t, []float64{5, 2.5}, ProportionalShares([]float64{10, 5}, 7.5))
	assert.Equal(t, []float64{1, 2}, ProportionalShares([]float64{1, 2}, 7.5))
}

func TestSharesUseTheCapacityAndMaxMinFavoursTheSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		demands := rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 12).Draw(t, "demands")
		capacity := rapid.Float64Range(0, 500).Draw(t, "capacity")
		total := 0.0
		for _, d := range demands {
			total += d
		}
		maxMin, proportional := MaxMinShares(demands, capacity), ProportionalShares(demands, capacity)
		for _, shares := range [][]float64{maxMin, proportional} {
			used := 0.0
			for i, s := range shares {
				used += s
				if s < 0 || s > demands[i] {
					t.Fatalf("tenant %d gets %v of %v", i, s, demands[i])
				}
			}
			if math.Abs(used-min(total, capacity)) > 1e-9 {
				t.Fatalf("%v used, want %v", used, min(total, capacity))
			}
		}
		// Who wants more than it gets has as much as anybody: no share can rise but at the cost of one that is no larger.
		for i, s := range maxMin {
			if s < demands[i] && s < slices.Max(maxMin) {
				t.Fatalf("tenant %d gets %v of %v, another one %v", i, s, demands[i], slices.Max(maxMin))
			}
		}
		if slices.Min(maxMin) < slices.Min(proportional)-1e-9 {
			t.Fatalf("least share %v, in proportion %v", slices.Min(maxMin), slices.Min(proportional))
		}
	})
}
