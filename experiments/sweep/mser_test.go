package sweep

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// batches repeats each value five times, so that these are the means of the batches.
func batches(means ...float64) (series []float64) {
	for _, z := range means {
		series = append(series, z, z, z, z, z)
	}
	return series
}

func TestMSER5Finds(t *testing.T) {
	steady := []float64{1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1} // Σ = m over m of them: statistic about 1/m
	rise := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	for name, c := range map[string]struct {
		series []float64
		warmup int
		ok     bool
	}{
		"no warm-up in a steady series":   {batches(steady...), 0, true},
		"none in a constant":              {batches(make([]float64, 10)...), 0, true},
		"three batches far off":           {batches(append([]float64{50, 40, 30}, steady...)...), 15, true},
		"a first batch far off":           {batches(append([]float64{-9}, steady...)...), 5, true},
		"a first value far off":           {append([]float64{100, 1, 1, 1, 1}, batches(steady...)...), 5, true},
		"whole batches only":              {append(batches(append([]float64{50}, steady...)...), 1e9, 1e9), 5, true},
		"failure: a rise without end":     {batches(rise...), 35, false}, // as far as it may go: the last five are left
		"failure: the step comes late":    {batches(append(slices.Repeat([]float64{9}, 7), 0, 0, 0, 0, 0)...), 35, false},
		"half is not too much":            {batches(9, 8, 9, 8, 9, 0, 0, 0, 0, 0), 25, true},
		"failure: fewer than ten batches": {batches(steady[:9]...), 0, false},
		"failure: nothing":                {nil, 0, false},
	} {
		warmup, ok := MSER5(c.series, 0)
		assert.Equal(t, c.warmup, warmup, name)
		assert.Equal(t, c.ok, ok, name)
	}
}

// A series at its limit, with a request less now and then: as published the rule takes the alike batches at the end, with
// a resolution it takes all. A step that matters is found with it as without.
func TestMSER5WithAResolutionIsNotFooledByEqualBatches(t *testing.T) {
	series := batches(slices.Repeat([]float64{40, 40, 40, 39.8, 40, 40, 40, 40}, 5)...)
	copy(series[len(series)-40:], batches(slices.Repeat([]float64{40}, 8)...))
	warmup, ok := MSER5(series, 0)
	assert.Equal(t, 140, warmup)
	assert.False(t, ok)
	warmup, ok = MSER5(series, 0.4)
	assert.Equal(t, 0, warmup)
	assert.True(t, ok)
	for i := range 30 {
		series[i] += 4
	}
	warmup, ok = MSER5(series, 0.4)
	assert.Equal(t, 30, warmup)
	assert.True(t, ok)
}

// The rule word for word, in quadratic time.
func mserByDefinition(series []float64) (int, bool) {
	var z []float64
	for ; len(series) >= 5; series = series[5:] {
		z = append(z, (series[0]+series[1]+series[2]+series[3]+series[4])/5)
	}
	n := len(z)
	best, least := -1, 0.0
	for d := 0; d <= n-5; d++ {
		e := NewEstimate(z[d:])
		if m := float64(n - d); best < 0 || e.SD*e.SD*(m-1)/(m*m) < least {
			best, least = d, e.SD*e.SD*(m-1)/(m*m)
		}
	}
	return best * 5, 2*best <= n
}

func TestMSER5AgreesWithItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		series := rapid.SliceOfN(rapid.Float64Range(-100, 100), 50, 300).Draw(t, "series")
		step := rapid.IntRange(0, len(series)).Draw(t, "step")
		for i := range step {
			series[i] += 300
		}
		warmup, ok := MSER5(series, 0)
		wantWarmup, wantOK := mserByDefinition(series)
		require.Equal(t, wantWarmup, warmup)
		require.Equal(t, wantOK, ok)
	})
}

// An AR(1) process that starts 50 standard deviations off: the bias is down to a hundredth of the start's after
// ln 100 / -ln 0.9 = 44 steps. What is left after truncation has the mean of the steady state.
func TestMSER5RemovesTheBiasOfAStart(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	const n = 2000
	raw, cut := make([]float64, 50), make([]float64, 50)
	for rep := range raw {
		series := make([]float64, n)
		x := 115.0 // the standard deviation is 1/√(1 − 0.81) = 2.3
		for i := range series {
			x = 0.9*x + random.NormFloat64()
			series[i] = x
		}
		warmup, ok := MSER5(series, 0)
		require.True(t, ok)
		require.Greater(t, warmup, 20)
		require.Less(t, warmup, 200)
		raw[rep], cut[rep] = NewEstimate(series).Mean, NewEstimate(series[warmup:]).Mean
	}
	low, _ := NewEstimate(raw).Interval(0.9999)
	assert.Greater(t, low, 0.4, "115/(1 − 0.9)/2000 = 0.575")
	e := NewEstimate(cut)
	assert.InDelta(t, 0, e.Mean, 0.1)
}
