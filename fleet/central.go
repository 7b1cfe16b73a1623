package fleet

import (
	"time"

	"ratelab/des"
	"ratelab/internal/spec"
	"ratelab/limiters"
)

// central keeps the limit in a store that every server asks: one honest
// number, for one round trip a check. The store decides on its own clock, when
// the question has reached it and had its turn; the answer takes the rest of
// the round trip. Check and charge are one operation, so that never more than
// the limit's own envelope is admitted, unless a server fails open or to a
// limiter of its own.
//
// The limit is whole (central), or cut into parts of which each request is
// held to one (sharded).
type central struct {
	asks
	store
	limiters []limiters.Limiter // by shard
	specs    []limiters.Spec
	pick     func(key uint32) int // the shard that is asked; nil if there is one
}

func (c *central) shardOf(key uint32) int {
	if c.pick == nil {
		return 0
	}
	return c.pick(key)
}

// Check sends the question to the store.
func (c *central) Check(s *des.Sim, _ int, call Call) {
	shard := c.shardOf(c.fleet.calls.at(call).req.Key)
	if c.present(shard) {
		c.fleet.take(s, call, c.limiters[shard])
		c.fleet.Answer(s, call)
		return
	}
	c.ask(s, call, shard)
}

// decide decides as Check does if the store answers in no time.
func (c *central) decide(now time.Duration, _ int, key uint32, cost int64) limiters.Decision {
	shard := c.shardOf(key)
	c.count(shard)
	return c.limiters[shard].Take(now, key, cost)
}

// serve decides and charges. What is decided too late is wasted.
func (c *central) serve(s *des.Sim, call Call, late bool) {
	slot := c.fleet.calls.at(call)
	l := c.limiters[slot.shard]
	if !late {
		c.fleet.take(s, call, l)
		return
	}
	if c.fleet.known(slot) {
		return
	}
	if admitted, _ := l.Admit(s.Now(), slot.req.Key, slot.req.Cost); admitted {
		c.fleet.remember(slot)
		c.fleet.account.Wasted++
	}
}

// again decides what has come twice.
func (c *central) again(s *des.Sim, call Call) { c.serve(s, call, true) }

// replied hands the answer to the fleet.
func (c *central) replied(s *des.Sim, call Call, late bool) {
	if !late {
		c.fleet.Answer(s, call)
	}
}

func (c *central) limiterOf(int) limiters.Limiter {
	if len(c.limiters) > 1 {
		return nil
	}
	return c.limiters[0]
}

func (c *central) direct() []limiters.Limiter {
	if len(c.limiters) > 1 {
		return nil
	}
	return c.limiters
}

func (c *central) copies() []limiters.Limiter { return c.limiters }
func (c *central) buckets() int               { return len(c.limiters) }
func (c *central) shares() []limiters.Spec    { return c.specs }
func (c *central) zeroShares() int            { return 0 }

func init() {
	coordinations.Register(spec.Entry{
		Name:   "central",
		Doc:    "one limiter in a store that every server asks: the promise kept, one round trip a check",
		Params: storeParams,
		More: `The store decides when a question has reached it, half a round trip after it was asked, and
had its turn: it serves operations in order, each in 1/capacity. A server that has no answer
by the timeout does what fail says; the charge that comes too late stays, and is counted as
wasted.
` + suitsText("central"),
	}, func(*spec.Values) (newCoordination, error) {
		return func(f *Fleet, c Config) (Coordination, error) {
			built := &central{limiters: []limiters.Limiter{c.limiter(c.Limiter)}, specs: []limiters.Spec{c.Limiter}}
			built.set(f, c, built, 1)
			return built, nil
		}, nil
	})
}
