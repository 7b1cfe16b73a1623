package workloads

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireLaw fails if the sample does not follow the distribution function, by
// the test of Kolmogorov and Smirnov: under the law √n·D exceeds 1.95 once in a
// thousand times (Kolmogorov's series: 2·exp(-2·1.95²)).
func requireLaw(t *testing.T, sample []float64, law func(float64) float64) {
	t.Helper()
	slices.Sort(sample)
	n, d, at := float64(len(sample)), 0.0, 0.0
	for i, x := range sample {
		f := law(x)
		if gap := max(float64(i+1)/n-f, f-float64(i)/n); gap > d {
			d, at = gap, x
		}
	}
	require.LessOrEqual(t, d*math.Sqrt(n), 1.95, "the distributions differ by %.4f at %v, with %v values", d, at, n)
}

// requireMean fails if the mean of the sample lies more than 4 standard errors
// from what is expected.
func requireMean(t *testing.T, want float64, sample []float64, about string, args ...any) {
	t.Helper()
	mean, se := meanAndError(sample)
	require.Positive(t, se)
	if z := (mean - want) / se; math.Abs(z) > 4 {
		t.Fatalf("%s: %.6g ± %.2g, want %.6g: %.1f standard errors off", fmt.Sprintf(about, args...), mean, se, want, z)
	}
}

// requireVariance fails if the variance of the sample lies more than 4 standard
// errors from what is expected. It is the mean of squares about a known mean.
func requireVariance(t *testing.T, mean, want float64, sample []float64, about string, args ...any) {
	t.Helper()
	squares := make([]float64, len(sample))
	for i, x := range sample {
		squares[i] = (x - mean) * (x - mean)
	}
	requireMean(t, want, squares, about, args...)
}
