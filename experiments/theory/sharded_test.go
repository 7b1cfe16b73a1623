package theory

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestQuotaUsedShareOfASkewedFleet(t *testing.T) {
	assert.InDelta(t, 0.874890, QuotaUsedShareRandom(100, Equal(10), 100, Spread), 1e-6)
	assert.InDelta(t, 0.657771, QuotaUsedShareRandom(100, Zipf(10, 1), 100, Spread), 1e-6)
	for _, left := range []Remainder{Spread, Drop} { // saturated
		assert.InDelta(t, QuotaUsedShare(100, 8, left), QuotaUsedShareRandom(1e5, Equal(8), 100, left), 1e-12)
	}
}

func TestShardsOfOneKeyAgreeWithSimulation(t *testing.T) {
	const a, limit, shards = 9, 30, 4
	for _, left := range []Remainder{Spread, Drop} {
		quotas := Quotas(limit, shards, left)
		var random, hashed []float64
		for rep := range 20_000 {
			rng := rand.New(rand.NewPCG(21, uint64(rep)))
			total, got := 0, make([]int, shards)
			for range poissonDraw(rng, 3*a) {
				if s := rng.IntN(shards); got[s] < quotas[s] {
					got[s]++
					total++
				}
			}
			random = append(random, float64(total)/limit)
			hashed = append(hashed, float64(min(poissonDraw(rng, a), quotas[rng.IntN(shards)])))
		}
		assertMean(t, QuotaUsedShareRandom(3*a, Equal(shards), limit, left), random, "random")
		assertMean(t, ShardedKeyFixedWindow(a, limit, shards, left), hashed, "hashed")
	}
	assert.InDelta(t, 7.5, ShardedKeyLimit(limit, shards, Spread), 1e-12)
	assert.InDelta(t, 7, ShardedKeyLimit(limit, shards, Drop), 1e-12)
	assert.InDelta(t, 7.5, ShardedKeyFixedWindow(1e4, limit, shards, Spread), 1e-12)
}

func TestEachRemapGivesOneEnvelopeMore(t *testing.T) {
	assert.Equal(t, 20.0, HashRemapEnvelope(20, 0))
	assert.Equal(t, 60.0, HashRemapEnvelope(20, 2))
}
