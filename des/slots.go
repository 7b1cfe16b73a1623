package des

import "fmt"

// slot holds one pending event, or waits in the free list for the next one.
type slot struct {
	handler    Handler
	tag        uint64
	order      uint64 // the order word of the event's key in the queue; 0: free
	generation uint32 // of the handle that is or will be valid
	next       uint32 // in the free list, if free; 0: none
}

// slots is a table of slots with a free list. Slot 0 is never used, so that 0
// ends the list and the zero Event is no handle.
type slots struct {
	table []slot
	free  uint32
	limit int // of len(table)
}

func newSlots() slots {
	return slots{table: []slot{{generation: 1}}, limit: maxSlots}
}

// claim takes a slot out of the free list, or adds one to the table.
func (p *slots) claim() uint32 {
	i := p.free
	if i == 0 {
		return p.grow()
	}
	p.free = p.table[i].next
	return i
}

func (p *slots) grow() uint32 {
	if len(p.table) == p.limit {
		panic(fmt.Sprintf("des: %d events are pending, and the queue holds no more", p.limit-1))
	}
	p.table = append(p.table, slot{generation: 1})
	return uint32(len(p.table) - 1)
}

// release ends the event in slot i: no handle and no key refers to it any more.
// A slot whose generations are used up is not used again, so that a handle is
// never valid twice.
func (p *slots) release(i uint32) {
	at := &p.table[i]
	at.handler = nil
	at.order = 0
	at.generation++
	if at.generation != 0 {
		at.next = p.free
		p.free = i
	}
}

// holds reports whether e refers to a pending event.
func (p *slots) holds(e Event) bool {
	return int(e.slot) < len(p.table) && p.table[e.slot].generation == e.generation && p.table[e.slot].order != 0
}
