package scenario

import (
	"context"
	"fmt"
	"math"
	"time"

	"ratelab/internal/spec"
)

const (
	pilotRep      = math.MaxInt // no other replication has its streams
	mostIntervals = 1000
	// LeastIntervals is how many whole intervals a pilot must have.
	LeastIntervals = 50
)

// Course is how a run went, interval by interval: what a warm-up is found in.
type Course struct {
	Interval time.Duration // a whole number of windows, so that counts do not swing with them
	Admitted []float64     // requests admitted, of those that arrived in the interval
	Waited   []float64     // how long those waited in all, in s
}

// Pilot runs one replication that shares no random numbers with any other, to
// see how long the world takes to settle. Its memory is bounded: the horizon
// is cut into 1000 intervals, or fewer if they would be shorter than a window.
// A horizon of fewer than LeastIntervals windows is an error.
func Pilot(ctx context.Context, c Config) (Course, error) {
	if err := c.Validate(); err != nil {
		return Course{}, err
	}
	window := c.window()
	windows := max(1, (c.Horizon/mostIntervals+window-1)/window)
	interval := windows * window
	n := int(c.Horizon / interval)
	if n < LeastIntervals {
		return Course{}, fmt.Errorf("a warm-up is found in %d windows at least: horizon must be >= %s, got %s; or give the warm-up as a duration",
			LeastIntervals, spec.FormatDuration(LeastIntervals*window), spec.FormatDuration(c.Horizon))
	}
	course := Course{Interval: interval, Admitted: make([]float64, n), Waited: make([]float64, n)}
	c.Rep, c.Warmup, c.Measure, c.pilot = pilotRep, 0, Measure{Within: c.Measure.Within}, &course
	_, err := run(ctx, c, false)
	return course, err
}

// at returns the interval of an arrival; false beyond the last whole one.
func (c *Course) at(arrival time.Duration) (int, bool) {
	i := int(arrival / c.Interval)
	return i, i < len(c.Admitted)
}

func (c *Course) decided(arrival time.Duration, admitted bool) {
	if i, ok := c.at(arrival); ok && admitted {
		c.Admitted[i]++
	}
}

func (c *Course) released(arrival, wait time.Duration) {
	if i, ok := c.at(arrival); ok {
		c.Waited[i] += wait.Seconds()
	}
}
