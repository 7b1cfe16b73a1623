package limiters

import (
	"math/bits"
	"unsafe"
)

// sparse holds the states of keys that lie thin. A table with open addressing
// and linear probing, of which three eighths to three quarters are used, says
// where each state lies: 8 bytes a slot, so that a search reads one line of
// memory. The states lie in chunks in the order in which they came, and never
// move.
type sparse[S any] struct {
	slots  []sparseSlot // as many as a power of two
	n      int          // of them in use
	shift  uint8        // 32 - log2 of how many there are
	chunks []*[chunk]S
	places uint32   // that were ever in use
	free   []uint32 // places that were given back
}

type sparseSlot struct {
	key   uint32
	place uint32 // plus 1; 0: empty
}

// chunk is how many states are made room for at once.
const chunk = 128

// home returns where a key belongs.
func (t *sparse[S]) home(key uint32) int { return int(key * 0x9e3779b9 >> t.shift) } // Fibonacci hashing

func (t *sparse[S]) state(place uint32) *S { return &t.chunks[place/chunk][place%chunk] }

// find returns a key's state, nil if it has none.
func (t *sparse[S]) find(key uint32) *S {
	if t.n == 0 {
		return nil
	}
	mask := len(t.slots) - 1
	for i := t.home(key); ; i++ {
		switch s := t.slots[i&mask]; {
		case s.place == 0:
			return nil
		case s.key == key:
			return t.state(s.place - 1)
		}
	}
}

// full reports whether a key more needs a larger table.
func (t *sparse[S]) full() bool { return 4*(t.n+1) > 3*len(t.slots) }

// at returns a key's state, and whether it is new.
func (t *sparse[S]) at(key uint32) (state *S, fresh bool) {
	if t.full() {
		t.grow()
	}
	mask := len(t.slots) - 1
	for i := t.home(key); ; i++ {
		s := &t.slots[i&mask]
		if s.place == 0 {
			t.n++
			place := t.take()
			s.key, s.place = key, place+1
			return t.state(place), true
		}
		if s.key == key {
			return t.state(s.place - 1), false
		}
	}
}

// take returns a place that is not in use.
func (t *sparse[S]) take() (place uint32) {
	if n := len(t.free); n > 0 {
		place, t.free = t.free[n-1], t.free[:n-1]
		return place
	}
	if place = t.places; place%chunk == 0 {
		t.chunks = append(t.chunks, new([chunk]S))
	}
	t.places++
	return place
}

// sparseFor returns an empty table with room for n keys. Where keys come in the
// order of another table they belong in one that is large enough for all: in a
// smaller one they would crowd at its beginning.
func sparseFor[S any](n int) (t sparse[S]) {
	if n > 0 {
		t.make(1 << bits.Len(uint(max(15, 4*n/3))))
	}
	return t
}

// make makes slots, as many as a power of two.
func (t *sparse[S]) make(size int) {
	t.slots, t.shift = make([]sparseSlot, size), uint8(33-bits.Len32(uint32(size)))
}

func (t *sparse[S]) grow() {
	old := t.slots
	size := max(16, 2*len(old))
	t.make(size)
	for _, s := range old {
		if s.place != 0 {
			i := t.home(s.key)
			for t.slots[i&(size-1)].place != 0 {
				i++
			}
			t.slots[i&(size-1)] = s
		}
	}
}

// drop removes a key if it is there, moves up the slots behind it, and reports
// whether it was.
func (t *sparse[S]) drop(key uint32) bool {
	if t.find(key) == nil {
		return false
	}
	mask := len(t.slots) - 1
	hole := t.home(key) & mask
	for t.slots[hole].key != key {
		hole = (hole + 1) & mask
	}
	place := t.slots[hole].place - 1
	for j := hole; ; {
		j = (j + 1) & mask
		s := t.slots[j]
		if s.place == 0 {
			break
		}
		// It may move to the hole unless its home lies behind that.
		if (j-t.home(s.key))&mask >= (j-hole)&mask {
			t.slots[hole], hole = s, j
		}
	}
	t.slots[hole] = sparseSlot{}
	t.n--
	var none S
	*t.state(place) = none
	t.free = append(t.free, place)
	return true
}

func (t *sparse[S]) bytes() int64 {
	var s S
	return int64(unsafe.Sizeof(sparseSlot{}))*int64(len(t.slots)) +
		(chunk*int64(unsafe.Sizeof(s))+8)*int64(len(t.chunks)) + 4*int64(cap(t.free))
}
