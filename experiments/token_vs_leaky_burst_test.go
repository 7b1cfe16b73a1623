package experiments

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"ratelab/internal/spec"
)

func TestSmallestBurst(t *testing.T) {
	two := spec.Rate{N: 1, P: time.Second / 2}
	s := time.Second
	for _, test := range []struct {
		name  string
		times []time.Duration
		want  int64
	}{
		{"nothing", nil, 0},
		{"one", []time.Duration{7 * s}, 1},
		{"at the pace", []time.Duration{0, s / 2, s, 3 * s / 2}, 1},
		{"a nanosecond too early", []time.Duration{0, s/2 - 1}, 2},
		{"four at once", []time.Duration{0, 0, 0, 0, 2 * s, 2 * s, 2 * s, 2 * s}, 4},
		{"two bursts, too close", []time.Duration{0, 0, 0, 0, s, s, s, s}, 6},
		{"a lull forgives what was before, not what comes", []time.Duration{0, 0, 0, 100 * s, 100 * s}, 3},
	} {
		assert.Equal(t, test.want, smallestBurst(test.times, two), test.name)
	}
}

// TestSmallestBurstIsTheLargestExcessOverAllIntervals looks at every interval
// that begins and ends with an arrival, in exact fractions.
func TestSmallestBurstIsTheLargestExcessOverAllIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := spec.Rate{N: rapid.Int64Range(1, 50).Draw(t, "N"), P: time.Duration(rapid.Int64Range(1, 50).Draw(t, "P"))}
		var times []time.Duration
		at := time.Duration(0)
		for range rapid.IntRange(0, 30).Draw(t, "n") {
			at += time.Duration(rapid.Int64Range(0, 20).Draw(t, "gap"))
			times = append(times, at)
		}
		most := new(big.Rat)
		for i := range times {
			for j := i; j < len(times); j++ {
				flowed := new(big.Rat).Mul(big.NewRat(rate.N, int64(rate.P)), big.NewRat(int64(times[j]-times[i]), 1))
				if excess := flowed.Sub(big.NewRat(int64(j-i+1), 1), flowed); excess.Cmp(most) > 0 {
					most = excess
				}
			}
		}
		up := new(big.Int).Add(most.Num(), new(big.Int).Sub(most.Denom(), big.NewInt(1)))
		assert.Equal(t, up.Div(up, most.Denom()).Int64(), smallestBurst(times, rate))
	})
}
