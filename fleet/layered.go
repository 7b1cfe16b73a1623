package fleet

import (
	"fmt"
	"strings"
	"time"

	"ratelab/des"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

// layered decides with several layers instead of one limiter: a set of them a
// server (local), or one set in a store that every server asks (central).
type layered struct {
	asks
	store   // if central
	fleet   *Fleet
	sets    []*limiters.Layers
	fresh   func() *limiters.Layers // one of them
	columns []column                // of each layer
	keys    []uint32                // of the request that is being decided
	central bool
}

// column is what a layer takes its keys from.
type column uint8

const (
	global column = iota
	user
	ip
	endpoint
)

// Columns names what the keys of a layer can be.
var Columns = []string{limiters.Global, "user", "ip", "endpoint"} // by column

func newLayered(f *Fleet, c Config) (*layered, error) {
	l := &layered{fleet: f}
	for _, layer := range c.Layers.Layers {
		found := false
		for i, name := range Columns {
			if layer.Column == name {
				l.columns, found = append(l.columns, column(i)), true
			}
		}
		if !found {
			return nil, fmt.Errorf("layer %q: requests have no %q%s; they have %s", layer, layer.Column, spec.DidYouMean(layer.Column, Columns), strings.Join(Columns, ", "))
		}
	}
	l.keys = make([]uint32, len(l.columns))
	sets := c.Servers
	switch c.Coordination.name {
	case "", "local":
	case "central":
		if c.Coordination.store.fail == "local" {
			return nil, fmt.Errorf("coordination %q: fail must be open or closed where there are layers, got \"local\"", c.Coordination)
		}
		sets, l.central = 1, true
		l.set(f, c, l, 1)
	default:
		return nil, fmt.Errorf("coordination %q does not know layers; local and central do", c.Coordination)
	}
	l.fresh = func() *limiters.Layers { return c.Layers.New(c.Seed, nil) }
	for range sets {
		l.sets = append(l.sets, l.fresh())
	}
	return l, nil
}

// of returns a server's layers, with the request's keys set.
func (l *layered) of(server int, req *contract.Request) *limiters.Layers {
	for i, c := range l.columns {
		switch c {
		case user:
			l.keys[i] = req.Key
		case ip:
			l.keys[i] = req.IP
		case endpoint:
			l.keys[i] = req.Endpoint
		}
	}
	return l.sets[min(server, len(l.sets)-1)]
}

func (l *layered) atOnce() bool { return !l.central || l.store.atOnce() }

// Check decides at once, or sends the question to the store.
func (l *layered) Check(s *des.Sim, _ int, call Call) {
	if !l.central || l.present(0) {
		l.take(s, call)
		l.fleet.Answer(s, call)
		return
	}
	l.ask(s, call, 0)
}

func (l *layered) take(s *des.Sim, call Call) {
	c := l.fleet.calls.at(call)
	if l.fleet.paid(c) {
		return
	}
	l.fleet.declare(s, call, l.of(c.server, &c.req).Take(l.time(s.Now(), c.server), l.keys, c.req.Cost))
	l.fleet.charged(l.fleet.calls.at(call))
}

// time returns what the clock shows that a server's layers go by.
func (l *layered) time(now time.Duration, server int) time.Duration {
	if l.central || l.fleet.clocks == nil {
		return now
	}
	return l.fleet.clocks[server].at(now)
}

// restart makes a server's layers anew.
func (l *layered) restart(_ time.Duration, server int) { l.sets[server] = l.fresh() }

// serve decides and charges. What is decided too late is wasted.
func (l *layered) serve(s *des.Sim, call Call, late bool) {
	if !late {
		l.take(s, call)
		return
	}
	c := l.fleet.calls.at(call)
	if l.fleet.known(c) {
		return
	}
	if _, refusedBy := l.of(c.server, &c.req).Admit(s.Now(), l.keys, c.req.Cost); refusedBy < 0 {
		l.fleet.remember(c)
		l.fleet.account.Wasted++
	}
}

// again decides what has come twice.
func (l *layered) again(s *des.Sim, call Call) { l.serve(s, call, true) }

// replied hands the answer to the fleet.
func (l *layered) replied(s *des.Sim, call Call, late bool) {
	if !late {
		l.fleet.Answer(s, call)
	}
}

// decide is for fleets with one limiter.
func (l *layered) decide(time.Duration, int, uint32, int64) limiters.Decision {
	panic("fleet: a fleet with layers is asked by DecideLayers")
}

func (l *layered) limiterOf(int) limiters.Limiter { return nil }
func (l *layered) copies() []limiters.Limiter     { return nil }
func (l *layered) buckets() int                   { return len(l.sets) }
func (l *layered) shares() []limiters.Spec        { return nil }
func (l *layered) zeroShares() int                { return 0 }

// DecideLayers takes in a request and decides it at once, charging as Send
// would, without working out the hints. layer is the first that refused, -1 if
// all admitted. Only for fleets with layers that are AtOnce.
func (f *Fleet) DecideLayers(now time.Duration, req *contract.Request) (server int, delay time.Duration, layer int) {
	f.keepUp(now)
	server = f.pick(req.Key)
	f.direct++
	delay, layer = f.layered.of(server, req).Admit(f.layered.time(now, server), f.layered.keys, req.Cost)
	return server, delay, layer
}
