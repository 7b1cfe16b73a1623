package workloads

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sizesOf returns how many arrivals share each instant, without the last.
func sizesOf(list []Arrival) (sizes []float64, times []Arrival) {
	n := 0.0
	for i, a := range list {
		if i > 0 && a.At != list[i-1].At {
			sizes, times, n = append(sizes, n), append(times, list[i-1]), 0
		}
		n++
	}
	return sizes, times
}

// The moments of a batch, from the sums that define them.
var batchCases = []struct {
	spec          string
	mean, squares float64
	largest       float64
}{
	{"batch:rate=100/s,size=5", 5, 25, 5},
	{"batch:rate=100/s,size=1", 1, 1, 1},
	{"batch:rate=100/s,size=4,law=geometric", 4, 28, math.Inf(1)}, // 2n²-n
	{"batch:rate=100/s,size=3,law=zipf,zipf=2", (1 + 1./2 + 1./3) / (1 + 1./4 + 1./9), 3 / (1 + 1./4 + 1./9), 3},
	{"batch:rate=100/s,size=6,law=zipf,zipf=0", 3.5, 91. / 6, 6},
}

func TestBatchSizesFollowTheirLaw(t *testing.T) {
	for _, c := range batchCases {
		t.Run(c.spec, func(t *testing.T) {
			sizes, times := sizesOf(read(mustNew(t, c.spec, testEnv(1, 0, nil)), 60_000))
			for _, s := range sizes {
				require.LessOrEqual(t, s, c.largest)
			}
			requireLaw(t, gapsOf(times), func(x float64) float64 { return -math.Expm1(-100 / c.mean * x) })
			if c.squares == c.mean*c.mean {
				for _, s := range sizes {
					require.Equal(t, c.mean, s)
				}
				return
			}
			requireMean(t, c.mean, sizes, "sizes")
			requireVariance(t, c.mean, c.squares-c.mean*c.mean, sizes, "variance of sizes")
		})
	}
}

func TestGeometricBatchesHaveNoMemory(t *testing.T) {
	sizes, _ := sizesOf(read(mustNew(t, "batch:rate=100/s,size=4,law=geometric", testEnv(1, 0, nil)), 200_000))
	for k := 1.0; k < 8; k++ {
		ends := []float64{}
		for _, s := range sizes {
			if s >= k {
				end := 0.0
				if s == k {
					end = 1
				}
				ends = append(ends, end)
			}
		}
		requireMean(t, 0.25, ends, "of batches with %v or more, those that end there", k)
	}
}

// A compound Poisson count has variance rate·t·E S²/E S.
func TestBatchCountsHaveTheirDispersion(t *testing.T) {
	for _, c := range batchCases {
		t.Run(c.spec, func(t *testing.T) {
			counts := make([]float64, 2000)
			for rep := range counts {
				counts[rep] = count(mustNew(t, c.spec, testEnv(1, rep, nil)), 0, time.Second)
			}
			requireMean(t, 100, counts, "counts in 1s")
			requireVariance(t, 100, 100*c.squares/c.mean, counts, "variance of counts in 1s")
		})
	}
}

func TestBatchRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"batch:rate=1/s,size=4,zipf=2":               `workload "batch": zipf is for law=zipf, got "2" with law=fixed`,
		"batch:rate=1/s,size=4,law=pareto":           `workload "batch": law must be fixed or geometric or zipf, got "pareto"`,
		"batch:rate=1/s,size=1048577,law=zipf":       `workload "batch": size must be at most 1048576 with law=zipf, got 1048577`,
		"batch:rate=1/s,size=4,law=zipf,zipf=0.25":   `workload "batch": zipf must be a multiple of 0.5 from 0 to 8, got 0.25`,
		"batch:rate=1/s,size=0,law=zipf":             `workload "batch": size must be > 0, got 0`,
		"batch:rate=1/s,size=1,law=zipf,zipf=2,of=3": `workload "batch" has no parameter "of"; it takes rate, size, law, zipf`,
	} {
		_, err := Parse(text)
		assert.EqualError(t, err, want)
	}
}
