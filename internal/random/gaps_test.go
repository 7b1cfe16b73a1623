package random

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestExpGapsKeepTheRate compares many points with the law of their sum and
// with an exact sum of the same draws, from which rounding every gap down would
// be half a nanosecond a gap away.
func TestExpGapsKeepTheRate(t *testing.T) {
	for _, test := range []struct {
		name     string
		num, den int64
		points   int
	}{
		{"a million a second", 1_000_000, 1e9, 200_000},
		{"a point every nanosecond", 1, 1, 200_000},
		{"twenty points a nanosecond", 20, 1, 200_000},
		{"three a week", 3, 7 * 86400e9, 1000}, // 6.4 years
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewExpGaps(Stream(1, test.name), test.num, test.den)
			r, exact := Stream(1, test.name), new(big.Float).SetPrec(200)
			mean := float64(test.den) / float64(test.num)
			var last time.Duration
			for range test.points {
				last = g.Next()
				exact.Add(exact, new(big.Float).SetFloat64(Exponential(r)*mean))
			}
			// The k-th point has the gamma law: mean k, deviation √k gaps.
			k := float64(test.points)
			assert.InDelta(t, k*mean, float64(last), 4*math.Sqrt(k)*mean+1)
			want, _ := exact.Int64()
			assert.InDelta(t, want, int64(last), 1)
		})
	}
}

// TestExpGapsShowTheExactSumRoundedDown compares each point with a sum kept in
// exact arithmetic.
func TestExpGapsShowTheExactSumRoundedDown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		num := rapid.Int64Range(1, 1e9).Draw(t, "num")
		den := rapid.Int64Range(1, 1e12).Draw(t, "den")
		g := NewExpGaps(Stream(seed), num, den)
		r, exact := Stream(seed), new(big.Float).SetPrec(300)
		lost := 0.0 // at most, by rounding to 53 bits
		for range 50 {
			gap := Exponential(r) * (float64(den) / float64(num))
			exact.Add(exact, new(big.Float).SetFloat64(gap))
			lost += (gap + 1) * 0x1p-53
			want, _ := exact.Int64()
			got := int64(g.Next())
			if got == want {
				continue
			}
			// Only a sum that close to a whole nanosecond may fall on its other side.
			require.LessOrEqual(t, max(got-want, want-got), int64(1))
			edge := new(big.Float).SetPrec(300).SetInt64(max(got, want))
			distance, _ := edge.Sub(edge, exact).Float64()
			require.LessOrEqual(t, math.Abs(distance), lost)
		}
	})
}

// TestExpGapsCountsArePoisson checks mean and variance of counts in windows.
func TestExpGapsCountsArePoisson(t *testing.T) {
	const windows, mean = 20_000, 10
	g := NewExpGaps(Stream(7), mean, 1000)
	counts := make([]float64, windows)
	for at := g.Next(); at < windows*1000; at = g.Next() {
		counts[at/1000]++
	}
	var sum, squares float64
	for _, c := range counts {
		sum += c
		squares += (c - mean) * (c - mean)
	}
	assert.InDelta(t, mean, sum/windows, 4*math.Sqrt(mean/float64(windows)))
	// Var((N-a)²) = a + 2a² for a Poisson N with mean a.
	assert.InDelta(t, mean, squares/windows, 4*math.Sqrt((mean+2*mean*mean)/float64(windows)))
}

func TestExpGapsSaturate(t *testing.T) {
	for name, den := range map[string]int64{"a gap that fits": math.MaxInt64 / 3, "a gap that does not": math.MaxInt64} {
		t.Run(name, func(t *testing.T) {
			g := NewExpGaps(Stream(1), 1, den)
			last := time.Duration(0)
			for range 200 {
				next := g.Next()
				require.GreaterOrEqual(t, next, last)
				last = next
			}
			assert.Equal(t, time.Duration(math.MaxInt64), last)
		})
	}
}

// TestExpGapsStayExactForCenturies starts near the end of time, where a float64
// sum would be off by half a microsecond.
func TestExpGapsStayExactForCenturies(t *testing.T) {
	const start = math.MaxInt64 - 1e12
	early, late := NewExpGaps(Stream(1), 1e9, 1e9), NewExpGaps(Stream(1), 1e9, 1e9)
	late.whole = start
	for range 10_000 {
		require.Equal(t, early.Next()+start, late.Next())
	}
}

func TestExpGapsRefuseARateThatIsNotPositive(t *testing.T) {
	assert.PanicsWithValue(t, "random: rate must be > 0, got 0 per 5 ns", func() { NewExpGaps(Stream(1), 0, 5) })
	assert.PanicsWithValue(t, "random: rate must be > 0, got 5 per -1 ns", func() { NewExpGaps(Stream(1), 5, -1) })
	for _, mean := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		assert.Panics(t, func() { NewExpGapsOfMean(Stream(1), mean) })
	}
}

func TestExpGapsOfAMeanAreThoseOfItsRate(t *testing.T) {
	rate, mean := NewExpGaps(Stream(1), 3, 1000), NewExpGapsOfMean(Stream(1), 1000.0/3)
	for range 100 {
		require.Equal(t, rate.Next(), mean.Next())
	}
}

func TestExpGapsDoNotAllocate(t *testing.T) {
	g := NewExpGaps(Stream(1), 1, 1000)
	assert.Zero(t, testing.AllocsPerRun(1000, func() { g.Next() }))
}
