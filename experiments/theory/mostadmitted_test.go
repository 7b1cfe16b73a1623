package theory

import (
	"math/bits"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// most tries every choice.
func most(times []time.Duration, worth uint, limit int, window time.Duration) (best int) {
	for choice := range uint(1) << len(times) {
		admitted := func(i int) bool { return choice>>i&1 == 1 }
		fits := true
		for i := range times {
			n := 0
			for j := range times {
				if admitted(j) && times[j] >= times[i] && times[j] < times[i]+window {
					n++
				}
			}
			fits = fits && n <= limit
		}
		if fits {
			best = max(best, bits.OnesCount(choice&worth))
		}
	}
	return best
}

func TestMostAdmittedIsTheBestOfAllChoices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SliceOfN(rapid.IntRange(0, 12), 0, 9).Draw(t, "times")
		slices.Sort(at)
		worth := rapid.UintRange(0, 1<<len(at)-1).Draw(t, "of worth")
		limit, window := rapid.IntRange(1, 4).Draw(t, "limit"), time.Duration(rapid.IntRange(1, 6).Draw(t, "window"))
		var times, worthy []time.Duration
		for i, x := range at {
			times = append(times, time.Duration(x))
			if worth>>i&1 == 1 {
				worthy = append(worthy, time.Duration(x))
			}
		}
		assert.Equal(t, most(times, 1<<len(at)-1, limit, window), MostAdmitted(times, limit, window), "all")
		assert.Equal(t, most(times, worth, limit, window), MostAdmitted(worthy, limit, window), "those of worth, whatever the others do")
	})
}
