package sweep

import "math"

// Paired compares two points of a plan by their replications, which share their random numbers.
type Paired struct {
	A, B       Estimate // of the replications that both have
	Difference Estimate // of b − a, replication by replication; its Interval is the paired t interval
	// VarianceRatio is how many times larger the variance of the difference would be with independent random numbers:
	// (var a + var b) / var(b − a). It is infinite where all differences are equal and a or b varies, and NaN where
	// nothing varies or there are fewer than two pairs.
	VarianceRatio float64
}

// PairedDifference compares b with a: value k of each is replication k's. A pair of which one is NaN is left out.
func PairedDifference(a, b []float64) Paired {
	n := min(len(a), len(b))
	left, right, difference := make([]float64, 0, n), make([]float64, 0, n), make([]float64, 0, n)
	for k := range n {
		if !math.IsNaN(a[k]) && !math.IsNaN(b[k]) {
			left, right, difference = append(left, a[k]), append(right, b[k]), append(difference, b[k]-a[k])
		}
	}
	p := Paired{A: NewEstimate(left), B: NewEstimate(right), Difference: NewEstimate(difference)}
	unpaired := float64(p.A.SD*p.A.SD) + float64(p.B.SD*p.B.SD)
	p.VarianceRatio = unpaired / float64(p.Difference.SD*p.Difference.SD)
	return p
}
