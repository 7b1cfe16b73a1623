package limiters

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func (x wide) big() *big.Int {
	b := new(big.Int).SetInt64(int64(x.hi))
	return b.Lsh(b, 64).Add(b, new(big.Int).SetUint64(x.lo))
}

var wides = rapid.Custom(func(t *rapid.T) wide {
	return wide{uint64(rapid.Int64Range(-1<<61, 1<<61).Draw(t, "hi")), rapid.Uint64().Draw(t, "lo")}
})

func TestWideIsAnIntegerOf128Bits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := wides.Draw(t, "x"), wides.Draw(t, "y")
		a, b := x.big(), y.big()
		require.Zero(t, x.plus(y).big().Cmp(new(big.Int).Add(a, b)))
		require.Zero(t, x.minus(y).big().Cmp(new(big.Int).Sub(a, b)))
		require.Equal(t, a.Cmp(b) < 0, x.less(y))
		require.Equal(t, a.Sign() < 0, x.negative())

		d := rapid.Uint64Range(1, 1<<63).Draw(t, "d")
		q, r := new(big.Int).DivMod(a, new(big.Int).SetUint64(d), new(big.Int))
		clamp := func(q *big.Int) uint64 {
			switch {
			case q.Sign() < 0:
				return 0
			case !q.IsUint64():
				return math.MaxUint64
			}
			return q.Uint64()
		}
		require.Equal(t, clamp(q), x.floorDiv(d))
		if r.Sign() > 0 {
			q.Add(q, big.NewInt(1))
		}
		require.Equal(t, clamp(q), x.ceilDiv(d))
		exact, _ := new(big.Rat).SetFrac(a, new(big.Int).SetUint64(d)).Float64()
		require.LessOrEqual(t, math.Abs(x.ratio(d)-exact), 1e-15*math.Abs(exact))
	})
}

func TestProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at, n := rapid.Int64().Draw(t, "t"), rapid.Uint64Range(0, 1<<53).Draw(t, "n")
		want := new(big.Int).Mul(big.NewInt(at), new(big.Int).SetUint64(n))
		require.Zero(t, want.Cmp(scaled(time.Duration(at), n).big()))
		a, b := rapid.Uint64().Draw(t, "a"), rapid.Uint64Range(0, 1<<63-1).Draw(t, "b")
		want.Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
		require.Zero(t, want.Cmp(product(a, b).big()))
		c := rapid.Uint64().Draw(t, "c")
		require.Equal(t, want.Cmp(new(big.Int).Mul(new(big.Int).SetUint64(c), new(big.Int).SetUint64(n))) < 0, narrower(a, b, c, n))
	})
}

func TestWideIsCutAtBothEnds(t *testing.T) {
	least := wide{}.minus(most)
	for x, want := range map[wide]wide{
		{}:                          {},
		most:                        most,
		most.minus(wide{0, 1}):      most.minus(wide{0, 1}),
		most.plus(wide{0, 1}):       most,
		most.plus(wide{1 << 60, 0}): most,
		least:                       least,
		least.plus(wide{0, 1}):      least.plus(wide{0, 1}),
		least.minus(wide{0, 1}):     least,
	} {
		assert.Equal(t, want, x.capped(), "%v", x)
	}
}

func TestHintsBeyondInt64AreNever(t *testing.T) {
	const first, last = time.Duration(math.MinInt64), time.Duration(math.MaxInt64)
	for _, c := range []struct {
		now, t time.Duration
		wait   uint64
		want   time.Duration
	}{
		{0, 0, 5, 5},
		{-3, 2, 5, 10},
		{last, last, 5, 5},
		{0, last, 0, Never},
		{0, last - 1, 0, last - 1},
		{0, last, 1, Never},
		{first, last, 0, Never},
		{first, last, math.MaxUint64, Never},
		{first, -2, 0, last - 1},
		{0, 0, math.MaxUint64, Never},
	} {
		assert.Equal(t, c.want, hint(c.now, c.t, c.wait), "%+v", c)
	}
}

// A window's phase and end, against floor division of big integers.
func TestWindowsAreCutExactlyAtAnyTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := time.Duration(rapid.OneOf(rapid.Int64Range(1, 100), rapid.Int64Range(1, math.MaxInt64)).Draw(t, "length"))
		offset := time.Duration(rapid.Int64Range(0, int64(length)-1).Draw(t, "offset"))
		times := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-500, 500), rapid.Int64Range(math.MaxInt64-500, math.MaxInt64), rapid.Int64Range(math.MinInt64, math.MinInt64+500))
		index := func(at time.Duration) *big.Int {
			from := new(big.Int).Sub(big.NewInt(int64(at)), big.NewInt(int64(offset)))
			return from.Div(from, big.NewInt(int64(length))) // Euclid's: floor, as the length is > 0
		}
		end := func(at time.Duration) *big.Int {
			k := index(at)
			k.Add(k, big.NewInt(1)).Mul(k, big.NewInt(int64(length)))
			return k.Add(k, big.NewInt(int64(offset)))
		}
		at := time.Duration(times.Draw(t, "t"))
		var w windowed
		w.open(at, length-phase(at, length, offset))
		for range 5 {
			left := new(big.Int).Sub(end(at), big.NewInt(int64(at)))
			require.Equal(t, left.Uint64(), w.left(at))
			require.False(t, w.over(at))
			next := max(at, time.Duration(times.Draw(t, "next")))
			passed := new(big.Int).Sub(index(next), index(at))
			require.Equal(t, passed.Sign() > 0, w.over(next))
			if w.over(next) {
				require.Equal(t, passed.Uint64(), w.roll(next, length))
			}
			at = next
		}
	})
}
