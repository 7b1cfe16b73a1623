package metrics

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestCompareAgreesWithRecount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const keys = 3
		list := admissions(keys).Draw(t, "arrivals")
		window := time.Duration(rapid.Int64Range(1, 60).Draw(t, "window"))
		limit := rapid.Int64Range(0, 10).Draw(t, "limit")
		start := time.Duration(rapid.Int64Range(-60, 100).Draw(t, "start"))
		span := Span{start, start + time.Duration(rapid.Int64Range(0, 400).Draw(t, "length"))}

		c := NewCompare(limit, window, span)
		var own []admission
		var offered, differ, ownCost, logCost, falseRefusals, falseAdmissions float64
		for _, a := range list {
			ownSays, logSays := rapid.Bool().Draw(t, "own"), rapid.Bool().Draw(t, "log")
			c.Decide(a.at, a.key, a.cost, ownSays, logSays)
			fits := costIn(own, a.key, a.at-window+1, a.at+1)+a.cost <= limit
			if ownSays {
				own = append(own, a)
			}
			if !span.Contains(a.at) {
				continue
			}
			offered++
			if ownSays != logSays {
				differ++
			}
			if ownSays {
				ownCost += float64(a.cost)
			}
			if logSays {
				logCost += float64(a.cost)
			}
			if !ownSays && fits {
				falseRefusals++
			}
			if ownSays && !fits {
				falseAdmissions++
			}
		}
		if logCost == 0 {
			assert.True(t, math.IsNaN(c.ThroughputDeficit()))
		} else {
			assert.Equal(t, (logCost-ownCost)/logCost, c.ThroughputDeficit())
		}
		same(t, differ/offered, c.DecisionsDiffer())
		same(t, falseRefusals/offered, c.FalseRefusals())
		same(t, falseAdmissions/offered, c.FalseAdmissions())
		assert.False(t, c.Sampled())
	})
}

func TestCompareOfAnExactLogWithItself(t *testing.T) {
	c := NewCompare(2, time.Second, Span{0, time.Minute})
	for i, admitted := range []bool{true, true, false, true, true, false} {
		c.Decide(time.Duration(i/3)*time.Second, 0, 1, admitted, admitted)
	}
	assert.Zero(t, c.FalseRefusals())
	assert.Zero(t, c.FalseAdmissions())
	assert.Zero(t, c.ThroughputDeficit())
	assert.Zero(t, c.DecisionsDiffer())
}

func TestCompareOfTooManyKeysJudgesThoseItFollows(t *testing.T) {
	c := NewCompare(1, time.Second, Span{0, time.Minute})
	for key := range uint32(2 * MostKeys) {
		c.Decide(0, key, 1, false, true)
	}
	assert.True(t, c.Sampled())
	assert.Equal(t, 1.0, c.FalseRefusals())
	assert.Equal(t, 1.0, c.DecisionsDiffer())
	assert.Equal(t, 1.0, c.ThroughputDeficit())
}

func BenchmarkCompare(b *testing.B) {
	c := NewCompare(100, time.Second, Span{0, math.MaxInt64})
	b.ReportAllocs()
	for i := range b.N {
		c.Decide(time.Duration(i)*10*time.Millisecond, 0, 1, i&3 != 0, i&7 != 0)
	}
}
