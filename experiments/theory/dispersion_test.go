package theory

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestStreamsMadeToOrderHaveTheOrderedMeanAndDispersion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mean := rapid.Float64Range(0.1, 1000).Draw(t, "mean")
		window := rapid.Float64Range(0.01, 100).Draw(t, "T")
		idc := 1 + rapid.Float64Range(0.01, 50).Draw(t, "excess")
		check := func(s OnOff) {
			if math.Abs(s.MeanRate()/mean-1) > 1e-12 || math.Abs(s.Dispersion(window)/idc-1) > 1e-10 {
				t.Fatalf("%+v has mean rate %v and dispersion %v", s, s.MeanRate(), s.Dispersion(window))
			}
		}
		decay := rapid.Float64Range(0.001, 1000).Draw(t, "decay") / window
		s := OnOffWithDecay(mean, idc, window, decay)
		check(s)
		if math.Abs(s.Decay()/decay-1) > 1e-9 {
			t.Fatalf("%+v has decay %v", s, s.Decay())
		}
		duty := rapid.Float64Range(0.001, 0.999).Draw(t, "duty")
		s = OnOffWithDuty(mean, idc, window, duty)
		if bound := mean * window * (1 - duty) / duty; (idc-1 < bound) == math.IsNaN(s.Rate) {
			t.Fatalf("got %+v, although the largest dispersion is 1 + %v", s, bound)
		}
		if !math.IsNaN(s.Rate) {
			check(s)
			if math.Abs(s.Duty()/duty-1) > 1e-12 {
				t.Fatalf("%+v has duty %v", s, s.Duty())
			}
		}
	})
}

func TestEqualDispersionDoesNotFixTheCounterError(t *testing.T) {
	const mean, idc, window = 100, 6, 1
	quick, slow := OnOffWithDecay(mean, idc, window, 50), OnOffWithDecay(mean, idc, window, 0.5)
	assert.InDelta(t, quick.Dispersion(window), slow.Dispersion(window), 1e-12)
	assert.InDelta(t, quick.CountVariance(window), slow.CountVariance(window), 1e-9)
	assert.Greater(t, CounterErrorOnOffMeanVariance(quick, window), 1.5*CounterErrorOnOffMeanVariance(slow, window))
}

func TestDispersionAtItsLimits(t *testing.T) {
	s := OnOff{Rate: 50, On: 2, Off: 8}
	assert.InDelta(t, 1, s.Dispersion(1e-12), 1e-9)
	// Over long times 1 + 2λ₁(1-p)/γ.
	assert.InEpsilon(t, 1+2*50*0.8/s.Decay(), s.Dispersion(1e9), 1e-8)
	assert.Equal(t, 1.0, OnOff{Rate: 5, On: 1}.Dispersion(3))
	assert.Equal(t, 15.0, OnOff{Rate: 5, On: 1}.CountVariance(3))
}

func TestRampKeepsItsDigitsWhereTheClosedFormCancels(t *testing.T) {
	assert.Equal(t, 0.5, ramp(0))
	assert.InDelta(t, 0.5-1e-5/6, ramp(1e-5), 1e-11)
	assert.InDelta(t, ramp(math.Nextafter(0.5, 0)), ramp(0.5), 1e-15)
	assert.InDelta(t, 1/1e6, ramp(1e6), 1e-11)
	assert.Equal(t, 1.0, decline(0))
}

func TestTwoMoodsOfWhichOneIsSilentAreOnOff(t *testing.T) {
	s := OnOff{Rate: 50, On: 2, Off: 8}
	m := MMPP{Rates: []float64{50, 0}, Generator: [][]float64{{-0.5, 0.5}, {0.125, -0.125}}}
	for _, x := range []float64{0.01, 0.3, 1, 10, 1000} {
		assert.InEpsilon(t, s.Dispersion(x), m.Dispersion(x), 1e-9)
	}
	assert.InDelta(t, 1, MMPP{Rates: []float64{3, 3}, Generator: m.Generator}.Dispersion(2), 1e-9)
	assert.True(t, math.IsNaN(m.Dispersion(0)))
	assert.True(t, math.IsNaN(MMPP{}.Dispersion(1)))
	assert.True(t, math.IsNaN(MMPP{Rates: []float64{1}, Generator: [][]float64{{0, 0}}}.Dispersion(1)))
}

// Over a short time the rate stands still, and its variance is (high-low)²/12; over whole periods nothing varies.
func TestATriangleVariesWithinItsPeriodOnly(t *testing.T) {
	assert.InEpsilon(t, 1+80.0*80/12/60*1e-3, TriangleDispersion(20, 100, 10, 1e-3), 1e-6)
	for n := 1.0; n < 5; n++ {
		assert.InDelta(t, 1, TriangleDispersion(20, 100, 10, 10*n), 1e-9)
	}
	assert.Greater(t, TriangleDispersion(20, 100, 10, 4), 1.5)
	assert.Equal(t, 1.0, TriangleDispersion(7, 7, 10, 4))
	assert.True(t, math.IsNaN(TriangleDispersion(8, 7, 10, 4)))
}
