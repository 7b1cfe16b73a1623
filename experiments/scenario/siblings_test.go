package scenario

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/limiters"
)

func TestRefusalsWhileSiblingsAreIdle(t *testing.T) {
	for _, c := range []struct {
		name, limiter, workload, balancer, coordination string
		servers                                         int
		refused, idle                                   float64
	}{
		// 20 at once, two windows of them: each server has 5, and round robin brings each 10.
		{"dealt out in turn all are full at once", "fixed-window:limit=10,window=1s", "burst-train:size=20,period=1s", "round-robin", "quota", 2, 20, 0},
		// One server of two takes all: the other's five stay free.
		{"one server takes all", "fixed-window:limit=10,window=1s", "burst-train:size=20,period=1s", "hash", "quota", 2, 30, 30},
		{"local limits of which one takes all", "fixed-window:limit=10,window=1s", "burst-train:size=20,period=1s", "hash", "local", 2, 20, 20},
		{"a bucket beside a full one", "gcra:rate=2/d,burst=4", "burst-train:size=6,period=1s", "hash", "quota", 2, 10, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			world := on(t, config(t, c.limiter, c.workload), c.servers, c.balancer, c.coordination)
			world.Horizon, world.Measure.Siblings = 2*time.Second, true
			r, err := Run(context.Background(), world)
			require.NoError(t, err)
			assert.Equal(t, c.refused, r.Get("refused"))
			assert.Equal(t, c.idle, r.Get("idle_sibling_refusals"))
		})
	}
}

func TestLookingAroundChangesNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limiter := rapid.SampledFrom(limiters.Canonical()).Draw(t, "limiter")
		coordination := rapid.SampledFrom([]string{"local", "quota", "quota:over=serving"}).Draw(t, "coordination")
		balancer := rapid.SampledFrom([]string{"round-robin", "random", "hash", "least"}).Draw(t, "balancer")
		c := on(t, config(t, canonical[limiter], "on-off:rate=80/s,on=1s,off=1s"), rapid.IntRange(2, 40).Draw(t, "servers"), balancer, coordination)
		if c.Coordination.Suits(c.Limiter) != nil {
			t.Skip("the table refuses it")
		}
		c.Keys, c.Horizon = rapid.IntRange(1, 3).Draw(t, "keys"), 10*time.Second
		without, err := Run(context.Background(), c)
		require.NoError(t, err)
		c.Measure.Siblings = true
		with, err := Run(context.Background(), c)
		require.NoError(t, err)
		for _, v := range without {
			assert.Equal(t, math.Float64bits(v.Value), math.Float64bits(with.Get(v.Name)), v.Name)
		}
		idle := with.Get("idle_sibling_refusals")
		assert.True(t, idle >= 0 && idle <= with.Get("refused"), "%v of %v", idle, with.Get("refused"))
	})
}
