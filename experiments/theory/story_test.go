package theory

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestStoryAsItIsTold(t *testing.T) {
	const minute, second = time.Minute, time.Second
	assert.Equal(t, 97.0, StoryBefore(100, 200))
	assert.Equal(t, 100.0, StoryAfterFixedWindow(100, 200))
	assert.Equal(t, 0.0, StoryAfterLog(100, 200, minute, second))
	assert.Equal(t, 1.0, StoryAfterCounter(Fits, 100, 200, minute, second))
	assert.Equal(t, 2.0, StoryAfterCounter(Below, 100, 200, minute, second))
	assert.Equal(t, 6.0, StoryAfterTokenBucket(100, 200, minute, second))
}

// scenes tells the story to a caller, one request after the other.
func scenes(size int64, window, half time.Duration, request func(at time.Duration)) {
	at := func(sixtieths int64) time.Duration {
		x := new(big.Int).Mul(big.NewInt(int64(window)), big.NewInt(sixtieths))
		return time.Duration(x.Div(x, big.NewInt(60)).Int64())
	}
	for _, quiet := range []int64{2, 21, 40} {
		request(at(quiet))
	}
	for range size/2 - storyQuiet {
		request(window - half)
	}
	for range size - size/2 {
		request(window + half)
	}
}

func TestStoryIsWhatTheRulesSayOneRequestAfterTheOther(t *testing.T) {
	rat := func(x int64) *big.Rat { return new(big.Rat).SetInt64(x) }
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Int64Range(4, 60).Draw(t, "limit")
		size := rapid.Int64Range(8, 150).Draw(t, "size")
		window := time.Duration(rapid.Int64Range(60, 100_000).Draw(t, "window"))
		half := time.Duration(rapid.Int64Range(1, int64(window/3)-1).Draw(t, "half"))
		f := big.NewRat(int64(half), int64(window))

		// run tells the story to a rule and returns what it admits in each burst; room sees all that were admitted before.
		run := func(room func(admitted []time.Duration, now time.Duration) bool) (before, after float64) {
			var admitted []time.Duration
			scenes(size, window, half, func(at time.Duration) {
				if !room(admitted, at) {
					return
				}
				admitted = append(admitted, at)
				switch at {
				case window - half:
					before++
				case window + half:
					after++
				}
			})
			return before, after
		}
		count := func(times []time.Duration, from, to time.Duration) (n int64) {
			for _, at := range times {
				if from <= at && at < to {
					n++
				}
			}
			return n
		}

		before, after := run(func(admitted []time.Duration, now time.Duration) bool {
			return count(admitted, now/window*window, now+1) < limit
		})
		assert.Equal(t, before, StoryBefore(limit, size), "before")
		assert.Equal(t, after, StoryAfterFixedWindow(limit, size), "fixed window")

		before, after = run(func(admitted []time.Duration, now time.Duration) bool {
			return count(admitted, now-window+1, now+1) < limit
		})
		assert.Equal(t, before, StoryBefore(limit, size), "before, log")
		assert.Equal(t, after, StoryAfterLog(limit, size, window, half), "log")

		for _, rule := range []Rule{Fits, Below} {
			_, after = run(func(admitted []time.Duration, now time.Duration) bool {
				estimate := rat(count(admitted, now/window*window, now+1))
				if now >= window {
					weighted := new(big.Rat).Sub(rat(1), f)
					estimate.Add(estimate, weighted.Mul(weighted, rat(count(admitted, 0, window))))
				}
				if rule == Fits {
					return estimate.Add(estimate, rat(1)).Cmp(rat(limit)) <= 0
				}
				return estimate.Cmp(rat(limit)) < 0
			})
			assert.Equal(t, after, StoryAfterCounter(rule, limit, size, window, half), "counter, rule %v", rule)
		}

		if want := StoryAfterTokenBucket(limit, size, window, half); !math.IsNaN(want) {
			level, last := rat(limit), time.Duration(0)
			before, after = run(func(_ []time.Duration, now time.Duration) bool {
				level.Add(level, new(big.Rat).Mul(rat(int64(now-last)), big.NewRat(limit, int64(window))))
				if last = now; level.Cmp(rat(limit)) > 0 {
					level.SetInt64(limit)
				}
				if level.Cmp(rat(1)) < 0 {
					return false
				}
				level.Sub(level, rat(1))
				return true
			})
			assert.Equal(t, after, want, "token bucket")
			if size/2 <= limit {
				assert.Equal(t, before, StoryBefore(limit, size), "before, token bucket")
			}
		}
	})
}

func TestStoryOutsideItsDomainIsNaN(t *testing.T) {
	const minute, second = time.Minute, time.Second
	for what, v := range map[string]float64{
		"small limit, before":    StoryBefore(2, 200),
		"small size, before":     StoryBefore(100, 7),
		"small limit, fixed":     StoryAfterFixedWindow(2, 200),
		"small size, log":        StoryAfterLog(100, 7, minute, second),
		"short window, log":      StoryAfterLog(100, 200, 59, 1),
		"no half, counter":       StoryAfterCounter(Fits, 100, 200, minute, 0),
		"long half, counter":     StoryAfterCounter(Below, 100, 200, minute, 20*second),
		"unknown rule, counter":  StoryAfterCounter(Rule(9), 100, 200, minute, second),
		"quiet token not back":   StoryAfterTokenBucket(3, 200, minute, second),
		"small size, bucket":     StoryAfterTokenBucket(100, 7, minute, second),
		"huge limit, bucket":     StoryAfterTokenBucket(1<<53+1, 200, minute, second),
		"negative half, fits":    StoryAfterCounter(Fits, 100, 200, minute, -second),
		"negative window, below": StoryAfterCounter(Below, 100, 200, -minute, second),
	} {
		assert.True(t, math.IsNaN(v), "%s: %v", what, v)
	}
}
