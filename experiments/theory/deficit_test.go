package theory

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDeficitsOverAllSchedules tries every schedule on a small grid: up to L requests at each of some instants.
func TestDeficitsOverAllSchedules(t *testing.T) {
	const window, instants = 3, 8
	for limit := 1; limit <= 3; limit++ {
		most := map[string]float64{"fits": math.Inf(-1), "below": math.Inf(-1), "window": math.Inf(-1)}
		asked := make([]int, instants)
		for more := true; more; {
			log := deficitLog(asked, limit, window)
			if log > 0 {
				for name, own := range map[string]int{
					"fits":   deficitCounter(asked, limit, window, Fits),
					"below":  deficitCounter(asked, limit, window, Below),
					"window": deficitWindow(asked, limit, window),
				} {
					most[name] = max(most[name], 1-float64(own)/float64(log))
				}
			}
			more = false
			for i := range asked {
				if asked[i]++; asked[i] <= limit {
					more = true
					break
				}
				asked[i] = 0
			}
		}
		assert.InDelta(t, CounterDeficitMost(int64(limit)), most["fits"], 1e-12, "fits, L = %d", limit)
		assert.InDelta(t, CounterDeficitMost(int64(limit)), most["below"], 1e-12, "below, L = %d", limit)
		assert.InDelta(t, WindowDeficitMost(int64(limit)), most["window"], 1e-12, "L = %d", limit)
	}
	for _, bad := range []int64{0, -1, wholeMax + 1} {
		assert.True(t, math.IsNaN(CounterDeficitMost(bad)) && math.IsNaN(WindowDeficitMost(bad)), "limit %d", bad)
	}
}

func deficitLog(asked []int, limit, window int) (total int) {
	admitted := make([]int, len(asked))
	for i, n := range asked {
		trailing := 0
		for j := max(0, i-window+1); j < i; j++ {
			trailing += admitted[j]
		}
		admitted[i] = min(n, limit-trailing)
		total += admitted[i]
	}
	return total
}

func deficitWindow(asked []int, limit, window int) (total int) {
	for start := 0; start < len(asked); start += window {
		sum := 0
		for _, n := range asked[start:min(start+window, len(asked))] {
			sum += n
		}
		total += min(sum, limit)
	}
	return total
}

func deficitCounter(asked []int, limit, window int, rule Rule) (total int) {
	previous, current := 0, 0
	for i, n := range asked {
		if i%window == 0 {
			previous, current = current, 0
		}
		left := window - i%window
		for range n {
			// The estimate, in parts of a request of which there are window.
			estimate := previous*left + current*window
			if rule == Fits && estimate+window > limit*window || rule == Below && estimate >= limit*window {
				break
			}
			current++
			total++
		}
	}
	return total
}

func TestTheLongestDelayOfAQueue(t *testing.T) {
	assert.Equal(t, 1e9, QueueDelayMost(10, 10, 1e9))
	assert.Equal(t, 0.0, QueueDelayMost(0, 10, 1e9))
	assert.Equal(t, 334.0, QueueDelayMost(1, 3, 1000), "rounded up to whole ns")
	for _, bad := range []float64{QueueDelayMost(-1, 1, 1), QueueDelayMost(1, 0, 1), QueueDelayMost(1, 1, 0)} {
		assert.True(t, math.IsNaN(bad))
	}
}
