package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// admission is a request that was let through.
type admission struct {
	at   time.Duration
	key  uint32
	cost int64
}

// admissions draws up to 60 of them, in time order with ties, from before 0 on.
func admissions(keys uint32) *rapid.Generator[[]admission] {
	return rapid.Custom(func(t *rapid.T) []admission {
		at := time.Duration(rapid.Int64Range(-50, 50).Draw(t, "start"))
		list := make([]admission, rapid.IntRange(0, 60).Draw(t, "n"))
		for i := range list {
			at += time.Duration(rapid.SampledFrom([]int64{0, 0, 1, 2, 3, 10, 40}).Draw(t, "gap"))
			list[i] = admission{at, rapid.Uint32Range(0, keys-1).Draw(t, "key"), rapid.Int64Range(1, 5).Draw(t, "cost")}
		}
		return list
	})
}

// costIn sums what one key was admitted in [from, to).
func costIn(list []admission, key uint32, from, to time.Duration) (sum int64) {
	for _, a := range list {
		if a.key == key && from <= a.at && a.at < to {
			sum += a.cost
		}
	}
	return sum
}

func TestWindowIsTheLargestOverAllIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const keys = 3
		list := admissions(keys).Draw(t, "admissions")
		w := time.Duration(rapid.Int64Range(1, 60).Draw(t, "w"))

		one, all := NewWindow(w, 7), NewWindows(w, 7)
		for _, a := range list {
			if a.key == 0 {
				one.Admit(a.at, a.cost)
			}
			all.Admit(a.at, a.key, a.cost)
		}
		var most [keys]int64
		if len(list) > 0 {
			for s := list[0].at - w; s <= list[len(list)-1].at; s++ {
				for key := range most {
					most[key] = max(most[key], costIn(list, uint32(key), s, s+w))
				}
			}
		}
		assert.Equal(t, most[0], one.Max())
		assert.Equal(t, max(most[0], most[1], most[2]), all.Max())
		assert.Equal(t, float64(most[0])/7, one.Overshoot())
		assert.False(t, all.Sampled())
		assert.LessOrEqual(t, uint(len(one.trail.ring)), uint(2*len(list)+8))
	})
}

func TestWindowIsHalfOpen(t *testing.T) {
	v := NewWindow(time.Second, 1)
	v.Admit(0, 1)
	v.Admit(time.Second, 1)
	assert.EqualValues(t, 1, v.Max(), "two requests exactly w apart share no half-open interval")
	v.Admit(2*time.Second-1, 1)
	assert.EqualValues(t, 2, v.Max())
	assert.Equal(t, 2.0, v.Overshoot())
}

func TestOvershootOfPromiseZeroIsNotANumber(t *testing.T) {
	assert.True(t, math.IsNaN(NewWindow(1, 0).Overshoot()))
}

func TestWindowMemoryIsBoundedByOneWindow(t *testing.T) {
	v := NewWindow(100, 1)
	for i := range time.Duration(100_000) {
		v.Admit(10*i, 1)
		v.Admit(10*i, 1)
	}
	assert.EqualValues(t, 20, v.Max())
	assert.Len(t, v.trail.ring, 16)
}

func TestWindowsFollowTheFirstKeysAndSaySo(t *testing.T) {
	v := NewWindows(time.Second, 1)
	for key := range uint32(MostKeys) {
		v.Admit(0, key<<16, 1) // most of them beyond the dense keys
	}
	assert.False(t, v.Sampled())
	v.Admit(0, 1, 50)
	v.Admit(0, MostKeys<<16, 51)
	assert.True(t, v.Sampled())
	assert.EqualValues(t, 101, v.Missed())
	assert.EqualValues(t, 1, v.Max())
	v.Admit(0, 9999<<16, 1)
	assert.EqualValues(t, 2, v.Max())
}

func TestNewWindowRefusesAnEmptyWindow(t *testing.T) {
	assert.PanicsWithValue(t, "metrics: window must be > 0, got 0s", func() { NewWindow(0, 1) })
	assert.Panics(t, func() { NewWindows(-1, 1) })
	assert.Panics(t, func() { NewPages(0, 1, Span{}) })
	assert.Panics(t, func() { NewKeyedPages(0, 1, Span{}) })
	assert.Panics(t, func() { NewCompare(1, 0, Span{}) })
	assert.Panics(t, func() { NewClosedErrors(0, Span{}) })
	assert.Panics(t, func() { NewOpenErrors(1, Span{}, 0, rand.New(rand.NewPCG(1, 1))) })
}

func BenchmarkWindow(b *testing.B) {
	v := NewWindow(time.Second, 100)
	b.ReportAllocs()
	for i := range b.N {
		v.Admit(time.Duration(i)*10*time.Millisecond, 1)
	}
}

func BenchmarkWindowsOfOneKey(b *testing.B) {
	v := NewWindows(time.Second, 100)
	b.ReportAllocs()
	for i := range b.N {
		v.Admit(time.Duration(i)*10*time.Millisecond, 0, 1)
	}
}

func BenchmarkWindowsOfThousandKeys(b *testing.B) {
	v := NewWindows(time.Second, 100)
	b.ReportAllocs()
	for i := range b.N {
		v.Admit(time.Duration(i)*10*time.Microsecond, uint32(i)&1023, 1)
	}
}
