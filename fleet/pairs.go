package fleet

import "math/bits"

// pairs numbers the pairs of a server and a key from 0, in the order in which
// they first come. It is a table with open addressing: 22 to 43 bytes
// a pair, however many servers and keys there could be.
type pairs struct {
	slots []pairSlot // as many as a power of two, at most three quarters used
	n     uint32
}

type pairSlot struct {
	pair   uint64 // server and key, plus 1; 0: empty
	number uint32
}

// of returns the number of a pair, and whether it is new.
func (p *pairs) of(server int, key uint32) (number uint32, fresh bool) {
	if 4*int(p.n) >= 3*len(p.slots) {
		p.grow()
	}
	pair := uint64(server)<<32 + uint64(key) + 1
	s := p.slot(pair)
	if s.pair == 0 {
		s.pair, s.number = pair, p.n
		p.n++
		return s.number, true
	}
	return s.number, false
}

// slot returns where a pair is, or belongs.
func (p *pairs) slot(pair uint64) *pairSlot {
	mask := uint64(len(p.slots) - 1)
	hash := pair * 0x9e3779b97f4a7c15 // Fibonacci hashing: its high bits are mixed
	for i := hash >> (64 - bits.Len64(mask)); ; i++ {
		if s := &p.slots[i&mask]; s.pair == pair || s.pair == 0 {
			return s
		}
	}
}

func (p *pairs) grow() {
	old := p.slots
	p.slots = make([]pairSlot, max(16, 2*len(old)))
	for _, s := range old {
		if s.pair != 0 {
			*p.slot(s.pair) = s
		}
	}
}

// clear forgets all pairs and keeps the room.
func (p *pairs) clear() {
	clear(p.slots)
	p.n = 0
}
