package metrics

// MostKeys is how many keys a keyed metric follows: it is exact up to that
// number of keys. Of more keys it follows the MostKeys that it met first, and
// no others. That sample is fixed by the arrivals alone, every key in it is
// followed from its first request on, and it holds the keys that were busy early.
const MostKeys = 10_000

// denseKeys is the number of keys below which the slot of a key is found by
// index and not by hash: sources number their keys from 0.
const denseKeys = 1 << 16

// slab holds one T for each key that is followed.
type slab[T any] struct {
	items   []T
	dense   []int32          // slot+1 by key, 0 if not followed
	sparse  map[uint32]int32 // slot+1 of the keys from denseKeys on
	maybe   *sieve           // which of those can be in sparse; nil if there are none
	fresh   T                // what a new key starts as
	sampled bool
}

// at returns the item of a key, valid until the next call, or nil if the key is
// not followed.
func (s *slab[T]) at(key uint32) *T {
	if uint(key) < uint(len(s.dense)) {
		if slot := s.dense[key]; slot != 0 {
			return &s.items[slot-1]
		}
	}
	return s.seek(key)
}

func (s *slab[T]) seek(key uint32) *T {
	if key >= denseKeys && s.maybe != nil && s.maybe.has(key) {
		if slot := s.sparse[key]; slot != 0 {
			return &s.items[slot-1]
		}
	}
	if len(s.items) == MostKeys {
		s.sampled = true
		return nil
	}
	s.items = append(s.items, s.fresh)
	slot := int32(len(s.items))
	if key >= denseKeys {
		if s.sparse == nil {
			s.sparse, s.maybe = make(map[uint32]int32), new(sieve)
		}
		s.sparse[key] = slot
		s.maybe.add(key)
	} else {
		for int(key) >= len(s.dense) {
			s.dense = append(s.dense, make([]int32, max(64, len(s.dense)))...)
		}
		s.dense[key] = slot
	}
	return &s.items[slot-1]
}

// sieve is a set of keys that may take a key for another: a bit for each hash.
// It is small enough to stay in the cache, and of the keys that are not in a set
// of MostKeys it takes one in 26 for one of them.
type sieve [1 << (hashBits - 6)]uint64

const hashBits = 18

func (b *sieve) add(key uint32) { h := hash(key); b[h/64] |= 1 << (h % 64) }

func (b *sieve) has(key uint32) bool { h := hash(key); return b[h/64]>>(h%64)&1 != 0 }

func hash(key uint32) uint32 { return key * 0x9e3779b9 >> (32 - hashBits) } // Fibonacci hashing
