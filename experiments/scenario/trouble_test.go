package scenario

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/fleet"
)

func inTrouble(t *testing.T, c Config, faults, skew, drift string) Config {
	var err error
	c.Faults, err = fleet.ParseFaults(faults)
	require.NoError(t, err)
	c.Clocks, err = fleet.ParseClocks(skew, drift)
	require.NoError(t, err)
	c.Measure.Level = c.Measure.Level && c.Follows()
	return c
}

// Ten requests a second for a minute, against 1/s at the store: while that is
// down, all pass or none.
func TestWhatPassesWhileTheStoreIsDown(t *testing.T) {
	for fail, want := range map[string]float64{"open": 100, "closed": 0, "local": 20} {
		c := on(t, config(t, "gcra:rate=1/s,burst=1", "steady:rate=10/s"), 2, "round-robin", "central:timeout=1ms,fail="+fail)
		c.Horizon = time.Minute
		r := simulate(t, inTrouble(t, c, "store-down=10s..20s", "", ""))
		assert.Equal(t, 600.0, r.Get("offered"), fail)
		assert.Equal(t, 600.0, r.Get("admitted")+r.Get("refused"), "each ends once")
		assert.Equal(t, 100.0, r.Get("offered_store_down"), fail)
		assert.Equal(t, want, r.Get("admitted_store_down"), "%s: with local each of two servers admits one a second", fail)
		assert.Equal(t, 100.0, r.Get("late_answers"), fail)
		assert.True(t, math.IsNaN(r.Get("restarts")), "none is spoken of")
	}
}

func TestRestartsOfTheSpanAreCounted(t *testing.T) {
	c := on(t, config(t, "fixed-window:limit=10,window=1h", "steady:rate=10/s"), 3, "round-robin", "local")
	c.Horizon, c.Warmup = time.Minute, 10*time.Second
	c = inTrouble(t, c, "restart=0-2@5s,restart=1@10s,restart=0-1@59s", "", "")
	r := simulate(t, c)
	assert.Equal(t, 3.0, r.Get("restarts"))
	assert.Equal(t, 10.0+6, r.Get("admitted"), "ten of server 1 after 10 s; in the last second three each of servers 0 and 1")
}

func TestClocksThatLieApartAreSaidSo(t *testing.T) {
	c := on(t, config(t, "fixed-window:limit=10,window=1s", "steady:rate=10/s"), 3, "round-robin", "local")
	c.Horizon = 10 * time.Second
	assert.Equal(t, 2.0+1, simulate(t, inTrouble(t, c, "", "1s/0/-1s", "0.1/0/0")).Get("clock_spread"))
	apart := map[float64]bool{}
	for rep := range 5 {
		c.Rep = rep
		r := simulate(t, inTrouble(t, c, "", "1s", ""))
		assert.Less(t, r.Get("clock_spread"), 2.0)
		apart[r.Get("clock_spread")] = true
	}
	assert.Len(t, apart, 5, "every replication has its own clocks")
}

func TestMessagesThatAreLostOrDoubledAreCounted(t *testing.T) {
	c := on(t, config(t, "fixed-window:limit=10,window=1h", "steady:rate=10/s"), 2, "round-robin", "central:timeout=1s")
	c.Horizon, c.Warmup = time.Minute, 30*time.Second
	r := simulate(t, inTrouble(t, c, "lost=1", "", ""))
	assert.Equal(t, 300.0, r.Get("lost_messages"))
	assert.Equal(t, 300.0+10, r.Get("failed_open"), "ten that were sent before the span time out in it, the first at its first instant")
	r = simulate(t, inTrouble(t, c, "doubled=1", "", ""))
	assert.Equal(t, 300.0, r.Get("doubled_messages"))
	assert.Equal(t, 2.0, r.Get("store_ops_per_request"))
	r = simulate(t, inTrouble(t, c, "partition=1@0s..1h", "", ""))
	assert.Equal(t, 150.0, r.Get("lost_messages"), "every second goes to the server that is cut off")
}

func TestTroubleThatCanNotBeIsRefused(t *testing.T) {
	c := config(t, "gcra:rate=1/s,burst=1", "steady:rate=1/s")
	c.Horizon = time.Minute
	late := inTrouble(t, c, "restart=0@1m", "", "")
	assert.EqualError(t, late.Prepare(), `fault "restart=0@1m" must begin before the horizon, 1m0s`)
	follows := inTrouble(t, c, "restart=0@1s", "", "")
	require.NoError(t, follows.Prepare())
	follows.Measure.Level = true
	assert.EqualError(t, follows.Prepare(), "levels can not be followed where servers restart or clocks drift")
	assert.ErrorContains(t, inTrouble(t, c, "store-down=1s..2s", "", "").Prepare(), `means nothing under coordination "local"`)
}
