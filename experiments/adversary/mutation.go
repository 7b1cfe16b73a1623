package adversary

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"
)

// mutation changes schedules by chance. A schedule is the instants of arrivals
// in order, one at least, all in [0, span).
type mutation struct {
	random       *rand.Rand
	span, within time.Duration
	most         int             // arrivals of a schedule
	block, rest  []time.Duration // what moves, and what stays
}

// begin returns a schedule of uniform instants.
func (m *mutation) begin(to []time.Duration) []time.Duration {
	to = to[:0]
	for range m.most {
		to = append(to, time.Duration(m.random.Int64N(int64(m.span))))
	}
	slices.Sort(to)
	return to
}

// change puts a neighbour of a schedule in place of what is in to.
func (m *mutation) change(to, from []time.Duration) []time.Duration {
	to = m.once(to[:0], from)
	for m.random.IntN(4) == 0 { // some valleys are wider than a step
		m.rest = append(m.rest[:0], to...)
		from = m.rest
		to = m.once(to[:0], from)
	}
	return to
}

// once changes one block of a schedule.
func (m *mutation) once(to, from []time.Duration) []time.Duration {
	lo, hi := m.pick(from)
	block := append(m.block[:0], from[lo:hi]...)
	keeps := false // whether the block stays where it was, too
	switch m.random.IntN(10) {
	case 0: // a shift
		shift(block, m.either(m.length(int64(m.span))))
	case 1: // to anywhere
		shift(block, time.Duration(m.random.Int64N(int64(m.span)))-block[0])
	case 2, 3: // to a distance from another arrival that two have already
		d := m.either(m.distance(from))
		if m.random.IntN(2) == 0 {
			shift(block, from[m.random.IntN(len(from))]+d-block[0])
		} else {
			shift(block, from[m.random.IntN(len(from))]+d-block[len(block)-1])
		}
	case 4: // a burst
		at := block[m.random.IntN(len(block))]
		for i := range block {
			block[i] = at
		}
	case 5: // a train with equal gaps
		d := m.distance(from)
		for i := range block {
			block[i] = block[0] + min(time.Duration(i), m.span/max(d, 1))*d
		}
	case 6: // longer or shorter, about one end
		k, sign := m.random.IntN(20), m.random.IntN(2)
		about := block[0]
		if m.random.IntN(2) == 0 {
			about = block[len(block)-1]
		}
		for i, t := range block {
			d := (t - about) >> k
			if sign == 0 {
				d = -d
			}
			block[i] = t + d
		}
	case 7: // fewer
		if len(block) < len(from) {
			block = block[:0]
		}
	case 8: // more of one
		at := block[0]
		for range m.upTo(m.most) {
			block = append(block, at)
		}
	case 9: // the same again, at a distance
		shift(block, m.either(m.distance(from)))
		keeps = true
	}
	m.block = block
	last := m.span - 1
	for i, t := range block {
		block[i] = min(max(t, 0), last)
	}
	slices.Sort(block)
	if keeps {
		return m.merge(to, block, from, nil)
	}
	return m.merge(to, block, from[:lo], from[hi:])
}

// merge puts a block in its order between the rest, which is in two parts. Of
// more than there may be the last go.
func (m *mutation) merge(to, block, before, after []time.Duration) []time.Duration {
	take := func() (next time.Duration, rest *[]time.Duration) {
		rest = &before
		if len(before) == 0 {
			rest = &after
		}
		if len(*rest) == 0 {
			return m.span, rest
		}
		return (*rest)[0], rest
	}
	for len(to) < m.most {
		next, rest := take()
		switch {
		case len(block) > 0 && block[0] <= next:
			to, block = append(to, block[0]), block[1:]
		case len(*rest) > 0:
			to, *rest = append(to, next), (*rest)[1:]
		default:
			return to
		}
	}
	return to
}

// pick chooses a block, often of arrivals at one instant.
func (m *mutation) pick(from []time.Duration) (lo, hi int) {
	lo = m.random.IntN(len(from))
	hi = lo + 1
	kind := m.random.IntN(4)
	if kind < 3 {
		for lo > 0 && from[lo-1] == from[lo] {
			lo--
		}
		for hi < len(from) && from[hi] == from[hi-1] {
			hi++
		}
	}
	if kind > 0 {
		hi = min(len(from), hi-1+m.upTo(len(from)))
	}
	return lo, hi
}

// distance is one of two arrivals, or that of the harm's intervals, or any, or
// one beside it.
func (m *mutation) distance(from []time.Duration) (d time.Duration) {
	switch m.random.IntN(4) {
	case 0:
		d = m.length(int64(m.span))
	case 1:
		d = m.within
	default:
		i := m.random.IntN(len(from))
		j := min(len(from)-1, i+m.upTo(len(from)))
		d = from[j] - from[i]
	}
	return min(max(d+time.Duration(m.random.IntN(3)-1), 0), m.span)
}

// length is below most, of any order of magnitude.
func (m *mutation) length(most int64) time.Duration {
	return time.Duration(min(m.random.Int64N(1<<m.random.IntN(bits.Len64(uint64(most))+1)), most-1))
}

// upTo is in 1..most, of any order of magnitude.
func (m *mutation) upTo(most int) int { return 1 + int(m.length(int64(most))) }

func (m *mutation) either(d time.Duration) time.Duration {
	if m.random.IntN(2) == 0 {
		return -d
	}
	return d
}

func shift(block []time.Duration, by time.Duration) {
	for i := range block {
		block[i] += by
	}
}
