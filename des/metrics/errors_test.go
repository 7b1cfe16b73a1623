package metrics

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestErrorsAgreeWithSortedList(t *testing.T) {
	value := rapid.Float64Range(-1e6, 1e6)
	near := rapid.Float64Range(-3, 3)
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.OneOf(value, near, rapid.Just(0.0)), 1, 300).Draw(t, "errors")
		cut := rapid.IntRange(0, len(list)).Draw(t, "cut")
		var whole, first, second Errors
		var sum, abs, squares big.Rat
		for i, x := range list {
			whole.Add(x)
			if i < cut {
				first.Add(x)
			} else {
				second.Add(x)
			}
			exact := new(big.Rat).SetFloat64(x)
			sum.Add(&sum, exact)
			abs.Add(&abs, new(big.Rat).Abs(exact))
			squares.Add(&squares, new(big.Rat).Mul(exact, exact))
		}
		first.Merge(&second)
		over := func(r *big.Rat) float64 {
			f, _ := new(big.Rat).Quo(r, big.NewRat(int64(len(list)), 1)).Float64()
			return f
		}
		slices.Sort(list)
		for _, e := range []*Errors{&whole, &first} {
			assert.EqualValues(t, len(list), e.N())
			close(t, over(&sum), e.Mean(), 1e-15)
			close(t, over(&abs), e.MeanAbs(), 1e-15)
			close(t, math.Sqrt(over(&squares)), e.RMS(), 1e-15)
			assert.Equal(t, list[0], e.Min())
			assert.Equal(t, list[len(list)-1], e.Max())
			for _, permille := range []int64{10, 50, 500, 950, 990, 1000} {
				exact := list[int(math.Ceil(float64(permille)*float64(len(list))/1000))-1]
				assert.InDelta(t, exact, e.Quantile(permille), math.Abs(exact)/128+0x1p-16, "permille %d", permille)
			}
		}
	})
}

// close asserts a relative error, or an absolute one far below any rounding of
// sums of the magnitudes here.
func close(t assert.TestingT, expected, actual, relative float64) {
	assert.InDelta(t, expected, actual, relative*math.Abs(expected)+1e-22)
}

func TestErrorsCancelExactly(t *testing.T) {
	var e Errors
	for range 1000 {
		e.Add(1e6)
		e.Add(0.1)
		e.Add(-1e6)
		e.Add(-0.1)
	}
	assert.Zero(t, e.Mean())
}

func TestErrorsOfNothingAreNotZero(t *testing.T) {
	var e Errors
	e.Statistics("error_closed", func(name string, value float64) {
		assert.True(t, math.IsNaN(value), name)
	})
	e.Merge(&Errors{})
	assert.Zero(t, e.N())
}

func TestErrorsBeyondTheHistogramStayInOrder(t *testing.T) {
	var e Errors
	e.Add(-1e30)
	e.Add(1)
	e.Add(1e30)
	assert.Equal(t, 1.0, math.Round(e.Quantile(500)))
	assert.Equal(t, -1e30, e.Min())
	assert.Equal(t, 1e30, e.Max())
}

func BenchmarkErrors(b *testing.B) {
	var e Errors
	b.ReportAllocs()
	for i := range b.N {
		e.Add(float64(i&1023-512) / 16)
	}
}

func TestErrorsQuantileIsNeverMinusZero(t *testing.T) {
	var e Errors
	e.Add(-1e-9)
	e.Add(1)
	assert.False(t, math.Signbit(e.Quantile(500)))
}
