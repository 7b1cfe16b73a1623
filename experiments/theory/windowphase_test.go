package theory

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBurstsByWhereWindowsBegin(t *testing.T) {
	for _, test := range []struct {
		origin Origin
		times  []float64
		passed []bool
	}{
		{OriginEpoch, []float64{0.5, 1.25}, []bool{true, true}},
		{OriginEpoch, []float64{0, 0.75}, []bool{true, false}},
		{OriginEpoch, []float64{0.5, 2, 2.75}, []bool{true, true, false}},
		{OriginCreation, []float64{0.5, 1.25}, []bool{true, false}},
		{OriginCreation, []float64{0.5, 1.5}, []bool{true, true}},
		{OriginCreation, []float64{0.5, 2, 2.75}, []bool{true, true, true}},
		{OriginFirst, []float64{0.5, 1.25}, []bool{true, false}},
		{OriginFirst, []float64{0.5, 1.5, 2.25}, []bool{true, true, false}},
		{OriginFirst, []float64{0.5, 2, 2.75, 3}, []bool{true, true, false, true}},
	} {
		assert.Equal(t, test.passed, WindowBursts(test.origin, test.times...), "%v %v", test.origin, test.times)
	}
}

func TestWindowsThatOpenWithARequest(t *testing.T) {
	for _, a := range []float64{0.3, 1, 4} {
		assert.InEpsilon(t, OneTokenAdmitShare(a), FirstWindowAdmitShare(a, 1), 1e-14, "one place, as the meter of one token")
		assert.Less(t, FirstWindowAdmitShare(a, 1), FixedWindowAdmitShare(a, 1))
	}
	assert.InEpsilon(t, 1, FirstWindowAdmitShare(5, 100), 1e-12)
	assert.InEpsilon(t, FixedWindowAdmitShare(2000, 1000), FirstWindowAdmitShare(2000, 1000), 1e-3)
}

func TestPartsOfAWindowAddUpToIt(t *testing.T) {
	sum := 0.0
	for i := range 10 {
		sum += FixedWindowPartShare(10, 5, float64(i)/10, float64(i+1)/10) / 10
	}
	assert.InEpsilon(t, FixedWindowAdmitShare(10, 5), sum, 1e-12)
	assert.InEpsilon(t, poissonLower(5, 4), FixedWindowPartShare(10, 5, 0.4999, 0.5001), 1e-6, "P(fewer than 5 of 5)")
	for _, v := range []float64{FirstWindowAdmitShare(0, 1), FirstWindowAdmitShare(1, 0), FixedWindowPartShare(1, 1, 0.5, 0.5), FixedWindowPartShare(1, 0, 0, 1)} {
		assert.True(t, math.IsNaN(v))
	}
}
