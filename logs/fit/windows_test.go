package fit

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTheLimitsOfWindowsAreThoseOfReplayingEveryLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := arrivalsOf(t, drawLog(t, 40, rapid.Bool().Draw(t, "costs")))
		share := drawShare(t)
		length := time.Duration(rapid.SampledFrom([]int64{1, 5, 7, 100, 3e6, 1e9, 7e9}).Draw(t, "window"))
		points := FitWindows(a, []time.Duration{length}, []Share{share}, 0)
		want := 2
		if a.UnitCosts() {
			want = 4
		}
		require.Len(t, points, want)
		for _, p := range points {
			fits := func(limit int64) bool {
				refused, byKey := replayed(t, a, fmt.Sprintf("%s:limit=%d,window=%dns", p.Kind, limit, length))
				if p.Of == Keys {
					return atLeast(a.Keys()-len(byKey), a.Keys(), share)
				}
				return atLeast(a.Requests()-refused, a.Requests(), share)
			}
			limit := a.Work() // fits
			for limit > 0 && fits(limit-1) {
				limit--
			}
			require.Equal(t, limit, p.Limit, "%s of %s", p.Kind, p.Of)
		}
	})
}

func TestWindowsAtTheEndsOfTime(t *testing.T) {
	a := arrivalsOf(t, []request{{0, math.MaxInt64, 1}, {0, math.MaxInt64, 1}, {0, math.MaxInt64 - 1, 1}, {0, math.MinInt64, 1}, {0, math.MinInt64 + 1, 1}})
	for _, p := range FitWindows(a, Windows, shares(t, "1"), 0) {
		assert.EqualValues(t, 3, p.Limit)
	}
}

func TestASlidingLogOfCoarseStampsHasAnInterval(t *testing.T) {
	a := arrivalsOf(t, []request{{0, 0, 1}, {0, 0, 1}, {0, second, 1}, {0, 2 * second, 1}})
	for _, p := range FitWindows(a, Windows, shares(t, "1"), second) {
		got := [3]int64{p.Limit, p.Low, p.High}
		switch {
		case p.Window > time.Second:
			assert.Equal(t, [3]int64{4, 4, 4}, got)
		case p.Kind == SlidingLog && p.Of == Keys:
			assert.Equal(t, [3]int64{2, 2, 3}, got)
		default:
			assert.Equal(t, [3]int64{2, 2, 2}, got)
		}
	}
	assert.Len(t, FitWindows(a, Windows, shares(t, "1"), 60*second), 3*4, "a second can not be judged by minutes")
}

func TestTheBoundsOfWindowsHoldForAllPlacements(t *testing.T) {
	all := shares(t, "1")
	rapid.Check(t, func(t *rapid.T) {
		// All is even: what can be closer than a window in real time can be so in whole ns.
		const grain = 8
		step := rapid.SampledFrom([]int64{8, 4, 2}).Draw(t, "step")
		length := rapid.SampledFrom([]int64{8, 16, 24, 10, 14}).Draw(t, "window")
		a := drawStamps(t, step)
		at, cost := a.Of(0)
		points := FitWindows(a, []time.Duration{time.Duration(length)}, all, grain)
		for _, p := range points {
			if p.Of == Requests {
				continue
			}
			least, largest, counts := int64(math.MaxInt64), int64(0), map[int64]int{}
			overPlacements(at, cost, grain, func(at, cost []int64) {
				limit := mostWithin(at, cost, uint64(length))
				if p.Kind == FixedWindow {
					limit = mostFixed(at, cost, length, counts)
				}
				least, largest = min(least, limit), max(largest, limit)
			})
			require.Equal(t, largest, p.High, "high of %s", p.Kind)
			require.LessOrEqual(t, p.Low, least, "low of %s", p.Kind)
			require.LessOrEqual(t, p.Low, p.Limit)
			if step == grain && length%grain == 0 {
				require.Equal(t, least, p.Low, "low of %s", p.Kind)
			}
		}
	})
}
