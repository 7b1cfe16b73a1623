package fit

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestArrivalsAreTheRequestsByKeyInTimeOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := drawLog(t, 60, rapid.Bool().Draw(t, "costs"))
		drop := rapid.SliceOfN(rapid.Bool(), len(requests), len(requests)).Draw(t, "drop")
		var traffic Traffic
		for _, r := range requests {
			require.NoError(t, traffic.Add(r.key, r.at, r.cost))
		}
		require.Equal(t, len(requests), traffic.Len())
		whole := traffic.Arrivals(func(i int) bool { return drop[i] })
		first, last := whole.Ends()
		middle := first + (last-first)/2
		halves := whole.Halves()
		for name, a := range map[string]*Arrivals{"all": whole, "first": halves[0], "second": halves[1]} {
			keys, n, work := 0, 0, int64(0)
			for key := range a.Numbers() {
				at, cost := a.Of(key)
				var want, got []request
				for i, r := range requests {
					if int(r.key) == key && !drop[i] && (name == "all" || r.at < middle == (name == "first")) {
						want = append(want, request{0, r.at, r.cost})
						work += r.cost
					}
				}
				for i := range at {
					got = append(got, request{0, at[i], 1})
					if cost != nil {
						got[i].cost = cost[i]
					}
				}
				require.True(t, slices.IsSorted(at))
				require.ElementsMatch(t, want, got)
				if n += len(at); len(at) > 0 {
					keys++
				}
			}
			require.Equal(t, [3]int64{int64(keys), int64(n), work}, [3]int64{int64(a.Keys()), int64(a.Requests()), a.Work()})
			if first, last := a.Ends(); n > 0 && name == "all" {
				for i, r := range requests {
					require.True(t, drop[i] || r.at >= first && r.at <= last)
				}
			}
		}
	})
}

func TestTheEndsOfTimeHaveHalves(t *testing.T) {
	a := arrivalsOf(t, []request{{0, math.MinInt64, 1}, {0, 0, 1}, {0, math.MaxInt64, 1}})
	assert.Equal(t, [2]int{1, 2}, [2]int{a.Halves()[0].Requests(), a.Halves()[1].Requests()})
	n := Analyze(a, Options{Rates: rates(t, "1/s"), Shares: shares(t, "1")})
	assert.EqualValues(t, math.MaxInt64, n.Span())
	require.NotNil(t, n.Knee, "a span beyond int64 is no negative one")
	assert.Equal(t, [3]int64{1, 1, 1}, [3]int64{n.Stability[0].Burst, n.Stability[0].First, n.Stability[0].Second})
	assert.Len(t, n.Windows, 2*2*len(Windows))
}

func TestTrafficIsKeptInBlocks(t *testing.T) {
	var traffic Traffic
	for i := range 3*block + 5 {
		cost := int64(1)
		if i > block+3 {
			cost = 2
		}
		require.NoError(t, traffic.Add(uint32(i%2), int64(i), cost))
	}
	a := traffic.Arrivals(func(i int) bool { return i == block })
	assert.Equal(t, 3*block+4, a.Requests())
	at, cost := a.Of(0)
	assert.EqualValues(t, block-2, at[block/2-1])
	assert.EqualValues(t, block+2, at[block/2], "the request at a block's begin is dropped")
	assert.EqualValues(t, 1, cost[block/2])
	assert.EqualValues(t, 2, cost[block/2+1])
}

func TestTrafficRefusesWhatCanNotBeCounted(t *testing.T) {
	var traffic Traffic
	assert.EqualError(t, traffic.Add(0, 0, 0), "a cost must be >= 1, got 0")
	require.NoError(t, traffic.Add(0, 0, maxWork-1))
	require.NoError(t, traffic.Add(0, 0, 1))
	assert.EqualError(t, traffic.Add(0, 0, 1), "the costs add up to more than 2^62")
}
