package workloads

import (
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/internal/spec"
)

// Arrival k comes at ⌊k·P/N⌋ ns, worked out here with big integers.
func TestSteadyRoundsEveryArrivalDownOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := spec.Rate{
			N: rapid.Int64Range(1, spec.MaxCount).Draw(t, "N"),
			P: time.Duration(rapid.Int64Range(1, spec.MaxCount).Draw(t, "P")),
		}
		s, err := Parse(fmt.Sprintf("steady:rate=%d/%s", r.N, spec.FormatDuration(r.P)))
		require.NoError(t, err)
		w, err := s.New(Env{})
		require.NoError(t, err)
		list := read(w, 300)
		for k := range 300 {
			want := new(big.Int).Mul(big.NewInt(int64(k)), big.NewInt(int64(r.P)))
			want.Quo(want, big.NewInt(r.N))
			if k == len(list) {
				require.False(t, want.IsInt64(), "arrival %d at %v is missing", k, want)
				return
			}
			if want.Cmp(big.NewInt(int64(list[k].At))) != 0 {
				t.Fatalf("%s: arrival %d must come at %v ns:%s", s, k, want, around(list, k))
			}
		}
	})
}

func TestSteadyStartsAtZero(t *testing.T) {
	list := read(mustNew(t, "steady:rate=3/s", Env{}), 5)
	want := []time.Duration{0, 333333333, 666666666, time.Second, 1333333333}
	for k, at := range want {
		assert.Equal(t, Arrival{At: at, Cost: 1}, list[k])
	}
}

func TestSteadyEndsWithTheClock(t *testing.T) {
	// 2⁵³-1 ns is 1/1024 of the clock, so 1025 arrivals fit.
	list := read(mustNew(t, "steady:rate=1/9007199254740991ns", Env{}), 5000)
	require.Len(t, list, 1025)
	assert.Equal(t, 1024*time.Duration(spec.MaxCount), list[1024].At)

	last := &steady{at: math.MaxInt64, gap: 0, part: 1, n: 2}
	assert.Len(t, read(last, 5), 2, "the half nanosecond beyond the clock's last still rounds down to it, the whole one does not")
}
