package scenario

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"ratelab/clients"
	"ratelab/des"
	"ratelab/fleet"
	"ratelab/limiters/contract"
	"ratelab/workloads"
)

// hasPeople reports whether clients are simulated: they are if an answer can
// change what they send, if servers take their time, or if what they hear is
// measured. Otherwise the arrivals of the workload go straight to the fleet.
func (c Config) hasPeople() bool {
	return c.Clients.Feedback() || c.Measure.Clients || !c.Capacity.IsZero()
}

// mix returns the clients, none if nothing is said of them.
func (c Config) mix() (clients.Mix, error) {
	if len(c.Clients.Specs()) == 0 {
		return clients.ParseMix("none")
	}
	return c.Clients, nil
}

// open reports whether arrivals come from a workload.
func (c Config) open() bool { return len(c.Clients.Specs()) == 0 || c.Clients.Open() }

// validatePeople checks what is said of the clients.
func (c Config) validatePeople() error {
	hasWorkload := c.Workload.Name() != ""
	switch {
	case c.open() && !hasWorkload:
		return errors.New("a scenario needs a workload, or clients that bring their own users")
	case !c.open() && hasWorkload:
		return fmt.Errorf("clients %q bring their own users: there must be no workload, got %q", c.Clients, c.Workload)
	case !c.open() && c.Population != 0:
		return fmt.Errorf("clients %q bring their own users: population must be 0, got %d", c.Clients, c.Population)
	case c.Population < 0 || c.Population > clients.MaxClients:
		return fmt.Errorf("population must lie in 0..%d, got %d", clients.MaxClients, c.Population)
	case !c.hasPeople():
		switch {
		case c.Loss != 0:
			return fmt.Errorf("loss must be 0 where nobody waits for a reply, got %v", c.Loss)
		case c.Idempotent:
			return errors.New("idempotency keys are of no use to clients that never try again")
		}
		return nil
	case c.open() && c.Population == 0 && c.Workload.SetsKeys() && c.Clients.Feedback():
		return fmt.Errorf("population must be given where the workload sets keys, as %q does", c.Workload)
	case c.open() && c.Sender == clients.ByKey && !c.Workload.SetsKeys() && c.Population > c.Keys:
		return fmt.Errorf("population must be at most keys, %d, where each key is one client's, got %d: let arrivals come from clients in turn, or drawn", c.Keys, c.Population)
	}
	return nil
}

// people makes the clients, who have done nothing yet.
func (c Config) people(w *world, stream func(string) *rand.Rand) (*clients.Population, error) {
	mix, err := c.mix()
	if err != nil {
		return nil, err
	}
	config := clients.Config{
		Mix: mix, Sender: c.Sender, Keys: uint32(c.Keys),
		Loss: c.Loss, Idempotent: c.Idempotent, Hints: c.Hints,
		Stream:   func(purpose string) *rand.Rand { return stream("clients " + purpose) },
		Observer: c.observer(w),
	}
	if c.Rounded {
		config.Rounded = contract.Rounded
	}
	if c.open() {
		config.Workload = &watched{w}
		if config.Clients = c.Population; config.Clients == 0 {
			config.Clients = c.Keys
		}
	}
	p, err := clients.New(config)
	if err != nil {
		return nil, err
	}
	for i, s := range mix.Specs() {
		if s.Users() == 0 && !slices.Contains(policiesOf(p), i) {
			return nil, fmt.Errorf("a population of %d leaves no client for %q: it must be larger, as with --population 10", config.Clients, s)
		}
	}
	return p, nil
}

func policiesOf(p *clients.Population) []int {
	var all []int
	for i := range p.Clients() {
		all = append(all, p.Policy(i))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// watched is the workload of the clients up to the horizon.
type watched struct{ w *world }

func (a *watched) Next() (workloads.Arrival, bool) {
	ok := a.w.advance()
	return a.w.next, ok
}

// byPeople lets the clients send, up to the horizon. What is under way then
// stays unfinished.
func (w *world) byPeople() error {
	sim := des.New()
	sim.At(w.meter.span.Start, (*warm)(w), 0)
	w.people.Start(sim, (*servers)(w))
	sim.Run(w.horizon)
	return w.failed()
}

// warm begins the span that is counted.
type warm world

// Handle marks what happened before.
func (h *warm) Handle(*des.Sim, uint64) {
	h.meter.callers.begin()
	h.meter.load.begin()
}

// servers is the world as its clients see it.
type servers world

// Send takes an attempt to the fleet.
func (h *servers) Send(s *des.Sim, req contract.Request) clients.Call {
	w := (*world)(h)
	if w.sent++; w.sent%checkEvery == 0 && w.ctx.Err() != nil {
		s.Stop()
	}
	w.meter.arrived(req.At, req.Cost)
	return clients.Call(w.fleet.Send(s, req))
}

// Cancel gives an attempt up.
func (h *servers) Cancel(call clients.Call) bool { return h.fleet.Cancel(fleet.Call(call)) }

// watcher is the world as it hears of its clients.
type watcher world

// Sent counts an attempt.
func (h *watcher) Sent(now time.Duration, _ int, _ contract.Request, attempt int64) {
	h.meter.callers.sent(now, attempt)
	if attempt == 1 {
		h.meter.recovery.begins(now)
	}
}

// Heard counts how an attempt ended.
func (h *watcher) Heard(now time.Duration, _ int, _ contract.Request, r contract.Reply) {
	h.meter.callers.heard(now, r.Outcome)
}

// Ended counts how long a request took.
func (h *watcher) Ended(now time.Duration, e clients.Ended) { h.meter.callers.ended(now, e) }
