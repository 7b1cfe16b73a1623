package metrics

import (
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// delays draws up to 300 delays of all magnitudes.
func delays() *rapid.Generator[[]time.Duration] {
	one := rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "ns") >> rapid.IntRange(0, 62).Draw(t, "shift"))
	})
	return rapid.SliceOfN(one, 0, 300)
}

func TestDelayAgreesWithSortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := delays().Draw(t, "delays")
		cut := rapid.IntRange(0, len(list)).Draw(t, "cut")
		var whole, first, second Delay
		sum := new(big.Int)
		for i, d := range list {
			whole.Add(d)
			if i < cut {
				first.Add(d)
			} else {
				second.Add(d)
			}
			sum.Add(sum, big.NewInt(int64(d)))
		}
		first.Merge(&second)
		assert.EqualValues(t, len(list), whole.N())
		for _, d := range []*Delay{&whole, &first} {
			if len(list) == 0 {
				assert.True(t, math.IsNaN(d.Mean()))
				continue
			}
			slices.Sort(list)
			mean, _ := new(big.Rat).SetFrac(sum, big.NewInt(int64(len(list))*1e9)).Float64()
			assert.InEpsilon(t, mean+1, d.Mean()+1, 1e-15)
			assert.Equal(t, list[len(list)-1], d.Max())
			for _, permille := range []int64{1, 10, 500, 900, 990, 999, 1000} {
				rank := int(math.Ceil(float64(permille) * float64(len(list)) / 1000))
				exact := list[rank-1]
				assert.LessOrEqual(t, (d.Quantile(permille) - exact).Abs(), exact/128, "permille %d: %d for %d", permille, d.Quantile(permille), exact)
			}
		}
		same(t, whole.Mean(), first.Mean())
		assert.Equal(t, whole.Quantile(500), first.Quantile(500))
	})
}

func TestDelayBelow256NanosecondsIsExact(t *testing.T) {
	var d Delay
	for ns := range time.Duration(256) {
		d.Add(ns)
	}
	assert.EqualValues(t, 127, d.Quantile(500))
	assert.EqualValues(t, 230, d.Quantile(900))
	assert.EqualValues(t, 255, d.Max())
}

func TestDelayOfOneValueIsThatValue(t *testing.T) {
	var d Delay
	d.Add(123456789)
	assert.EqualValues(t, 123456789, d.Quantile(500))
	assert.Equal(t, 0.123456789, d.Mean())
}

func TestDelaySumsBeyond64Bits(t *testing.T) {
	var d, other Delay
	for range 3 {
		d.Add(math.MaxInt64)
		other.Add(math.MaxInt64)
	}
	assert.Equal(t, float64(math.MaxInt64)/1e9, d.Mean())
	d.Merge(&other)
	assert.Equal(t, float64(math.MaxInt64)/1e9, d.Mean())
	other.Merge(&d)
	assert.Equal(t, float64(math.MaxInt64)/1e9, other.Mean())
}

func TestDelayRefusesNegative(t *testing.T) {
	var d Delay
	assert.PanicsWithValue(t, "metrics: delay must be >= 0, got -1ns", func() { d.Add(-1) })
}

func BenchmarkDelay(b *testing.B) {
	var d Delay
	b.ReportAllocs()
	for i := range b.N {
		d.Add(time.Duration(i&1023) * time.Millisecond)
	}
}
