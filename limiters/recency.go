package limiters

import (
	"math/bits"
	"time"
	"unsafe"
)

// recency numbers the keys that are held, from 0 and without gaps that last,
// and keeps them in the order in which they were last seen. Every step takes
// constant time, a sweep apart, and none allocates unless more keys are held
// than ever before.
type recency struct {
	places         []place
	free           uint32   // the first place that was given back, then by older
	newest, oldest uint32   // nowhere if none is held
	index          []uint32 // open addressing with linear probing: 1 + a place, or 0
	shift          int      // 32 - log2(len(index))
	held           int
}

// place is where a key is held: its number in the limiter behind.
type place struct {
	key          uint32
	newer, older uint32
	seen         time.Duration // on the holder's clock, which does not go back
}

const nowhere = ^uint32(0)

func newRecency() recency {
	return recency{free: nowhere, newest: nowhere, oldest: nowhere, index: make([]uint32, 16), shift: 28}
}

// home is where the search for a key begins: Fibonacci hashing.
func (r *recency) home(key uint32) uint32 { return key * 0x9E3779B1 >> r.shift }

func (r *recency) after(i uint32) uint32 { return (i + 1) & uint32(len(r.index)-1) }

// find returns the place of a key, and whether it is held.
func (r *recency) find(key uint32) (uint32, bool) {
	for i := r.home(key); r.index[i] != 0; i = r.after(i) {
		if p := r.index[i] - 1; r.places[p].key == key {
			return p, true
		}
	}
	return 0, false
}

// add holds a key that is not held, as the newest.
func (r *recency) add(key uint32, now time.Duration) uint32 {
	if 4*(r.held+1) > 3*len(r.index) {
		r.grow()
	}
	p := r.free
	if p != nowhere {
		r.free = r.places[p].older
	} else {
		p = uint32(len(r.places))
		r.places = append(r.places, place{})
	}
	r.places[p].key = key
	r.enter(p)
	r.lead(p, now)
	r.held++
	return p
}

// touch makes a place the newest.
func (r *recency) touch(p uint32, now time.Duration) {
	if p != r.newest {
		r.unlink(p)
		r.lead(p, now)
		return
	}
	r.places[p].seen = now
}

// drop gives a place back.
func (r *recency) drop(p uint32) {
	r.leave(p)
	r.unlink(p)
	r.places[p].older, r.free = r.free, p
	r.held--
}

// lead links a place in as the newest.
func (r *recency) lead(p uint32, now time.Duration) {
	s := &r.places[p]
	s.seen, s.newer, s.older = now, nowhere, r.newest
	if r.newest == nowhere {
		r.oldest = p
	} else {
		r.places[r.newest].newer = p
	}
	r.newest = p
}

func (r *recency) unlink(p uint32) {
	s := &r.places[p]
	if s.newer == nowhere {
		r.newest = s.older
	} else {
		r.places[s.newer].older = s.older
	}
	if s.older == nowhere {
		r.oldest = s.newer
	} else {
		r.places[s.older].newer = s.newer
	}
}

// enter puts a place into the index.
func (r *recency) enter(p uint32) {
	i := r.home(r.places[p].key)
	for r.index[i] != 0 {
		i = r.after(i)
	}
	r.index[i] = p + 1
}

// leave takes a place out of the index, and moves those behind it up, so that
// every search still ends at a gap only if there is nothing to find.
func (r *recency) leave(p uint32) {
	i := r.home(r.places[p].key)
	for r.index[i] != p+1 {
		i = r.after(i)
	}
	mask := uint32(len(r.index) - 1)
	for j := r.after(i); r.index[j] != 0; j = r.after(j) {
		home := r.home(r.places[r.index[j]-1].key)
		if (j-home)&mask >= (j-i)&mask { // its search passes the gap at i
			r.index[i] = r.index[j]
			i = j
		}
	}
	r.index[i] = 0
}

func (r *recency) grow() {
	r.index = make([]uint32, 2*len(r.index))
	r.shift = 32 - bits.TrailingZeros(uint(len(r.index)))
	for p := r.oldest; p != nowhere; p = r.places[p].newer {
		r.enter(p)
	}
}

// bytes returns the memory that it takes, room to grow included.
func (r *recency) bytes() int64 {
	return int64(unsafe.Sizeof(place{}))*int64(cap(r.places)) + 4*int64(cap(r.index))
}
