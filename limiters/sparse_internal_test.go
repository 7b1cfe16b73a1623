package limiters

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTheSparseTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table sparse[uint32]
		model := map[uint32]uint32{}
		keys := rapid.SampledFrom([]*rapid.Generator[uint32]{rapid.Uint32Range(0, 40), rapid.Uint32()}).Draw(t, "keys")
		for i := range uint32(rapid.IntRange(1, 300).Draw(t, "steps")) {
			key := keys.Draw(t, "key")
			if _, there := model[key]; !there {
				s, fresh := table.at(key)
				require.True(t, fresh)
				require.Zero(t, *s)
				*s, model[key] = i, i
			} else if rapid.Bool().Draw(t, "drop") {
				require.True(t, table.drop(key))
				delete(model, key)
			}
			require.Equal(t, len(model), table.n)
			for k, want := range model {
				got := table.find(k)
				require.NotNil(t, got)
				require.Equal(t, want, *got)
			}
			if _, there := model[key]; !there {
				require.Nil(t, table.find(key))
				require.False(t, table.drop(key))
			}
		}
	})
}

// Few keys among many take memory by their number, and so do many.
func TestMemoryIsByTheKeysThatCome(t *testing.T) {
	for _, c := range []struct{ keys, apart int }{{10_000, 97}, {10_000, 1}, {200_000, 5}, {10, 100_000_000}} {
		l := &tokenBucket{part: 1, gain: 1}
		for i := range c.keys {
			l.seen(0, uint32(i*c.apart))
		}
		require.Equal(t, c.keys, l.Keys())
		most := int64(8*32*c.keys + 32*near)
		if c.apart > 8 {
			most = int64(32*(c.keys+chunk)+8*8*c.keys/3+16*8+8*c.keys/chunk) + 32*near + 128
		}
		require.LessOrEqual(t, l.Bytes(), most, "%+v", c)
		for i := range c.keys {
			require.NotNil(t, l.find(uint32(i*c.apart)))
			l.Forget(uint32(i * c.apart))
		}
		require.Zero(t, l.Keys())
	}
}

// Keys near, far and between come in any order, some before those that make
// room for them by index, and are found wherever they lie.
func TestTheSlabIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &tokenBucket{part: 1, gain: 1}
		model := map[uint32]int64{}
		apart := rapid.SampledFrom([]uint32{1, 7, 9, 1000}).Draw(t, "apart")
		for i := range rapid.IntRange(1, 4000).Draw(t, "keys") {
			key := uint32(i) * 0x9e3779b1 % 6000 * apart // in no order
			l.seen(0, key).level.lo = uint64(i)
			model[key] = int64(i)
			if i%5 == 0 {
				l.Forget(key)
				delete(model, key)
			}
		}
		require.Equal(t, len(model), l.Keys())
		l.Touch([]uint32{0, 1, 5000 * apart})
		n := 0
		for range l.all {
			n++
		}
		require.Equal(t, len(model), n)
		for key, want := range model {
			require.EqualValues(t, want, l.find(key).level.lo)
		}
	})
}
