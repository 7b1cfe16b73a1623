package theory

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestTenQuotasAsPublished(t *testing.T) {
	limits := Quotas(100, 10, Spread)
	for a, want := range map[float64][3]float64{
		80:  {75.7414, 79.9482, 57.7159},
		100: {87.4890, 96.0139, 65.7771},
		120: {94.3641, 99.8768, 72.4652},
	} {
		assert.InDelta(t, want[0], FleetFixedWindow(a, Equal(10), limits), 5.1e-5, "random, a=%v", a)
		assert.InDelta(t, want[1], FleetRoundRobinFixedWindow(a, limits), 5.1e-5, "round robin, a=%v", a)
		assert.InDelta(t, want[2], FleetFixedWindow(a, Zipf(10, 1), limits), 5.1e-5, "Zipf, a=%v", a)
	}
}

func TestRandomSplitIsAsManySingleServers(t *testing.T) {
	limits := []int{7, 7, 7, 7}
	const a = 40
	assert.InDelta(t, 4*FixedWindowAdmitted(a/4, 7), FleetFixedWindow(a, Equal(4), limits), 1e-12)
	assert.InDelta(t, a*(1-ErlangB(a/4, 7)), FleetSlidingLog(a, Equal(4), limits), 1e-12)
	assert.InDelta(t, a*SlidingLogAllAdmitShare(a/4, 7), FleetSlidingLogAll(a, Equal(4), limits), 1e-12)
	assert.InDelta(t, a*SlidingCounterAdmitShare(Fits, CountAll, 7, a/4), FleetSlidingCounter(Fits, CountAll, a, Equal(4), limits), 1e-12)
	assert.InDelta(t, a*(1-TokenBucketLoss(a/(4*2.5), 7)), FleetTokenBucket(a, Equal(4), 2.5, limits), 1e-12)
	assert.InDelta(t, a*(1-TickBucketLoss(a/4., 3, 7)), FleetTickBucket(a, Equal(4), 3, limits), 1e-12)
	// Shares that differ, a server that gets nothing, a quota of nothing.
	weights := []float64{0.5, 0.5, 0, 0}
	assert.InDelta(t, FixedWindowAdmitted(20, 7), FleetFixedWindow(a, weights, []int{7, 0, 7, 7}), 1e-12)
	assert.InDelta(t, TokenBucketAdmittedRate(20, 2.5, 7), FleetTokenBucket(a, weights, 2.5, []int{7, 0, 7, 7}), 1e-12)
}

func TestFleetsStayBelowTheirFluidLimitAndApproachItWhenSaturated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 16).Draw(t, "N")
		limit := rapid.IntRange(1, 12).Draw(t, "L")
		weights := Zipf(n, rapid.Float64Range(0, 1.5).Draw(t, "s"))
		limits, fluid := make([]int, n), make([]float64, n)
		for i := range limits {
			limits[i], fluid[i] = limit, float64(limit)
		}
		models := map[string]func(a float64) float64{
			"fixed window": func(a float64) float64 { return FleetFixedWindow(a, weights, limits) },
			"log":          func(a float64) float64 { return FleetSlidingLog(a, weights, limits) },
			"counter":      func(a float64) float64 { return FleetSlidingCounter(Below, CountAdmitted, a, weights, limits) },
			"bucket":       func(a float64) float64 { return FleetTokenBucket(a, weights, float64(limit), limits) },
			"ticks":        func(a float64) float64 { return FleetTickBucket(a, weights, limit, limits) },
		}
		a := rapid.Float64Range(0.1, 400).Draw(t, "a")
		for name, admitted := range models {
			if got, most := admitted(a), FleetFluid(a, weights, fluid); !(got > 0 && got <= most*(1+1e-12)) {
				t.Fatalf("%s admits %v, fluid %v", name, got, most)
			}
			if got, most := admitted(9_000), FleetSaturated(n, float64(limit)); got < 0.9*most || got > most*(1+1e-12) {
				t.Fatalf("%s admits %v when saturated, %v servers' worth is %v", name, got, n, most)
			}
		}
		if roundRobin, random := FleetRoundRobinFixedWindow(a, limits), FleetFixedWindow(a, weights, limits); random > roundRobin*(1+1e-12) {
			t.Fatalf("random admits %v, round robin only %v", random, roundRobin)
		}
	})
}

func TestRoundRobinOfEqualWindowsIsOneCentralWindow(t *testing.T) {
	for _, n := range []int{1, 3, 8} {
		limits := make([]int, n)
		for i := range limits {
			limits[i] = 5
		}
		assert.Equal(t, FixedWindowAdmitted(20, 5*n), FleetRoundRobinFixedWindow(20, limits))
	}
}

func TestRoundRobinAgreesWithSimulation(t *testing.T) {
	for _, limits := range [][]int{{4, 4, 4}, {4, 3, 3}, {1, 9, 2, 2}} {
		const a, windows = 11, 400
		var admitted []float64
		for rep := range 100 {
			rng := rand.New(rand.NewPCG(4, uint64(rep)))
			turn, total := rng.IntN(len(limits)), 0
			for range windows {
				got := make([]int, len(limits))
				for range poissonDraw(rng, a) {
					if got[turn] < limits[turn] {
						got[turn]++
						total++
					}
					turn = (turn + 1) % len(limits)
				}
			}
			admitted = append(admitted, float64(total)/windows)
		}
		assertMean(t, FleetRoundRobinFixedWindow(a, limits), admitted, limits)
	}
}

func TestQuotas(t *testing.T) {
	assert.Equal(t, []int{4, 3, 3}, Quotas(10, 3, Spread))
	assert.Equal(t, []int{3, 3, 3}, Quotas(10, 3, Drop))
	assert.Equal(t, []int{1, 1, 0}, Quotas(2, 3, Spread))
	assert.Nil(t, Quotas(10, 0, Spread))
	assert.Nil(t, Quotas(10, 3, Remainder(7)))
	assert.Equal(t, 1.0, QuotaUsedShare(10, 3, Spread))
	assert.Equal(t, 0.9, QuotaUsedShare(10, 3, Drop))
	assert.Equal(t, 0.6, QuotaUsedShareCounter(Fits, 10, 3, Drop))
	assert.Equal(t, 0.9, QuotaUsedShareCounter(Below, 10, 3, Drop))
	assert.Equal(t, 0.5, QuotaUsedShareCounter(Fits, 2, 3, Spread))
}

func TestZipfWeights(t *testing.T) {
	assert.InDeltaSlice(t, []float64{6. / 11, 3. / 11, 2. / 11}, Zipf(3, 1), 1e-15)
	assert.Equal(t, []float64{0.25, 0.25, 0.25, 0.25}, Equal(4))
	assert.Nil(t, Zipf(0, 1))
	assert.Nil(t, Zipf(3, -1))
}

func TestThreeServersOfTwentyAdmitSixty(t *testing.T) {
	assert.Equal(t, 60.0, FleetSaturated(3, 20))
}
