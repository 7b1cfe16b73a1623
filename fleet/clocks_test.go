package fleet

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func clocksOf(t require.TestingT, skew, drift string, servers int, seed uint64) []clock {
	c, err := ParseClocks(skew, drift)
	require.NoError(t, err)
	built, err := c.build(servers, streams(seed))
	require.NoError(t, err)
	return built
}

func TestClocksAreAheadAndGoFaster(t *testing.T) {
	c := clocksOf(t, "10ms/-5ms/0", "100ppm/-1e-4/0.1", 3, 1)
	for _, w := range []struct {
		server    int
		at, shows time.Duration
	}{
		{0, 0, 10 * time.Millisecond},
		{0, time.Second, time.Second + 10*time.Millisecond + 100*time.Microsecond},
		{1, 0, -5 * time.Millisecond},
		{1, time.Second, time.Second - 5*time.Millisecond - 100*time.Microsecond},
		{2, 10 * time.Second, 11 * time.Second},
		{0, 9_999, 10*time.Millisecond + 9_999},
		{0, 10_000, 10*time.Millisecond + 10_001},
	} {
		assert.Equal(t, w.shows, c[w.server].at(w.at), "server %d at %s", w.server, w.at)
	}
}

func TestClocksNeverGoBackAndAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := clock{time.Duration(rapid.Int64Range(-int64(maxSkew), int64(maxSkew)).Draw(t, "ahead")), rapid.Int64Range(-maxDrift, maxDrift).Draw(t, "drift")}
		now := time.Duration(rapid.Int64Range(0, math.MaxInt64/2).Draw(t, "now"))
		later := now + time.Duration(rapid.Int64Range(0, 1000).Draw(t, "step"))
		require.LessOrEqual(t, c.at(now), c.at(later))
		gain := new(big.Int).Mul(big.NewInt(int64(now)), big.NewInt(c.drift))
		gain.Quo(gain, big.NewInt(driftParts))
		require.Equal(t, int64(now+c.ahead)+gain.Int64(), int64(c.at(now)))
	})
}

func TestDrawnClocksLieToEitherSideAndDoNotDependOnTheNumberOfServers(t *testing.T) {
	many := clocksOf(t, "50ms", "100ppm", 10_000, 1)
	var ahead, drift float64
	for _, c := range many {
		require.LessOrEqual(t, c.ahead.Abs(), 50*time.Millisecond)
		require.LessOrEqual(t, max(c.drift, -c.drift), int64(100_000_000))
		ahead += float64(c.ahead) / 50e6 / 10_000
		drift += float64(c.drift) / 1e8 / 10_000
	}
	sigma := 1 / math.Sqrt(3*10_000)
	assert.InDelta(t, 0, ahead, 4*sigma)
	assert.InDelta(t, 0, drift, 4*sigma)
	assert.Equal(t, many[:7], clocksOf(t, "50ms", "100ppm", 7, 1))
	assert.NotEqual(t, many[:7], clocksOf(t, "50ms", "100ppm", 7, 2), "another replication has other clocks")
	skewOnly := clocksOf(t, "50ms", "", 7, 1)
	assert.Equal(t, many[3].ahead, skewOnly[3].ahead, "the drift shifts no skew")
	assert.Zero(t, skewOnly[3].drift)
}

func TestClocksThatDoNotDifferAreNone(t *testing.T) {
	for _, text := range []string{"", "0", " "} {
		c, err := ParseClocks(text, text)
		require.NoError(t, err)
		assert.False(t, c.Differ())
		assert.Nil(t, clocksOf(t, text, text, 3, 1))
		assert.Empty(t, c.String())
	}
	c, err := ParseClocks("50ms", "1ppm/2ppm")
	require.NoError(t, err)
	assert.Equal(t, "skew ±50ms, drift 1ppm/2ppm", c.String())
}

func TestClocksAreRefusedWithAReason(t *testing.T) {
	for _, c := range []struct{ skew, drift, want string }{
		{"-50ms", "", "skew must be >= 0, got -50ms: one value is drawn from to either side; list them with /, one a server"},
		{"50", "", `skew must be a duration like 250ms, 1m30s or 1d (units ns, us, ms, s, m, h, d), got "50"`},
		{"1ms/", "", `skew must be a duration like 250ms, 1m30s or 1d (units ns, us, ms, s, m, h, d), got ""`},
		{"366d", "", "skew must lie within ±365d, got 366d"},
		{"", "fast", `drift must be parts in a million like 100ppm, or a share like 0.0001 or 1e-4, got "fast"`},
		{"", "ppm", `drift must be parts in a million like 100ppm, or a share like 0.0001 or 1e-4, got "ppm"`},
		{"", "1e-999999999", `drift must be parts in a million like 100ppm, or a share like 0.0001 or 1e-4, got "1e-999999999"`},
		{"", "0.11", "drift must lie within ±0.1, got 0.11"},
		{"", "-1ppm", "drift must be >= 0, got -1ppm: one value is drawn from to either side; list them with /, one a server"},
	} {
		_, err := ParseClocks(c.skew, c.drift)
		assert.EqualError(t, err, c.want)
	}
	c, err := ParseClocks("1ms/2ms", "")
	require.NoError(t, err)
	_, err = c.build(3, streams(1))
	assert.EqualError(t, err, `skew "1ms/2ms" names 2 servers, the fleet has 3`)
}

func FuzzParseClocks(f *testing.F) {
	f.Add("50ms", "100ppm")
	f.Add("1ms/-1ms", "1e-4/-0.1")
	f.Fuzz(func(t *testing.T, skew, drift string) {
		c, err := ParseClocks(skew, drift)
		if err != nil {
			return
		}
		built, err := c.build(2, streams(1))
		if err != nil {
			return
		}
		for _, one := range built {
			last := one.at(0)
			for _, now := range []time.Duration{1, time.Second, math.MaxInt64 / 4} {
				require.Less(t, last, one.at(now)+1)
				last = one.at(now)
			}
		}
	})
}
