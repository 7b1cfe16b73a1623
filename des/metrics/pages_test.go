package metrics

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestPagesCountEveryWholeWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const keys = 3
		list := admissions(keys).Draw(t, "admissions")
		w := time.Duration(rapid.Int64Range(1, 60).Draw(t, "w"))
		promise := rapid.Int64Range(0, 8).Draw(t, "promise")
		start := time.Duration(rapid.Int64Range(-100, 100).Draw(t, "start"))
		span := Span{start, start + time.Duration(rapid.Int64Range(-10, 400).Draw(t, "length"))}

		one, all := NewPages(w, promise, span), NewKeyedPages(w, promise, span)
		for _, a := range list {
			if a.key == 0 {
				one.Admit(a.at, a.cost)
			}
			all.Admit(a.at, a.key, a.cost)
			_, _ = one.ExcessMean(), all.ExcessShare() // reading changes nothing
		}

		var windows, mostExcess, mostAbove int64
		for key := range uint32(keys) {
			windows = 0
			var excess, above int64
			for k := time.Duration(-1000); k*w < span.End; k++ {
				if k*w < span.Start || (k+1)*w > span.End {
					continue
				}
				windows++
				if over := costIn(list, key, k*w, (k+1)*w) - promise; over > 0 {
					excess += over
					above++
				}
			}
			mostExcess, mostAbove = max(mostExcess, excess), max(mostAbove, above)
			if key == 0 {
				same(t, float64(excess)/float64(windows), one.ExcessMean())
				same(t, float64(above)/float64(windows), one.ExcessShare())
			}
		}
		assert.Equal(t, windows, one.Windows())
		assert.Equal(t, windows, all.Windows())
		same(t, float64(mostExcess)/float64(windows), all.ExcessMean())
		same(t, float64(mostAbove)/float64(windows), all.ExcessShare())
		assert.False(t, all.Sampled())
	})
}

// same asserts equality, in which NaN equals itself.
func same(t assert.TestingT, expected, actual float64) {
	if math.IsNaN(expected) && math.IsNaN(actual) {
		return
	}
	assert.Equal(t, expected, actual)
}

func TestPagesOfTwoKeysTakeMeanAndShareFromDifferentKeys(t *testing.T) {
	p := NewKeyedPages(time.Second, 1, Span{0, 4 * time.Second})
	p.Admit(0, 1, 10)              // key 1: 9 above once
	p.Admit(0, 2, 2)               // key 2: 1 above twice
	p.Admit(2*time.Second, 2, 2)   //
	p.Admit(4*time.Second-1, 3, 1) // key 3: never above
	assert.Equal(t, 9.0/4, p.ExcessMean())
	assert.Equal(t, 2.0/4, p.ExcessShare())
}

func TestPagesAtTheEndsOfTime(t *testing.T) {
	p := NewPages(24*time.Hour, 1, Span{0, math.MaxInt64})
	p.Admit(math.MaxInt64-25*time.Hour, 3)
	assert.EqualValues(t, math.MaxInt64/(24*time.Hour), p.Windows())
	late := NewPages(24*time.Hour, 1, Span{math.MaxInt64 - 1, math.MaxInt64})
	late.Admit(math.MaxInt64-1, 3)
	assert.Zero(t, late.Windows())
	assert.True(t, math.IsNaN(late.ExcessMean()))
}

func BenchmarkPages(b *testing.B) {
	p := NewPages(time.Second, 100, Span{0, math.MaxInt64})
	b.ReportAllocs()
	for i := range b.N {
		p.Admit(time.Duration(i)*10*time.Millisecond, 1)
	}
}
