package scenario

import (
	"context"
	"fmt"
	"time"

	"ratelab/clients"
	"ratelab/des"
	"ratelab/fleet"
	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/workloads"
)

// Run simulates one replication. It returns ctx's error if it is cancelled, and
// an error if the arrivals of its workload are out of order.
func Run(ctx context.Context, c Config) (Result, error) { return run(ctx, c, false) }

// run simulates; with events it takes the event queue even where it need not.
func run(ctx context.Context, c Config, events bool) (Result, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	w, err := c.build(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case w.people != nil:
		err = w.byPeople()
	case !w.fleet.AtOnce() || events:
		err = w.byEvents(des.New())
	case c.layered():
		err = w.straightLayers()
	default:
		if p, ok := w.plain(); ok {
			err = p.straight()
		} else {
			err = w.straight()
		}
	}
	if err != nil {
		return nil, err
	}
	return w.meter.result(w.end), nil
}

// build makes the world, at its beginning.
func (c Config) build(ctx context.Context) (*world, error) {
	stream := workloads.Streams(c.Seed, c.Rep, "")
	w := &world{ctx: ctx, horizon: c.Horizon, end: c.Horizon}
	var err error
	var ledger fleet.Ledger
	if c.Idempotent {
		ledger = &clients.Ledger{}
	}
	w.fleet, err = fleet.New(fleet.Config{
		Servers: c.Servers, Balancer: c.Balancer, Coordination: c.Coordination, RTT: c.RTT,
		Limiter: c.Limiter, Layers: c.Layers, Eviction: c.Eviction, Clocks: c.Clocks, Faults: c.Faults, Ledger: ledger, Capacity: c.Capacity, Seed: c.Seed, KeyText: c.KeyText, Stream: stream,
	}, w)
	if err != nil {
		return nil, err
	}
	if c.open() {
		open := c.Open
		if open == nil {
			open = openLog
		}
		if w.arrivals, err = arrivalsOf(c.Workload, c.Keys, stream, open); err != nil {
			return nil, err
		}
	}
	if c.hasPeople() {
		if w.people, err = c.people(w, stream); err != nil {
			return nil, err
		}
	}
	if w.meter, err = newMeter(c, w.fleet, c.Keys > 1 || c.Workload.SetsKeys(), stream); err != nil {
		return nil, err
	}
	switch {
	case w.people != nil:
		w.meter.callers.people = w.people
	case c.Servers*c.Keys >= manyPairs:
		w.ahead = &ahead{}
	}
	return w, nil
}

// world is one replication under way.
type world struct {
	ctx      context.Context
	fleet    *fleet.Fleet
	arrivals workloads.Workload
	people   *clients.Population // nil if arrivals go straight to the fleet
	meter    *meter
	horizon  time.Duration
	end      time.Duration // of the last answer, at least the horizon
	next     workloads.Arrival
	last     time.Duration // when the latest came
	order    workloads.Order
	err      error  // an arrival out of order
	ahead    *ahead // nil if arrivals are read as they come
	n        uint   // arrivals so far
	sent     uint   // attempts of clients
}

// checkEvery is how many arrivals pass between looks at the context.
const checkEvery = 1 << 14

// advance reads the next arrival before the horizon. It is false after the
// last, when the run is cancelled, and at an arrival out of order.
func (w *world) advance() bool {
	if w.n++; w.n%checkEvery == 0 && w.ctx.Err() != nil {
		return false
	}
	if w.ahead != nil {
		return w.advanceAhead()
	}
	var ok bool
	w.next, ok = w.arrivals.Next()
	return ok && w.next.At < w.horizon && w.inOrder(w.n, w.next.At)
}

// inOrder reports whether arrival n, counted from 1, may come at a time, and
// keeps the error if it may not.
func (w *world) inOrder(n uint, at time.Duration) bool {
	if at <= w.last && !w.later(n, at) {
		return false
	}
	w.last = at
	return true
}

// later is inOrder for what is no later than the arrival before.
func (w *world) later(n uint, at time.Duration) bool {
	if w.err = w.order.Check(int64(n), at, w.last); w.err != nil {
		w.err = fmt.Errorf("workload: %w", w.err)
	}
	return w.err == nil
}

// failed returns why the run did not come to its end, nil if it did.
func (w *world) failed() error {
	if w.err != nil {
		return w.err
	}
	return w.ctx.Err()
}

// straight decides every arrival as it comes: nothing feeds back, so there is
// nothing to queue.
func (w *world) straight() error {
	for w.advance() {
		a := &w.next
		w.meter.arrived(a.At, a.Cost)
		server, admitted, delay := w.fleet.Decide(a.At, a.Key, a.Cost)
		w.meter.decided(a.At, a.At, server, a.Key, a.Cost, admitted)
		if admitted {
			w.meter.released(a.At, delay)
		}
	}
	return w.failed()
}

// straightLayers is straight with layers.
func (w *world) straightLayers() error {
	for w.advance() {
		a := &w.next
		w.meter.arrived(a.At, a.Cost)
		req := contract.Request{At: a.At, Key: a.Key, IP: a.IP, Endpoint: a.Endpoint, Cost: a.Cost}
		server, delay, layer := w.fleet.DecideLayers(a.At, &req)
		w.meter.decided(a.At, a.At, server, a.Key, a.Cost, layer < 0)
		if layer < 0 {
			w.meter.released(a.At, delay)
		} else {
			w.meter.refusedBy(a.At, layer)
		}
	}
	return w.failed()
}

// byEvents sends every arrival through the fleet on the event queue, and runs
// on until the last answer.
func (w *world) byEvents(sim *des.Sim) error {
	if w.advance() {
		sim.At(w.next.At, (*source)(w), 0)
	}
	// Whatever the store does at the instant at which the span begins is in it,
	// before the first request or after.
	sim.Run(w.meter.span.Start)
	w.meter.costs.arrived(w.meter.span.Start)
	sim.Run(w.horizon)
	w.meter.costs.ends()
	sim.Run(des.Never)
	w.end = max(w.end, sim.Now())
	return w.failed()
}

// source is the world as the handler of its arrivals.
type source world

// Handle sends the pending arrival and schedules the one after it.
func (h *source) Handle(s *des.Sim, _ uint64) {
	w, a := (*world)(h), h.next
	if w.advance() {
		s.At(w.next.At, h, 0)
	}
	w.meter.arrived(a.At, a.Cost)
	w.fleet.Send(s, contract.Request{At: a.At, Key: a.Key, IP: a.IP, Endpoint: a.Endpoint, Cost: a.Cost})
}

// Decided counts what the fleet's limiters decide.
func (w *world) Decided(now time.Duration, server int, req contract.Request, d contract.Decision) {
	if w.people != nil {
		w.people.Decided(req, d.Admitted)
	}
	w.meter.decided(req.At, now, server, req.Key, req.Cost, d.Admitted)
	if !d.Admitted && len(w.meter.refused) > 0 {
		w.meter.refusedBy(req.At, int(d.Layer))
	}
}

// StoreWaited counts how long the store's operations wait for their turn.
func (w *world) StoreWaited(now, wait time.Duration) { w.meter.costs.waited(now, wait) }

// Queued counts how many requests wait at a server.
func (w *world) Queued(now time.Duration, _, waiting int) { w.meter.load.queued(now, waiting) }

// Begun counts how long a request waited for a worker.
func (w *world) Begun(now, waited time.Duration) { w.meter.load.begun(now, waited) }

// Done counts how long a request waited for its end, round trip included, and
// tells its client.
func (w *world) Done(s *des.Sim, _ fleet.Call, req contract.Request, r contract.Reply) {
	if r.Decision.Admitted {
		w.meter.released(req.At, s.Now()-req.At)
	}
	if w.people == nil {
		return
	}
	if r.Outcome == contract.OK {
		w.meter.recovery.ends(s.Now())
	} else {
		w.meter.callers.refused(req.At, s.Now())
	}
	w.people.Done(s, req.ID, r)
}

// exactLog is the log that never errs, of the same limit.
func exactLog(limit int64, window time.Duration) (limiters.Spec, error) {
	return limiters.Parse(fmt.Sprintf("sliding-log:limit=%d,window=%dns", limit, window))
}
