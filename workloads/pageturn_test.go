package workloads

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// within counts the arrivals in [from, to).
func within(list []Arrival, from, to time.Duration) (n int) {
	for _, a := range list {
		if from <= a.At && a.At < to {
			n++
		}
	}
	return n
}

// The clock minute with a limit of 100: three requests between 0:02 and 0:40,
// 97 at 0:59, 100 at 1:01. Each minute has its 100, and 197 pass in 2 s.
func TestQuietThenLoudTellsItsStory(t *testing.T) {
	list := read(mustNew(t, "page-turn:size=200,window=1m,half=1s,story=quiet-then-loud", Env{}), 1000)
	want := []time.Duration{2 * time.Second, 21 * time.Second, 40 * time.Second}
	want = append(want, slices.Repeat([]time.Duration{59 * time.Second}, 97)...)
	want = append(want, slices.Repeat([]time.Duration{61 * time.Second}, 100)...)
	assert.Equal(t, want, times(list), "and it ends")
	assert.Equal(t, 3, within(list, 0, 40*time.Second+1))
	assert.Equal(t, 100, within(list, 0, time.Minute))
	assert.Equal(t, 100, within(list, time.Minute, 2*time.Minute))
	assert.Equal(t, 197, within(list, 59*time.Second, 61*time.Second+1))

	byDefault := read(mustNew(t, "page-turn:size=200,window=1m,story=quiet-then-loud", Env{}), 1000)
	assert.Equal(t, list, byDefault, "half is window/60")
	_, ok := mustParse(t, "page-turn:size=200,window=1m,story=quiet-then-loud").MeanRate()
	assert.False(t, ok, "what ends has no long-run rate")
}

func mustParse(t *testing.T, text string) Spec {
	t.Helper()
	s, err := Parse(text)
	require.NoError(t, err)
	return s
}

// Half of the burst lands on the dying window's unused budget, half on the
// newborn's fresh one, and both windows were empty before.
func TestStraddleSplitsEveryBurstAtTheEdge(t *testing.T) {
	ms := time.Millisecond
	assert.Equal(t, []time.Duration{9950 * ms, 9950 * ms, 10050 * ms, 10050 * ms, 29950 * ms, 29950 * ms, 30050 * ms},
		times(read(mustNew(t, "page-turn:size=4,window=10s,half=50ms", Env{}), 7)))

	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(2, 9).Draw(t, "size")
		window := time.Duration(rapid.Int64Range(2, 1e12).Draw(t, "window"))
		half := time.Duration(rapid.Int64Range(1, int64(window)-1).Draw(t, "half"))
		s, err := Parse(fmt.Sprintf("page-turn:size=%d,window=%dns,half=%dns", size, window, half))
		require.NoError(t, err)
		w, err := s.New(Env{})
		require.NoError(t, err)
		list := read(w, 3*size)
		for turn := range 3 {
			edge := time.Duration(2*turn+1) * window
			require.Equal(t, size/2, within(list, edge-window, edge), "before edge %v", edge)
			require.Equal(t, size-size/2, within(list, edge, edge+window), "after edge %v", edge)
			require.Equal(t, size, within(list, edge-half, edge+half+1), "around edge %v", edge)
			require.Equal(t, size/2, within(list, edge-half, edge-half+1))
		}
	})
}

func TestTheStoryKeepsItsShapeAtEveryScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(8, 300).Draw(t, "size")
		window := time.Duration(rapid.Int64Range(60, math.MaxInt64/2).Draw(t, "window"))
		half := time.Duration(rapid.Int64Range(1, int64(window/3)).Draw(t, "half"))
		s, err := Parse(fmt.Sprintf("page-turn:size=%d,window=%dns,half=%dns,story=quiet-then-loud", size, window, half))
		require.NoError(t, err)
		w, err := s.New(Env{})
		require.NoError(t, err)
		list := read(w, size+1)
		require.Len(t, list, size)
		require.True(t, slices.IsSorted(times(list)), "%v", times(list))
		for i, sixtieths := range []int64{2, 21, 40} {
			want := new(big.Int).Mul(big.NewInt(int64(window)), big.NewInt(sixtieths))
			require.Equal(t, want.Quo(want, big.NewInt(60)).Int64(), int64(list[i].At), "quiet request %d", i)
		}
		require.Equal(t, size/2, within(list, 0, window))
		require.Equal(t, size/2-3, within(list, window-half, window)-within(list[:3], window-half, window))
		require.Equal(t, size-size/2, within(list, window+half, window+half+1))
	})
}

func TestPageTurnEndsWithTheClock(t *testing.T) {
	list := read(mustNew(t, "page-turn:size=2,window=30000d,half=1d", Env{}), 10)
	assert.Equal(t, []time.Duration{29999 * day, 30001 * day, 89999 * day, 90001 * day}, times(list))
	list = read(mustNew(t, "page-turn:size=3,window=9223372036854775807ns,half=1ns", Env{}), 10)
	assert.Equal(t, []time.Duration{math.MaxInt64 - 1}, times(list))
	list = read(mustNew(t, "page-turn:size=8,window=9223372036854775807ns,story=quiet-then-loud", Env{}), 10)
	assert.Len(t, list, 4, "what lies behind the edge lies beyond the clock")
}

func TestPageTurnRefusesWhatDoesNotStraddle(t *testing.T) {
	for text, want := range map[string]string{
		"page-turn:size=100,window=1m":                                `half must be given with story=straddle, such as half=1s`,
		"page-turn:size=1,window=1m,half=1s":                          `size must be >= 2, one on each side, got 1`,
		"page-turn:size=100,window=1s,half=1s":                        `half must be < window, or both bursts miss the windows at the edge, got 1s`,
		"page-turn:size=100,window=1m,half=0":                         `half must be > 0, got 0`,
		"page-turn:size=7,window=1m,story=quiet-then-loud":            `size must be >= 8 with story=quiet-then-loud, 3 of them quiet, got 7`,
		"page-turn:size=200,window=59ns,story=quiet-then-loud":        `window must be >= 60ns with story=quiet-then-loud, got 59ns`,
		"page-turn:size=200,window=1m,half=21s,story=quiet-then-loud": `half must be <= window/3, or the burst comes before the last quiet request, got 21s`,
		"page-turn:size=200,window=1m,story=loud":                     `story must be straddle or quiet-then-loud, got "loud"`,
	} {
		_, err := Parse(text)
		require.EqualError(t, err, `workload "page-turn": `+want)
	}
}
