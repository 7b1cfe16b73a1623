package advise

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"ratelab/clients"
	"ratelab/experiments/scenario"
	"ratelab/fleet"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/logs"
	"ratelab/workloads"
)

// World is what stands around a limiter.
type World struct {
	// Clients say what the clients of a log do when they are refused; the zero Mix: nothing. They bring no users of
	// their own: the requests of the log are what they ask for, each key a client.
	Clients      clients.Mix
	Rounded      bool // hints are what headers carry of them: whole seconds
	Servers      int  // >= 1
	Balancer     fleet.BalancerSpec
	Coordination fleet.CoordinationSpec
	RTT          fleet.RTT
	Seed         uint64
}

// after is how long after the last request clients may still come back.
const after = time.Hour

// plain reports whether nothing but the limiter decides: nobody comes back, and there is one server.
func (w World) plain() bool {
	return !w.Clients.Feedback() && w.Servers == 1 && w.Coordination.String() == "local" && w.RTT.IsZero()
}

// Run takes requests, in time order, through a limiter.
func (w World) Run(ctx context.Context, records []logs.Record, keys []string, s limiters.Spec, m Meter) (*Outcome, error) {
	if len(records) == 0 {
		return nil, errors.New("there is no request")
	}
	if s.UnitCost() {
		for i := range records {
			if c := records[i].Cost; c != 1 {
				return nil, fmt.Errorf("%s knows requests of cost 1 only, got %d", s.Name(), c)
			}
		}
	}
	t := newTally(records, len(keys))
	limiter := s.New(w.Seed, func(key uint32) string { return keys[key] })
	for i := range records {
		r := &records[i]
		admitted, delay := limiter.Admit(time.Duration(r.At), r.Key, r.Cost)
		if !w.plain() {
			continue // it only shows how much memory it takes
		}
		t.sent(r.Key)
		if admitted {
			t.admitted(r.At+int64(delay), r.Key, r.Cost)
			t.succeeded(delay)
		} else {
			t.refused(r.At, r.Key)
			t.lost++
		}
	}
	copies := 1
	if !w.plain() {
		var err error
		if copies, err = w.simulate(ctx, t, records, keys, s); err != nil {
			return nil, err
		}
	}
	o := t.outcome(s, keys, m)
	o.KeysHeld, o.Bytes, o.Copies = limiter.Keys(), limiter.Bytes(), copies
	return o, nil
}

// simulate runs the world on the event queue, and returns how many copies of the limit there are.
//
// The clock of a simulation begins near the first request, so that what happens every second does not happen since 1970.
// It is set back by whole days, and whole windows, which decides alike.
func (w World) simulate(ctx context.Context, t *tally, records []logs.Record, keys []string, s limiters.Spec) (copies int, err error) {
	mix := w.Clients
	if len(mix.Specs()) == 0 {
		if mix, err = clients.ParseMix("none"); err != nil {
			return 0, err
		}
	}
	for _, c := range mix.Specs() {
		if c.Users() > 0 {
			return 0, fmt.Errorf("client %q brings its own users: who asks, and when, is said by the log", c)
		}
	}
	trace, err := workloads.Parse("trace:file=log,start=asis")
	if err != nil {
		return 0, err
	}
	first, last := records[0].At, records[len(records)-1].At
	if t.shift, err = shiftOf(first, s); err != nil {
		return 0, err
	}
	horizon := last - t.shift + int64(after)
	if uint64(last)-uint64(t.shift) > math.MaxInt64/4-uint64(after) {
		return 0, fmt.Errorf("the log is too long to be simulated: from %s to %s", utc(first), utc(last))
	}
	text := func(key uint32) string { return keys[key] }
	config := scenario.Config{
		Limiter: s, Workload: trace, Keys: 1, KeyText: text,
		Open:    func(string) (workloads.Workload, error) { return &source{records: records, shift: t.shift}, nil },
		Servers: w.Servers, Balancer: w.Balancer, Coordination: w.Coordination, RTT: w.RTT,
		Clients: mix, Population: min(len(keys), clients.MaxClients), Sender: clients.ByKey, Rounded: w.Rounded,
		Horizon: time.Duration(horizon), Seed: w.Seed,
		Measure: scenario.Measure{Clients: true}, Observer: t,
	}
	if _, err := scenario.Run(ctx, config); err != nil {
		return 0, err
	}
	f, err := fleet.New(fleet.Config{
		Servers: w.Servers, Balancer: w.Balancer, Coordination: w.Coordination, RTT: w.RTT, Limiter: s, Seed: w.Seed,
		Stream: workloads.Streams(w.Seed, 0, ""),
	}, nil)
	if err != nil {
		return 0, err
	}
	return f.Buckets(), nil
}

// source is the requests of a log as arrivals.
type source struct {
	records []logs.Record
	next    int
	shift   int64
}

// Next returns the next request.
func (s *source) Next() (workloads.Arrival, bool) {
	if s.next == len(s.records) {
		return workloads.Arrival{}, false
	}
	r := &s.records[s.next]
	s.next++
	return workloads.Arrival{At: time.Duration(r.At - s.shift), Key: r.Key, Cost: r.Cost}, true
}

// shiftOf returns by how much the times of a log are set back: as many whole days before the first request as are whole
// windows too. A dialect has a clock of its own, and keeps its time.
func shiftOf(first int64, s limiters.Spec) (int64, error) {
	step := uint64(24 * time.Hour)
	whole := func(d time.Duration) { // makes a step of whole days whole ds
		a, b := step, uint64(d)
		for b != 0 {
			a, b = b, a%b
		}
		if step/a > math.MaxInt64/uint64(d) {
			step = math.MaxInt64
		} else {
			step = step / a * uint64(d)
		}
	}
	if w, ok := s.Window(); ok {
		whole(w)
	}
	if s.Param("refill") == "interval" {
		p, err := spec.ParsePeriodic(s.Param("rate"))
		if err != nil {
			return 0, err
		}
		whole(p.Every)
	}
	if _, dialect := limiters.DialectOf(s.Name()); dialect {
		step = math.MaxInt64
	}
	shift := first / int64(step) * int64(step)
	if first < shift {
		if step > math.MaxInt64/8 {
			return 0, fmt.Errorf("%s can not be simulated before 1970, and the log begins at %s", s, utc(first))
		}
		shift -= int64(step)
	}
	return shift, nil
}

// Sent counts an attempt.
func (t *tally) Sent(_ time.Duration, _ int, req contract.Request, _ int64) { t.sent(req.Key) }

// Heard counts how an attempt ended.
func (t *tally) Heard(now time.Duration, _ int, req contract.Request, r contract.Reply) {
	switch r.Outcome {
	case contract.OK:
		t.admitted(int64(now)+t.shift, req.Key, req.Cost)
	case contract.Timeout:
		t.timedOut++
	default:
		t.refused(int64(now)+t.shift, req.Key)
	}
}

// Ended counts how a request ended.
func (t *tally) Ended(now time.Duration, e clients.Ended) {
	if e.End == clients.Succeeded {
		t.succeeded(now - e.Since)
	} else {
		t.lost++
	}
}
