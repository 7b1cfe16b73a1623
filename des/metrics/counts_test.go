package metrics

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestCountsOfCosts(t *testing.T) {
	var c Counts
	c.Count(3, true)
	c.Count(1, true)
	c.Count(7, false)
	assert.Equal(t, Counts{Admitted: 2, Refused: 1, AdmittedCost: 4, RefusedCost: 7}, c)
	assert.EqualValues(t, 3, c.Offered())
	assert.EqualValues(t, 11, c.OfferedCost())
	assert.Equal(t, 2.0/3, c.AdmitShare())
	assert.Equal(t, 0.4, c.AdmittedRate(10*time.Second))
	assert.Equal(t, 4.0, c.AdmittedOverRate(10*time.Second, 1, 10*time.Second))
}

func TestAdmittedOverRateIsExactForSaturatedFleet(t *testing.T) {
	for servers := int64(1); servers <= 64; servers++ {
		const seconds = 1_000_003
		c := Counts{AdmittedCost: servers * 17 * seconds}
		assert.Equal(t, float64(servers), c.AdmittedOverRate(13*seconds*time.Second, 17, 13*time.Second))
	}
}

func TestNothingCountedIsNotZero(t *testing.T) {
	var c Counts
	assert.True(t, math.IsNaN(c.AdmitShare()))
	assert.True(t, math.IsNaN(c.AdmittedRate(0)))
	assert.True(t, math.IsNaN(c.AdmittedOverRate(time.Second, 0, time.Second)))
}

func TestSpanIsHalfOpen(t *testing.T) {
	s := Span{1, 3}
	assert.False(t, s.Contains(0))
	assert.True(t, s.Contains(1))
	assert.True(t, s.Contains(2))
	assert.False(t, s.Contains(3))
	assert.EqualValues(t, 2, s.Length())
	assert.Zero(t, Span{3, 1}.Length())
}

func TestFloorEdgeBeforeZero(t *testing.T) {
	for at, edge := range map[time.Duration]time.Duration{-11: -20, -10: -10, -1: -10, 0: 0, 9: 0, 10: 10} {
		assert.Equal(t, edge, floorEdge(at, 10), "%d", at)
	}
}
