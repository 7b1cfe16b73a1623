package workloads

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func times(list []Arrival) []time.Duration {
	at := make([]time.Duration, len(list))
	for i, a := range list {
		at[i] = a.At
	}
	return at
}

func TestBurstsComeAtOnceEveryPeriod(t *testing.T) {
	s := time.Second
	assert.Equal(t, []time.Duration{0, 0, 0, 10 * s, 10 * s, 10 * s, 20 * s},
		times(read(mustNew(t, "burst-train:size=3,period=10s", Env{}), 7)))
	assert.Equal(t, []time.Duration{25 * s, 25 * s, 35 * s, 35 * s, 45 * s},
		times(read(mustNew(t, "burst-train:size=2,period=10s,phase=25s", Env{}), 5)))
}

func TestBurstTrainEndsWithTheClock(t *testing.T) {
	list := read(mustNew(t, "burst-train:size=2,period=100000d,phase=1ns", Env{}), 10)
	assert.Equal(t, []time.Duration{1, 1, 100000*day + 1, 100000*day + 1}, times(list))
	list = read(mustNew(t, "burst-train:size=2,period=9223372036854775807ns", Env{}), 10)
	assert.Equal(t, []time.Duration{0, 0, math.MaxInt64, math.MaxInt64}, times(list))
}

func TestABurstHasARequest(t *testing.T) {
	_, err := Parse("burst-train:size=0,period=1s")
	require.EqualError(t, err, `workload "burst-train": size must be > 0, got 0`)
	_, err = Parse("burst-train:size=1,period=1s,phase=-1ns")
	require.EqualError(t, err, `workload "burst-train": phase must be >= 0, got -1ns`)
}
