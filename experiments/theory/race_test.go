package theory

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// raceOnce plays one window and returns what is admitted above its limit; arrivals come at rate 1 and are seen delay later.
func raceOnce(rng *rand.Rand, write Write, limit int, delay float64) int {
	type late struct {
		at    float64
		value int
	}
	var flying []late
	value, admitted, idle := 0, 0, 0
	for t := rng.ExpFloat64(); ; t += rng.ExpFloat64() {
		for len(flying) > 0 && flying[0].at <= t {
			if write == WriteAdd {
				value++
			} else {
				value = flying[0].value
			}
			flying = flying[1:]
		}
		if value < limit {
			flying = append(flying, late{t + delay, value + 1})
			admitted++
			idle = 0
		} else if idle++; len(flying) == 0 {
			return admitted - limit
		}
	}
}

func TestRaceAgreesWithSimulation(t *testing.T) {
	for _, write := range []Write{WriteAdd, WriteSet} {
		for _, delay := range []float64{0.3, 2} {
			const limit, n = 20, 5
			most := int(RaceOvershootQuantile(write, limit, delay, 0.9))
			var mean, square, below, seldom []float64
			for rep := range 20_000 {
				over := float64(raceOnce(rand.New(rand.NewPCG(31, uint64(rep))), write, limit, delay))
				want := RaceOvershoot(write, limit, delay)
				mean = append(mean, over)
				square = append(square, (over-want)*(over-want))
				below = append(below, float64(b2i(over <= float64(most))))
				seldom = append(seldom, float64(b2i(over <= float64(most-1))))
			}
			assertMean(t, RaceOvershoot(write, limit, delay), mean, write, delay)
			assertMean(t, RaceOvershoot(write, limit, delay), square, write, delay, "variance")
			assertMean(t, RaceOvershootAtMost(write, limit, delay, most), below, write, delay, "distribution")
			if most > 0 {
				assertMean(t, RaceOvershootAtMost(write, limit, delay, most-1), seldom, write, delay, "distribution")
			}
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestRaceQuantilesInvertTheDistribution(t *testing.T) {
	for _, delay := range []float64{0, 0.01, 1, 7.5, 400} {
		for _, share := range []float64{0, 0.1, 0.5, 0.9, 0.999, 1 - 1e-12} {
			q := RaceOvershootQuantile(WriteAdd, 10, delay, share)
			assert.GreaterOrEqual(t, RaceOvershootAtMost(WriteAdd, 10, delay, int(q))+1e-15, share)
			if share > 0 && q > 0 {
				assert.Less(t, RaceOvershootAtMost(WriteAdd, 10, delay, int(q)-1), share)
			}
		}
	}
	assert.Equal(t, 200.0, RaceOvershoot(WriteSet, 100, 2))
}
