package workloads

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheHerdFiresOnTheMinute(t *testing.T) {
	for i, a := range read(mustNew(t, "paced-herd:clients=3", Env{}), 12) {
		assert.Equal(t, time.Duration(i/3)*time.Minute, a.At)
	}
}

// Each wait is uniform, whatever its place in the order.
func TestJitterSpreadsTheHerd(t *testing.T) {
	list := read(mustNew(t, "paced-herd:clients=7,every=10s,jitter=3s", testEnv(1, 0, nil)), 70_000)
	waits := make([]float64, len(list))
	for i, a := range list {
		start := time.Duration(i/7) * 10 * time.Second
		if a.At < start || a.At >= start+3*time.Second {
			t.Fatalf("arrival %d:%s", i, around(list, i))
		}
		waits[i] = (a.At - start).Seconds() / 3
	}
	requireLaw(t, waits, func(x float64) float64 { return x })
}

func TestTheHerdRefusesWaitsIntoTheNextTime(t *testing.T) {
	_, err := Parse("paced-herd:clients=7,every=10s,jitter=11s")
	require.EqualError(t, err, `workload "paced-herd": jitter must be at most every, 10s, got 11s`)
}
