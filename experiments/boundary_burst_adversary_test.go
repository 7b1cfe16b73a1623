package experiments

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/internal/random"
	"ratelab/limiters"
)

func boundaryRandom(seed uint64) *rand.Rand { return random.Stream(seed, "boundary-burst test") }

func boundaryAdversaryOf(t require.TestingT, name string, limit int64, window, delta time.Duration) boundaryAdversary {
	s, err := boundaryLimiter(name, limit, window)
	require.NoError(t, err)
	return boundaryAdversary{
		fresh: func() limiters.Limiter { return s.New(1, nil) }, limit: limit, window: window, delta: delta, random: boundaryRandom(1),
	}
}

func TestMostWithinCountsHalfOpenIntervals(t *testing.T) {
	times := []time.Duration{0, 0, 5, 9, 10, 10, 10, 14}
	for length, want := range map[time.Duration]int64{1: 3, 2: 4, 5: 4, 6: 5, 10: 6, 11: 7, 14: 7, 15: 8} {
		assert.Equal(t, want, mostWithin(times, length), "length %d", length)
	}
	assert.Zero(t, mostWithin(nil, 3))
}

func TestNoHistoryDoesBetterThanTheBoundaryAdversary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Int64Range(2, 8).Draw(t, "limit")
		window := time.Duration(limit * rapid.Int64Range(10, 1000).Draw(t, "ns a request"))
		delta := time.Duration(rapid.Int64Range(1, int64(window)).Draw(t, "delta"))
		name := rapid.SampledFrom(boundaryNames()).Draw(t, "limiter")
		a := boundaryAdversaryOf(t, name, limit, window, delta)
		most, _, err := a.most()
		require.NoError(t, err)

		l, now := a.fresh(), time.Duration(0)
		var admitted []time.Duration
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			if ok, _ := l.Admit(now, 0, 1); ok {
				admitted = append(admitted, now)
			}
			switch rapid.IntRange(0, 3).Draw(t, "next") {
			case 0: // the end of a window, where fixed windows and counters are weak
				now = (now/window+1)*window - 1
			case 1:
				now += time.Duration(rapid.Int64Range(0, int64(window)).Draw(t, "gap"))
			}
		}
		assert.LessOrEqual(t, mostWithin(admitted, delta), most, "%v", admitted)
	})
}

func TestTheBoundaryAdversaryGivesUpOnLimitersThatDoNotLimit(t *testing.T) {
	answer := func(d limiters.Decision) error {
		a := boundaryAdversaryOf(t, "gcra", 3, time.Second, time.Second)
		a.fresh = func() limiters.Limiter { return boundaryLiar{change: func(to *limiters.Decision) { *to = d }} }
		_, _, err := a.most()
		return err
	}
	assert.ErrorContains(t, answer(limiters.Decision{Admitted: true}), "is not refused")
	assert.ErrorContains(t, answer(limiters.Decision{}), "told to come back after 0s")
	assert.NoError(t, answer(limiters.Decision{RetryAfter: limiters.Never}))
}
