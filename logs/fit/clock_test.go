package fit

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// spread draws requests over hours, whose minutes and seconds are what at makes of an hour.
func spread(t *testing.T, n, hours int, at func(draws *rand.Rand) int64) *Arrivals {
	t.Helper()
	draws := rand.New(rand.NewPCG(1, 2))
	var traffic Traffic
	for range n {
		hour := draws.Int64N(int64(hours)) - 3
		require.NoError(t, traffic.Add(draws.Uint32N(20), (hour*3600+at(draws))*second, 1))
	}
	return traffic.Arrivals(nil)
}

func TestALogThatLostItsMinutesIsUnfit(t *testing.T) {
	lost := func(draws *rand.Rand) int64 { return 5*60 + draws.Int64N(60) }
	a := spread(t, 1000, 80, lost)
	assert.Equal(t, Clock{Hours: 80, Minutes: 1, From: 5, Requests: 1000}, a.Clock())
	assert.Equal(t, "99 % of its 1000 requests, from 80 different hours, lie in 1 minute of the hour from minute 05 on: no traffic does that; its times lost their minutes, or it holds scheduled jobs alone", a.Clock().Unfit())

	around := spread(t, 1000, 80, func(draws *rand.Rand) int64 { return (58*60 + draws.Int64N(300)) % 3600 })
	assert.Equal(t, Clock{Hours: 80, Minutes: 5, From: 58, Requests: 1000}, around.Clock(), "the hour is a circle")
	assert.NotEmpty(t, around.Clock().Unfit())

	few := spread(t, 1000, 80, func(draws *rand.Rand) int64 {
		if draws.IntN(200) == 0 {
			return draws.Int64N(3600)
		}
		return lost(draws)
	})
	assert.NotEmpty(t, few.Clock().Unfit(), "one request in a hundred may lie elsewhere")
}

func TestTrafficIsFit(t *testing.T) {
	even := func(draws *rand.Rand) int64 { return draws.Int64N(3600) }
	lost := func(draws *rand.Rand) int64 { return 5*60 + draws.Int64N(60) }
	for name, a := range map[string]*Arrivals{
		"all day":                   spread(t, 1000, 80, even),
		"few requests":              spread(t, 99, 80, lost),
		"a short log":               spread(t, 1000, 5, lost),
		"peaks at the full hour":    spread(t, 1000, 80, func(draws *rand.Rand) int64 { return draws.Int64N(3600) * draws.Int64N(2) }),
		"half of the hour, nightly": spread(t, 1000, 80, func(draws *rand.Rand) int64 { return draws.Int64N(1800) }),
	} {
		assert.Empty(t, a.Clock().Unfit(), name)
	}
}

func TestALogWithOneTimeIsUnfit(t *testing.T) {
	var traffic Traffic
	require.NoError(t, traffic.Add(0, 0, 1))
	assert.Empty(t, traffic.Arrivals(nil).Unfit(), "one request alone")
	require.NoError(t, traffic.Add(1, 0, 1))
	assert.Equal(t, "all 2 requests have one time, 1970-01-01T00:00:00Z", traffic.Arrivals(nil).Unfit())
	require.NoError(t, traffic.Add(1, 1, 1))
	assert.Empty(t, traffic.Arrivals(nil).Unfit())
}
