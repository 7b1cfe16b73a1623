package experiments

import (
	"context"
	"fmt"
	"time"

	"ratelab/des/metrics"
	"ratelab/experiments/sweep"
	"ratelab/experiments/theory"
	"ratelab/limiters"
)

// How much traffic a replication looks at. Limiters and curve begin with all
// their room.
const (
	chooseHorizon      = 30 * time.Minute
	chooseQuickHorizon = 4 * time.Minute
	// A flood is counted in whole windows of every limiter, after the first
	// ones, in which initial bursts are spent.
	chooseFloodWarmup  = 100 * time.Second
	chooseFloodHorizon = 300 * time.Second
)

// chooseOutcome is what became of a request.
type chooseOutcome struct {
	admitted bool
	delay    time.Duration
}

func chooseCell(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	horizon := chooseHorizon
	switch {
	case c.Get("part") == "flood":
		horizon = chooseFloodHorizon
	case lab.Quick:
		horizon = chooseQuickHorizon
	}
	requests, keys, senders, err := chooseTraffic(c.Get("workload"), c.Seed, c.Rep, horizon)
	if err != nil {
		return err
	}
	well := arrivalCurve{chooseBurst, chooseRate}.conform(requests, senders)
	var outcomes []chooseOutcome
	switch name := c.Get("limiter"); name {
	case "none":
		outcomes = make([]chooseOutcome, len(requests))
		for i := range outcomes {
			outcomes[i].admitted = true
		}
		if c.Get("part") != "laws" {
			out.Set("bytes_per_key", 0)
		}
	case "optimum":
		outcomes = chooseOptimum(requests, well, keys, int(c.Int("most")))
	default:
		s, _, err := chooseLimit(name, c.Get("tuning"), c.Get("most"))
		if err != nil {
			return err
		}
		l := lab.Limiter(s, c.Seed)
		outcomes = chooseDecide(l, requests)
		if c.Get("part") == "window" || c.Get("part") == "rate" {
			out.Set("bytes_per_key", float64(l.Bytes())/float64(keys))
		}
		if c.Get("part") == "flood" {
			return chooseFloodRate(requests, outcomes, out)
		}
	}
	worst := chooseWorstWindow(requests, outcomes, keys)
	if c.Get("part") == "laws" {
		chooseLaws(requests, well, outcomes, keys, int(c.Int("most")), worst, out)
		return nil
	}
	harm, delay := chooseHarm(well, outcomes)
	out.Set("harm", harm)
	if c.Get("limiter") == "leaky-queue" { // nobody else delays
		out.Set("delay", delay)
	}
	if c.Get("most") == "" || c.Int("most") == chooseMost {
		out.Set("worst_window", float64(worst))
	}
	if limiter := c.Get("limiter"); c.Get("most") == "" || c.Int("most") != chooseMost || limiter == "none" || limiter == "optimum" {
		return nil
	}
	for _, other := range chooseOtherCurves() {
		harm, _ := chooseHarm(other.conform(requests, senders), outcomes)
		out.Set(other.metric, harm)
	}
	return nil
}

// chooseLaws measures what is claimed of all that was solved for one worst
// window.
func chooseLaws(requests []chooseRequest, well []bool, outcomes []chooseOutcome, keys, most int, worst int64, out *sweep.Row) {
	possible, possibleWell, admitted, admittedWell := 0, 0, 0, 0
	for key := range uint32(keys) {
		possible += theory.MostAdmitted(chooseTimesOf(requests, key, nil), most, chooseWindow)
		possibleWell += theory.MostAdmitted(chooseTimesOf(requests, key, well), most, chooseWindow)
	}
	for i, o := range outcomes {
		if o.admitted {
			admitted++
			if well[i] {
				admittedWell++
			}
		}
	}
	beats := 0.0
	if admittedWell > possibleWell {
		beats = 1
	}
	out.Set("worst_window", float64(worst))
	out.Set("above_most", float64(max(0, worst-int64(most))))
	out.Set("beats_optimum", beats)
	out.Set("admitted_over_possible", float64(admitted)/float64(possible))
}

// chooseDecide puts the requests to a limiter.
func chooseDecide(l limiters.Limiter, requests []chooseRequest) []chooseOutcome {
	outcomes := make([]chooseOutcome, len(requests))
	for i, r := range requests {
		outcomes[i].admitted, outcomes[i].delay = l.Admit(r.at, r.key, 1)
	}
	return outcomes
}

// chooseOptimum admits the most well-behaved requests that can be admitted
// without delay such that no chooseWindow holds more than most of a key:
// each as soon as there is room, and nobody else; see theory.MostAdmitted.
func chooseOptimum(requests []chooseRequest, well []bool, keys, most int) []chooseOutcome {
	outcomes := make([]chooseOutcome, len(requests))
	admitted := make([][]time.Duration, keys)
	for i, r := range requests {
		list := admitted[r.key]
		if k := len(list); well[i] && (k < most || r.at-list[k-most] >= chooseWindow) {
			outcomes[i].admitted = true
			admitted[r.key] = append(list, r.at)
		}
	}
	return outcomes
}

// chooseTimesOf returns when a key's requests come, those that count; nil
// counts all.
func chooseTimesOf(requests []chooseRequest, key uint32, counts []bool) (times []time.Duration) {
	for i, r := range requests {
		if r.key == key && (counts == nil || counts[i]) {
			times = append(times, r.at)
		}
	}
	return times
}

// chooseWorstWindow returns the most of a key that is let through in any
// half-open chooseWindow. A key's requests leave in order.
func chooseWorstWindow(requests []chooseRequest, outcomes []chooseOutcome, keys int) (worst int64) {
	windows := make([]*metrics.Window, keys)
	for k := range windows {
		windows[k] = metrics.NewWindow(chooseWindow, chooseMost)
	}
	for i, o := range outcomes {
		if o.admitted {
			windows[requests[i].key].Admit(requests[i].at+o.delay, 1)
		}
	}
	for _, w := range windows {
		worst = max(worst, w.Max())
	}
	return worst
}

// chooseHarm returns the harm, the share of the well-behaved requests that is refused,
// and how long the others wait on average, in seconds.
func chooseHarm(well []bool, outcomes []chooseOutcome) (harm, delay float64) {
	all, admitted, waited := 0, 0, time.Duration(0)
	for i, o := range outcomes {
		if !well[i] {
			continue
		}
		all++
		if o.admitted {
			admitted++
			waited += o.delay
		}
	}
	harm = float64(all-admitted) / float64(all)
	if admitted == 0 {
		return harm, 0
	}
	return harm, waited.Seconds() / float64(admitted)
}

// chooseFloodRate counts what is admitted of a flood, after its beginning, by
// what the rate is.
func chooseFloodRate(requests []chooseRequest, outcomes []chooseOutcome, out *sweep.Row) error {
	var counts metrics.Counts
	for i, r := range requests {
		if r.at >= chooseFloodWarmup {
			counts.Count(1, outcomes[i].admitted)
		}
	}
	if counts.Offered() == 0 {
		return fmt.Errorf("no flood")
	}
	out.Set("admitted_over_rate", counts.AdmittedOverRate(chooseFloodHorizon-chooseFloodWarmup, chooseRate, time.Second))
	return nil
}
