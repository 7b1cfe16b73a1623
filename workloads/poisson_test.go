package workloads

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// gapsOf returns the times between arrivals, in seconds; the first is counted
// from 0.
func gapsOf(list []Arrival) []float64 {
	gaps, last := make([]float64, len(list)), time.Duration(0)
	for i, a := range list {
		gaps[i] = (a.At - last).Seconds()
		last = a.At
	}
	return gaps
}

func TestPoissonGapsAreExponential(t *testing.T) {
	gaps := gapsOf(read(mustNew(t, "poisson:rate=100/s", testEnv(1, 0, nil)), 30_000))
	lag := make([]float64, 0, len(gaps))
	for i, g := range gaps[1:] {
		lag = append(lag, (g*100-1)*(gaps[i]*100-1))
	}
	requireMean(t, 0, lag, "neighbouring gaps are independent")
	requireLaw(t, gaps, func(x float64) float64 { return -math.Expm1(-100 * x) })
}

func TestPoissonCountsHaveTheirMeanAsVariance(t *testing.T) {
	const reps = 2000
	for _, horizon := range []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, time.Second} {
		counts := make([]float64, reps)
		for rep := range counts {
			counts[rep] = count(mustNew(t, "poisson:rate=100/s", testEnv(1, rep, nil)), 0, horizon)
		}
		mean := 100 * horizon.Seconds()
		requireMean(t, mean, counts, "counts in %v", horizon)
		requireVariance(t, mean, mean, counts, "variance of counts in %v", horizon)
	}
}

// At equal seeds a rate twice as high is the same process, twice as fast.
func TestPoissonRatesShareTheirDraws(t *testing.T) {
	slow := read(mustNew(t, "poisson:rate=1/s", testEnv(1, 0, nil)), 1000)
	fast := read(mustNew(t, "poisson:rate=2/s", testEnv(1, 0, nil)), 1000)
	for k := range slow {
		assert.InDelta(t, float64(slow[k].At)/2, float64(fast[k].At), 2, "arrival %d", k)
	}
}

func TestPoissonEndsWithTheClock(t *testing.T) {
	w := mustNew(t, "poisson:rate=1/104d", testEnv(1, 0, nil))
	list := read(w, 5000) // about 1026 fit in 292 years
	require.InDelta(t, 1026, len(list), 4*math.Sqrt(1026))
	for range 10 {
		_, ok := w.Next()
		require.False(t, ok)
	}
}
