package fleet

import "ratelab/limiters/contract"

// Call names a request in flight: a slot and its generation. The zero Call
// names none.
type Call uint64

type callSlot struct {
	req        contract.Request
	decision   contract.Decision
	server     int
	generation uint32 // odd while the slot is in use
	givenUp    bool   // the caller no longer listens
}

// calls is the slab of requests in flight. Slots are reused; a generation
// tells a late answer from an answer to the slot's next call.
type calls struct {
	slots []callSlot
	free  []uint32
	live  int
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
	s.req, s.server, s.givenUp = req, server, false
	s.generation++
	c.live++
	return Call(s.generation)<<32 | Call(i)
}

// at returns the call's slot, or nil if the call has ended.
func (c *calls) at(call Call) *callSlot {
	i, generation := uint32(call), uint32(call>>32)
	if int(i) >= len(c.slots) || c.slots[i].generation != generation || generation%2 == 0 {
		return nil
	}
	return &c.slots[i]
}

func (c *calls) close(call Call) {
	c.slots[uint32(call)].generation++
	c.free = append(c.free, uint32(call))
	c.live--
}
