package scenario

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/des/metrics"
	"ratelab/experiments/theory"
	"ratelab/fleet"
	"ratelab/workloads"
)

// costsOf are the metrics of a coordination's costs.
var costsOf = []string{
	"store_ops_per_request", "store_ops_rate", "store_hot_shard_share", "store_wait_mean", "store_wait_max", "messages_per_request",
	"wasted_charges", "late_answers", "failed_open", "failed_closed", "failed_local",
	"lease_grants", "stranded_tokens", "expired_tokens", "unused_share", "idle_sibling_refusals", "zero_share_servers",
}

func TestWhatACoordinationCostsIsMeasured(t *testing.T) {
	for _, c := range []struct {
		coordination, rtt string
		want              map[string]float64
	}{
		// A hundred requests a second from 2 s to 12 s, limit 50/s, four servers in turn.
		{"local", "0s", map[string]float64{}},
		{"quota", "0s", map[string]float64{"zero_share_servers": 0}},
		{"central", "0s", map[string]float64{"store_ops_per_request": 1, "store_ops_rate": 100, "messages_per_request": 2, "wasted_charges": 0}},
		{"central", "2ms", map[string]float64{"store_ops_per_request": 1, "store_ops_rate": 100, "messages_per_request": 2, "wasted_charges": 0}},
		{"central:capacity=1000/s,timeout=1s", "2ms", map[string]float64{"store_ops_per_request": 1, "store_ops_rate": 100, "messages_per_request": 2, "wasted_charges": 0,
			"store_wait_mean": 0, "store_wait_max": 0, "late_answers": 0, "failed_open": 0, "failed_closed": 0, "failed_local": 0}},
		{"central-racy:delay=1us", "0s", map[string]float64{"store_ops_per_request": 1.5, "store_ops_rate": 150, "messages_per_request": 2.5, "wasted_charges": 0}},
		{"sharded:shards=1", "0s", map[string]float64{"store_ops_per_request": 1, "store_ops_rate": 100, "messages_per_request": 2, "wasted_charges": 0}},
		{"synced:period=1s", "0s", map[string]float64{"messages_per_request": 0.12}},
		{"adaptive:period=500ms", "0s", map[string]float64{"messages_per_request": 0.16, "zero_share_servers": 0}},
		// Ten grants a window, and a refusal to each server.
		{"leased:batch=5", "0s", map[string]float64{"store_ops_per_request": 0.14, "store_ops_rate": 14, "messages_per_request": 0.28, "wasted_charges": 0,
			"lease_grants": 100, "expired_tokens": 0, "unused_share": 0}},
	} {
		cfg := on(t, config(t, "fixed-window:limit=50,window=1s", "steady:rate=100/s"), 4, "round-robin", c.coordination)
		cfg.Horizon, cfg.Warmup = 12*time.Second, 2*time.Second
		var err error
		cfg.RTT, err = fleet.ParseRTT(c.rtt)
		require.NoError(t, err)
		r := simulate(t, cfg)
		for _, metric := range costsOf {
			_, described := metrics.Describe(metric)
			require.True(t, described)
			if metric == "stranded_tokens" || metric == "idle_sibling_refusals" {
				continue // see below
			}
			want, given := c.want[metric]
			if got := r.Get(metric); given {
				assert.InDelta(t, want, got, 1e-9, "%s %s: %s", c.coordination, c.rtt, metric)
			} else {
				assert.True(t, math.IsNaN(got), "%s does not measure %s", c.coordination, metric)
			}
		}
	}
}

func TestServersWithNoShareAreShown(t *testing.T) {
	c := on(t, config(t, "fixed-window:limit=5,window=1s", "steady:rate=100/s"), 8, "round-robin", "quota")
	c.Horizon = 3 * time.Second
	assert.Equal(t, 3.0, simulate(t, c).Get("zero_share_servers"))
}

func TestWaitsAndWasteOfAStoreThatIsAskedTooMuch(t *testing.T) {
	c := on(t, config(t, "token-bucket:rate=1000000/s,burst=1000000", "poisson:rate=400/s"), 4, "random", "central:capacity=500/s")
	c.Horizon, c.RTT = 2000*time.Second, fleet.FixedRTT(time.Millisecond)
	c.Measure = Measure{}
	r := simulate(t, c)
	assert.InEpsilon(t, theory.MD1Wait(0.8)/500, r.Get("store_wait_mean"), 0.05)
	assert.InEpsilon(t, theory.StoreLatency(0.001, 400, 500), r.Get("delay_mean"), 0.05)
	assert.InEpsilon(t, 400, r.Get("store_ops_rate"), 0.01)

	c = on(t, c, 4, "random", "central:capacity=300/s,timeout=50ms,fail=closed")
	c.Horizon = 10 * time.Second
	r = simulate(t, c)
	assert.Equal(t, r.Get("late_answers"), r.Get("failed_closed"))
	assert.Equal(t, r.Get("wasted_charges"), r.Get("failed_closed"), "all are served in the end, and charged")
	assert.Greater(t, r.Get("late_answers"), 0.9*r.Get("offered"), "the queue has grown beyond the timeout for good")
	assert.Equal(t, r.Get("offered"), r.Get("admitted")+r.Get("refused"))
}

func TestStrandedTokensOfAFloodedWindow(t *testing.T) {
	c := on(t, config(t, "fixed-window:limit=1000,window=1s", "poisson:rate=3000/s"), 8, "random", "leased:batch=10")
	c.Horizon, c.Measure = 300*time.Second, Measure{}
	r := simulate(t, c)
	sigma := math.Sqrt(7 * 99.0 / 12 / 300)
	assert.InDelta(t, theory.LeaseStranded(8, 10, 1000), r.Get("stranded_tokens"), 4*sigma)
	assert.Equal(t, 100.0*300, r.Get("lease_grants"))
	assert.InDelta(t, (100.0+8)/3000, r.Get("store_ops_per_request"), 0.001, "calls for grants, and a refusal a server")
	assert.Positive(t, r.Get("idle_sibling_refusals"))
	assert.Zero(t, r.Get("excess_mean"), "no window has more than the limit")
}

func TestRatesOfTheStoreAreOfTheSpan(t *testing.T) {
	// 400 requests a second for 20 s to a store that serves 100/s: the last is
	// decided a minute after the horizon, and all are counted.
	cfg := on(t, config(t, "fixed-window:limit=100,window=1s", "steady:rate=400/s"), 4, "round-robin", "central:capacity=100/s")
	cfg.Horizon = 20 * time.Second
	var err error
	cfg.RTT, err = fleet.ParseRTT("2ms")
	require.NoError(t, err)
	var late, decided int64
	cfg.Late = func(l, d int64) { late, decided = l, d }
	r := simulate(t, cfg)
	assert.Equal(t, 8000.0, r.Get("offered"))
	assert.InDelta(t, 100, r.Get("store_ops_rate"), 0.05)
	assert.Equal(t, 1.0, r.Get("store_ops_per_request"), "each is decided")
	assert.EqualValues(t, 8000, decided)
	assert.InDelta(t, 6000, late, 1)
	assert.InDelta(t, 4, r.Get("admitted_over_rate"), 0.01, "what arrived in the span, whenever it was decided")

	cfg.Workload, err = workloads.Parse("steady:rate=50/s")
	require.NoError(t, err)
	late, decided = -1, -1
	cfg.Horizon = 20*time.Second + 15*time.Millisecond
	r = simulate(t, cfg)
	assert.EqualValues(t, 0, late, "each is answered before the next comes, and the horizon")
	assert.InDelta(t, 50, r.Get("store_ops_rate"), 0.1)
}
