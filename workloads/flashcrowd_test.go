package workloads

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestACrowdComesAndGoes(t *testing.T) {
	const n = 400
	counts := make([]float64, 3)
	for rep := range n {
		for _, a := range read(mustNew(t, "flash-crowd:rate=10/s,peak=100/s,from=1s,to=2s", testEnv(1, rep, nil)), 1000) {
			if a.At < 3*time.Second {
				counts[a.At/time.Second]++
			}
		}
	}
	for second, mean := range []float64{10, 100, 10} {
		assert.InDelta(t, mean, counts[second]/n, 4*math.Sqrt(mean/n))
	}
}

func TestTheUsualUsersSendTheSameWhateverTheCrowd(t *testing.T) {
	usual := times(read(mustNew(t, "poisson:rate=10/s", testEnv(1, 0, nil)), 1000))
	with := times(read(mustNew(t, "flash-crowd:rate=10/s,peak=1000/s,from=5s,to=6s", testEnv(1, 0, nil)), 1500))
	for _, at := range with {
		if len(usual) > 0 && at == usual[0] {
			usual = usual[1:]
		} else {
			assert.True(t, 5*time.Second <= at && at < 6*time.Second, at)
		}
	}
	assert.Less(t, len(usual), 600)
}

func TestACrowdIsMoreThanUsual(t *testing.T) {
	_, err := Parse("flash-crowd:rate=10/s,peak=600/m,to=1s")
	require.EqualError(t, err, `workload "flash-crowd": peak must be > rate, 10/s, got 600/m`)
	_, err = Parse("flash-crowd:rate=10/s,peak=20/s,from=1s,to=1s")
	require.EqualError(t, err, `workload "flash-crowd": to must be > from, 1s, got 1s`)
}
