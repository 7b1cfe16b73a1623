package theory

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// assertMean checks that independent replications with a common expectation have the expectation want: |z| <= 4.
func assertMean(t *testing.T, want float64, replications []float64, of ...any) {
	t.Helper()
	n := float64(len(replications))
	mean := 0.0
	for _, x := range replications {
		mean += x / n
	}
	square := 0.0
	for _, x := range replications {
		square += (x - mean) * (x - mean)
	}
	standardError := math.Sqrt(square / (n - 1) / n)
	assert.Positive(t, standardError, "replications do not vary")
	z := (mean - want) / standardError
	assert.LessOrEqual(t, math.Abs(z), 4.0, "theory %v, simulated %v ± %v, z = %.2f %v", want, mean, standardError, z, of)
}

// poissonDraw returns a Poisson variate by counting unit-rate gaps.
func poissonDraw(rng *rand.Rand, mean float64) int {
	n := 0
	for t := rng.ExpFloat64(); t < mean; t += rng.ExpFloat64() {
		n++
	}
	return n
}

// onOffArrivals returns the arrivals of a stream in [0, horizon), which starts in its stationary law.
func onOffArrivals(rng *rand.Rand, s OnOff, horizon float64) []float64 {
	var at []float64
	on := rng.Float64() < s.On/(s.On+s.Off)
	for now := 0.0; now < horizon; on = !on {
		if !on {
			now += s.Off * rng.ExpFloat64()
			continue
		}
		end := now + s.On*rng.ExpFloat64()
		for t := now + rng.ExpFloat64()/s.Rate; t < min(end, horizon); t += rng.ExpFloat64() / s.Rate {
			at = append(at, t)
		}
		now = end
	}
	return at
}

// between returns how many of the sorted times at lie in [from, to).
func between(at []float64, from, to float64) float64 {
	return float64(before(at, to) - before(at, from))
}

func before(at []float64, t float64) int {
	low, high := 0, len(at)
	for low < high {
		if mid := (low + high) / 2; at[mid] < t {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// estimateError returns what a sliding counter with windows of length 1 estimates at time t, less the truth.
func estimateError(at []float64, t float64) float64 {
	window := math.Floor(t)
	f := t - window
	estimate := between(at, window-1, window)*(1-f) + between(at, window, t)
	return estimate - between(at, t-1, t)
}
