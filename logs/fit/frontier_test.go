package fit

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func drawShare(t *rapid.T) Share {
	s, err := ParseShare(rapid.SampledFrom([]string{"0.01", "0.3", "0.5", "0.75", "0.9", "0.99", "0.999", "1", "1.0"}).Draw(t, "share"))
	require.NoError(t, err)
	return s
}

// atLeast reports whether n of all is at least the share.
func atLeast(n, all int, s Share) bool { return uint64(n)*s.den >= uint64(all)*s.num }

func TestTheFrontierOfKeysIsThatOfReplayingEveryKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := arrivalsOf(t, drawLog(t, 40, rapid.Bool().Draw(t, "costs")))
		rate, share := Rate{Rate: drawRate(t)}, drawShare(t)
		f := FitFrontier(a, []Rate{rate}, []Share{share}, 0)
		burst := f.Line(Keys, share)[0].Burst
		_, refused := replayed(t, a, bucket(rate.Rate, burst))
		require.True(t, atLeast(a.Keys()-len(refused), a.Keys(), share))
		_, refused = replayed(t, a, bucket(rate.Rate, burst-1))
		require.False(t, atLeast(a.Keys()-len(refused), a.Keys(), share))
		if !a.UnitCosts() {
			require.Empty(t, f.Line(Requests, share))
		}
	})
}

func TestTheFrontierOfRequestsIsThatOfTryingEveryBurst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := arrivalsOf(t, drawLog(t, 60, false))
		rate, share := Rate{Rate: drawRate(t)}, drawShare(t)
		want := int64(0)
		for burst := int64(a.Requests()); burst >= 0; burst-- { // a larger one refuses nothing
			refused, _ := replayed(t, a, bucket(rate.Rate, burst))
			if !atLeast(a.Requests()-refused, a.Requests(), share) {
				want = burst + 1
				break
			}
		}
		require.Equal(t, want, FitFrontier(a, []Rate{rate}, []Share{share}, 0).Line(Requests, share)[0].Burst)
	})
}

func TestCoarseStampsGiveTheFrontierAnInterval(t *testing.T) {
	a := arrivalsOf(t, []request{{0, 0, 1}, {0, 0, 1}, {0, second, 1}, {1, 5 * second, 1}})
	all := shares(t, "1")
	p := FitFrontier(a, rates(t, "1/s"), all, second).Points
	assert.Equal(t, Point{Rate: rates(t, "1/s")[0], Of: Keys, Share: all[0], Burst: 2, Low: 2, High: 3}, p[0])
	assert.Equal(t, [3]int64{2, 2, 2}, [3]int64{p[1].Burst, p[1].Low, p[1].High})
	p = FitFrontier(a, rates(t, "1/s"), all, 0).Points
	assert.Equal(t, [3]int64{2, 2, 2}, [3]int64{p[0].Burst, p[0].Low, p[0].High})
}

func TestSharesAreExact(t *testing.T) {
	of := func(text string, n int) int {
		s, err := ParseShare(text)
		require.NoError(t, err, text)
		return s.Of(n)
	}
	assert.Equal(t, 99, of("0.99", 100))
	assert.Equal(t, 100, of("0.99", 101))
	assert.Equal(t, 1, of("0.000000001", 1))
	assert.Equal(t, 7, of("1", 7))
	assert.Equal(t, 7, of("1.000", 7))
	assert.Equal(t, 1<<40-1<<40/1000000000, of("0.999999999", 1<<40))
	for _, text := range []string{"", "0", "1.1", "-0.5", "99%", ".", "nan", "0.0000000001", "1/2", "0.9.9"} {
		_, err := ParseShare(text)
		assert.Error(t, err, text)
	}
	_, err := ParseShares("0.5,0.50")
	assert.EqualError(t, err, "the share 0.50 is there twice")
	assert.Equal(t, "99.9", shares(t, "0.999")[0].Percent())
	assert.Equal(t, "100", shares(t, "1.0")[0].Percent())
	assert.Equal(t, "0.0000001", shares(t, "0.000000001")[0].Percent())
	assert.Equal(t, "50", shares(t, "0.50")[0].Percent())
}

func TestRatesMayHaveBlanksAroundThem(t *testing.T) {
	list, err := ParseRates([]string{"1/s", " 30/m "})
	require.NoError(t, err)
	assert.Equal(t, []string{"1/s", "30/m"}, []string{list[0].Text, list[1].Text})
	_, err = ParseRates([]string{"1/s", " 60/m"})
	assert.EqualError(t, err, "the rate 60/m is there twice")
}
