package experiments

import (
	"fmt"
	"time"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/workloads"
)

// counterErrorByLimiters measures the error through the limiters themselves,
// where "open" trusts a counter that belongs to the metrics.
func counterErrorByLimiters(lab Lab, c sweep.Cell, out *sweep.Row) error {
	arrivals, err := counterErrorArrivals(c)
	if err != nil {
		return err
	}
	next, err := scenario.Arrivals(arrivals, 1, workloads.Streams(c.Seed, c.Rep, ""))
	if err != nil {
		return err
	}
	s, err := newCounterShadow(lab, c)
	if err != nil {
		return err
	}
	bounds := c.Get("part") == "bounds"
	places := []time.Duration{0, counterErrorT - 1}
	if !bounds {
		places = []time.Duration{counterErrorPlace(c, "seen")}
	}
	start := time.Duration(counterErrorWarmup(c.Get("part"), lab.Quick)) * counterErrorT
	end := start + time.Duration(counterErrorWindows(c, lab.Quick))*counterErrorT

	var looks, violations, sum, squares int64
	look := func(t time.Duration) {
		if t < start {
			return
		}
		units, within := s.look(t)
		looks++
		if !within {
			violations++
		}
		sum += units
		squares += units * units // at most 10¹¹ each
	}
	window, place := time.Duration(0), 0
	for more := true; more; {
		var a workloads.Arrival
		if a, more = next.Next(); !more || a.At >= end {
			a.At, more = end, false
		}
		for ; window+places[place] < a.At; place++ {
			look(window + places[place])
			if place == len(places)-1 {
				window, place = window+counterErrorT, -1
			}
		}
		if !more {
			break
		}
		if bounds {
			look(a.At)
		}
		s.arrive(a.At, counterShadowUnits)
		if bounds {
			look(a.At)
		}
	}
	out.Set("looks", float64(looks))
	out.Set("bound_violations", float64(violations))
	if !bounds {
		out.Set("error_seen_mean", float64(sum)/float64(looks)/counterShadowUnits)
		out.Set("error_seen_square", float64(squares)/float64(looks)/(counterShadowUnits*counterShadowUnits))
	}
	return nil
}

// counterShadowUnits is the cost of a request to a shadow: what a limiter says
// is left it says in whole units, so the error is known to a thousandth.
const counterShadowUnits = 1000

// counterShadowEndless is a limit that is never met, in units.
const counterShadowEndless = 1 << 52

// counterShadow reads the error of a counter from what limiters say is left:
// of the counter, its estimate, and of an exact log that sees the same
// requests, the truth. Apart from both it counts the last window, for the
// bounds. A counter with a limit decides, and the truth and the bounds are of
// what it admits.
type counterShadow struct {
	counter, log limiters.Limiter
	limit        int64 // of the counter, in units
	decides      bool

	start             time.Duration // of the present window
	previous, current int64         // units in the last window and in this one
}

func newCounterShadow(lab Lab, c sweep.Cell) (*counterShadow, error) {
	s := &counterShadow{limit: counterShadowEndless}
	more := ""
	if c.Get("count") != "" {
		s.decides = true
		s.limit = c.Int("limit") * counterShadowUnits
		more = ",count=" + c.Get("count")
	}
	window := spec.FormatDuration(counterErrorT)
	counter, err := limiters.Parse(fmt.Sprintf("sliding-counter:limit=%d,window=%s%s", s.limit, window, more))
	if err != nil {
		return nil, err
	}
	log, err := limiters.Parse(fmt.Sprintf("sliding-log:limit=%d,window=%s", int64(counterShadowEndless), window))
	if err != nil {
		return nil, err
	}
	s.counter, s.log = lab.Limiter(counter, c.Seed), lab.Limiter(log, c.Seed)
	return s, nil
}

// arrive counts a request of a cost in units. Times never decrease.
func (s *counterShadow) arrive(t time.Duration, cost int64) {
	s.turn(t)
	if !s.decides {
		s.counter.Charge(t, 0, cost)
	} else if admitted, _ := s.counter.Admit(t, 0, cost); !admitted {
		return
	}
	s.log.Charge(t, 0, cost)
	s.current += cost
}

// forget begins anew at time 0.
func (s *counterShadow) forget() {
	s.counter.Forget(0)
	s.log.Forget(0)
	s.start, s.previous, s.current = 0, 0, 0
}

func (s *counterShadow) turn(t time.Duration) {
	for t >= s.start+counterErrorT {
		s.start += counterErrorT
		s.previous, s.current = s.current, 0
	}
}

// look returns estimate − truth at t in units, the estimate rounded up, and
// whether it lies in [−P·f, P(1−f)], exactly: rounding up a bound and what it
// bounds keeps their order.
func (s *counterShadow) look(t time.Duration) (units int64, within bool) {
	s.turn(t)
	estimate := s.limit - s.counter.Ask(t, 0, 1).Remaining
	truth := counterShadowEndless - s.log.Ask(t, 0, 1).Remaining
	units = estimate - truth
	gone := int64(t - s.start)
	whole := int64(counterErrorT)
	least := -(s.previous * gone / whole)
	most := (s.previous*(whole-gone) + whole - 1) / whole
	return units, least <= units && units <= most
}
