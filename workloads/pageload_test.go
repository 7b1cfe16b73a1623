package workloads

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Every user by itself: bursts of size requests, gap apart, exponential times
// between them.
func TestUsersLoadPagesAndThink(t *testing.T) {
	list := read(mustNew(t, "page-load:users=4,size=6,gap=50ms,think=2s", testEnv(1, 0, nil)), 100_000)
	var thinks []float64
	last, in := [4]time.Duration{}, [4]int{}
	for i, a := range list {
		switch gap := a.At - last[a.Key]; {
		case last[a.Key] == 0: // its page may have begun before
			in[a.Key] = 1
		case gap == 50*time.Millisecond:
			if in[a.Key]++; in[a.Key] > 6 {
				t.Fatalf("a page goes on at arrival %d:%s", i, around(list, i))
			}
		default:
			if len(thinks) > 8 && in[a.Key] != 6 {
				t.Fatalf("a page of %d ends before arrival %d:%s", in[a.Key], i, around(list, i))
			}
			thinks, in[a.Key] = append(thinks, gap.Seconds()), 1
		}
		last[a.Key] = a.At
	}
	requireLaw(t, thinks, func(x float64) float64 { return -math.Expm1(-x / 2) })
}

// A start in any other state would bring too many or too few at first.
func TestUsersStartInTheLongRun(t *testing.T) {
	const reps, bins = 4000, 6
	s := mustParse(t, "page-load:users=3,size=6,gap=500ms,think=2s")
	rate, _ := s.MeanRate()
	var counts [bins][]float64
	for rep := range reps {
		w, err := s.New(testEnv(1, rep, nil))
		require.NoError(t, err)
		var in [bins]float64
		for a, ok := w.Next(); ok && a.At < bins*700*time.Millisecond; a, ok = w.Next() {
			in[a.At/(700*time.Millisecond)]++
		}
		for i := range in {
			counts[i] = append(counts[i], in[i])
		}
	}
	for i := range counts {
		requireMean(t, rate*0.7, counts[i], "counts in bin %d", i)
	}
}
