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
	queue   queue   // of the events after now, and of those that were after it when they were scheduled
	instant instant // the events that were scheduled for now
	slots   slots
	shuffle *shuffle // of the order of ties; nil: first scheduled, first run
	seq     uint64   // of the latest scheduling
	dead    int      // keys in queue and instant whose event was cancelled or rescheduled
	running bool
	stopped bool
}

// New returns a simulation with its clock at 0 and nothing to do.
func New() *Sim {
	return &Sim{queue: newQueue(), slots: newSlots()}
}

// NewShuffled returns a simulation like New's in which events at equal times run
// in an order that is as good as random, and fixed by the seed. Causes still come
// before effects: what a handler schedules for its own instant runs after it. It
// is for tests that a result does not hang on the order of ties.
func NewShuffled(seed uint64) *Sim {
	s := New()
	s.shuffle = newShuffle(seed)
	return s
}

// Now returns the simulated time, in nanoseconds since the epoch of the run.
func (s *Sim) Now() time.Duration { return s.now }

// Len returns the number of pending events.
func (s *Sim) Len() int { return s.held() - s.dead }

// held returns how many keys there are, dead ones included.
func (s *Sim) held() int { return s.queue.len() + s.instant.len() }

// Next returns the time of the event that Step would run. It returns false if
// there is none.
func (s *Sim) Next() (time.Duration, bool) {
	k, ok := s.first()
	if !ok {
		return 0, false
	}
	return k.at, true
}

// first returns the key of the event that runs next, and false if there is none
// that can run. It drops the dead keys before it.
func (s *Sim) first() (key, bool) {
	for {
		k, ok := s.queue.first()
		if s.instant.len() > 0 && !(ok && k.at == s.now) {
			k = key{at: s.now, order: s.instant.first()}
			if s.isLive(k) {
				return k, true
			}
			s.instant.pop()
		} else if !ok {
			return key{}, false
		} else if s.isLive(k) {
			return k, k.at != Never
		} else {
			s.queue.pop()
		}
		s.dead--
	}
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
	order := s.rank(s.seq)<<slotBits | uint64(i)
	s.slots.table[i].order = order
	if t == s.now && s.shuffle == nil {
		s.instant.push(order)
		return
	}
	s.queue.push(key{at: t, order: order})
}

// rank returns the place of a sequence number among those at equal times.
func (s *Sim) rank(seq uint64) uint64 {
	if s.shuffle == nil {
		return seq
	}
	return s.shuffle.rank(seq)
}

// isLive reports whether k is the key of a pending event.
func (s *Sim) isLive(k key) bool { return s.slots.table[k.slot()].order == k.order }

// compactFrom is the number of keys from which it is worth compacting them.
const compactFrom = 64

// bury counts a key that has just died, and drops the dead keys when they are
// more than half. Each such cleaning is paid for by the deaths since the last one.
func (s *Sim) bury() {
	s.dead++
	if n := s.held(); n >= compactFrom && s.dead > n/2 {
		s.dropDead()
	}
}

func (s *Sim) dropDead() {
	s.queue.keep(s.isLive)
	s.instant.keep(func(order uint64) bool { return s.isLive(key{order: order}) })
	s.dead = 0
}

// renumber gives the events in the queue the sequence numbers from 1 on, in the
// same order, when the numbers are used up. Those of this instant keep theirs:
// nothing compares them. Where ties are shuffled, they are shuffled anew.
func (s *Sim) renumber() {
	s.dropDead()
	s.queue.sort()
	s.seq = 0
	for i := range s.queue.keys[root:] {
		s.seq++
		k := &s.queue.keys[root+i]
		k.order = s.rank(s.seq)<<slotBits | uint64(k.slot())
		s.slots.table[k.slot()].order = k.order
	}
	s.queue.heap()
}
