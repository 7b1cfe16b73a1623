package scenario

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/des/metrics"
	"ratelab/limiters"
)

var chargeModes = []limiters.ChargeMode{limiters.ChargeAdmitted, limiters.ChargeInOrder, limiters.ChargeAlways}

// layered is a world with layers instead of a limiter.
func layered(t require.TestingT, workload string, charge limiters.ChargeMode, layers ...string) Config {
	c := config(t, "gcra:rate=1/s,burst=1", workload)
	c.Limiter, c.Measure = limiters.Spec{}, Measure{}
	var err error
	c.Layers, err = limiters.ParseLayers(layers, charge)
	require.NoError(t, err)
	return c
}

func TestWhoPaysForARetryLoop(t *testing.T) {
	// Twenty requests of one user in an instant, of whom one passes the
	// narrow layer.
	for mode, want := range map[limiters.ChargeMode]struct{ user, global float64 }{
		limiters.ChargeAdmitted: {19, 0},
		limiters.ChargeInOrder:  {9, 10},
		limiters.ChargeAlways:   {9, 10},
	} {
		c := layered(t, "burst-train:size=20,period=1h", mode, "global=fixed-window:limit=10,window=1h", "user=fixed-window:limit=1,window=1h")
		r := simulate(t, c)
		assert.Equal(t, 1.0, r.Get("admitted"), mode)
		assert.Equal(t, want.user, r.Get("refused_by_user"), mode)
		assert.Equal(t, want.global, r.Get("refused_by_global"), mode)
		assert.True(t, math.IsNaN(r.Get("refused_by_ip")), "no layer has that column")
		assert.True(t, math.IsNaN(r.Get("admitted_over_rate")), "layers have no one rate")
	}
}

func TestOneLayerIsALimiter(t *testing.T) {
	for _, limiter := range limiters.Canonical() {
		one := config(t, canonical[limiter], "on-off:rate=80/s,on=1s,off=1s")
		one.Horizon, one.Warmup, one.Keys, one.Measure = 30*time.Second, time.Second, 3, Measure{}
		for _, mode := range chargeModes[1:] { // charged on admission, not even count=all counts refusals
			set := one
			set.Limiter = limiters.Spec{}
			set.Layers = limiters.LayersSpec{Layers: []limiters.Layer{{Column: "user", Spec: one.Limiter}}, Charge: mode}
			want, got := simulate(t, one), simulate(t, set)
			assert.Equal(t, want.Get("refused"), got.Get("refused_by_user"), limiter)
			for _, v := range want {
				if v.Name != "admitted_over_rate" {
					assert.Equal(t, v.Value, got.Get(v.Name), "%s: %s", limiter, v.Name)
				}
			}
		}
	}
}

func TestBothPathsGiveTheSameBytesWithLayers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var layers []string
		for range rapid.IntRange(1, 4).Draw(t, "layers") {
			column := rapid.SampledFrom([]string{"user", "ip", "endpoint", "global"}).Draw(t, "column")
			layers = append(layers, column+"="+canonical[rapid.SampledFrom(limiters.Canonical()).Draw(t, "limiter")])
		}
		workload := rapid.SampledFrom([]string{"poisson:rate=60/s", "on-off:rate=80/s,on=1s,off=1s", "burst-train:size=30,period=1s"}).Draw(t, "workload")
		balancer := rapid.SampledFrom([]string{"round-robin", "random", "hash"}).Draw(t, "balancer")
		coordination := rapid.SampledFrom([]string{"local", "central"}).Draw(t, "coordination")
		c := on(t, layered(t, workload, rapid.SampledFrom(chargeModes).Draw(t, "charge"), layers...), rapid.IntRange(1, 3).Draw(t, "servers"), balancer, coordination)
		c.Keys = rapid.IntRange(1, 3).Draw(t, "keys")
		c.Rep = rapid.IntRange(0, 1000).Draw(t, "rep")
		c.Horizon = 10 * time.Second
		c.Warmup = time.Duration(rapid.IntRange(0, 5).Draw(t, "warmup")) * time.Second
		fast, err := run(context.Background(), c, false)
		require.NoError(t, err)
		queued, err := run(context.Background(), c, true)
		require.NoError(t, err)
		require.Len(t, queued, len(fast))
		byLayer := 0.0
		for i := range fast {
			assert.Equal(t, fast[i].Name, queued[i].Name)
			assert.Equal(t, math.Float64bits(fast[i].Value), math.Float64bits(queued[i].Value), fast[i].Name)
			_, known := metrics.Describe(fast[i].Name)
			assert.True(t, known, fast[i].Name)
			if len(fast[i].Name) > len("refused_by_") && fast[i].Name[:len("refused_by_")] == "refused_by_" {
				byLayer += fast[i].Value
			}
		}
		assert.Equal(t, fast.Get("refused"), byLayer, "every refusal has its layer")
		assert.Equal(t, fast.Get("offered"), fast.Get("admitted")+fast.Get("refused"))
	})
}

func TestOvershootOfLayersIsThatOfTheTightest(t *testing.T) {
	c := on(t, layered(t, "steady:rate=4000/s", limiters.ChargeAdmitted, "user=sliding-log:limit=80,window=1s", "global=fixed-window:limit=1000,window=10s"), 8, "round-robin", "local")
	c.Horizon = 10 * time.Second
	assert.Equal(t, 8.0, simulate(t, c).Get("overshoot"))
	c.Measure.Within = 10 * time.Second
	r := simulate(t, c)
	assert.Equal(t, 6400.0, r.Get("max_window_admitted"), "8·80 a second")
	assert.Equal(t, 80.0, r.Get("overshoot"), "of the 80 that are promised still")
}

func TestNonsenseAboutLayersIsRefusedWithAReason(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"not both":                   func(c *Config) { c.Limiter = c.Layers.Layers[0].Spec },
		"needs a limiter, or layers": func(c *Config) { c.Layers.Layers = nil },
		"are measured of one limiter, not of layers":                 func(c *Config) { c.Measure.Reference = true },
		"eviction lru:capacity=9 is for a scenario with one limiter": func(c *Config) { c.Eviction, _ = limiters.ParseEviction("lru:capacity=9") },
		`requests have no "group"`:                                   func(c *Config) { c.Layers.Layers[0].Column = "group" },
	} {
		c := layered(t, "steady:rate=1/s", limiters.ChargeAlways, "user=gcra:rate=1/s,burst=1")
		change(&c)
		_, err := Run(context.Background(), c)
		assert.ErrorContains(t, err, want)
		assert.ErrorContains(t, c.Prepare(), want)
	}
}

func TestNothingAllocatesPerRequestWithLayers(t *testing.T) {
	for _, mode := range chargeModes {
		c := layered(t, "poisson:rate=30/s", mode, "user=token-bucket:rate=9/s,burst=5", "ip=sliding-log:limit=12,window=1s", "global=leaky-queue:rate=15/s,queue=5")
		c.Keys = 3
		for _, events := range []bool{false, true} {
			allocs := func(horizon time.Duration) float64 {
				c.Horizon = horizon
				return testing.AllocsPerRun(2, func() {
					_, err := run(context.Background(), c, events)
					require.NoError(t, err)
				})
			}
			short, long := allocs(2*time.Minute), allocs(12*time.Minute)
			assert.Less(t, long-short, 60.0, "%s: rings may still grow, requests may not cost", mode)
		}
	}
}
