package experiments

import (
	"context"
	"fmt"
	"time"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
)

// Warmup is how long a scenario takes to settle, as a pilot run shows.
type Warmup struct {
	Length time.Duration // what not to count
	// Found says that the rule found it. If not, what settles takes more than
	// half the horizon or never does, and Length is half the horizon.
	Found     bool
	Intervals int // of the pilot run
	Interval  time.Duration
	By        string // what took longest to settle: admitted, wait
}

func (w Warmup) String() string {
	at := fmt.Sprintf("%s, in %d intervals of %s of a pilot run", w.By, w.Intervals, spec.FormatDuration(w.Interval))
	if w.Found {
		return "found by MSER-5: " + at
	}
	return "half the horizon: by MSER-5 the first half does not settle (" + at + "); give a longer horizon, unless there is no steady state"
}

const (
	leastRequests = 10   // admitted in an interval, on average: fewer are mostly chance
	immaterial    = 0.01 // of the mean: a difference that does not matter
)

// FindWarmup chooses the warm-up of a scenario by [sweep.MSER5], on what is
// admitted in intervals of a pilot run and, where requests wait in most of
// them, on how long. The longest counts.
func FindWarmup(ctx context.Context, c scenario.Config) (Warmup, error) {
	course, err := scenario.Pilot(ctx, c)
	if err != nil {
		return Warmup{}, err
	}
	admitted := sweep.NewEstimate(course.Admitted).Mean
	join := 1
	if admitted < leastRequests {
		join = int(min(float64(len(course.Admitted)), leastRequests/admitted)) + 1
	}
	w := Warmup{Found: true, Intervals: len(course.Admitted) / join, Interval: time.Duration(join) * course.Interval, By: "what is admitted"}
	if w.Intervals < scenario.LeastIntervals {
		return w, fmt.Errorf("a warm-up is found in %d admitted requests at least, got %.0f: give a longer horizon, or the warm-up as a duration",
			leastRequests*scenario.LeastIntervals, admitted*float64(len(course.Admitted)))
	}
	counts, waits := joined(course.Admitted, join), joined(course.Waited, join)
	waiting := 0
	for i := range waits {
		if waits[i] > 0 {
			waiting++
			waits[i] /= counts[i]
		}
	}
	settle := func(by string, series []float64) {
		intervals, ok := sweep.MSER5(series, immaterial*sweep.NewEstimate(series).Mean)
		switch length := time.Duration(intervals) * w.Interval; {
		case !w.Found:
		case !ok:
			w.Found, w.By, w.Length = false, by, time.Duration(w.Intervals/2)*w.Interval
		case length > w.Length:
			w.By, w.Length = by, length
		}
	}
	settle(w.By, counts)
	if 2*waiting > len(waits) {
		settle("waiting times", waits)
	}
	return w, nil
}

// joined adds up each n values that follow each other.
func joined(values []float64, n int) []float64 {
	sums := make([]float64, len(values)/n)
	for i := range sums {
		for _, v := range values[i*n : (i+1)*n] {
			sums[i] += v
		}
	}
	return sums
}
