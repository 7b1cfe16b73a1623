package adversary

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/internal/random"
	"ratelab/limiters"
)

func TestChangesKeepSchedulesInOrderAndInSpan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := mutation{
			random: random.Stream(rapid.Uint64().Draw(t, "seed"), "test"),
			span:   time.Duration(rapid.SampledFrom([]int64{1, 2, 30, 3e9, int64(MaxSpan)}).Draw(t, "span")),
			within: time.Duration(rapid.SampledFrom([]int64{1, 10, 1e9, int64(MaxSpan)}).Draw(t, "within")),
			most:   rapid.IntRange(1, 40).Draw(t, "most"),
		}
		at := m.begin(nil)
		require.Len(t, at, m.most)
		var next []time.Duration
		for range 200 {
			next = m.change(next, at)
			require.True(t, slices.IsSorted(next), "%v", next)
			require.NotEmpty(t, next)
			require.LessOrEqual(t, len(next), m.most)
			require.GreaterOrEqual(t, next[0], time.Duration(0))
			require.Less(t, next[len(next)-1], m.span)
			at, next = next, at
		}
	})
}

func TestChangesReachEveryKind(t *testing.T) {
	m := mutation{random: random.Stream(1, "test"), span: 100, within: 10, most: 8}
	from := []time.Duration{10, 20, 20, 35, 60}
	seen := map[string]bool{}
	for range 20_000 {
		to := m.once(nil, from)
		switch {
		case slices.Equal(to, []time.Duration{10, 20, 35, 60}):
			seen["thinned"] = true
		case slices.Equal(to, []time.Duration{10, 20, 20, 35, 60, 60, 60}):
			seen["thickened"] = true
		case slices.Equal(to, []time.Duration{10, 35, 35, 35, 60}):
			seen["gathered"] = true
		case slices.Equal(to, []time.Duration{10, 20, 20, 35, 45}):
			seen["snapped to within"] = true
		case slices.Equal(to, []time.Duration{10, 20, 20, 30, 60}):
			seen["snapped to another's distance"] = true
		case slices.Equal(to, []time.Duration{10, 20, 30, 40, 50}):
			seen["a train"] = true
		case slices.Equal(to, []time.Duration{10, 20, 20, 35, 85}):
			seen["stretched"] = true
		case slices.Equal(to, []time.Duration{10, 20, 20, 35, 60, 70, 70}):
			seen["repeated"] = true
		}
	}
	assert.Len(t, seen, 8, "%v", seen)
}

func TestPlainSchedulesDoTheSameHarmWithLess(t *testing.T) {
	l, err := limiters.Parse("sliding-log:limit=3,window=1s")
	require.NoError(t, err)
	c := Against(l, Window).Filled()
	p, err := c.player()
	require.NoError(t, err)
	e := evaluator{player: p, harm: Window, within: time.Second}
	got := e.plain([]time.Duration{1, 2, 1_234_567_891, 1_234_567_892, 1_300_000_000, 1_300_000_001, 2_900_000_000})
	assert.Len(t, got, 3)
	assert.Equal(t, got[0], got[2], "one burst will do")
	assert.Equal(t, score{value: 3, of: 1}.value, e.try(got).value)
}

func TestMostWithinCountsHalfOpenIntervals(t *testing.T) {
	times := []time.Duration{0, 0, 5, 9, 10, 10, 10, 14}
	for length, want := range map[time.Duration]int{1: 3, 2: 4, 5: 4, 6: 5, 10: 6, 11: 7, 14: 7, 15: 8} {
		most, from := mostWithin(times, length)
		assert.Equal(t, want, most, "length %d", length)
		n := 0
		for _, at := range times {
			if at >= from && at < from+length {
				n++
			}
		}
		assert.Equal(t, want, n, "length %d", length)
	}
	most, _ := mostWithin(nil, 3)
	assert.Zero(t, most)
}
