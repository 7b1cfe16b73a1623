package limiters

import (
	"math/bits"
	"time"
	"unsafe"
)

// mark heads the state of every key.
type mark struct {
	latest  time.Duration // the latest time the key has seen
	begun   bool          // false: no request has come yet
	endless bool          // the current window ends beyond int64 time; see windowed
}

func (m *mark) known() bool { return m.begun }

// see moves the key's time to now, never back, and returns it.
func (m *mark) see(now time.Duration) time.Duration {
	if now > m.latest {
		m.latest = now
	}
	return m.latest
}

// slab holds the states of a limiter's keys, struct beside struct, found by
// index: callers number their keys from 0. It grows by doubling and stays
// within a constant factor of the keys that are known: a key far beyond them
// is kept apart, found through a map, until the slab has grown up to it.
//
// A state with begun false is a key that nobody has asked about.
type slab[S any, P interface {
	*S
	known() bool
}] struct {
	states []S               // of the keys below len(states)
	known  int               // how many keys have begun
	far    map[uint32]uint32 // of the keys beyond: where in apart
	apart  []S
	free   []uint32 // places in apart that were given back

	aside    S // see putAside
	wasKnown bool
}

// near: keys below this are indexed directly, however few there are.
const near = 4096

// at returns the state of a key, valid until the next call.
func (b *slab[S, P]) at(key uint32) *S {
	if uint64(key) < uint64(len(b.states)) {
		return &b.states[key]
	}
	return b.beyond(key)
}

func (b *slab[S, P]) beyond(key uint32) *S {
	if i, ok := b.far[key]; ok {
		return &b.apart[i]
	}
	if key < near || uint64(key) < 8*uint64(b.known) {
		b.grow(1 << bits.Len32(key))
		return &b.states[key]
	}
	if b.far == nil {
		b.far = map[uint32]uint32{}
	}
	var i uint32
	if n := len(b.free); n > 0 {
		i, b.free = b.free[n-1], b.free[:n-1]
	} else {
		var fresh S
		i = uint32(len(b.apart))
		b.apart = append(b.apart, fresh)
	}
	b.far[key] = i
	return &b.apart[i]
}

func (b *slab[S, P]) grow(size int) {
	larger := make([]S, size)
	copy(larger, b.states)
	b.states = larger
	for key, i := range b.far {
		if uint64(key) < uint64(size) {
			b.states[key] = b.apart[i]
			b.release(key, i)
		}
	}
}

func (b *slab[S, P]) release(key, i uint32) {
	var fresh S
	b.apart[i] = fresh
	b.free = append(b.free, i)
	delete(b.far, key)
}

// find returns the state of a key that has one, else nil.
func (b *slab[S, P]) find(key uint32) *S {
	var s *S
	if uint64(key) < uint64(len(b.states)) {
		s = &b.states[key]
	} else if i, ok := b.far[key]; ok {
		s = &b.apart[i]
	}
	if s == nil || !P(s).known() {
		return nil
	}
	return s
}

// all yields the states of the keys that are known, by no order that means
// anything.
func (b *slab[S, P]) all(yield func(*S) bool) {
	for _, states := range [][]S{b.states, b.apart} {
		for i := range states {
			if s := &states[i]; P(s).known() && !yield(s) {
				return
			}
		}
	}
}

// putAside keeps a copy of a key's state, which putBack restores: in between,
// the limiter can be asked about the key without a trace.
func (b *slab[S, P]) putAside(key uint32) {
	s := b.find(key)
	if b.wasKnown = s != nil; b.wasKnown {
		b.aside = *s
	}
}

func (b *slab[S, P]) putBack(key uint32) {
	if b.wasKnown {
		*b.find(key) = b.aside
	} else {
		b.Forget(key)
	}
}

// Keys returns how many keys have state.
func (b *slab[S, P]) Keys() int { return b.known }

// Bytes returns the memory that the states take, room to grow included.
func (b *slab[S, P]) Bytes() int64 {
	var s S
	const farEntry = 16 // of the map: key, place, and the map's own share
	return int64(unsafe.Sizeof(s))*int64(cap(b.states)+cap(b.apart)) + farEntry*int64(len(b.far)) + 4*int64(cap(b.free))
}

// Forget drops a key's state: its next request is its first.
func (b *slab[S, P]) Forget(key uint32) {
	s := b.find(key)
	if s == nil {
		return
	}
	b.known--
	if i, ok := b.far[key]; ok {
		b.release(key, i)
		return
	}
	var fresh S
	*s = fresh
}
