package limiters

import "time"

// Held is a Limiter that holds its keys as a real program does: in bounded
// memory. A key that was forgotten is new when it comes back, whatever it had
// spent. It is made by [Eviction.New].
//
// Every request is a sight of its key, whether it is admitted, refused or only
// asked about, and makes room for it. A decision takes constant time, but for
// sweeps, and allocates only while more keys are held than ever before (and,
// with sliding-log, for the entries of a new key).
type Held struct {
	limiter Limiter
	resting Resting // the limiter, if it is
	zoned   zoned   // the limiter, if it is nginx
	policy  policy
	order   recency

	begun     bool
	clock     time.Duration // the latest time of any request
	due       time.Duration // when the next sweep is, if there are some
	most      int
	forgotten Forgotten
}

// zoned is a limiter that knows itself what nginx's zone may drop; known is
// false of a key that it has no state of.
type zoned interface {
	zoneExpired(now time.Duration, key uint32) (expired, known bool)
}

// Forgotten counts keys that were forgotten. A key that came back and was
// forgotten again counts twice.
type Forgotten struct {
	ByCapacity int64 // pushed out for want of room
	ByIdleness int64 // not seen for long enough
	// Early counts those of either that mattered: not at rest, so that a later
	// request may be decided differently than if they had been kept.
	Early int64
}

// Total returns how many keys were forgotten.
func (f Forgotten) Total() int64 { return f.ByCapacity + f.ByIdleness }

// Plus returns the sums.
func (f Forgotten) Plus(g Forgotten) Forgotten {
	return Forgotten{f.ByCapacity + g.ByCapacity, f.ByIdleness + g.ByIdleness, f.Early + g.Early}
}

// Forgotten returns what has been forgotten so far. Keys that [Held.Forget]
// dropped do not count.
func (h *Held) Forgotten() Forgotten { return h.forgotten }

// MostKeys returns the most keys that were held at once.
func (h *Held) MostKeys() int { return h.most }

// Keys returns how many keys are held.
func (h *Held) Keys() int { return h.order.held }

// Bytes returns the memory that the states take, with what it takes to number
// and to order the keys: 24 bytes a key, and 5 to 11 of the index.
func (h *Held) Bytes() int64 { return h.limiter.Bytes() + h.order.bytes() }

// Take decides a request and charges it.
func (h *Held) Take(now time.Duration, key uint32, cost int64) Decision {
	return h.limiter.Take(now, h.see(now, key), cost)
}

// Admit decides and charges as Take does, without the hints.
func (h *Held) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	return h.limiter.Admit(now, h.see(now, key), cost)
}

// Ask decides without charging.
func (h *Held) Ask(now time.Duration, key uint32, cost int64) Decision {
	return h.limiter.Ask(now, h.see(now, key), cost)
}

// Charge spends without asking.
func (h *Held) Charge(now time.Duration, key uint32, cost int64) {
	h.limiter.Charge(now, h.see(now, key), cost)
}

// Forget drops a key.
func (h *Held) Forget(key uint32) {
	if p, ok := h.order.find(key); ok {
		h.limiter.Forget(p)
		h.order.drop(p)
	}
}

// Elapse lets time pass without a request: what is due by now is swept.
func (h *Held) Elapse(now time.Duration) {
	if !h.begun {
		h.begun, h.clock = true, now
		h.schedule()
	}
	h.clock = max(h.clock, now)
	switch {
	case h.policy.after == 0 || h.policy.insert:
	case h.policy.every == 0:
		h.sweep(h.clock)
	case h.clock >= h.due:
		// Of several sweeps that are due the last drops what the others do.
		if at := h.clock - phase(h.clock, h.policy.every, 0); at >= h.due {
			h.sweep(at)
			h.schedule()
		}
	}
}

// schedule sets when the first sweep after the clock is due.
func (h *Held) schedule() {
	if every := h.policy.every; every > 0 {
		h.due = h.clock + (every - phase(h.clock, every, 0))
		if h.due < h.clock {
			h.due = Never
		}
	}
}

// see returns the number of a key, which has just been seen.
func (h *Held) see(now time.Duration, key uint32) uint32 {
	h.Elapse(now)
	if p, ok := h.order.find(key); ok {
		h.order.touch(p, h.clock)
		return p
	}
	switch {
	case h.policy.zone:
		h.makeRoomInZone(now)
	case h.policy.insert:
		h.sweep(h.clock)
	case h.full():
		h.forget(h.order.oldest, h.clock, &h.forgotten.ByCapacity)
	}
	p := h.order.add(key, h.clock)
	h.most = max(h.most, h.order.held)
	return p
}

func (h *Held) full() bool {
	return h.policy.capacity > 0 && int64(h.order.held) >= h.policy.capacity
}

// sweep forgets what is idle at a time not before the latest sight of any key.
func (h *Held) sweep(at time.Duration) {
	for p := h.order.oldest; p != nowhere; {
		s := &h.order.places[p]
		if uint64(at)-uint64(s.seen) < uint64(h.policy.after) {
			return
		}
		newer := s.newer
		switch {
		case !h.policy.rest || h.atRest(p, at):
			h.forget(p, h.clock, &h.forgotten.ByIdleness)
		case h.policy.every == 0:
			return
		}
		p = newer
	}
}

// makeRoomInZone drops what nginx's zone drops before it takes in a new key.
func (h *Held) makeRoomInZone(now time.Duration) {
	h.expire(now)
	if h.full() {
		h.forget(h.order.oldest, now, &h.forgotten.ByCapacity)
		h.expire(now)
	}
}

// expire drops one or two of the least recently seen, if they have expired.
func (h *Held) expire(now time.Duration) {
	for range 2 {
		p := h.order.oldest
		if p == nowhere || !h.zoneExpired(p, now) {
			return
		}
		h.forget(p, now, &h.forgotten.ByIdleness)
	}
}

func (h *Held) zoneExpired(p uint32, now time.Duration) bool {
	if h.zoned != nil {
		if expired, known := h.zoned.zoneExpired(now, p); known {
			return expired
		}
	}
	return uint64(h.clock)-uint64(h.order.places[p].seen) >= uint64(zoneIdle) && h.atRest(p, now)
}

func (h *Held) atRest(p uint32, now time.Duration) bool {
	return h.resting != nil && h.resting.AtRest(now, p)
}

// forget drops a place, and counts it. Whether that mattered is judged at now,
// the time of the request that makes it happen: nothing has come before it.
func (h *Held) forget(p uint32, now time.Duration, why *int64) {
	*why++
	if !h.atRest(p, now) {
		h.forgotten.Early++
	}
	h.limiter.Forget(p)
	h.order.drop(p)
}
