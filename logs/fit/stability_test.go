package fit

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHalvesAreFittedApart(t *testing.T) {
	var requests []request
	for key := range uint32(4) {
		requests = append(requests, request{key, 0, 1}, request{key, 100 * second, 1})
	}
	for range 6 {
		requests = append(requests, request{2, 10 * second, 1}, request{3, 90 * second, 1}, request{3, 90 * second, 1})
	}
	list := Stabilities(arrivalsOf(t, requests), rates(t, "1/s")[0], shares(t, "0.5,1"), 1)
	require.Len(t, list, 2)
	assert.Equal(t, [3]int64{1, 1, 1}, [3]int64{list[0].Burst, list[0].First, list[0].Second})
	assert.Equal(t, [3]int64{12, 6, 12}, [3]int64{list[1].Burst, list[1].First, list[1].Second})
	assert.True(t, list[0].HasInterval)
	assert.False(t, list[1].HasInterval, "no resample has a key larger than the largest")
}

// Of keys whose bursts follow a known law, about 95 in 100 intervals hold its quantile; so does the binomial count of
// keys below it, of which the interval is made.
func TestResampledIntervalsHoldTheQuantile(t *testing.T) {
	draws := rand.New(rand.NewPCG(3, 4))
	share := shares(t, "0.9")
	held := 0
	const logs = 400
	for log := range logs {
		bursts := make([]int64, 300)
		for i := range bursts {
			bursts[i] = 1 + draws.Int64N(1_000_000) // the quantile at 0.9 is 900000
		}
		low, high := resampled(bursts, share, uint64(log))
		if low[0] <= 900_000 && high[0] >= 900_000 {
			held++
		}
	}
	assert.InDelta(t, 0.95*logs, held, 4*4.4, "four standard deviations of the binomial count")
}

func TestTheSameSeedGivesTheSameIntervals(t *testing.T) {
	bursts := make([]int64, 500)
	for i := range bursts {
		bursts[i] = int64(i * i % 211)
	}
	low, high := resampled(bursts, shares(t, "0.9,0.99"), 7)
	again, above := resampled(bursts, shares(t, "0.9,0.99"), 7)
	assert.Equal(t, low, again)
	assert.Equal(t, high, above)
	low, high = resampled(nil, shares(t, "0.9"), 7)
	assert.Equal(t, []int64{0}, low)
	assert.Equal(t, []int64{0}, high)
}
