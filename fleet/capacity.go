package fleet

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"ratelab/des"
)

// Unlimited is a Queue without a bound.
const Unlimited = -1

// MaxWorkers bounds the workers of a server.
const MaxWorkers = 1 << 20

// Capacity is what each server can do, and what it does when that is not
// enough. The zero Capacity does all at once, and refuses for nothing.
//
// A call that was admitted comes to the workers of its server. It is shed, or
// waits for its turn, or begins; when its service has ended its caller hears
// of it. That the caller has given up meanwhile is no news to the server: the
// work is done all the same, and is wasted.
type Capacity struct {
	Service  ServiceSpec // how long a call takes
	Workers  int         // of each server, 1..MaxWorkers; 0: as many as there are calls
	Queue    int         // calls that may wait at each server: >= 0, or Unlimited
	Slowdown Slowdown    // by the calls in flight
	Shed     ShedSpec    // which calls are turned away before the queue is full
	Tiers    Tiers       // which calls go first
	// DropAbandoned lets a worker pass over a call whose caller has given up
	// by its turn, as if requests carried their deadline.
	DropAbandoned bool

	// RefusalCost is what it takes to refuse a call, whether by the limit or by
	// shedding; the refusal is heard when that is done.
	RefusalCost time.Duration
	RefusalAt   RefusalPlace
}

// RefusalPlace is where refusals are written.
type RefusalPlace uint8

// The places of refusals.
const (
	// Door is one clerk a server, whom each request passes before the limit is
	// asked, first in first out. A refusal holds him up for its cost; what is
	// admitted does not.
	Door RefusalPlace = iota
	// Desk is the workers themselves: a refusal takes one of them for its cost,
	// and goes before all that wait.
	Desk
)

// ParseRefusalPlace reads door or workers.
func ParseRefusalPlace(text string) (RefusalPlace, error) {
	switch text {
	case "door":
		return Door, nil
	case "workers":
		return Desk, nil
	}
	return 0, fmt.Errorf("refusals are written at the door or by the workers, got %q: write door or workers", text)
}

// String returns door or workers.
func (p RefusalPlace) String() string { return [...]string{"door", "workers"}[p] }

// IsZero reports whether servers have no limits of their own.
func (c Capacity) IsZero() bool { return c.Service.IsZero() && c.RefusalCost == 0 }

// Check refuses what can not be.
func (c Capacity) Check() error {
	switch {
	case c.RefusalCost < 0 || c.RefusalCost > MaxService:
		return fmt.Errorf("refusal cost must lie in 0..%s, got %s", MaxService, c.RefusalCost)
	case c.Service.IsZero() && c.RefusalCost > 0 && c.RefusalAt == Desk:
		return errors.New("refusals written by the workers need a service, so that there are workers")
	case c.Service.IsZero() && (c.Workers != 0 || c.Queue != 0 || c.Slowdown != 0 || !c.Shed.IsZero() || c.Tiers.N() > 1 || c.DropAbandoned):
		return errors.New("workers, a queue, slowdown, shedding, tiers and deadlines need a service")
	case c.Workers < 0 || c.Workers > MaxWorkers:
		return fmt.Errorf("workers of a server must lie in 0..%d, 0 for no bound, got %d", MaxWorkers, c.Workers)
	case c.Queue < Unlimited:
		return fmt.Errorf("queue must be >= 0, or unlimited, got %d", c.Queue)
	}
	return nil
}

// build sets up the servers of a fleet.
func (c Capacity) build(f *Fleet, servers int, stream func(string) *rand.Rand) error {
	if err := c.Check(); err != nil {
		return err
	}
	if !c.Service.IsZero() {
		f.workers = newWorkers(f, c, servers, stream)
	}
	if c.RefusalCost > 0 && c.RefusalAt == Door {
		f.doors = newDoors(f, c.RefusalCost, servers)
	}
	return nil
}

// come is the way of a call that its limiter has let go: to the workers if it
// was admitted.
func (f *Fleet) come(s *des.Sim, call Call) {
	switch {
	case !f.calls.at(call).decision.Admitted:
		f.refuse(s, call)
	case f.workers != nil:
		f.workers.come(s, call)
	default:
		f.finish(s, call)
	}
}

// refuse tells a caller no, when that has been paid for.
func (f *Fleet) refuse(s *des.Sim, call Call) {
	switch {
	case f.doors != nil:
		f.doors.write(s, call)
	case f.workers != nil && f.workers.RefusalCost > 0:
		f.workers.write(s, call)
	default:
		f.finish(s, call)
	}
}
