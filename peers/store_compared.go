package peers

import (
	"fmt"
	"slices"
	"time"

	"ratelab/experiments/sweep"
	"ratelab/workloads"
)

// StoreComparison is a row of STORE.md: a fleet that ran, beside two simulations
// of it. What is over the limit is counted in the windows that are compared, and
// is below 0 where less than the limit was admitted.
type StoreComparison struct {
	StoreCase
	Requests int
	Compared []int      // windows, see undisturbed
	Median   storeTimes // of what was measured
	Most     storeTimes // what 99 % stay below
	Real     storeCount // in Redis
	// Replayed is a simulation whose store reads and writes when Redis did,
	// Constant one whose round trips and pauses are the medians.
	Replayed, Constant       storeCount
	Over, Replays, Constants sweep.Estimate // over the limit in a window
	Differs                  sweep.Estimate // Constant − Real, window by window
	Theory                   float64        // Λd, for write=set LΛd, with the medians
}

// storeCount is what a store was asked and what was admitted.
type storeCount struct {
	operations, admitted int64
	byWindow             []int // admitted
	decided, asked       []int // by window: requests; questions of servers that lease
}

// compare runs the case on a Redis at the time of the machine and simulates it.
func (c StoreCase) compare(r *redisServer, seed uint64) (*StoreComparison, error) {
	run, err := c.run(r, seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Coordination, err)
	}
	row := &StoreComparison{
		StoreCase: c, Requests: len(run.requests), Compared: c.undisturbed(run),
		Median: run.times(0.5), Most: run.times(0.99), Real: c.count(run),
	}
	replayed, err := c.replay(run)
	if err != nil {
		return nil, err
	}
	constant, err := c.simulate(run, row.Median.trip, row.Median.pause)
	if err != nil {
		return nil, err
	}
	row.Replayed, row.Constant = replayed.count(), constant.count()
	over := func(of func(window int) int) sweep.Estimate {
		var values []float64
		for _, w := range row.Compared {
			values = append(values, float64(of(w)))
		}
		return sweep.NewEstimate(values)
	}
	limit := int(c.Limit)
	row.Over = over(func(w int) int { return row.Real.byWindow[w] - limit })
	row.Replays = over(func(w int) int { return row.Replayed.byWindow[w] - limit })
	row.Constants = over(func(w int) int { return row.Constant.byWindow[w] - limit })
	row.Differs = over(func(w int) int { return row.Constant.byWindow[w] - row.Real.byWindow[w] })
	if c.races() {
		spec, err := workloads.Parse(c.Workload)
		if err != nil {
			return nil, err
		}
		rate, _ := spec.MeanRate()
		row.Theory = rate * (row.Median.trip + row.Median.pause).Seconds()
		if param(c.Coordination, "write") == "set" {
			row.Theory *= float64(c.Limit)
		}
	}
	return row, nil
}

// count counts what happened.
func (c StoreCase) count(run *storeRun) storeCount {
	n := storeCount{operations: run.operations, byWindow: make([]int, c.Windows), decided: make([]int, c.Windows), asked: make([]int, c.Windows)}
	for _, q := range run.requests {
		within := q.window >= 0 && q.window < c.Windows
		if within {
			n.decided[q.window]++
		}
		if q.admitted {
			n.admitted++
			if within {
				n.byWindow[q.window]++
			}
		}
	}
	for _, a := range run.asks {
		if a.window >= 0 && a.window < c.Windows {
			n.asked[a.window]++
		}
	}
	return n
}

// storeTimes are the times that were measured: of round trips, from an answer to
// the sending of the write, and how late requests were sent.
type storeTimes struct{ trip, pause, late time.Duration }

// times returns what a share of the times stay at or below.
func (run *storeRun) times(share float64) storeTimes {
	var trips, pauses []time.Duration
	for _, a := range run.asks {
		trips = append(trips, a.answered-a.at)
	}
	for _, q := range run.requests {
		if q.answered > 0 {
			trips = append(trips, q.answered-q.at)
		}
		if q.ended > 0 {
			trips, pauses = append(trips, q.ended-q.writes), append(pauses, q.writes-q.answered)
		}
	}
	quantile := func(of []time.Duration) time.Duration {
		if len(of) == 0 {
			return 0
		}
		return slices.Sorted(slices.Values(of))[int(share*float64(len(of)-1))]
	}
	return storeTimes{quantile(trips), quantile(pauses), quantile(run.late)}
}

// undisturbed are the windows from whose end no question went over into the next,
// nor into them. Servers that race name the window by when they ask, in the model
// by when the store is read; and what is leased may come too late to be spent.
func (c StoreCase) undisturbed(run *storeRun) (windows []int) {
	disturbed := make([]bool, c.Windows)
	spans := func(from, to time.Duration) {
		if from/c.Window == to/c.Window {
			return
		}
		for w := max(0, from/c.Window); w <= min(to/c.Window, time.Duration(c.Windows-1)); w++ {
			disturbed[w] = true
		}
	}
	for _, q := range run.requests {
		if q.read > 0 {
			spans(q.at, q.read)
		}
	}
	for _, a := range run.asks {
		spans(a.at, a.answered)
	}
	for w := range c.Windows {
		if !disturbed[w] {
			windows = append(windows, w)
		}
	}
	return windows
}
