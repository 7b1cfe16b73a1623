package fleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/internal/random"
)

func TestSharesFollowDemand(t *testing.T) {
	// All of the limit in proportion to the latest period.
	b := newBuilt(t, config(t, "fixed-window:limit=40,window=1s", "round-robin", "adaptive:period=1s,smooth=1,even=0", 4, 0))
	a := b.coordination.(*adaptive)
	assert.Equal(t, []int64{10, 10, 10, 10}, a.caps)
	ask := func(at time.Duration, demand ...int) {
		for server, n := range demand {
			for range n {
				a.decide(at, server, 0, 1)
			}
		}
	}
	ask(0, 30, 10, 0, 0)
	ask(time.Second, 1, 0, 0, 0)
	assert.Equal(t, []int64{29, 10, 0, 1}, a.caps, "30, 10, 0, 0, less a part of 65536 for each")
	assert.Equal(t, 1, b.ZeroShareServers())
	ask(2*time.Second, 0, 0, 0, 0)
	ask(3*time.Second, 1, 0, 0, 0)
	assert.Equal(t, []int64{10, 10, 10, 10}, a.caps, "nothing was asked for")
	assert.EqualValues(t, 3*2*4, b.Account(0).Messages, "a report and an answer each, at 1, 2 and 3 s")

	// Half of it evenly, estimates by halves.
	b = newBuilt(t, config(t, "fixed-window:limit=800,window=1s", "round-robin", "adaptive:period=1s,smooth=0.5,even=0.5", 4, 0))
	a = b.coordination.(*adaptive)
	ask(0, 64, 0, 0, 0)
	ask(time.Second, 0, 64, 0, 0)
	assert.InDeltaSlice(t, []float64{500, 100, 100, 100}, floats(a.caps), 1)
	ask(2*time.Second, 0, 0, 0, 1)
	assert.InDeltaSlice(t, []float64{100 + 400.0/3, 100 + 800.0/3, 100, 100}, floats(a.caps), 1, "16 : 32")
	assert.Zero(t, b.ZeroShareServers())
}

func floats(xs []int64) (f []float64) {
	for _, x := range xs {
		f = append(f, float64(x))
	}
	return f
}

func TestAdaptiveWithNothingButEvenSharesIsAQuota(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limiter := rapid.SampledFrom([]string{"fixed-window:limit=16,window=1s", "token-bucket:rate=16/s,burst=16", "gcra:rate=16/s,burst=16", "sliding-counter:limit=16,window=1s"}).Draw(t, "limiter")
		quotas := newBuilt(t, config(t, limiter, "random", "quota", 4, 0))
		even := newBuilt(t, config(t, limiter, "random", "adaptive:period=10ms,even=1", 4, 0))
		gaps := random.NewExpGaps(random.Stream(rapid.Uint64().Draw(t, "seed"), "gaps"), 24, int64(time.Second))
		for range 200 {
			at := gaps.Next()
			_, a, _ := quotas.Decide(at, 0, 1)
			_, b, _ := even.Decide(at, 0, 1)
			require.Equal(t, a, b)
		}
	})
}

// The shares add up to the limit, always, and the buckets together never admit
// more than its envelope, nor windows more than the limit if shares change at
// their edges only.
func TestSharesNeverAddUpToMoreThanThePromise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limiter := rapid.SampledFrom([]string{"fixed-window:limit=25,window=100ms", "token-bucket:rate=250/s,burst=25", "gcra:rate=250/s,burst=25"}).Draw(t, "limiter")
		period := "100ms"
		if limiter[0] != 'f' {
			period = rapid.SampledFrom([]string{"1ms", "7ms", "30ms", "100ms"}).Draw(t, "period")
		}
		smooth := rapid.SampledFrom([]string{"1", "0.5", "0.013"}).Draw(t, "smooth")
		even := rapid.SampledFrom([]string{"0", "0.1", "1"}).Draw(t, "even")
		c := config(t, limiter, rapid.SampledFrom([]string{"random", "weighted:zipf=1", "hash"}).Draw(t, "balancer"),
			"adaptive:period="+period+",smooth="+smooth+",even="+even, rapid.IntRange(1, 9).Draw(t, "servers"), 0)
		b := newBuilt(t, c)
		a := b.coordination.(*adaptive)
		gaps := random.NewExpGaps(random.Stream(rapid.Uint64().Draw(t, "seed"), "gaps"), 600, int64(time.Second))
		var admitted []time.Duration
		for range 300 {
			at := gaps.Next()
			if _, ok, _ := b.Decide(at, 0, 1); ok {
				admitted = append(admitted, at)
			}
			require.EqualValues(t, parts, sum(a.weights))
			require.EqualValues(t, 25, sum(a.caps))
		}
		for i := range admitted {
			for j := i; j < len(admitted); j++ {
				if limiter[0] == 'f' {
					if admitted[i]/(100*ms) == admitted[j]/(100*ms) {
						require.LessOrEqual(t, j-i+1, 25)
					}
				} else {
					require.LessOrEqual(t, int64(j-i+1), c.Limiter.Promise(admitted[j]-admitted[i]))
				}
			}
		}
	})
}

func TestALongRestCostsNoTime(t *testing.T) {
	b := newBuilt(t, config(t, "gcra:rate=10/s,burst=10", "round-robin", "adaptive:period=1us", 2, 0))
	for range 10 {
		b.Decide(0, 0, 1)
	}
	b.Decide(24*time.Hour, 0, 1)
	assert.EqualValues(t, 4*24*3600*1_000_000, b.Account(0).Messages)
	assert.Equal(t, []int64{5, 5}, b.coordination.(*adaptive).caps)
}
