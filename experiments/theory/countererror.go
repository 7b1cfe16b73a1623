package theory

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// The error of a sliding counter, here, is its estimate P(1-f) + C minus the true number of arrivals in the last T, for a
// counter that refuses nothing. Of the P arrivals of the previous window, E came more than T ago and the rest, P-E, did not, so
//
//	error = (1-f)E - f(P-E) = E - fP.
//
// All of it is in requests. Random instants means a time chosen without regard to the stream: f is then uniform on [0, 1).

// CounterErrorBounds returns the least and the greatest error at position 0 <= f <= 1 after a window with previous >= 0
// arrivals: -P·f when all of them came late, P(1-f) when all came early.
func CounterErrorBounds(f, previous float64) (least, greatest float64) {
	if !unit(f) || !(previous >= 0) {
		return math.NaN(), math.NaN()
	}
	return -previous * f, previous * (1 - f)
}

// CounterErrorBurst returns the error at position 0 <= f <= 1, per arrival, if the whole previous window came at one
// position 0 <= x <= 1: 1-f once the burst has left the last T (f > x), -f until then.
func CounterErrorBurst(f, x float64) float64 {
	switch {
	case !unit(f) || !unit(x):
		return math.NaN()
	case f > x:
		return 1 - f
	default:
		return -f
	}
}

// CounterErrorBurstMean returns the time average of CounterErrorBurst: ½ - x, for 0 <= x <= 1.
func CounterErrorBurstMean(x float64) float64 {
	if !unit(x) {
		return math.NaN()
	}
	return 0.5 - x
}

// CounterErrorBurstMeanAbs returns the time average of |CounterErrorBurst|: ((1-x)² + x²)/2, for 0 <= x <= 1.
func CounterErrorBurstMeanAbs(x float64) float64 {
	if !unit(x) {
		return math.NaN()
	}
	return ((1-x)*(1-x) + x*x) / 2
}

// CounterErrorPoissonVariance returns the variance of the error at position 0 <= f <= 1 under Poisson arrivals with a > 0 per
// window: a·f(1-f). The mean is 0, at random instants and, because Poisson arrivals see time averages, at arrivals too.
func CounterErrorPoissonVariance(a, f float64) float64 {
	if !positive(a) || !unit(f) {
		return math.NaN()
	}
	return a * f * (1 - f)
}

// CounterErrorPoissonRMS returns the root mean square error under Poisson arrivals with a > 0 per window, at random
// instants or at arrivals: √(a/6).
func CounterErrorPoissonRMS(a float64) float64 {
	if !positive(a) {
		return math.NaN()
	}
	return math.Sqrt(a / 6)
}

// CounterErrorPoissonMeanAbsNormal returns the normal approximation to CounterErrorPoissonMeanAbs, √(2a/π)·π/8 = 0.3133√a,
// for a > 0. It is too high by about 0.045/a of itself for a >= 10, by 24 % at a = 1.
func CounterErrorPoissonMeanAbsNormal(a float64) float64 {
	if !positive(a) {
		return math.NaN()
	}
	return math.Sqrt(2*a/math.Pi) * math.Pi / 8
}

// CounterErrorPoissonMeanAbsAt returns E|error| at position 0 <= f <= 1 under Poisson arrivals with 0 < a <= 10⁶ per window:
// given P = n the early ones are E ~ Binomial(n, f), the error is E - nf, and
//
//	E|E - nf| = 2ν(1-f) C(n,ν) f^ν (1-f)^(n-ν),  ν = ⌊nf⌋ + 1
//
// Source: A. de Moivre, Miscellanea Analytica (1730); P. Diaconis and S. Zabell, Statistical Science 6 (1991).
func CounterErrorPoissonMeanAbsAt(a, f float64) float64 {
	if !positive(a) || a > 1e6 || !unit(f) {
		return math.NaN()
	}
	if f == 0 || f == 1 {
		return 0
	}
	// The Poisson mixture of the binomial term is a product: the ν early ones and the n-ν late ones are independent.
	lo, pmf := poissonBulk(a)
	mean := 0.0
	for i := range pmf {
		n := lo + i
		v := int(math.Floor(float64(n)*f)) + 1
		if v > n {
			continue
		}
		mean += 2 * float64(v) * (1 - f) * poissonPMF(a*f, v) * poissonPMF(a*(1-f), n-v)
	}
	return mean
}

// CounterErrorMaxMean is the largest mean count of CounterErrorPoissonMeanAbs, whose cost grows with a^(3/2).
const CounterErrorMaxMean = 2000

// CounterErrorPoissonMeanAbs returns E|error| under Poisson arrivals with 0 < a <= CounterErrorMaxMean per window, at random
// instants or at arrivals: the integral of CounterErrorPoissonMeanAbsAt over f, exactly. With P ~ Poisson(a),
//
//	Σ_n P(P = n) Σ_{ν=1..n} 2ν(n-ν+1)/((n+1)(n+2)) [I(ν/n) - I((ν-1)/n)],  I = I_x(ν+1, n-ν+2),
//
// the regularised incomplete beta function, because ∫ f^ν (1-f)^(n-ν+1) is one.
func CounterErrorPoissonMeanAbs(a float64) float64 {
	if !positive(a) || a > CounterErrorMaxMean {
		return math.NaN()
	}
	lo, pmf := poissonBulk(a)
	mean := 0.0
	for i, share := range pmf {
		n := lo + i
		given := 0.0
		for v := 1; v <= n; v++ {
			alpha, beta := float64(v+1), float64(n-v+2)
			mass := mathext.RegIncBeta(alpha, beta, float64(v)/float64(n)) - mathext.RegIncBeta(alpha, beta, float64(v-1)/float64(n))
			given += 2 * float64(v) * float64(n-v+1) * mass
		}
		mean += share * given / (float64(n+1) * float64(n+2))
	}
	return mean
}

// CounterErrorOnOffVariance returns the variance of the error at position 0 <= f <= 1 of a window of t > 0 seconds, for an
// on/off stream at random instants; the mean is 0, as for any stationary stream. With s = ft and u = (1-f)t,
//
//	(1-f)² Var N(s) + f² Var N(u) - 2f(1-f) λ₁²p(1-p)(1-e^(-γs))(1-e^(-γu))/γ².
func CounterErrorOnOffVariance(stream OnOff, t, f float64) float64 {
	if !stream.valid() || !positive(t) || !unit(f) {
		return math.NaN()
	}
	if stream.Off == 0 {
		return CounterErrorPoissonVariance(stream.CountMean(t), f)
	}
	return stream.CountMean(t)*f*(1-f) + burstFactor(stream, t)*burstVariance(stream.Decay()*t, f)
}

// CounterErrorOnOffMeanVariance returns CounterErrorOnOffVariance averaged over f: the mean square of the error of an
// on/off stream at random instants. With x = γt it is
//
//	λ₁pt/6 + (λ₁t)²p(1-p)·[1/(3x) - 4/(3x²) + 4J/x² - (1+e^(-x))/(3x²) + 4M/x²],
//	J = ∫(1-f)²e^(-xf) df = 1/x - 2/x² + 2(1-e^(-x))/x³,  M = ∫f(1-f)e^(-xf) df = (1+e^(-x))/x² - 2(1-e^(-x))/x³,
//
// and for x < 8, where that cancels, the integral of the variance, which is smooth there.
func CounterErrorOnOffMeanVariance(stream OnOff, t float64) float64 {
	if !stream.valid() || !positive(t) {
		return math.NaN()
	}
	if stream.Off == 0 {
		return stream.CountMean(t) / 6
	}
	return stream.CountMean(t)/6 + burstFactor(stream, t)*burstMeanVariance(stream.Decay()*t)
}

// burstFactor returns (λ₁t)²p(1-p).
func burstFactor(stream OnOff, t float64) float64 {
	p := stream.Duty()
	return stream.Rate * t * stream.Rate * t * p * (1 - p)
}

// burstVariance returns what the on/off switching adds to the variance of the error at f, over (λ₁t)²p(1-p), x = γt.
func burstVariance(x, f float64) float64 {
	u := 1 - f
	return 2 * f * f * u * u * (ramp(x*f) + ramp(x*u) - decline(x*f)*decline(x*u))
}

// burstMeanVariance returns the average of burstVariance over f.
func burstMeanVariance(x float64) float64 {
	if x < 8 {
		return integral(func(f float64) float64 { return burstVariance(x, f) }, 0, 1)
	}
	e := math.Exp(-x)
	x2, x3 := x*x, x*x*x
	j := 1/x - 2/x2 + 2*(1-e)/x3
	m := (1+e)/x2 - 2*(1-e)/x3
	return 1/(3*x) - 4/(3*x2) + 4*j/x2 - (1+e)/(3*x2) + 4*m/x2
}

// CounterErrorOnOffArrivalBias returns the mean error that the arrivals of an on/off stream see, over the mean count per
// window of t > 0 seconds (1). Bursts make it negative. With x = γt it is
//
//	((1-p)/p) ∫₀¹ [(1-f)∫₁^{1+f} e^(-xy) dy - f∫_f^1 e^(-xy) dy] df,
//
// because an arrival finds the rate at lag y raised by the factor 1 + ((1-p)/p)e^(-γy).
func CounterErrorOnOffArrivalBias(stream OnOff, t float64) float64 {
	if !stream.valid() || !positive(t) {
		return math.NaN()
	}
	if stream.Off == 0 {
		return 0
	}
	p, x := stream.Duty(), stream.Decay()*t
	return (1 - p) / p * arrivalBias(x)
}

// CounterErrorOnOffArrivalBiasAt returns the integrand of CounterErrorOnOffArrivalBias: what arrivals at position 0 <= f <= 1
// see on average.
func CounterErrorOnOffArrivalBiasAt(stream OnOff, t, f float64) float64 {
	if !stream.valid() || !positive(t) || !unit(f) {
		return math.NaN()
	}
	if stream.Off == 0 {
		return 0
	}
	p, x := stream.Duty(), stream.Decay()*t
	return (1 - p) / p * arrivalBiasAt(x, f)
}

// arrivalBiasAt returns (1-f)∫₁^{1+f} e^(-xy) dy - f∫_f^1 e^(-xy) dy.
func arrivalBiasAt(x, f float64) float64 {
	u := 1 - f
	return u*f*math.Exp(-x)*decline(x*f) - f*u*math.Exp(-x*f)*decline(x*u)
}

// arrivalBias returns the integral of arrivalBiasAt over f: (e^(-x)(1-K) - H)/x with K = ∫(1-f)e^(-xf) df and
// H = ∫fe^(-xf) df, or by quadrature where that cancels.
func arrivalBias(x float64) float64 {
	if x < 8 {
		return integral(func(f float64) float64 { return arrivalBiasAt(x, f) }, 0, 1)
	}
	e := math.Exp(-x)
	k := ramp(x)
	h := decline(x) - k
	return (e*(1-k) - h) / x
}

// CounterErrorMeanSquare returns the mean square of the error at random instants for any arrivals, if windows of t > 0
// seconds begin at a place that has nothing to do with them. variance(s) is the variance of the count in an interval of s
// seconds, 0 < s <= t, seen from a random place; smooth but for kinks. With V(s) for it,
//
//	2∫(1-f) V(ft) df - V(t)/6,
//
// because the early and the late part of a window are intervals side by side: the variance of E - fP is
// (1-f)V(ft) + f·V((1-f)t) - f(1-f)V(t). So the index of dispersion over one window does not fix the error: that over all
// shorter intervals does.
func CounterErrorMeanSquare(variance func(s float64) float64, t float64) float64 {
	if !(t > 0) {
		return math.NaN()
	}
	const pieces = 16 // so that a kink costs little
	sum := 0.0
	for i := range pieces {
		sum += integral(func(f float64) float64 { return (1 - f) * variance(f*t) }, float64(i)/pieces, float64(i+1)/pieces)
	}
	return 2*sum - variance(t)/6
}

// CounterErrorPair returns what two arrivals lag >= 0 windows apart bring to the mean square of the error, summed over all
// windows, beyond the 1/6 that each brings alone: the kernel of CounterErrorMeanSquare,
//
//	(1-s)(2(1-s)²-1)/3 for a lag s < 1, and 0 from there on.
//
// It is above 0 up to CounterErrorTurn: what comes close together makes the counter err, what comes further apart in one
// window makes up for errors. Its integral is 0, so that Poisson arrivals are left with a/6.
func CounterErrorPair(lag float64) float64 {
	switch {
	case !(lag >= 0):
		return math.NaN()
	case lag >= 1:
		return 0
	}
	u := 1 - lag
	return u * (float64(2*u*u) - 1) / 3 // rounded: experiments add up pairs
}

// CounterErrorTurn is the lag, in windows, at which two arrivals neither add to the error nor take from it: 1 - 1/√2.
const CounterErrorTurn = 1 - 1/math.Sqrt2

// CounterErrorPairAtArrival returns what an arrival lag >= 0 windows earlier adds to the error that an arrival sees, on
// average over where windows begin: -s²/2 for a lag s < 1, (2-s)²/2 for 1 <= s < 2, and 0 from there on. Its integral is 0.
func CounterErrorPairAtArrival(lag float64) float64 {
	switch {
	case !(lag >= 0):
		return math.NaN()
	case lag < 1:
		return -lag * lag / 2
	case lag < 2:
		return (2 - lag) * (2 - lag) / 2
	}
	return 0
}
