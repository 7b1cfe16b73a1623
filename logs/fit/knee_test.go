package fit

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// pages draws nothing: size requests at once, every period, so many times.
func pages(size, times int, period int64) []request {
	var requests []request
	for i := range times {
		for range size {
			requests = append(requests, request{at: int64(i) * period, cost: 1})
		}
	}
	return requests
}

func TestTheKneeOfPageLoadsIsTheLowestRateAtWhichTheyFit(t *testing.T) {
	grid := rates(t, "1/m", "2/m", "5/m", "10/m", "20/m", "30/m", "1/s", "2/s", "5/s", "10/s", "100/s")
	all := shares(t, "1")
	f := FitFrontier(arrivalsOf(t, pages(30, 200, 60*second)), grid, all, 0)
	knee, ok := f.Knee(Keys, all[0])
	require.True(t, ok)
	assert.Equal(t, "30/m", knee.Rate.Text)
	assert.EqualValues(t, 30, knee.Burst)
}

func TestTheKneeOfEvenRequestsIsTheirRate(t *testing.T) {
	grid := rates(t, "1/m", "10/m", "30/m", "1/s", "2/s", "10/s")
	all := shares(t, "1")
	f := FitFrontier(arrivalsOf(t, pages(1, 5000, second)), grid, all, 0)
	knee, ok := f.Knee(Keys, all[0])
	require.True(t, ok)
	assert.Equal(t, "1/s", knee.Rate.Text)
	assert.EqualValues(t, 1, knee.Burst)
}

func TestTheKneeHasTheLeastProductOfThoseThatRefill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := arrivalsOf(t, drawLog(t, 40, rapid.Bool().Draw(t, "costs")))
		var grid []Rate
		for i := range rapid.IntRange(1, 6).Draw(t, "rates") {
			rate, err := ParseRate(fmt.Sprintf("%d/%dns", 1+i*i, rapid.SampledFrom([]int64{1, 10, 1e7, 1e9}).Draw(t, "per")))
			require.NoError(t, err)
			grid = append(grid, rate)
		}
		share := drawShare(t)
		f := FitFrontier(a, grid, []Share{share}, 0)
		knee, ok := f.Knee(Keys, share)
		first, last := a.Ends()
		value := func(p Point) float64 { return float64(p.Burst) * p.Rate.PerSecond() }
		for _, p := range f.Line(Keys, share) {
			if float64(p.Burst)/p.Rate.PerSecond()*1e9 > float64(last-first)*(1+1e-12) {
				continue
			}
			require.True(t, ok)
			require.LessOrEqual(t, value(knee), value(p)*(1+1e-12))
		}
		if ok {
			require.LessOrEqual(t, float64(knee.Burst)/knee.Rate.PerSecond()*1e9, float64(last-first)*(1+1e-12))
		}
	})
}

// A clock that runs c times slower and rates that are c times lower change nothing.
func TestTheKneeKnowsNoUnits(t *testing.T) {
	all := shares(t, "1")
	requests := pages(7, 50, 3*second)
	for i := range requests {
		requests[i].at += int64(i*i%17) * second / 10
	}
	fast, ok := FitFrontier(arrivalsOf(t, requests), rates(t, "1/s", "2/s", "3/s", "5/s", "10/s"), all, 0).Knee(Keys, all[0])
	require.True(t, ok)
	for i := range requests {
		requests[i].at *= 60
	}
	slow, ok := FitFrontier(arrivalsOf(t, requests), rates(t, "1/m", "2/m", "3/m", "5/m", "10/m"), all, 0).Knee(Keys, all[0])
	require.True(t, ok)
	assert.Equal(t, fast.Burst, slow.Burst)
	assert.Equal(t, fast.Rate.Text[:len(fast.Rate.Text)-1], slow.Rate.Text[:len(slow.Rate.Text)-1])
}

func TestALogTooShortForItsBucketsHasNoKnee(t *testing.T) {
	all := shares(t, "1")
	_, ok := FitFrontier(arrivalsOf(t, pages(9, 1, second)), rates(t, "1/s", "100/s"), all, 0).Knee(Keys, all[0])
	assert.False(t, ok)
}

func TestNearIsWithinATenthOfTheProduct(t *testing.T) {
	point := func(rate string, burst int64) Point { return Point{Rate: rates(t, rate)[0], Burst: burst} }
	const span = 3600 * second
	knee := point("2/s", 10)
	assert.True(t, Near(point("1/s", 22), knee, span))
	assert.False(t, Near(point("1/s", 23), knee, span))
	assert.False(t, Near(point("1/d", 10), knee, span), "it does not fill up")
	assert.False(t, Near(point("1000000/s", 1<<60), knee, math.MaxInt64), "large bursts do not overflow")
}
