package fleet

import (
	"time"

	"ratelab/des"
	"ratelab/limiters/contract"
)

// Call names a request in flight: a slot and its generation. The zero Call
// names none.
type Call uint64

type callSlot struct {
	req        contract.Request
	decision   contract.Decision
	server     int
	generation uint32 // odd while the slot is in use
	givenUp    bool   // the caller no longer listens
	answered   bool   // its coordination has answered
	ended      bool   // the caller knows
	unasked    bool   // answered without the store, which was not there
	uncharged  bool   // admitted without a charge
	served     bool   // the store has done what its question asks
	held       int32  // messages about it that are under way, and lists that it is in

	// Of a question to the store, see store.
	shard    int           // that is asked
	reached  time.Duration // when the question came to it
	back     time.Duration // how long the answer will take
	deadline time.Duration // by when it must have come
	timer    des.Event
	value    int64         // tokens that are asked for or granted; a count to be written
	need     int64         // tokens that were asked for
	until    time.Duration // when what was granted or read ends
	next     Call          // waiting behind it

	// Of what its server makes of it, see workers and doors.
	ahead, behind Call          // in a line
	came          time.Duration // to the workers
	work          time.Duration // how long its service takes
	patience      time.Duration // how long it may wait
	tier          uint8
	shed          bool // turned away
}

// calls is the slab of requests in flight. Slots are reused; a generation
// tells a late answer from an answer to the slot's next call. A slot is free
// again when its call has ended and nothing holds it.
type calls struct {
	slots []callSlot
	free  []uint32
	live  int // calls that have not ended
}

func (c *calls) open(req contract.Request, server int) Call {
	var i uint32
	if n := len(c.free); n > 0 {
		i = c.free[n-1]
		c.free = c.free[:n-1]
	} else {
		i = uint32(len(c.slots))
		c.slots = append(c.slots, callSlot{})
	}
	s := &c.slots[i]
	generation := s.generation + 1
	*s = callSlot{req: req, server: server, generation: generation}
	c.live++
	return Call(generation)<<32 | Call(i)
}

// at returns the call's slot, or nil if it is free again.
func (c *calls) at(call Call) *callSlot {
	i, generation := uint32(call), uint32(call>>32)
	if int(i) >= len(c.slots) || c.slots[i].generation != generation || generation%2 == 0 {
		return nil
	}
	return &c.slots[i]
}

// end marks a call as ended. It is valid as long as something holds its slot.
func (c *calls) end(call Call) {
	c.at(call).ended = true
	c.live--
	c.mayFree(call)
}

// letGo takes back one hold on the call's slot.
func (c *calls) letGo(call Call) {
	c.at(call).held--
	c.mayFree(call)
}

func (c *calls) mayFree(call Call) {
	if s := c.at(call); s.ended && s.held == 0 {
		s.generation++
		c.free = append(c.free, uint32(call))
	}
}
