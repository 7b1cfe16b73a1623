package random

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// requireKolmogorov fails if √n·D exceeds 1.95: once in a thousand under the law.
func requireKolmogorov(t *testing.T, sample []float64, law func(float64) float64) {
	t.Helper()
	slices.Sort(sample)
	n, d := float64(len(sample)), 0.0
	for i, x := range sample {
		d = max(d, float64(i+1)/n-law(x), law(x)-float64(i)/n)
	}
	require.LessOrEqual(t, d*math.Sqrt(n), 1.95)
}

func TestParetoHasAPowerTail(t *testing.T) {
	for _, alpha := range []float64{0.5, 1.2, 1.5, 3, 20} {
		r, sample := Stream(1, "pareto"), make([]float64, 50_000)
		for i := range sample {
			sample[i] = Pareto(r, alpha)
			require.GreaterOrEqual(t, sample[i], 1.0)
		}
		requireKolmogorov(t, sample, func(x float64) float64 { return 1 - math.Pow(x, -alpha) })
	}
	assert.Panics(t, func() { Pareto(Stream(1), 0) })
	assert.Panics(t, func() { Pareto(Stream(1), math.NaN()) })
}

// e^(E/alpha) is compared with math.Exp of the same draw.
func TestParetoIsWithinTwoUnitsInTheLastPlace(t *testing.T) {
	a, b := Stream(2, "pareto"), Stream(2, "pareto")
	for range 100_000 {
		got, want := Pareto(a, 1.5), math.Exp(Exponential(b)/1.5)
		require.LessOrEqual(t, math.Abs(got-want), 3*(math.Nextafter(want, math.Inf(1))-want), "ours within 2, math.Exp within 1")
	}
}

func TestLargestOfN(t *testing.T) {
	for _, n := range []int64{1, 2, 50} {
		r, sample := Stream(1, "largest"), make([]float64, 50_000)
		for i := range sample {
			sample[i] = LargestOf(r, n)
		}
		requireKolmogorov(t, sample, func(x float64) float64 { return math.Pow(x, float64(n)) })
	}
	assert.Panics(t, func() { LargestOf(Stream(1), 0) })
}

func TestPowersHaveTheSameBitsEverywhere(t *testing.T) {
	r, sum := Stream(3, "bits"), uint64(0)
	for range 10_000 {
		sum = sum*31 + math.Float64bits(Pareto(r, 1.3)) ^ math.Float64bits(LargestOf(r, 7))
	}
	assert.Equal(t, uint64(0x85bd3456e7567eca), sum)
}
