package fit

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/internal/spec"
)

// burstOverPairs is b(r) as it is defined, over all pairs of requests of a key: the work from one to the other less the
// rate times the time between, and of requests at one time, all.
func burstOverPairs(at, cost []int64, r spec.Rate) int64 {
	top := new(big.Rat)
	for i := range at {
		for j := range at {
			if at[j] < at[i] {
				continue
			}
			work := int64(0)
			for k := range at {
				if at[k] >= at[i] && at[k] <= at[j] {
					if cost == nil {
						work++
					} else {
						work += cost[k]
					}
				}
			}
			excess := new(big.Rat).SetInt64(at[j] - at[i])
			excess.Mul(excess, big.NewRat(r.N, int64(r.P)))
			if excess.Sub(new(big.Rat).SetInt64(work), excess); excess.Cmp(top) > 0 {
				top = excess
			}
		}
	}
	return ceiling(top)
}

func ceiling(x *big.Rat) int64 {
	q, m := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	if m.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q.Int64()
}

func TestBurstIsTheLargestExcessOverAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := arrivalsOf(t, drawLog(t, 25, rapid.Bool().Draw(t, "costs")))
		rate := drawRate(t)
		for key, burst := range a.Bursts(rate) {
			at, cost := a.Of(key)
			require.Equal(t, burstOverPairs(at, cost, rate), burst)
		}
	})
}

func TestTheFittedBucketRefusesNothingAndASmallerOneDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := arrivalsOf(t, drawLog(t, 60, rapid.Bool().Draw(t, "costs")))
		rate := drawRate(t)
		for key, burst := range a.Bursts(rate) {
			if burst == 0 {
				continue
			}
			_, refused := replayed(t, a, bucket(rate, burst))
			require.Zero(t, refused[key])
			_, refused = replayed(t, a, bucket(rate, burst-1))
			require.Positive(t, refused[key])
		}
	})
}

func TestLargeNumbersAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := spec.Rate{N: rapid.Int64Range(1, spec.MaxCount).Draw(t, "n"), P: 1}
		rate.P = 1<<53 - 2
		if rate.N%2 == 0 || rate.N%3 == 0 {
			rate.N = 1
		}
		var traffic Traffic
		for range rapid.IntRange(1, 8).Draw(t, "requests") {
			require.NoError(t, traffic.Add(0, rapid.Int64().Draw(t, "at"), rapid.Int64Range(2, 1<<58).Draw(t, "cost")))
		}
		a := traffic.Arrivals(nil)
		at, cost := a.Of(0)
		top := new(big.Rat)
		for i := range at {
			work := new(big.Int)
			for j := i; j < len(at); j++ {
				work.Add(work, big.NewInt(cost[j]))
				gap := new(big.Int).Sub(big.NewInt(at[j]), big.NewInt(at[i]))
				excess := new(big.Rat).SetInt(gap)
				excess.Mul(excess, big.NewRat(rate.N, int64(rate.P)))
				if excess.Sub(new(big.Rat).SetInt(work), excess); excess.Cmp(top) > 0 {
					top.Set(excess)
				}
			}
		}
		require.Equal(t, ceiling(top), a.Bursts(rate)[0])
	})
}

func TestSixtyFourBitsDecideAsAHundredAndTwentyEight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := arrivalsOf(t, drawLog(t, 60, false))
		rate := drawRate(t)
		n, p := uint64(rate.N), uint64(rate.P)
		for key := range a.Numbers() {
			at, _ := a.Of(key)
			if len(at) == 0 {
				continue
			}
			ones := make([]int64, len(at))
			for i := range ones {
				ones[i] = 1
			}
			require.Equal(t, most(at, ones, n, p), deficit{0, mostSmall(at, n, p)})
			burst := rapid.Int64Range(0, 9).Draw(t, "burst")
			require.Equal(t, Refused(at, ones, rate, burst, len(at), nil), refusedSmall(at, n, p, uint64(burst)*p, len(at)))
		}
	})
}

func TestRefusalsAreThoseOfTheTokenBucket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := arrivalsOf(t, drawLog(t, 60, rapid.Bool().Draw(t, "costs")))
		rate, burst := drawRate(t), rapid.Int64Range(0, 12).Draw(t, "burst")
		_, want := replayed(t, a, bucket(rate, burst))
		for key := range a.Numbers() {
			at, cost := a.Of(key)
			told := 0
			require.Equal(t, want[key], Refused(at, cost, rate, burst, len(at), nil))
			require.Equal(t, want[key], Refused(at, cost, rate, burst, len(at), func(int) { told++ }))
			require.Equal(t, want[key], told)
			if want[key] > 0 {
				require.Equal(t, want[key], Refused(at, cost, rate, burst, want[key]-1, nil), "it stops just above enough")
			}
		}
	})
}

// overPlacements calls a function with all placements of up to four requests within less than grain after their stamps,
// in whole ns and in time order.
func overPlacements(at, cost []int64, grain int64, placed func(at, cost []int64)) {
	n := len(at)
	places, times, costs, order := make([]int64, n), make([]int64, n), make([]int64, n), make([]int, n)
	var place func(i int)
	place = func(i int) {
		if i < n {
			for places[i] = at[i]; places[i] < at[i]+grain; places[i]++ {
				place(i + 1)
			}
			return
		}
		for k := range order {
			order[k] = k
			for j := k; j > 0 && places[order[j]] < places[order[j-1]]; j-- {
				order[j], order[j-1] = order[j-1], order[j]
			}
		}
		for k, j := range order {
			times[k], costs[k] = places[j], 1
			if cost != nil {
				costs[k] = cost[j]
			}
		}
		placed(times, costs)
	}
	place(0)
}

// drawStamps draws up to four requests whose stamps are multiples of step.
func drawStamps(t *rapid.T, step int64) *Arrivals {
	var requests []request
	costs := rapid.Bool().Draw(t, "costs")
	for range rapid.IntRange(1, 4).Draw(t, "requests") {
		r := request{at: step * rapid.Int64Range(-1, 72/step).Draw(t, "stamp"), cost: 1}
		if costs {
			r.cost = rapid.Int64Range(1, 4).Draw(t, "cost")
		}
		requests = append(requests, r)
	}
	return arrivalsOf(t, requests)
}

func TestTheIntervalOfCoarseStampsIsThatOfAllPlacements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Of these rates a token takes a whole number of ns, and of these stamps r·ns ends in a multiple of 2/P, so that
		// no real placement asks for a larger burst, or a smaller one, than the best in whole ns.
		const grain = 24
		a := drawStamps(t, rapid.SampledFrom([]int64{24, 6, 2}).Draw(t, "step"))
		rate, err := spec.ParseRate(rapid.SampledFrom([]string{"1/48ns", "1/72ns", "1/36ns", "1/24ns", "1/16ns", "1/12ns", "1/8ns"}).Draw(t, "rate"))
		require.NoError(t, err)
		at, cost := a.Of(0)
		low, high := int64(0), int64(0)
		overPlacements(at, cost, grain, func(at, cost []int64) {
			burst := most(at, cost, uint64(rate.N), uint64(rate.P)).tokens(uint64(rate.P))
			if low == 0 || burst < low {
				low = burst
			}
			high = max(high, burst)
		})
		got := a.Interval(0, rate, grain)
		assert.Equal(t, a.Bursts(rate)[0], got.At)
		assert.Equal(t, low, got.Low, "low")
		assert.Equal(t, high, got.High, "high")
	})
}

func TestTheGrainIsWhatAllTimesAreMultiplesOf(t *testing.T) {
	of := func(step int64, n int64, more ...int64) int64 {
		var requests []request
		for i := range n {
			requests = append(requests, request{at: 1_700_006_400*second + i*step, cost: 1})
		}
		for _, at := range more {
			requests = append(requests, request{at: at, cost: 1})
		}
		return arrivalsOf(t, requests).Grain()
	}
	assert.EqualValues(t, second, of(second, 100))
	assert.EqualValues(t, 0, of(second, 100, 5))
	assert.EqualValues(t, 60*second, of(60*second, 100))
	assert.EqualValues(t, second, of(86400*second, 9), "too few to believe in days")
	assert.EqualValues(t, 86400*second, of(86400*second, 10))
	assert.EqualValues(t, second, of(60*second, 100, -second))
	assert.EqualValues(t, 0, (&Arrivals{}).Grain())
}
