package fleet

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"ratelab/des"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

// MaxServers bounds the size of a fleet.
const MaxServers = 1 << 16

// Config is what a fleet is built from.
type Config struct {
	Servers      int // 1..MaxServers
	Balancer     BalancerSpec
	Coordination CoordinationSpec
	RTT          RTT           // round trip to the central store; zero where no store is asked
	Limiter      limiters.Spec // the limit that the whole fleet promises
	// Layers are several limits instead of Limiter, keyed by the request's Key
	// (column user), IP (ip), Endpoint (endpoint), or nothing (global). Local
	// and central coordinations know them.
	Layers limiters.LayersSpec
	// Eviction is how each copy of Limiter holds its keys; layers forget none.
	Eviction limiters.Eviction
	// Clocks are how the servers' clocks differ from the store's, and Faults
	// what goes wrong.
	Clocks Clocks
	Faults Faults
	// Capacity is what each server can do; the zero value: everything, at once.
	Capacity Capacity
	// Ledger, if not nil, is asked before a request is charged, see there.
	Ledger Ledger
	// Seed and KeyText fix the phases of windows with jitter, see
	// [limiters.Spec.New].
	Seed    uint64
	KeyText func(uint32) string
	// Stream returns the random stream for a purpose.
	Stream func(purpose string) *rand.Rand
}

// StoreObserver is a Caller that also hears how long each operation waited
// for its turn in the store, as it comes there.
type StoreObserver interface {
	StoreWaited(now, wait time.Duration)
}

// limiter makes one copy of a limit, or of a share of it.
func (c Config) limiter(s limiters.Spec) limiters.Limiter {
	if c.Eviction.Forgets() {
		return c.Eviction.New(s, c.Seed, c.KeyText)
	}
	return s.New(c.Seed, c.KeyText)
}

// Fleet is N servers, their balancer and their coordination.
type Fleet struct {
	balancer     Balancer
	tracker      tracker // the balancer, if it goes by the calls in flight
	coordination Coordination
	limiters     []limiters.Limiter // by bucket, if one of them is all that decides
	siblings     []limiters.Limiter // by server, see HasRoomElsewhere
	layered      *layered           // the coordination, if there are layers
	store        *store             // nil if the coordination asks none
	caller       Caller
	observer     StoreObserver // the caller, if it is one
	calls        calls
	clocks       []clock // of the servers; nil if all show the time of the simulation
	trouble      trouble
	ahead        foreseen
	workers      *workers // nil: what is admitted is done
	doors        *doors   // nil: no request waits before the limit
	ledger       Ledger   // nil: every attempt is charged
	account      Account
	direct       int64 // requests that limiters decided, without the coordination
}

// Caller hears how its requests end. Outcomes arrive in simulated time, each
// call's exactly once unless it was cancelled.
type Caller interface {
	// Decided is told when the limiter decides, Done when the caller hears of
	// it. With a round trip the two lie apart.
	Decided(now time.Duration, server int, req contract.Request, d contract.Decision)
	Done(s *des.Sim, call Call, req contract.Request, r contract.Reply)
}

// New builds a fleet, empty and idle. caller may be nil if only Decide is used.
func New(c Config, caller Caller) (*Fleet, error) {
	if c.Servers < 1 || c.Servers > MaxServers {
		return nil, fmt.Errorf("servers must lie in 1..%d, got %d", MaxServers, c.Servers)
	}
	if err := c.RTT.Check(); err != nil {
		return nil, err
	}
	if err := c.bearsLedger(); err != nil {
		return nil, err
	}
	f := &Fleet{caller: caller, ledger: c.Ledger}
	f.observer, _ = caller.(StoreObserver)
	var err error
	if f.balancer, err = c.Balancer.build(c.Servers, c.Stream); err != nil {
		return nil, err
	}
	f.tracker, _ = f.balancer.(tracker)
	if err := c.bearsTrouble(); err != nil {
		return nil, err
	}
	if f.clocks, err = c.Clocks.build(c.Servers, c.Stream); err != nil {
		return nil, err
	}
	f.trouble = newTrouble(c.Faults, c.Stream)
	if err := c.Capacity.build(f, c.Servers, c.Stream); err != nil {
		return nil, err
	}
	if len(c.Layers.Layers) > 0 {
		if !c.Limiter.IsZero() {
			return nil, errors.New("a fleet has one limiter or several layers, not both")
		}
		if c.Eviction.Forgets() {
			return nil, fmt.Errorf("layers hold all their keys: eviction %s is for a fleet with one limiter", c.Eviction)
		}
		if f.layered, err = newLayered(f, c); err != nil {
			return nil, err
		}
		f.coordination = f.layered
		if err := c.roundTrip(); err != nil {
			return nil, err
		}
		return f, nil
	}
	if c.Limiter.IsZero() {
		return nil, errors.New("a fleet needs a limiter, or layers")
	}
	if f.coordination, err = c.Coordination.build(f, c); err != nil {
		return nil, err
	}
	if err := c.roundTrip(); err != nil {
		return nil, err
	}
	if d, ok := f.coordination.(direct); ok && f.AtOnce() {
		f.limiters = d.direct()
	}
	f.lookAround(c)
	return f, nil
}

// roundTrip refuses a round trip that nothing would make.
func (c Config) roundTrip() error {
	if !c.RTT.IsZero() && c.Coordination.store.fail == "" {
		instead := "central makes a round trip a check"
		switch c.Coordination.name {
		case "synced":
			instead = "how long servers hear of each other late is its delay, as in synced:period=1s,delay=10ms"
		case "adaptive":
			instead = "its shares change at once"
		}
		return fmt.Errorf("coordination %q asks no store, so rtt must be 0, got %s; %s", c.Coordination, c.RTT, instead)
	}
	return nil
}

// Send takes in a request: it picks a server and asks the coordination.
func (f *Fleet) Send(s *des.Sim, req contract.Request) Call {
	f.keepUp(s.Now())
	server := f.pick(req.Key)
	if f.tracker != nil {
		f.tracker.started(server)
	}
	call := f.calls.open(req, server)
	if f.doors != nil {
		f.doors.enter(s, call)
	} else {
		f.coordination.Check(s, server, call)
	}
	return call
}

// Cancel gives a call up: its end will not be heard. What it asks for on the
// way is still decided and charged. It reports whether the call was waited for.
func (f *Fleet) Cancel(call Call) bool {
	c := f.calls.at(call)
	if c == nil || c.ended || c.givenUp {
		return false
	}
	c.givenUp = true
	return true
}

// InFlight returns how many calls have not ended, those given up included.
func (f *Fleet) InFlight() int { return f.calls.live }

// take lets a limiter decide a call now, and tells the caller's observer.
func (f *Fleet) take(s *des.Sim, call Call, l limiters.Limiter) {
	c := f.calls.at(call)
	if f.paid(c) {
		return
	}
	c.decision = l.Take(s.Now(), c.req.Key, c.req.Cost)
	f.charged(c)
	f.caller.Decided(s.Now(), c.server, c.req, c.decision)
}

// declare sets the decision of a call, and tells the caller's observer.
func (f *Fleet) declare(s *des.Sim, call Call, d contract.Decision) {
	c := f.calls.at(call)
	c.decision = d
	f.caller.Decided(s.Now(), c.server, c.req, d)
}

// Answer is how a coordination ends its check of a call: its decision is
// known now, and an admitted call is held for the decision's delay, before it
// comes to the workers of its server, if it has any.
func (f *Fleet) Answer(s *des.Sim, call Call) {
	c := f.calls.at(call)
	c.answered = true
	s.Cancel(c.timer)
	if d := &c.decision; d.Admitted && d.Delay > 0 {
		s.After(d.Delay, (*release)(f), uint64(call))
		return
	}
	f.come(s, call)
}

// release lets calls go whose delay has passed.
type release Fleet

// Handle lets the call named by tag go.
func (r *release) Handle(s *des.Sim, tag uint64) { (*Fleet)(r).come(s, Call(tag)) }

// finish ends a call, and tells its caller.
func (f *Fleet) finish(s *des.Sim, call Call) {
	c := f.calls.at(call)
	req, reply, givenUp := c.req, contract.Reply{Server: c.server, Decision: c.decision}, c.givenUp
	charged := c.decision.Admitted && !c.uncharged
	switch {
	case c.shed:
		reply.Outcome, reply.Decision = contract.Shed, contract.Decision{}
	case reply.Decision.Admitted:
	case c.unasked && f.store.config.fail == "closed":
		reply.Outcome = contract.StoreDown
	default:
		reply.Outcome = contract.Throttled
	}
	f.calls.end(call)
	if f.tracker != nil {
		f.tracker.ended(reply.Server)
	}
	if givenUp {
		if charged {
			f.account.Wasted++
		}
		return
	}
	f.caller.Done(s, call, req, reply)
}

// AtOnce reports whether requests can be decided without an event queue.
// They can not where a balancer goes by the calls in flight, of which a limiter
// may hold some, nor where servers take their time.
func (f *Fleet) AtOnce() bool {
	return f.coordination.atOnce() && f.tracker == nil && f.workers == nil && f.doors == nil
}

// Decide takes in a request and decides it at once, charging as Send would,
// without working out the hints. Only for fleets with one limiter that are
// AtOnce.
func (f *Fleet) Decide(now time.Duration, key uint32, cost int64) (server int, admitted bool, delay time.Duration) {
	f.keepUp(now)
	server = f.pick(key)
	if f.limiters == nil {
		d := f.coordination.decide(now, server, key, cost)
		return server, d.Admitted, d.Delay
	}
	f.direct++
	admitted, delay = f.limiters[min(server, len(f.limiters)-1)].Admit(now, key, cost)
	return server, admitted, delay
}

// Level returns the tokens that a key has on a server, or in the store if
// that holds them; ok is false if its limiter has no level, or if no one limiter
// decides for the server. It changes nothing; now must not lie before the key's latest time.
func (f *Fleet) Level(now time.Duration, server int, key uint32) (tokens float64, ok bool) {
	one, now := behind(f.coordination.limiterOf(server), now)
	if p, is := one.(*pooled); is {
		one, key = p.of(key)
	}
	l, ok := one.(limiters.Leveled)
	if !ok {
		return 0, false
	}
	return l.Level(now, key), true
}

// Buckets returns how many copies of a key's state the fleet holds: one a
// server, or one or several in the store. Bucket returns which of them a server uses.
func (f *Fleet) Buckets() int { return f.coordination.buckets() }

// Bucket returns the index in 0..Buckets-1 of the state that server uses.
func (f *Fleet) Bucket(server int) int { return min(server, f.coordination.buckets()-1) }

// Forgotten returns how many keys the copies of the limit have forgotten, and
// the most that one of them held at once; ok is false if they forget none.
func (f *Fleet) Forgotten() (forgotten limiters.Forgotten, mostHeld int, ok bool) {
	for _, l := range f.coordination.copies() {
		l, _ = behind(l, 0)
		h, held := l.(*limiters.Held)
		if !held {
			return forgotten, 0, false
		}
		forgotten, mostHeld = forgotten.Plus(h.Forgotten()), max(mostHeld, h.MostKeys())
		ok = true
	}
	return forgotten, mostHeld, ok
}

// Shares returns the limit that each bucket began to enforce; nil if there are
// layers.
func (f *Fleet) Shares() []limiters.Spec { return f.coordination.shares() }
