package des

import (
	"math"
	"time"
)

// Never is the largest time. What is scheduled beyond it saturates to it, and an
// event at Never is pending (it counts in Len and can be cancelled or
// rescheduled) but never runs.
const Never time.Duration = math.MaxInt64

// Sim is one simulation: its clock and its pending events. Make it with New.
type Sim struct {
	now     time.Duration
	queue   queue
	slots   slots
	seq     uint64 // of the latest scheduling
	dead    int    // keys in the queue whose event was cancelled or rescheduled
	running bool
	stopped bool
}

// New returns a simulation with its clock at 0 and nothing to do.
func New() *Sim {
	return &Sim{slots: newSlots()}
}

// Now returns the simulated time, in nanoseconds since the epoch of the run.
func (s *Sim) Now() time.Duration { return s.now }

// Len returns the number of pending events.
func (s *Sim) Len() int { return len(s.queue.keys) - s.dead }

// Next returns the time of the event that Step would run. It returns false if
// there is none.
func (s *Sim) Next() (time.Duration, bool) {
	s.skipDead()
	if len(s.queue.keys) == 0 || s.queue.keys[0].at == Never {
		return 0, false
	}
	return s.queue.keys[0].at, true
}

// At schedules an event of h at time t, after every event already scheduled for
// t. It panics with a *PastError if t is before Now.
func (s *Sim) At(t time.Duration, h Handler, tag uint64) Event {
	if t < s.now {
		panic(&PastError{Now: s.now, At: t, Handler: h, Tag: tag})
	}
	if h == nil {
		panic("des: the handler of an event must not be nil")
	}
	i := s.slots.claim()
	at := &s.slots.table[i]
	at.handler, at.tag = h, tag
	s.enqueue(t, i)
	return Event{slot: i, generation: at.generation}
}

// After schedules an event of h at time d from now, or at Never if that is
// beyond it. It panics with a *PastError if d is negative.
func (s *Sim) After(d time.Duration, h Handler, tag uint64) Event {
	t := s.now + d
	if d > 0 && t < 0 { // the clock is never negative: the sum overflowed
		t = Never
	}
	return s.At(t, h, tag)
}

// Cancel removes a pending event and reports whether there was one: it returns
// false if e has run, is running, was cancelled, or is the zero Event.
func (s *Sim) Cancel(e Event) bool {
	if !s.slots.holds(e) {
		return false
	}
	s.slots.release(e.slot)
	s.bury()
	return true
}

// Reschedule moves a pending event to time t, after every event already
// scheduled for t, even if that is the time it had. The handle stays valid. It
// returns false, and does nothing, where Cancel would return false, and panics
// with a *PastError if t is before Now.
func (s *Sim) Reschedule(e Event, t time.Duration) bool {
	if !s.slots.holds(e) {
		return false
	}
	if t < s.now {
		at := &s.slots.table[e.slot]
		panic(&PastError{Now: s.now, At: t, Handler: at.handler, Tag: at.tag})
	}
	s.enqueue(t, e.slot)
	s.bury()
	return true
}

// enqueue gives the event in slot i a new key.
func (s *Sim) enqueue(t time.Duration, i uint32) {
	if s.seq == maxSeq {
		s.renumber()
	}
	s.seq++
	k := key{at: t, order: s.seq<<slotBits | uint64(i)}
	s.slots.table[i].order = k.order
	s.queue.push(k)
}

// isLive reports whether k is the key of a pending event.
func (s *Sim) isLive(k key) bool { return s.slots.table[k.slot()].order == k.order }

// compactFrom is the length from which a queue is worth compacting.
const compactFrom = 64

// bury counts a key that has just died, and rebuilds the queue when more than
// half of it is dead. Each rebuild is paid for by the deaths since the last one.
func (s *Sim) bury() {
	s.dead++
	if len(s.queue.keys) >= compactFrom && s.dead > len(s.queue.keys)/2 {
		s.queue.keep(s.isLive)
		s.dead = 0
	}
}

// skipDead removes dead keys until the first key is live or there is none.
func (s *Sim) skipDead() {
	for len(s.queue.keys) > 0 && !s.isLive(s.queue.keys[0]) {
		s.queue.pop()
		s.dead--
	}
}

// renumber gives the pending events the sequence numbers from 1 on, in the same
// order, when the numbers are used up.
func (s *Sim) renumber() {
	s.queue.keep(s.isLive)
	s.dead = 0
	s.queue.sort()
	s.seq = 0
	for i := range s.queue.keys {
		s.seq++
		k := &s.queue.keys[i]
		k.order = s.seq<<slotBits | uint64(k.slot())
		s.slots.table[k.slot()].order = k.order
	}
}
