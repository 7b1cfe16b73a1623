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
	fleet   *Fleet
	sets    []*limiters.Layers
	columns []column // of each layer
	keys    []uint32 // of the request that is being decided
	there   time.Duration
	back    time.Duration
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
	switch name, _, _ := strings.Cut(c.Coordination.String(), ":"); name {
	case "local":
	case "central":
		sets, l.there = 1, c.RTT/2
		l.back = c.RTT - l.there
	default:
		return nil, fmt.Errorf("coordination %q does not know layers; local and central do", c.Coordination)
	}
	for range sets {
		l.sets = append(l.sets, c.Layers.New(c.Seed, nil))
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

func (l *layered) atOnce() bool { return l.there == 0 && l.back == 0 }

// Check decides at once, or sends the question to the store.
func (l *layered) Check(s *des.Sim, _ int, call Call) {
	if l.atOnce() {
		l.take(s, call)
		l.fleet.Answer(s, call)
		return
	}
	s.After(l.there, (*layersDecide)(l), uint64(call))
}

func (l *layered) take(s *des.Sim, call Call) {
	c := l.fleet.calls.at(call)
	c.decision = l.of(c.server, &c.req).Take(s.Now(), l.keys, c.req.Cost)
	l.fleet.caller.Decided(s.Now(), c.server, c.req, c.decision)
}

// layersDecide handles a question that has reached the store, layersReplied an
// answer that has reached its server.
type (
	layersDecide  layered
	layersReplied layered
)

// Handle decides the call named by tag and sends the answer back.
func (l *layersDecide) Handle(s *des.Sim, tag uint64) {
	(*layered)(l).take(s, Call(tag))
	s.After(l.back, (*layersReplied)(l), tag)
}

// Handle hands the store's answer to the fleet.
func (l *layersReplied) Handle(s *des.Sim, tag uint64) { l.fleet.Answer(s, Call(tag)) }

func (l *layered) limiterOf(int) limiters.Limiter { return nil }
func (l *layered) buckets() int                   { return len(l.sets) }
func (l *layered) shares() []limiters.Spec        { return nil }

// DecideLayers takes in a request and decides it at once, charging as Send
// would, without working out the hints. layer is the first that refused, -1 if
// all admitted. Only for fleets with layers that are AtOnce.
func (f *Fleet) DecideLayers(now time.Duration, req *contract.Request) (server int, delay time.Duration, layer int) {
	server = f.balancer.Pick(req.Key)
	delay, layer = f.layered.of(server, req).Admit(now, f.layered.keys, req.Cost)
	return server, delay, layer
}
