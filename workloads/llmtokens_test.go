package workloads

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"
)

func TestTokenQuantilesAreLogNormal(t *testing.T) {
	law := distuv.LogNormal{Mu: math.Log(1000), Sigma: 1}
	for i, q := range tokenQuantiles {
		require.Equal(t, int64(math.Round(law.Quantile((float64(i)+0.5)/1024))), q, "quantile %d", i)
	}
}

func TestTokensCostWhatTheyAreSaidTo(t *testing.T) {
	list := read(mustNew(t, "llm-tokens:rate=60/m,tokens=500", testEnv(1, 0, nil)), 100_000)
	costs, below, above := make([]float64, len(list)), 0.0, 0.0
	for i, a := range list {
		costs[i] = float64(a.Cost)
		require.True(t, a.Cost >= 1 && a.Cost <= 17*500)
		if a.Cost < 305 {
			below++
		}
		if a.Cost > 3100 {
			above++
		}
	}
	requireMean(t, 500, costs, "costs")
	assert.InDelta(t, 0.5, below/float64(len(list)), 0.01)
	assert.InDelta(t, 0.01, above/float64(len(list)), 0.002)

	times := read(mustNew(t, "poisson:rate=60/m", testEnv(1, 0, nil)), 1000)
	for i := range times {
		require.Equal(t, times[i].At, list[i].At, "poisson of the same rate and seed comes at the same times")
	}
}
