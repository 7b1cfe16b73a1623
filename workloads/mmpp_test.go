package workloads

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Means in the first instants show that the chain starts in its stationary
// state, in the later ones that it stays there.
func TestMoodsStartInTheirStationaryState(t *testing.T) {
	for _, text := range []string{"mmpp:rates=5/20/100/s,stay=4s/2s/500ms", "mmpp:rates=10/0/40/10/s,stay=300ms/1s/200ms/500ms,jump=next"} {
		rate, _ := mustParse(t, text).MeanRate()
		edges := []time.Duration{0, 100 * time.Millisecond, 300 * time.Millisecond, time.Second, 2 * time.Second}
		for i, counts := range countsIn(t, text, 5000, edges...) {
			requireMean(t, rate*(edges[i+1]-edges[i]).Seconds(), counts, "%s from %v", text, edges[i])
		}
	}
}

func TestMoodRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"mmpp:rates=5/s,stay=1s":              `workload "mmpp": rates must be 2 to 8 numbers and a time, as in 5/20/100/s, got "5/s"`,
		"mmpp:rates=5/6/s,stay=1s":            `workload "mmpp": stay must be one duration for each of 2 rates, got "1s"`,
		"mmpp:rates=0/0/s,stay=1s/1s":         `workload "mmpp": rates must not all be 0, got 0/0/s`,
		"mmpp:rates=0/1/d,stay=1us/1us":       `workload "mmpp": stay must be long enough that one in a million visits to a state brings a request, got 1us/1us`,
		"mmpp:rates=0/1/s,stay=1s/1s,jump=up": `workload "mmpp": jump must be any or next, got "up"`,
	} {
		_, err := Parse(text)
		assert.EqualError(t, err, want)
	}
}
