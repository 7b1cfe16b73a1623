package theory

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// streams of different burstiness, T = 1 s.
var (
	fastSwitch = OnOff{Rate: 200, On: 0.5, Off: 0.5}
	rareBursts = OnOff{Rate: 200, On: 5.0 / 9, Off: 5} // a tenth of the time on, γ = 2
	slowSwitch = OnOff{Rate: 40, On: 3, Off: 6}
)

func TestCounterErrorOfOneBurst(t *testing.T) {
	for _, x := range []float64{0, 0.2, 0.5, 0.9, 1} {
		mean, abs := 0.0, 0.0
		const points = 1000
		for i := range points {
			f := (float64(i) + 0.5) / points
			e := CounterErrorBurst(f, x)
			least, greatest := CounterErrorBounds(f, 1)
			assert.True(t, e == least || e == greatest, "a burst is as wrong as it can be")
			mean += e / points
			abs += math.Abs(e) / points
		}
		assert.InDelta(t, mean, CounterErrorBurstMean(x), 1e-9)
		assert.InDelta(t, abs, CounterErrorBurstMeanAbs(x), 1e-9)
	}
	least, greatest := CounterErrorBounds(0.25, 80)
	assert.Equal(t, -20.0, least)
	assert.Equal(t, 60.0, greatest)
}

func TestPoissonCounterErrorAgreesWithSimulation(t *testing.T) {
	for _, a := range []float64{0.7, 3, 27} {
		var square, abs, absAt []float64
		rng := rand.New(rand.NewPCG(2, uint64(a)))
		for range 20_000 {
			f := rng.Float64()
			early, late := float64(poissonDraw(rng, a*f)), float64(poissonDraw(rng, a*(1-f)))
			e := (1-f)*early - f*late
			square = append(square, e*e)
			abs = append(abs, math.Abs(e))
			early, late = float64(poissonDraw(rng, a*0.3)), float64(poissonDraw(rng, a*0.7))
			absAt = append(absAt, math.Abs(0.7*early-0.3*late))
		}
		rms := CounterErrorPoissonRMS(a)
		assertMean(t, rms*rms, square, "mean square", a)
		assertMean(t, CounterErrorPoissonMeanAbs(a), abs, "mean absolute", a)
		assertMean(t, CounterErrorPoissonMeanAbsAt(a, 0.3), absAt, "mean absolute at 0.3", a)
	}
}

func TestMeanAbsoluteErrorIsTheIntegralOverThePosition(t *testing.T) {
	for _, a := range []float64{0.05, 0.7, 3, 27} {
		const points = 5_000
		sum := 0.0
		for i := range points {
			sum += CounterErrorPoissonMeanAbsAt(a, (float64(i)+0.5)/points)
		}
		assert.InEpsilon(t, sum/points, CounterErrorPoissonMeanAbs(a), 1e-5, "a=%v", a)
	}
	// At a small mean count there is one arrival or none: |error| is 1-f or f, so 2f(1-f) on average.
	assert.InEpsilon(t, 1e-6/3, CounterErrorPoissonMeanAbs(1e-6), 1e-5)
}

func TestNormalApproximationOfTheMeanAbsoluteError(t *testing.T) {
	tooHigh := func(a float64) float64 { return CounterErrorPoissonMeanAbsNormal(a)/CounterErrorPoissonMeanAbs(a) - 1 }
	assert.InDelta(t, 0.236, tooHigh(1), 5e-4)
	for _, a := range []float64{10, 27, 100} {
		assert.InDelta(t, 0.045, a*tooHigh(a), 0.01, "a=%v", a)
	}
	assert.InDelta(t, 0.3133, CounterErrorPoissonMeanAbsNormal(1), 5e-5)
	assert.InDelta(t, 0.06, CounterErrorPoissonMeanAbs(27)/27, 5e-4, "the published 6 %% is what Poisson gives at a = 27")
}

func TestOnOffVarianceAsPublished(t *testing.T) {
	for f, want := range map[float64]float64{0.25: 296.78, 0.5: 500.95, 0.9: 76.97} {
		assert.InDelta(t, want, CounterErrorOnOffVariance(OnOff{Rate: 200, On: 0.5, Off: 0.5}, 1, f), 0.006)
	}
}

func TestOnOffErrorAgreesWithSimulation(t *testing.T) {
	for _, s := range []OnOff{fastSwitch, rareBursts, slowSwitch} {
		const windows, replications = 40, 250
		var count, countSquare, mean, square, squareAt, atArrivals, nearMiddle []float64
		for rep := range replications {
			rng := rand.New(rand.NewPCG(3, uint64(rep)))
			at := onOffArrivals(rng, s, windows)
			var sum, sumSquare, sumSquareAt, sumArrivals, sumMiddle float64
			for w := 1; w < windows; w++ {
				e := estimateError(at, float64(w)+rng.Float64())
				sum += e
				sumSquare += e * e
				e = estimateError(at, float64(w)+0.25)
				sumSquareAt += e * e
			}
			for _, t := range at {
				if t < 1 {
					continue
				}
				e := estimateError(at, t)
				sumArrivals += e
				if f := t - math.Floor(t); f > 0.45 && f < 0.55 {
					sumMiddle += e
				}
			}
			n := between(at, 3, 5)
			count = append(count, n)
			countSquare = append(countSquare, (n-s.CountMean(2))*(n-s.CountMean(2)))
			mean = append(mean, sum/(windows-1))
			square = append(square, sumSquare/(windows-1))
			squareAt = append(squareAt, sumSquareAt/(windows-1))
			atArrivals = append(atArrivals, sumArrivals/(windows-1))
			nearMiddle = append(nearMiddle, sumMiddle/(windows-1))
		}
		a := s.CountMean(1)
		assertMean(t, s.CountMean(2), count, "count", s)
		assertMean(t, s.CountVariance(2), countSquare, "count variance", s)
		assertMean(t, 0, mean, "mean at random instants", s)
		assertMean(t, CounterErrorOnOffMeanVariance(s, 1), square, "mean square at random instants", s)
		assertMean(t, CounterErrorOnOffVariance(s, 1, 0.25), squareAt, "variance at 0.25", s)
		// A sum over the arrivals of a window: a of them on average, each with a mean error of a·bias.
		assertMean(t, a*a*CounterErrorOnOffArrivalBias(s, 1), atArrivals, "mean at arrivals", s)
		middle := integral(func(f float64) float64 { return CounterErrorOnOffArrivalBiasAt(s, 1, f) }, 0.45, 0.55)
		assertMean(t, a*a*middle, nearMiddle, "mean at arrivals near the middle", s)
	}
}

func TestOnOffBiasAtArrivalsAsPublished(t *testing.T) {
	assert.InDelta(t, -0.23, CounterErrorOnOffArrivalBias(rareBursts, 1), 0.005)
	assert.Zero(t, CounterErrorOnOffArrivalBias(OnOff{Rate: 5, On: 1}, 1), "Poisson arrivals see time averages")
}

// Closed form and quadrature meet where one takes over from the other, and both are the integral of their integrand.
func TestOnOffAveragesAreTheIntegralsOverThePosition(t *testing.T) {
	for _, x := range []float64{1e-9, 0.01, 0.6, 7.99, 8, 8.01, 40, 3000} {
		const points = 20_000
		variance, bias := 0.0, 0.0
		for i := range points {
			f := (float64(i) + 0.5) / points
			variance += burstVariance(x, f) / points
			bias += arrivalBiasAt(x, f) / points
		}
		assert.InEpsilon(t, variance, burstMeanVariance(x), 1e-5, "variance, γT=%v", x)
		assert.InEpsilon(t, bias, arrivalBias(x), 1e-3, "bias, γT=%v", x)
	}
}

func TestOnOffVarianceTendsToPoissonAsSwitchingBecomesFast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64Range(0.001, 0.999).Draw(t, "f")
		mean := rapid.Float64Range(1, 1000).Draw(t, "mean")
		duty := rapid.Float64Range(0.05, 0.95).Draw(t, "duty")
		s := onOff(mean, duty, 1e9)
		poisson := CounterErrorPoissonVariance(mean, f)
		if got := CounterErrorOnOffVariance(s, 1, f); got < poisson || got > poisson*(1+1e-3) {
			t.Fatalf("variance %v, Poisson %v", got, poisson)
		}
		slow := onOff(mean, duty, 2)
		if CounterErrorOnOffVariance(slow, 1, f) < poisson {
			t.Fatal("bursts make the error smaller than under Poisson arrivals")
		}
		if got, mirror := CounterErrorOnOffVariance(slow, 1, f), CounterErrorOnOffVariance(slow, 1, 1-f); math.Abs(got-mirror) > 1e-9*got {
			t.Fatalf("not symmetric: %v at f, %v at 1-f", got, mirror)
		}
	})
}

func TestCounterErrorMeanSquareHasTheClosedFormsAsCases(t *testing.T) {
	const T = 3.0
	assert.InDelta(t, 30.0/6, CounterErrorMeanSquare(func(s float64) float64 { return 10 * s }, T), 1e-12, "Poisson")
	for _, decay := range []float64{0.05, 1, 20} {
		s := OnOffWithDecay(20, 5, T, decay)
		assert.InEpsilon(t, CounterErrorOnOffMeanVariance(s, T), CounterErrorMeanSquare(s.CountVariance, T), 1e-9, "decay %v", decay)
	}
	// A burst of one at a random place of every second window: its square is f² until it is a window old and then (1-f)².
	train := func(s float64) float64 { return s / (2 * T) * (1 - s/(2*T)) }
	assert.InDelta(t, 1.0/12, CounterErrorMeanSquare(train, T), 1e-12)
	assert.True(t, math.IsNaN(CounterErrorMeanSquare(train, 0)))
}

func TestCounterErrorPairIsTheKernelOfTheMeanSquare(t *testing.T) {
	// Two arrivals a lag apart, alone in the world: the square is averaged over where windows begin.
	square := func(lag float64) (sum float64) {
		const n = 300
		for i := range n {
			phase := (float64(i) + 0.5) / n // of the first
			for k := range 4 * n {
				at := (float64(k)+0.5)/n - phase // after the first; windows begin at whole numbers - phase
				sum += counterErrorOf([]float64{0, lag}, at, phase) * counterErrorOf([]float64{0, lag}, at, phase) / n / n
			}
		}
		return sum
	}
	for _, lag := range []float64{0, 0.1, 0.25, CounterErrorTurn, 0.5, 0.8, 1, 1.3} {
		assert.InDelta(t, 2.0/6+CounterErrorPair(lag), square(lag), 0.005, "lag %v", lag)
	}
	assert.Positive(t, CounterErrorPair(CounterErrorTurn-1e-6))
	assert.Negative(t, CounterErrorPair(CounterErrorTurn+1e-6))
	assert.True(t, math.IsNaN(CounterErrorPair(-1)))
}

func TestCounterErrorPairAtArrivalIsTheMeanOverPhases(t *testing.T) {
	for _, lag := range []float64{0, 0.1, 0.5, 0.9, 1, 1.4, 1.9, 2, 2.5} {
		const n = 10_000
		sum := 0.0
		for i := range n {
			sum += counterErrorOf([]float64{0}, lag, (float64(i)+0.5)/n) / n
		}
		assert.InDelta(t, CounterErrorPairAtArrival(lag), sum, 2e-4, "lag %v", lag)
	}
	assert.True(t, math.IsNaN(CounterErrorPairAtArrival(-1)))
}

// counterErrorOf is the error at a time, of a window of 1 the first of which begins phase before 0, from the definition.
func counterErrorOf(arrivals []float64, at, phase float64) float64 {
	window := math.Floor(at + phase)
	f := at + phase - window
	estimate, truth := 0.0, 0.0
	for _, a := range arrivals {
		if a > at {
			continue
		}
		switch math.Floor(a + phase) {
		case window:
			estimate++
		case window - 1:
			estimate += 1 - f
		}
		if a > at-1 {
			truth++
		}
	}
	return estimate - truth
}
