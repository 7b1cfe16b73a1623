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
	if key >= denseKeys {
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
			s.sparse = make(map[uint32]int32)
		}
		s.sparse[key] = slot
	} else {
		for int(key) >= len(s.dense) {
			s.dense = append(s.dense, make([]int32, max(64, len(s.dense)))...)
		}
		s.dense[key] = slot
	}
	return &s.items[slot-1]
}
