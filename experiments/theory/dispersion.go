package theory

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
)

// OnOff is a Poisson stream that is switched on and off (an interrupted Poisson process, the simplest Markov-modulated
// one): exponential times on and off, Poisson arrivals while on. Seen in its stationary law.
type OnOff struct {
	Rate float64 // arrivals per second while on, > 0
	On   float64 // mean time on, seconds, > 0
	Off  float64 // mean time off, seconds, >= 0 (0 is a Poisson process)
}

func (s OnOff) valid() bool {
	return positive(s.Rate) && positive(s.On) && (s.Off == 0 || positive(s.Off))
}

// Duty returns the share p of time on.
func (s OnOff) Duty() float64 {
	if !s.valid() {
		return math.NaN()
	}
	return s.On / (s.On + s.Off)
}

// Decay returns γ = 1/On + 1/Off per second: the covariance of the rate at lag x is Rate² p(1-p) e^(-γx), so that the
// correlation time is 1/γ. For Off = 0 it is infinite.
func (s OnOff) Decay() float64 {
	if !s.valid() {
		return math.NaN()
	}
	return 1/s.On + 1/s.Off
}

// MeanRate returns arrivals per second in the long run: Rate·p.
func (s OnOff) MeanRate() float64 { return s.Rate * s.Duty() }

// CountMean returns the mean number of arrivals in an interval of t > 0 seconds.
func (s OnOff) CountMean(t float64) float64 {
	if !positive(t) {
		return math.NaN()
	}
	return s.MeanRate() * t
}

// CountVariance returns the variance of the number of arrivals in an interval of t > 0 seconds:
//
//	λ₁pt + 2λ₁²p(1-p)[t/γ - (1-e^(-γt))/γ²]
//
// Source: D. R. Cox and P. A. W. Lewis, The Statistical Analysis of Series of Events (1966), for doubly stochastic
// Poisson processes.
func (s OnOff) CountVariance(t float64) float64 {
	return s.CountMean(t) * s.Dispersion(t)
}

// Dispersion returns the index of dispersion of counts over t > 0 seconds, variance over mean:
//
//	1 + 2λ₁(1-p)·t·g(γt),  g(x) = (x - 1 + e^(-x))/x².
//
// It is 1 for a Poisson process and rises with t.
func (s OnOff) Dispersion(t float64) float64 {
	if !s.valid() || !positive(t) {
		return math.NaN()
	}
	if s.Off == 0 {
		return 1
	}
	return 1 + 2*s.Rate*(1-s.Duty())*t*ramp(s.Decay()*t)
}

// OnOffWithDecay returns the on/off stream of the given mean rate (per second) whose index of dispersion over t seconds
// is idc > 1 and whose correlation time is 1/decay seconds. Its duty follows: (1-p)/p = (idc-1)/(2·mean·t·g(γt)). So two decays give two
// streams with equal mean and equal dispersion at t and unequal correlation times. Fields are NaN outside the domain.
func OnOffWithDecay(mean, idc, t, decay float64) OnOff {
	if !positive(mean) || !positive(t) || !positive(decay) || !positive(idc-1) {
		return OnOff{math.NaN(), math.NaN(), math.NaN()}
	}
	odds := (idc - 1) / (2 * mean * t * ramp(decay*t)) // (1-p)/p = Off/On
	p := 1 / (1 + odds)
	return onOff(mean, p, decay)
}

// OnOffWithDuty returns the on/off stream of the given mean rate (per second) whose index of dispersion over t seconds is
// idc and which is on for the share duty of time, 0 < duty < 1; its decay is found by bisection. It exists iff
// 0 < idc-1 < mean·t·(1-duty)/duty, the bound of a stream that never switches within t. Fields are NaN outside the domain.
func OnOffWithDuty(mean, idc, t, duty float64) OnOff {
	nowhere := OnOff{math.NaN(), math.NaN(), math.NaN()}
	if !positive(mean) || !positive(t) || !positive(idc-1) || !(duty > 0 && duty < 1) {
		return nowhere
	}
	want := (idc - 1) * duty / (2 * mean * t * (1 - duty)) // = g(γt), which falls from 1/2 to 0
	if want >= 0.5 {
		return nowhere
	}
	low, high := 0.0, 1.0
	for ramp(high) > want {
		low, high = high, 2*high
	}
	for {
		x := low + (high-low)/2
		if x <= low || x >= high {
			return onOff(mean, duty, x/t)
		}
		if ramp(x) > want {
			low = x
		} else {
			high = x
		}
	}
}

// onOff builds a stream from its mean rate, duty and decay: On = 1/(γ(1-p)), Off = 1/(γp).
func onOff(mean, p, decay float64) OnOff {
	return OnOff{Rate: mean / p, On: 1 / (decay * (1 - p)), Off: 1 / (decay * p)}
}

// ramp returns (x - 1 + e^-x)/x² = ∫₀¹ (1-s)e^(-xs) ds for x >= 0, by its series where the closed form cancels.
func ramp(x float64) float64 {
	if x < 0.5 {
		sum, term := 0.0, 0.5
		for k := 3; math.Abs(term) > negligible; k++ {
			sum += term
			term *= -x / float64(k)
		}
		return sum
	}
	return (x + math.Expm1(-x)) / (x * x)
}

// decline returns (1 - e^-x)/x = ∫₀¹ e^(-xs) ds for x >= 0.
func decline(x float64) float64 {
	if x == 0 {
		return 1
	}
	return -math.Expm1(-x) / x
}

// integral returns ∫ f from low to high for a smooth f, by Gauss and Legendre with 64 points.
func integral(f func(float64) float64, low, high float64) float64 {
	return quad.Fixed(f, low, high, 64, quad.Legendre{}, 0)
}

// MMPP is a Poisson stream whose rate follows a Markov chain in continuous time: a Markov-modulated Poisson process. Seen
// in its stationary law.
type MMPP struct {
	Rates     []float64   // arrivals per second in each state, >= 0, not all 0
	Generator [][]float64 // Generator[i][j] is how often state i turns into j, per second; rows add up to 0
}

// Dispersion returns the index of dispersion of counts over t > 0 seconds:
//
//	1 + (2/λ̄)·[πΛDΛe - πΛ(I - e^(Qt))D²Λe/t]
//
// with the deviation matrix D = (eπ - Q)⁻¹ - eπ, the stationary law π and Λ = diag(Rates). NaN outside the domain.
//
// Source: W. Fischer and K. Meier-Hellstern, The Markov-modulated Poisson process (MMPP) cookbook, Performance Evaluation 18
// (1993), section 3.
func (m MMPP) Dispersion(t float64) float64 {
	n := len(m.Rates)
	if n == 0 || len(m.Generator) != n || !positive(t) {
		return math.NaN()
	}
	// π solves π(Q + ee') = e'.
	q, border, ones := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	for i, row := range m.Generator {
		if len(row) != n || !(m.Rates[i] >= 0) {
			return math.NaN()
		}
		ones.SetVec(i, 1)
		for j, x := range row {
			q.Set(i, j, x)
			border.Set(j, i, x+1)
		}
	}
	var pi mat.VecDense
	if pi.SolveVec(border, ones) != nil {
		return math.NaN()
	}
	rates := mat.NewVecDense(n, m.Rates)
	mean := mat.Dot(&pi, rates)
	var outer, inverse, deviation, e, scaled mat.Dense
	outer.Outer(1, ones, &pi)
	inverse.Sub(&outer, q)
	if deviation.Inverse(&inverse) != nil {
		return math.NaN()
	}
	deviation.Sub(&deviation, &outer)
	scaled.Scale(t, q)
	e.Exp(&scaled)
	var weighted, once, twice, later mat.VecDense
	weighted.MulElemVec(&pi, rates)
	once.MulVec(&deviation, rates)
	twice.MulVec(&deviation, &once)
	later.MulVec(&e, &twice)
	twice.SubVec(&twice, &later)
	return 1 + 2/mean*(mat.Dot(&weighted, &once)-mat.Dot(&weighted, &twice)/t)
}

// TriangleDispersion returns the index of dispersion of counts over t > 0 seconds, seen from a random phase, of a Poisson
// process whose rate goes from low up to high and back in straight lines once in period seconds:
//
//	1 + (high-low)²/(12·λ̄·t)·2∫₀ᵗ(t-s)r(s/period)ds,  r(x) = 1 - 24x² + 32x³ for 0 <= x <= ½, r(x) = r(1-x),
//
// r being the autocorrelation of a triangle wave and λ̄ = (low+high)/2. NaN outside the domain.
func TriangleDispersion(low, high, period, t float64) float64 {
	if !(low >= 0) || !positive(high) || low > high || !positive(period) || !positive(t) {
		return math.NaN()
	}
	covariance := func(s float64) float64 {
		x := math.Mod(s/period, 1)
		x = min(x, 1-x)
		return (t - s) * (1 - 24*x*x + 32*x*x*x)
	}
	sum := 0.0
	for from := 0.0; from < t; from += period / 2 { // smooth between
		sum += integral(covariance, from, min(t, from+period/2))
	}
	mean := (low + high) / 2
	return 1 + (high-low)*(high-low)/(12*mean*t)*2*sum
}
