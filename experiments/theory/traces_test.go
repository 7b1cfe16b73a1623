package theory

import (
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestLeastLimitsOfStories(t *testing.T) {
	burst := []int64{7, 7, 7, 7} // at once
	for name, least := range leasts {
		assert.Equal(t, int64(4), least(burst, 10), name)
		assert.Equal(t, int64(0), least(nil, 10), name)
		assert.Equal(t, int64(1), least([]int64{3}, 10), name)
		assert.Equal(t, int64(-1), least([]int64{3, 2}, 10), name)
		assert.Equal(t, int64(-1), least([]int64{-1}, 10), name)
		assert.Equal(t, int64(-1), least(burst, 0), name)
	}
	edge := []int64{9, 9, 9, 10, 10, 10} // on both sides of an edge
	assert.Equal(t, int64(3), LeastFixedWindow(edge, 10))
	assert.Equal(t, int64(6), LeastLog(edge, 10))
	assert.Equal(t, int64(6), LeastCounter(edge, 10))
	assert.Equal(t, int64(6), LeastBucket(edge, 10), "6 in 1 of 10: 60/11")
	even := []int64{0, 5, 10, 15, 20, 25}
	assert.Equal(t, int64(2), LeastLog(even, 10))
	assert.Equal(t, int64(2), LeastBucket(even, 10), "60/35")
}

var leasts = map[string]func([]int64, int64) int64{
	"fixed window": LeastFixedWindow, "log": LeastLog, "counter": LeastCounter, "bucket": LeastBucket,
}

// Each rule is played out in rational numbers: under the least limit nothing is refused, under one less something is.
func TestLeastLimitsAreTheLeast(t *testing.T) {
	plays := map[string]func(times []int64, window, limit int64) bool{
		"fixed window": func(times []int64, window, limit int64) bool {
			counts := map[int64]int64{}
			for _, t := range times {
				counts[t/window]++
				if counts[t/window] > limit {
					return false
				}
			}
			return true
		},
		"log": func(times []int64, window, limit int64) bool {
			for i, t := range times {
				n := int64(0)
				for _, before := range times[:i+1] {
					if before > t-window {
						n++
					}
				}
				if n > limit {
					return false
				}
			}
			return true
		},
		"counter": func(times []int64, window, limit int64) bool {
			for i, t := range times {
				estimate := new(big.Rat)
				for _, before := range times[:i] {
					switch t/window - before/window {
					case 0:
						estimate.Add(estimate, big.NewRat(1, 1))
					case 1:
						estimate.Add(estimate, big.NewRat(window-t%window, window))
					}
				}
				if estimate.Add(estimate, big.NewRat(1, 1)).Cmp(big.NewRat(limit, 1)) > 0 {
					return false
				}
			}
			return true
		},
		"bucket": func(times []int64, window, limit int64) bool {
			level := big.NewRat(limit, 1)
			for i, t := range times {
				if i > 0 {
					level.Add(level, big.NewRat(limit*(t-times[i-1]), window))
				}
				if full := big.NewRat(limit, 1); level.Cmp(full) > 0 {
					level = full
				}
				if level.Cmp(big.NewRat(1, 1)) < 0 {
					return false
				}
				level.Sub(level, big.NewRat(1, 1))
			}
			return true
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Int64Range(0, 100), 1, 30).Draw(t, "times")
		slices.Sort(times)
		window := rapid.Int64Range(1, 50).Draw(t, "window")
		for name, least := range leasts {
			limit := least(times, window)
			if !plays[name](times, window, limit) || limit > 1 && plays[name](times, window, limit-1) {
				t.Fatalf("%s: %d is not the least limit", name, limit)
			}
		}
	})
}
