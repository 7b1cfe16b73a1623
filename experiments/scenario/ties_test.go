package scenario

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/des"
	"ratelab/fleet"
	"ratelab/limiters"
)

// inOrderOf simulates on an event queue with its own order of ties.
func inOrderOf(t require.TestingT, sim *des.Sim, c Config) Result {
	w, err := c.build(context.Background())
	require.NoError(t, err)
	require.NoError(t, w.byEvents(sim))
	return w.meter.result(w.end)
}

// Requests of one key are alike, and keys share nothing: which of those that
// come to the store at one instant is decided first must not be seen.
func TestNothingHangsOnTheOrderOfTies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limiter := rapid.SampledFrom(limiters.Canonical()).Draw(t, "limiter")
		workload := rapid.SampledFrom([]string{"burst-train:size=30,period=1s", "steady:rate=1000/s", "poisson:rate=2000/s"}).Draw(t, "workload")
		balancer := rapid.SampledFrom([]string{"round-robin", "random", "hash"}).Draw(t, "balancer")
		c := on(t, config(t, canonical[limiter], workload), rapid.IntRange(1, 4).Draw(t, "servers"), balancer, "central")
		c.RTT = fleet.FixedRTT(rapid.SampledFrom([]time.Duration{0, 2 * time.Millisecond, time.Second}).Draw(t, "rtt")) // 1 s is the period of the bursts
		c.Keys = rapid.IntRange(1, 3).Draw(t, "keys")
		c.Horizon = 3 * time.Second
		c.Warmup = time.Duration(rapid.IntRange(0, 2).Draw(t, "warmup")) * time.Second
		c.Measure = All(c.Limiter, c.Keys)
		want := inOrderOf(t, des.New(), c)
		got := inOrderOf(t, des.NewShuffled(rapid.Uint64().Draw(t, "seed")), c)
		require.Len(t, got, len(want))
		for i := range want {
			assert.Equal(t, want[i].Name, got[i].Name)
			assert.Equal(t, math.Float64bits(want[i].Value), math.Float64bits(got[i].Value), want[i].Name)
		}
	})
}

// Users who share a limit are not alike: who comes first at an instant counts,
// and a shuffle shows it.
func TestAShuffleShowsWhatHangsOnTheOrderOfTies(t *testing.T) {
	c := on(t, layered(t, "burst-train:size=60,period=1h", limiters.ChargeInOrder,
		"user=fixed-window:limit=5,window=1h", "global=fixed-window:limit=9,window=1h"), 2, "round-robin", "central")
	c.RTT, c.Keys = fleet.FixedRTT(time.Millisecond), 12
	want, differ := inOrderOf(t, des.New(), c).Get("max_window_admitted"), 0
	for seed := range uint64(20) {
		got := inOrderOf(t, des.NewShuffled(seed), c)
		assert.Equal(t, 9.0, got.Get("admitted"))
		if got.Get("max_window_admitted") != want {
			differ++
		}
	}
	assert.Positive(t, differ)
}

// The store decides at 1 ms, 2 ms, … what arrived a millisecond earlier: in the
// second from 2 s on, that of the first instant is counted with the others.
func TestTheStoreIsCountedFromTheFirstInstantOfTheSpan(t *testing.T) {
	c := on(t, config(t, "token-bucket:rate=20/s,burst=20", "steady:rate=1000/s"), 3, "random", "central")
	c.RTT, c.Warmup, c.Horizon = fleet.FixedRTT(2*time.Millisecond), 2*time.Second, 3*time.Second
	assert.Equal(t, 1.001, inOrderOf(t, des.New(), c).Get("store_ops_per_request"))
	for seed := range uint64(10) {
		assert.Equal(t, 1.001, inOrderOf(t, des.NewShuffled(seed), c).Get("store_ops_per_request"))
	}
}
