package fleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/limiters"
	"ratelab/workloads"
)

func TestOnlyAFleetOfOneUntroubledServerHasASoleLimiter(t *testing.T) {
	limit, err := limiters.Parse("gcra:rate=1/s,burst=1")
	require.NoError(t, err)
	for name, test := range map[string]struct {
		change func(c *Config)
		want   bool
	}{
		"one server":       {func(*Config) {}, true},
		"random balancer":  {func(c *Config) { c.Balancer, err = ParseBalancer("random") }, true},
		"quota of the one": {func(c *Config) { c.Coordination, err = ParseCoordination("quota") }, true},
		"two servers":      {func(c *Config) { c.Servers = 2 }, false},
		"a store":          {func(c *Config) { c.Coordination, err = ParseCoordination("central") }, false},
		"a round trip": {func(c *Config) {
			c.Coordination, err = ParseCoordination("central")
			c.RTT = FixedRTT(time.Millisecond)
		}, false},
		"a server restarts": {func(c *Config) { c.Faults = Faults{{Kind: Restart, From: time.Second}} }, false},
	} {
		c := Config{Servers: 1, Limiter: limit, Stream: workloads.Streams(1, 0, "")}
		test.change(&c)
		require.NoError(t, err, name)
		f, err := New(c, nil)
		require.NoError(t, err, name)
		l, ok := f.Sole()
		assert.Equal(t, test.want, ok, name)
		assert.Equal(t, test.want, l != nil, name)
	}
}
