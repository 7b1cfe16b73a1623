package theory

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// syncedFluidOnce lets fluid flow at rate 1 into servers that exchange every period, in small steps, and returns what is admitted
// above the limit.
func syncedFluidOnce(servers int, limit, period, delay float64, own bool) float64 {
	const step = 1.0 / 1024
	for i := 0; ; i++ {
		t := float64(i) * step
		at := max(math.Floor((t-delay)/period), 0) * period // the newest exchange whose news is here
		known := at
		if own {
			known += (t - at) / float64(servers)
		}
		if known >= limit {
			return t - limit
		}
	}
}

func TestSyncedFluidAgreesWithSmallSteps(t *testing.T) {
	for _, servers := range []int{1, 2, 5, 16} {
		for _, delay := range []float64{0, 0.5, 3, 11} {
			for limit := 5.1; limit < 30; limit += 1.37 {
				const period = 4.0
				assert.InDelta(t, syncedFluidOnce(servers, limit, period, delay, true), SyncedOvershootFluid(servers, limit, period, delay), 0.02, "N=%d d=%v L=%v", servers, delay, limit)
				assert.InDelta(t, syncedFluidOnce(servers, limit, period, delay, false), SyncedIgnoreOvershootFluid(limit, period, delay), 0.02, "own ignored, d=%v L=%v", delay, limit)
			}
		}
	}
}

func TestSyncedFluidOverTheRemainderAndThePhase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 100).Draw(t, "N")
		period := rapid.Float64Range(0.1, 50).Draw(t, "period")
		m := rapid.Float64Range(0.001, 0.999).Draw(t, "m/period") * period
		k := float64(rapid.IntRange(0, 20).Draw(t, "k"))
		delay := rapid.Float64Range(0, 3).Draw(t, "delay/period") * period
		if got, want := SyncedOvershootFluid(n, k*period+m, period, 0), min(period-m, float64(n-1)*m); math.Abs(got-want) > 1e-9*(1+k*period) {
			t.Fatalf("remainder %v: %v, want %v", m, got, want)
		}
		const phases = 2000
		mean, worst, ignored := 0.0, 0.0, 0.0
		for i := range phases {
			limit := 5*period + delay + (float64(i)+0.5)/phases*period
			over := SyncedOvershootFluid(n, limit, period, delay)
			mean, worst = mean+over/phases, max(worst, over)
			ignored += SyncedIgnoreOvershootFluid(limit, period, delay) / phases
		}
		if want := SyncedOvershootFluidMean(n, period, delay); math.Abs(mean-want) > 1e-3*(want+period) {
			t.Fatalf("mean %v, want %v", mean, want)
		}
		if want := SyncedOvershootFluidWorst(n, period, delay); worst > want*(1+1e-9) || worst < want-0.1*period {
			t.Fatalf("worst %v, want %v", worst, want)
		}
		if want := SyncedIgnoreOvershootFluidMean(period, delay); math.Abs(ignored-want) > 1e-3*(want+period) {
			t.Fatalf("own ignored: mean %v, want %v", ignored, want)
		}
	})
}

func TestSyncedOvershootAsPublished(t *testing.T) {
	assert.InDelta(t, 4.9795, SyncedOvershoot(2, 100, 20, 100), 5.1e-5)
	assert.InDelta(t, 7.4491, SyncedOvershoot(4, 100, 20, 100), 5.1e-5)
	assert.InDelta(t, 9.3223, SyncedOvershoot(16, 100, 20, 100), 5.1e-5)
	assert.Zero(t, SyncedOvershoot(1, 100, 20, 100))
}

// syncedOnce plays one window of periods exchanges. Each admits what comes before its server knows that the limit is reached.
func syncedOnce(rng *rand.Rand, servers, limit, periods int, perPeriod, perDelay float64, own bool) int {
	var news []int // sums at the exchanges
	admitted, since := 0, make([]int, servers)
	for k := range periods {
		news = append(news, admitted)
		clear(since)
		for t := rng.ExpFloat64(); t < perPeriod; t += rng.ExpFloat64() {
			i := rng.IntN(servers)
			known := 0
			if age := k - int(math.Ceil(max(perDelay-t, 0)/perPeriod)); age >= 0 {
				known = news[age]
			}
			if own {
				known += since[i]
			}
			if known < limit {
				admitted++
				since[i]++
			}
		}
	}
	return max(admitted-limit, 0)
}

func TestSyncedOvershootAgreesWithSimulation(t *testing.T) {
	for seed, at := range []struct {
		servers, limit, periods int
		perPeriod               float64
	}{{2, 30, 20, 7}, {4, 100, 10, 20}, {8, 10, 5, 2.5}, {16, 20, 1, 30}, {3, 50, 6, 9}, {5, 1, 4, 0.3}} {
		const perDelay = 0.25
		var own, ignored []float64
		for rep := range 20_000 {
			rng := rand.New(rand.NewPCG(22+uint64(seed), uint64(rep)))
			own = append(own, float64(syncedOnce(rng, at.servers, at.limit, at.periods, at.perPeriod, 0, true)))
			ignored = append(ignored, float64(syncedOnce(rng, at.servers, at.limit, at.periods, at.perPeriod, perDelay, false)))
		}
		assertMean(t, SyncedOvershoot(at.servers, at.limit, at.perPeriod, at.periods), own, at)
		assertMean(t, SyncedIgnoreOvershoot(at.limit, at.perPeriod, perDelay, at.periods), ignored, at, "own ignored")
	}
}

func TestSyncedOvershootOfManyRequestsIsFluid(t *testing.T) {
	for _, limit := range []int{10_500, 11_300, 11_900} {
		want := SyncedOvershootFluid(4, float64(limit), 1000, 0)
		assert.InDelta(t, want, SyncedOvershoot(4, limit, 1000, 50), 90, limit)
	}
	assert.Equal(t, 800.0, SyncedBound(8, 100))
}
