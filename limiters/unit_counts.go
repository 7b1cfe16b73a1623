package limiters

// unitCounts is the state of a key whose requests are counted by the second,
// minute or hour of a clock: the counts of two units, that of unit u in place
// u mod 2, so that a clock that goes back by one finds the older count.
type unitCounts struct {
	touched
	units  [2]int64
	counts [2]int64
}

func (s *unitCounts) count(unit int64) int64 {
	if i := unit & 1; s.units[i] == unit {
		return s.counts[i]
	}
	return 0
}

func (s *unitCounts) add(unit, cost int64) {
	i := unit & 1
	if s.units[i] != unit {
		s.units[i], s.counts[i] = unit, 0
	}
	s.counts[i] = pile(s.counts[i], cost)
}

// unitSlab holds them for all keys.
type unitSlab struct {
	slab[unitCounts, *unitCounts]
}

func (b *unitSlab) met(key uint32) *unitCounts {
	s := b.at(key)
	if !s.begun {
		b.known++
		s.begun = true
	}
	return s
}

// empty reports whether nothing counts in a unit, or in one after it.
func (b *unitSlab) empty(key uint32, unit int64) bool {
	s := b.find(key)
	if s == nil {
		return true
	}
	for i, u := range s.units {
		if u >= unit && s.counts[i] != 0 {
			return false
		}
	}
	return true
}
