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
// index: callers number their keys from 0. Beyond the first keys it grows by
// doubling, as long as an eighth of it is of keys that are known: where they lie
// thinner they are kept apart, found through a table, until that is full and they
// no longer do. So it stays within a constant factor of what is known, be it of
// few keys among many.
//
// A state with begun false is a key that nobody has asked about.
type slab[S any, P interface {
	*S
	known() bool
}] struct {
	states []S       // of the keys below len(states)
	known  int       // how many keys have begun
	far    sparse[S] // of the keys beyond
	wide   [33]int   // how many of those have how many bits

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
	width := bits.Len32(key)
	if key >= near {
		full := b.far.full()
		s, fresh := b.far.at(key)
		if !fresh {
			return s
		}
		b.wide[width]++
		if !full || 1<<width > 8*b.knownBelow(width) { // looked at when the table grows
			return s
		}
	}
	b.grow(1 << width)
	return &b.states[key]
}

// knownBelow returns how many known keys are less than 2^width, the latest
// included.
func (b *slab[S, P]) knownBelow(width int) int {
	n := 1 + b.known - b.far.n
	for _, apart := range b.wide[:width+1] {
		n += apart
	}
	return n
}

func (b *slab[S, P]) grow(size int) {
	larger := make([]S, size)
	copy(larger, b.states)
	b.states = larger
	moved := 0
	for _, apart := range b.wide[:bits.Len(uint(size))] {
		moved += apart
	}
	if moved == 0 {
		return
	}
	apart := b.far
	b.far = sparseFor[S](apart.n - moved)
	for _, slot := range apart.slots {
		switch {
		case slot.place == 0:
		case uint64(slot.key) < uint64(size):
			b.states[slot.key] = *apart.state(slot.place - 1)
			b.wide[bits.Len32(slot.key)]--
		default:
			s, _ := b.far.at(slot.key)
			*s = *apart.state(slot.place - 1)
		}
	}
}

// Touch reads where the keys' states are, or where it says where they are.
func (b *slab[S, P]) Touch(keys []uint32) (sum uint32) {
	for _, key := range keys {
		switch {
		case uint64(key) < uint64(len(b.states)):
			sum += uint32(*(*byte)(unsafe.Pointer(&b.states[key])))
		case b.far.n > 0:
			sum += b.far.slots[b.far.home(key)].key
		}
	}
	return sum
}

// find returns the state of a key that has one, else nil.
func (b *slab[S, P]) find(key uint32) *S {
	var s *S
	if uint64(key) < uint64(len(b.states)) {
		s = &b.states[key]
	} else {
		s = b.far.find(key)
	}
	if s == nil || !P(s).known() {
		return nil
	}
	return s
}

// all yields the states of the keys that are known, by no order that means
// anything.
func (b *slab[S, P]) all(yield func(*S) bool) {
	for i := range b.states {
		if s := &b.states[i]; P(s).known() && !yield(s) {
			return
		}
	}
	for place := range b.far.places {
		if s := b.far.state(place); P(s).known() && !yield(s) {
			return
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
	return int64(unsafe.Sizeof(s))*int64(cap(b.states)) + b.far.bytes()
}

// Forget drops a key's state: its next request is its first.
func (b *slab[S, P]) Forget(key uint32) {
	s := b.find(key)
	if s == nil {
		return
	}
	b.known--
	if b.far.drop(key) {
		b.wide[bits.Len32(key)]--
		return
	}
	var fresh S
	*s = fresh
}
