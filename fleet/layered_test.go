package fleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/des"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

func layeredConfig(t require.TestingT, charge limiters.ChargeMode, balancer, coordination string, servers int, rtt time.Duration, layers ...string) Config {
	c := config(t, "gcra:rate=1/s,burst=1", balancer, coordination, servers, rtt)
	c.Limiter = limiters.Spec{}
	var err error
	c.Layers, err = limiters.ParseLayers(layers, charge)
	require.NoError(t, err)
	return c
}

func TestALayerTakesItsKeyFromItsColumn(t *testing.T) {
	for _, c := range []struct {
		column string
		passes [4]bool // the same request again; another user; another address; another endpoint
	}{
		{"user", [4]bool{false, true, false, false}},
		{"ip", [4]bool{false, false, true, false}},
		{"endpoint", [4]bool{false, false, false, true}},
		{"global", [4]bool{}},
	} {
		for i, other := range []contract.Request{{}, {Key: 1}, {IP: 1}, {Endpoint: 1}} {
			b := newBuilt(t, layeredConfig(t, limiters.ChargeAdmitted, "round-robin", "local", 1, 0, "global=gcra:rate=9/s,burst=9", c.column+"=gcra:rate=1/s,burst=1"))
			first, again := contract.Request{Cost: 1}, other
			again.Cost = 1
			_, _, layer := b.DecideLayers(0, &first)
			require.Equal(t, -1, layer)
			_, _, layer = b.DecideLayers(0, &again)
			assert.Equal(t, c.passes[i], layer < 0, "%s, request %d", c.column, i)
			if !c.passes[i] {
				assert.Equal(t, 1, layer)
			}
		}
	}
}

func TestLocalLayersMultiplyAndCentralOnesDoNot(t *testing.T) {
	for coordination, want := range map[string]int{"local": 30, "central": 10} {
		b := newBuilt(t, layeredConfig(t, limiters.ChargeInOrder, "round-robin", coordination, 3, 0, "user=gcra:rate=1/s,burst=10", "global=fixed-window:limit=99,window=1m"))
		assert.Equal(t, want, b.burst(100), coordination)
		assert.True(t, b.AtOnce())
		assert.Nil(t, b.Shares())
		_, ok := b.Level(0, 0, 0)
		assert.False(t, ok, "layers have no level")
		assert.Equal(t, map[string]int{"local": 3, "central": 1}[coordination], b.Buckets())
	}
}

func TestAReplySaysWhichLayerRefused(t *testing.T) {
	b := newBuilt(t, layeredConfig(t, limiters.ChargeAdmitted, "round-robin", "central", 2, 3, "global=gcra:rate=1/s,burst=2", "user=gcra:rate=1/s,burst=1"))
	assert.False(t, b.AtOnce())
	var calls []Call
	for _, user := range []uint32{0, 0, 1, 2} {
		calls = append(calls, b.Send(b.sim, contract.Request{Key: user, Cost: 1}))
	}
	b.sim.Run(des.Never)
	assert.Equal(t, []time.Duration{1, 1, 1, 1}, b.decided, "half the round trip later")
	for i, want := range []struct {
		outcome contract.Outcome
		layer   int32
	}{{contract.OK, 0}, {contract.Throttled, 1}, {contract.OK, 0}, {contract.Throttled, 0}} {
		assert.Equal(t, want.outcome, b.replies[calls[i]].Outcome, "call %d", i)
		assert.Equal(t, want.layer, b.replies[calls[i]].Decision.Layer, "call %d", i)
		assert.Equal(t, time.Duration(3), b.ended[calls[i]])
	}
}

// Both ways in decide what the layers decide by themselves, on each server.
func TestLayersOnAFleetDecideAsByThemselves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom([]limiters.ChargeMode{limiters.ChargeAdmitted, limiters.ChargeInOrder, limiters.ChargeAlways}).Draw(t, "charge")
		coordination := rapid.SampledFrom([]string{"local", "central"}).Draw(t, "coordination")
		servers := rapid.IntRange(1, 3).Draw(t, "servers")
		c := layeredConfig(t, mode, "hash", coordination, servers, 0,
			"user=token-bucket:rate=1/s,burst=2", "ip=sliding-log:limit=3,window=1s,count=all", "endpoint=leaky-queue:rate=2/s,queue=2", "global=fixed-window:limit=5,window=1s")
		straight, events := newBuilt(t, c), newBuilt(t, c)
		var alone []*limiters.Layers
		for range servers {
			alone = append(alone, c.Layers.New(1, nil))
		}
		now := time.Duration(0)
		for range rapid.IntRange(1, 40).Draw(t, "requests") {
			now += time.Duration(rapid.IntRange(0, 5).Draw(t, "step")) * 100 * time.Millisecond
			small := func(name string) uint32 { return uint32(rapid.IntRange(0, 2).Draw(t, name)) }
			req := contract.Request{At: now, Key: small("user"), IP: small("ip"), Endpoint: small("endpoint"), Cost: int64(1 + small("cost")/2)}
			server, delay, layer := straight.DecideLayers(now, &req)
			own := alone[straight.Bucket(server)].Take(now, []uint32{req.Key, req.IP, req.Endpoint, 0}, req.Cost)
			require.Equal(t, own.Admitted, layer < 0)
			require.EqualValues(t, own.Layer, max(0, layer))
			require.Equal(t, own.Delay, delay)

			var call Call
			events.sim.At(now, sender(func(s *des.Sim) { call = events.Send(s, req) }), 0)
			events.sim.Run(des.Never)
			reply := events.replies[call]
			require.Equal(t, server, reply.Server)
			require.Equal(t, own, reply.Decision)
			now = max(now, events.sim.Now())
		}
	})
}

type sender func(*des.Sim)

func (f sender) Handle(s *des.Sim, _ uint64) { f(s) }

func TestFleetsThatCanNotHaveLayersSayWhy(t *testing.T) {
	build := func(change func(*Config)) error {
		c := layeredConfig(t, limiters.ChargeAdmitted, "round-robin", "local", 2, 0, "user=gcra:rate=1/s,burst=1")
		change(&c)
		_, err := New(c, nil)
		return err
	}
	assert.EqualError(t, build(func(c *Config) { c.Layers.Layers[0].Column = "usr" }),
		`layer "usr=gcra:rate=1/s,burst=1": requests have no "usr" (did you mean "user"?); they have global, user, ip, endpoint`)
	assert.EqualError(t, build(func(c *Config) { c.Coordination, _ = ParseCoordination("quota") }),
		`coordination "quota" does not know layers; local and central do`)
	assert.ErrorContains(t, build(func(c *Config) { c.Limiter = c.Layers.Layers[0].Spec }), "one limiter or several layers, not both")
	assert.EqualError(t, build(func(c *Config) { c.Eviction, _ = limiters.ParseEviction("lru:capacity=9") }),
		"layers hold all their keys: eviction lru:capacity=9 is for a fleet with one limiter")
	assert.EqualError(t, build(func(c *Config) { c.RTT = FixedRTT(1) }),
		`coordination "local" asks no store, so rtt must be 0, got 1ns; central makes a round trip a check`)
	assert.NoError(t, build(func(c *Config) { c.Eviction, _ = limiters.ParseEviction("none") }))
	assert.ErrorContains(t, build(func(c *Config) { c.Layers = limiters.LayersSpec{} }), "needs a limiter, or layers")
}
