package workloads

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// countsIn returns, for each replication, how many arrive in each of the
// intervals between the edges.
func countsIn(t *testing.T, text string, reps int, edges ...time.Duration) [][]float64 {
	t.Helper()
	s := mustParse(t, text)
	counts := make([][]float64, len(edges)-1)
	for rep := range reps {
		w, err := s.New(testEnv(1, rep, nil))
		require.NoError(t, err)
		a, ok := w.Next()
		for i := range counts {
			n := 0.0
			for ; ok && a.At < edges[i+1]; a, ok = w.Next() {
				if a.At >= edges[i] {
					n++
				}
			}
			counts[i] = append(counts[i], n)
		}
	}
	return counts
}

// Counts are Poisson with the area under the rate as mean, and so have it as
// variance, in every part.
func TestRatesThatChangeBringTheirArea(t *testing.T) {
	ms := time.Millisecond
	for _, c := range []struct {
		text  string
		edges []time.Duration
		means []float64
	}{
		{"flash-crowd:rate=50/s,peak=500/s,from=1s,to=3s,rise=1s,decay=2s",
			[]time.Duration{0, 1000 * ms, 1500 * ms, 2000 * ms, 3000 * ms, 4000 * ms, 5000 * ms, 6000 * ms},
			[]float64{50, 25 + 56.25, 25 + 168.75, 500, 50 + 337.5, 50 + 112.5, 50}},
		{"flash-crowd:rate=10/s,peak=200/s,from=1s,to=2s,every=3s",
			[]time.Duration{0, 1000 * ms, 2000 * ms, 4000 * ms, 5000 * ms, 6000 * ms},
			[]float64{10, 200, 20, 200, 10}},
		{"diurnal:low=20/s,high=100/s,period=4s",
			[]time.Duration{0, 1000 * ms, 2000 * ms, 4000 * ms, 5000 * ms},
			[]float64{40, 80, 120, 40}},
		{"diurnal:low=0.001/s,high=100.001/s,period=24s,shape=day",
			[]time.Duration{0, 1000 * ms, 4000 * ms, 6000 * ms},
			[]float64{19.001, (14+7)/2. + (7+2)/2. + (2+1)/2. + 0.003, 0.5 + 4.002}},
	} {
		for i, counts := range countsIn(t, c.text, 3000, c.edges...) {
			requireMean(t, c.means[i], counts, "%s: counts in [%v, %v)", c.text, c.edges[i], c.edges[i+1])
			requireVariance(t, c.means[i], c.means[i], counts, "%s: variance in [%v, %v)", c.text, c.edges[i], c.edges[i+1])
		}
	}
}

// An hour at one request a day, in stretches of a nanosecond: nothing is stepped
// through.
func TestEmptyRepetitionsAreSkipped(t *testing.T) {
	list := read(mustNew(t, "diurnal:low=1/d,high=1/d,period=2ns", testEnv(1, 0, nil)), 20_000)
	require.Len(t, list, 20_000)
	requireLaw(t, gapsOf(list), func(x float64) float64 { return -math.Expm1(-x / 86400) })
}

func TestChangingRatesEndWithTheClock(t *testing.T) {
	for _, text := range []string{"diurnal:low=1/30d,high=1/d,period=106751d", "flash-crowd:rate=1/30d,peak=1/d,from=0,to=100000d", "diurnal:low=1/30d,high=1/d,period=1d"} {
		list := read(mustNew(t, text, testEnv(1, 0, nil)), 300_000)
		require.Less(t, len(list), 300_000, text)
		for i := range list {
			if list[i].At < 0 || i > 0 && list[i].At < list[i-1].At {
				t.Fatalf("%s, arrival %d:%s", text, i, around(list, i))
			}
		}
	}
}

func TestCrowdRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"diurnal:low=2/s,high=1/s":                                     `workload "diurnal": high must be >= low, 2/s, got 1/s`,
		"flash-crowd:rate=1/s,peak=2/s,from=3s,to=2s":                  `workload "flash-crowd": to must be > from, 3s, got 2s`,
		"flash-crowd:rate=1/s,peak=2/s,from=1s,to=2s,rise=2s":          `workload "flash-crowd": rise must end by to, 1s after from, got 2s`,
		"flash-crowd:rate=1/s,peak=2/s,from=1s,to=2s,every=2s":         `workload "flash-crowd": every must be > to + decay, 2s, got 2s`,
		"flash-crowd:rate=1/s,peak=2/s,from=1s,to=2s,decay=106751d23h": `workload "flash-crowd": decay must end before the clock does, got 106751d23h`,
	} {
		_, err := Parse(text)
		assert.EqualError(t, err, want)
	}
}
