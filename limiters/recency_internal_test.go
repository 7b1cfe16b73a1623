package limiters

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// crowded are keys whose searches begin side by side, at the end of a small
// index, and run into each other.
var crowded = func() (keys []uint32) {
	r := newRecency()
	for key := uint32(0); len(keys) < 30; key++ {
		if h := r.home(key); h >= 13 || h == 0 {
			keys = append(keys, key)
		}
	}
	return keys
}()

func TestRecencyIsASlowList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRecency()
		list := []uint32{} // oldest first
		seen, most := map[uint32]time.Duration{}, 0
		for i := range rapid.IntRange(1, 120).Draw(t, "steps") {
			now := time.Duration(i)
			key := rapid.OneOf(rapid.SampledFrom(crowded), rapid.Uint32Range(0, 50), rapid.Uint32()).Draw(t, "key")
			at := slices.Index(list, key)
			p, ok := r.find(key)
			require.Equal(t, at >= 0, ok)
			drop := rapid.IntRange(0, 2).Draw(t, "drop") == 0
			if at >= 0 {
				list = slices.Delete(list, at, at+1)
			}
			switch {
			case drop && ok:
				r.drop(p)
			case ok:
				r.touch(p, now)
			case !drop:
				r.add(key, now)
				most = max(most, r.held)
			}
			if !drop {
				list, seen[key] = append(list, key), now
			}
			require.Equal(t, len(list), r.held)
			require.Len(t, r.places, most, "places are used again")
			order := []uint32{}
			for p := r.oldest; p != nowhere; p = r.places[p].newer {
				order = append(order, r.places[p].key)
				require.Equal(t, seen[r.places[p].key], r.places[p].seen)
				found, ok := r.find(r.places[p].key)
				require.True(t, ok)
				require.Equal(t, p, found)
			}
			require.Equal(t, list, order)
			slices.Reverse(order)
			back := []uint32{}
			for p := r.newest; p != nowhere; p = r.places[p].older {
				back = append(back, r.places[p].key)
			}
			require.Equal(t, order, back)
		}
	})
}

// What nginx 1.22.1 was seen to hold, for zones and keys of these sizes.
func TestAZoneHoldsAsManyStatesAsNginx(t *testing.T) {
	for _, c := range []struct{ size, key, states int64 }{
		{32 << 10, 6, 191}, {32 << 10, 48, 191}, {32 << 10, 49, 80}, {32 << 10, 176, 80}, {32 << 10, 177, 40},
		{32 << 10, 900, 20}, {32 << 10, 1500, 10}, {33 << 10, 6, 191}, {36 << 10, 6, 223}, {65000, 6, 415}, {1 << 20, 6, 8095},
	} {
		require.Equal(t, c.states, zoneStates(c.size, c.key), "%+v", c)
	}
}
