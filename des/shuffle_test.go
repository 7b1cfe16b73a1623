package des

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// undo is the way back from a rank to its sequence number.
func (f *shuffle) undo(rank uint64) uint64 {
	for _, step := range slices.Backward(f[:]) {
		rank ^= rank >> 20 // the upper half is as it was
		inverse := step.factor
		for range 5 { // each step doubles the bits that are right, of which there are 3
			inverse *= 2 - step.factor*inverse
		}
		rank = (rank*inverse - step.add) & maxSeq
	}
	return rank
}

func TestShuffleIsABijection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newShuffle(rapid.Uint64().Draw(t, "seed"))
		seq := rapid.Uint64Range(0, maxSeq).Draw(t, "sequence number")
		rank := f.rank(seq)
		require.LessOrEqual(t, rank, uint64(maxSeq))
		require.Equal(t, seq, f.undo(rank))
	})
}

// shuffled returns the order in which n events at one time run.
func shuffled(seed uint64, n int) []uint64 {
	s, r := NewShuffled(seed), &recorder{}
	for tag := range uint64(n) {
		s.At(7, r, tag)
	}
	s.Run(8)
	order := make([]uint64, len(r.ran))
	for i, o := range r.ran {
		order[i] = o.tag
	}
	return order
}

func TestShuffledTiesRunInEveryOrder(t *testing.T) {
	seen := map[[3]uint64]int{}
	for seed := range uint64(6000) {
		seen[[3]uint64(shuffled(seed, 3))]++
	}
	require.Len(t, seen, 6)
	for order, n := range seen {
		assert.InDelta(t, 1000, n, 4*28.9, "%v", order) // 4 standard deviations, √(6000·1/6·5/6)
	}
	assert.Equal(t, shuffled(5, 100), shuffled(5, 100))
	assert.NotEqual(t, shuffled(5, 100), shuffled(6, 100))
}

func TestShuffledTiesKeepTimesAndCauses(t *testing.T) {
	for seed := range uint64(50) {
		s, r := NewShuffled(seed), &recorder{}
		r.do = map[uint64]func(*Sim){}
		for tag := range uint64(20) {
			s.At(time.Duration(tag/5), r, tag)
			r.do[tag] = func(s *Sim) { s.After(0, r, 100+tag) }
		}
		s.Run(10)
		require.Len(t, r.ran, 40)
		at := map[uint64]int{}
		for i, o := range r.ran {
			at[o.tag] = i
			assert.Equal(t, time.Duration(o.tag%100/5), o.at)
			if o.tag >= 100 {
				assert.Contains(t, at, o.tag-100, "the cause comes before the effect")
			}
		}
	}
}
