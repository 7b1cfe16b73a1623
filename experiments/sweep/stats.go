package sweep

import "math"

// Estimate says what replications of one measurement have in common. With N = 0 everything else is NaN; with N = 1
// SD is NaN.
type Estimate struct {
	N        int     // values that were there
	Mean     float64 // arithmetic mean
	SD       float64 // sample standard deviation, divisor N − 1
	Min, Max float64
}

// NewEstimate summarises values; a NaN is a missing value and is skipped. The mean and the sum of squares are two-pass
// and corrected (Chan, Golub, LeVeque, "Algorithms for Computing the Sample Variance", 1983), the loops go in the order
// of the slice, and every product is rounded before it is added: the same values give the same bits on every
// architecture. Equal values give exactly that value as mean, and an SD of 0. Where a sum is beyond the range of a
// float64, Mean or SD is NaN or infinite although N is not 0.
func NewEstimate(values []float64) Estimate {
	e := Estimate{Mean: math.NaN(), SD: math.NaN(), Min: math.NaN(), Max: math.NaN()}
	sum := 0.0
	for _, v := range values {
		if math.IsNaN(v) {
			continue
		}
		if e.N == 0 {
			e.Min, e.Max = v, v
		}
		e.N++
		e.Min, e.Max = min(e.Min, v), max(e.Max, v)
		sum += v
	}
	if e.N == 0 {
		return e
	}
	n := float64(e.N)
	mean := sum / n
	rest := 0.0 // what rounding took from the sum
	for _, v := range values {
		if !math.IsNaN(v) {
			rest += v - mean
		}
	}
	e.Mean = min(max(mean+rest/n, e.Min), e.Max)
	if e.N == 1 {
		return e
	}
	squares := 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			d := v - e.Mean
			squares += float64(d * d)
		}
	}
	e.SD = math.Sqrt(squares / (n - 1))
	return e
}

// Interval returns the confidence interval of the mean at a level in (0, 1), by Student's t over the N values, which
// are taken as independent replications: mean ± t·SD/√N with N − 1 degrees of freedom. One value alone says nothing of
// its spread, so with N = 1 the interval is infinite; with N = 0, or a level out of range, it is NaN on both sides.
func (e Estimate) Interval(level float64) (lo, hi float64) {
	switch {
	case e.N == 0 || !(level > 0 && level < 1):
		return math.NaN(), math.NaN()
	case e.N == 1:
		return math.Inf(-1), math.Inf(1)
	}
	return e.interval(StudentT(e.N-1, level))
}

// interval is Interval with the quantile given; N is at least 2.
func (e Estimate) interval(t float64) (lo, hi float64) {
	half := float64(t*e.SD) / math.Sqrt(float64(e.N))
	return e.Mean - half, e.Mean + half
}
