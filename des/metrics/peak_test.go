package metrics

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestAPeakIsOfAnySecondOrOfTheClocks(t *testing.T) {
	p := NewPeak()
	assert.True(t, math.IsNaN(p.OverMean(time.Minute)))
	for _, ms := range []time.Duration{0, 900, 950, 1000, 1899, 1900, 5000} {
		p.Add(ms * time.Millisecond)
	}
	assert.EqualValues(t, 7, p.N())
	assert.EqualValues(t, 4, p.Any(), "of 900, 950, 1000 and 1899; 1900 is a second after the first")
	assert.EqualValues(t, 3, p.Aligned(), "of 0, 900 and 950, or from 1 s on")
	assert.Equal(t, 3/0.7, p.OverMean(10*time.Second))
}

func TestAPeakIsWhatCountingFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gaps := rapid.SliceOfN(rapid.IntRange(0, 1200), 1, 40).Draw(t, "gaps in ms")
		var at []time.Duration
		now := time.Duration(0)
		p := NewPeak()
		for _, g := range gaps {
			now += time.Duration(g) * time.Millisecond
			at = append(at, now)
			p.Add(now)
		}
		most, aligned := int64(0), int64(0)
		for _, from := range at {
			n, k := int64(0), int64(0)
			for _, x := range at {
				if from <= x && x < from+time.Second {
					n++
				}
				if x/time.Second == from/time.Second {
					k++
				}
			}
			most, aligned = max(most, n), max(aligned, k)
		}
		assert.Equal(t, most, p.Any())
		assert.Equal(t, aligned, p.Aligned())
	})
}
