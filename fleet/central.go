package fleet

import (
	"time"

	"ratelab/des"
	"ratelab/internal/spec"
	"ratelab/limiters"
)

// central keeps one limiter in a store that every server asks: one honest
// number, for one round trip a check. The store decides on its own clock,
// half a round trip after the request arrives; the answer takes the rest.
type central struct {
	fleet   *Fleet
	limiter limiters.Limiter
	spec    limiters.Spec
	there   time.Duration // from a server to the store
	back    time.Duration
}

// Check sends the question to the store.
func (c *central) Check(s *des.Sim, server int, call Call) {
	if c.atOnce() {
		c.fleet.take(s, call, c.limiter)
		c.fleet.Answer(s, call)
		return
	}
	s.After(c.there, (*storeDecides)(c), uint64(call))
}

// storeDecides handles a question that has reached the store, storeReplied an
// answer that has reached its server.
type (
	storeDecides central
	storeReplied central
)

// Handle decides the call named by tag and sends the answer back. A call that
// was given up on the way is charged all the same: the store can not know.
func (c *storeDecides) Handle(s *des.Sim, tag uint64) {
	c.fleet.take(s, Call(tag), c.limiter)
	s.After(c.back, (*storeReplied)(c), tag)
}

// Handle hands the store's answer to the fleet.
func (c *storeReplied) Handle(s *des.Sim, tag uint64) { c.fleet.Answer(s, Call(tag)) }

func (c *central) atOnce() bool { return c.there == 0 && c.back == 0 }

func (c *central) limiterOf(int) limiters.Limiter { return c.limiter }
func (c *central) buckets() int                   { return 1 }
func (c *central) shares() []limiters.Spec        { return []limiters.Spec{c.spec} }

func init() {
	coordinations.Register(spec.Entry{
		Name: "central",
		Doc:  "one limiter in a store that every server asks: the promise kept, one round trip a check",
	}, func(*spec.Values) (newCoordination, error) {
		return func(f *Fleet, c Config) (Coordination, error) {
			there := c.RTT / 2
			return &central{fleet: f, limiter: c.limiter(c.Limiter), spec: c.Limiter, there: there, back: c.RTT - there}, nil
		}, nil
	})
}
