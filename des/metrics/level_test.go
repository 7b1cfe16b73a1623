package metrics

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// TestLevelAgreesWithEveryNanosecond walks buckets whose levels are whole
// multiples of what they gain in a nanosecond, so that every kink lies on one.
func TestLevelAgreesWithEveryNanosecond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := float64(rapid.IntRange(0, 12).Draw(t, "capacity"))
		gain := rapid.SampledFrom([]float64{0, 0.25, 0.5, 1}).Draw(t, "gain")
		quantum := gain
		if gain == 0 {
			quantum = 0.25
		}
		span := Span{End: time.Duration(rapid.Int64Range(1, 150).Draw(t, "end"))}
		span.Start = time.Duration(rapid.Int64Range(0, int64(span.End)-1).Draw(t, "start"))
		l := NewLevel(capacity, gain*1e9, span)
		if gain == 0 && rapid.Bool().Draw(t, "stepped") {
			l = NewSteppedLevel(capacity, span)
		}

		low, high := math.Inf(1), math.Inf(-1)
		visit := func(at time.Duration, level float64) {
			if span.Contains(at) {
				low, high = min(low, level), max(high, level)
			}
		}
		var integral, full float64 // over the span
		level := capacity
		l.Observe(0, level)
		visit(0, level)
		for at := range span.End + 20 {
			for rapid.IntRange(0, 3).Draw(t, "decide") == 0 {
				level = min(capacity, level-quantum*float64(rapid.IntRange(-4, 8).Draw(t, "spent")))
				l.Observe(at, level)
				visit(at, level)
			}
			before := level
			level = min(capacity, level+gain)
			if span.Contains(at) {
				visit(at, before)
				visit(at, level) // reached, if only as a limit
				integral += (before + level) / 2
				if before == capacity {
					full++
				}
			}
		}
		l.Finish()
		mean := l.Mean()
		l.Finish()
		assert.Equal(t, mean, l.Mean(), "finished twice")
		length := float64(span.Length())
		assert.InDelta(t, integral/length, l.Mean(), 1e-12)
		assert.InDelta(t, full/length, l.FullShare(), 1e-12)
		assert.Equal(t, low, l.Min())
		assert.Equal(t, high, l.Max())
	})
}

// TestLevelIdentity is the law of any bucket that starts full: what is admitted
// is what it started with, less what it ends with, plus the refill of the time
// in which it was not full.
func TestLevelIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const rate, capacity = 3.0, 5.0
		end := time.Duration(0)
		level, admitted := capacity, 0.0
		gaps := rapid.SliceOfN(rapid.Int64Range(0, int64(2*time.Second)), 1, 100).Draw(t, "gaps")
		for _, gap := range gaps {
			end += time.Duration(gap)
		}
		end++
		l := NewLevel(capacity, rate, Span{End: end})
		l.Observe(0, level)
		at := time.Duration(0)
		for _, gap := range gaps {
			at += time.Duration(gap)
			if level = min(capacity, level+rate*float64(gap)/1e9); level >= 1 {
				level--
				admitted++
			}
			l.Observe(at, level)
		}
		l.Finish()
		level = min(capacity, level+rate/1e9)
		refilled := rate * (1 - l.FullShare()) * end.Seconds()
		assert.InDelta(t, admitted, capacity-level+refilled, 1e-9)
	})
}

func TestLevelBeforeTheSpanIsCarriedIntoIt(t *testing.T) {
	l := NewLevel(10, 1, Span{4 * time.Second, 8 * time.Second})
	l.Observe(0, 0)
	l.Finish()
	assert.Equal(t, 4.0, l.Min())
	assert.Equal(t, 8.0, l.Max())
	assert.Equal(t, 6.0, l.Mean())
	assert.Zero(t, l.FullShare())
}

func TestLevelsMergeToTheMeanOverBuckets(t *testing.T) {
	span := Span{End: 2 * time.Second}
	full, empty := NewLevel(4, 1, span), NewLevel(4, 1, span)
	full.Observe(0, 4)
	empty.Observe(0, 0)
	full.Finish()
	empty.Finish()
	full.Merge(empty)
	full.Merge(NewLevel(4, 1, span))
	assert.Equal(t, 0.0, full.Min())
	assert.Equal(t, 4.0, full.Max())
	assert.Equal(t, 2.5, full.Mean())
	assert.Equal(t, 0.5, full.FullShare())
}

func TestLevelNeverSeenIsNotZero(t *testing.T) {
	l := NewLevel(4, 1, Span{End: time.Second})
	l.Finish()
	l.Statistics("level", func(name string, value float64) {
		assert.True(t, math.IsNaN(value), name)
	})
}

func TestLevelFillsWithinANanosecond(t *testing.T) {
	l := NewLevel(3, 2e9, Span{End: 2}) // full after 1.5 ns
	l.Observe(0, 0)
	l.Observe(1, 2)
	l.Finish()
	assert.Equal(t, 0.25, l.FullShare())
	assert.Equal(t, (1.0+0.5*2.5+0.5*3)/2, l.Mean())

	short := NewLevel(3, 2e9, Span{End: 1})
	short.Observe(0, 0)
	short.Finish()
	assert.Zero(t, short.FullShare())
	assert.Equal(t, 1.0, short.Mean())
	assert.Equal(t, 2.0, short.Max())
}

func BenchmarkLevel(b *testing.B) {
	l := NewLevel(100, 10, Span{End: math.MaxInt64})
	b.ReportAllocs()
	for i := range b.N {
		l.Observe(time.Duration(i)*100*time.Millisecond, float64(i&63))
	}
}
