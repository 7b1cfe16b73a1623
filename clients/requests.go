package clients

import (
	"time"

	"ratelab/des"
)

// request is one that is under way: held back, in flight, or waiting to come
// back.
type request struct {
	since             time.Duration
	waited            time.Duration // before the latest attempt
	told              time.Duration // the first hint's time to come back
	cost              int64
	attempts          int64 // sent so far
	call              Call
	timer             des.Event // of the timeout
	key, ip, endpoint uint32
	client            uint32
	use               uint32 // of the slot, from 1: the idempotency key
	flight            uint32 // of the slot, so that a late end is told from the next attempt's
	next              uint32 // in the free list or at a gate, slot + 1; 0: none
	flying            bool
	retried           bool // was allowed a retry
	hinted            bool // told is set
	returned          bool // an attempt followed it
	obeys             bool // the attempt in flight is that one, and not too early
}

// An attempt's ID holds, from above, the part of the mix, the slot's flight
// and the slot.
const (
	partShift  = 56
	flightBits = 24
)

func (x *request) id(slot uint32, part uint8) uint64 {
	return uint64(part)<<partShift | uint64(x.flight&(1<<flightBits-1))<<32 | uint64(slot)
}

func partOf(id uint64) uint8 { return uint8(id >> partShift) }

// take begins an attempt and names it.
func (x *request) take(slot uint32, part uint8) uint64 {
	x.attempts++
	x.flight++
	x.flying = true
	return x.id(slot, part)
}

// flies reports whether an attempt is the one in flight.
func (x *request) flies(id uint64) bool {
	return x.flying && uint32(id>>32)&(1<<flightBits-1) == x.flight&(1<<flightBits-1)
}

// land ends the attempt in flight.
func (x *request) land() { x.flying = false }

// requests is the slab of requests under way.
type requests struct {
	slots []request
	free  uint32 // slot + 1; 0: none
}

// open takes a slot for a new request.
func (q *requests) open() uint32 {
	i := q.free
	if i == 0 {
		q.slots = append(q.slots, request{})
		i = uint32(len(q.slots))
	} else {
		q.free = q.slots[i-1].next
	}
	x := &q.slots[i-1]
	*x = request{use: x.use + 1, flight: x.flight}
	return i - 1
}

// close frees a request's slot.
func (q *requests) close(i uint32) {
	q.slots[i].flying = false
	q.slots[i].next = q.free
	q.free = i + 1
}

// pushBack makes a request the last at a gate.
func (q *requests) pushBack(g *gate, i uint32) {
	q.slots[i].next = 0
	if g.first == 0 {
		g.first = i + 1
	} else {
		q.slots[g.last-1].next = i + 1
	}
	g.last = i + 1
	g.waiting++
}

// pushFront makes a request the first at a gate.
func (q *requests) pushFront(g *gate, i uint32) {
	q.slots[i].next = g.first
	if g.first == 0 {
		g.last = i + 1
	}
	g.first = i + 1
	g.waiting++
}

// popFront lets the first request pass a gate.
func (q *requests) popFront(g *gate) {
	g.first = q.slots[g.first-1].next
	g.waiting--
}
