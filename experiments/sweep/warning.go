package sweep

import (
	"fmt"
	"math"
)

// Doubt is a reason to take an estimate with care.
type Doubt string

// The doubts that [NewDoubts] finds, from the gravest on.
const (
	// Single: one replication says nothing of its spread; there is no interval.
	Single Doubt = "single"
	// Dependent: lag-1 autocorrelation over replications is more than four standard errors from what independent ones
	// have, mean −1/n and variance (n−2)²/(n²(n−1)) (Moran, "Some theorems on time series II", Biometrika 35, 1948).
	// Then the interval is of the wrong width: replications are not independent.
	Dependent Doubt = "dependent"
	// Outlier: one replication has more than a quarter of the sum of squares, and more than the largest of a normal sample
	// has once in 10000 (Grubbs, "Sample criteria for testing outlying observations", Annals of Mathematical Statistics 21,
	// 1950). That is what a tail without a variance looks like, however many replications there are, or an event that few
	// of them see: the interval may miss the mean.
	Outlier Doubt = "outlier"
	// Skewed: the skewness G₁ is more than four standard errors from 0, and there are fewer than the 25·G₁² replications
	// that an interval at 95 % by Student's t needs (Cochran, Sampling Techniques, 3rd edition 1977, section 2.15).
	Skewed Doubt = "skewed"
	// Few: fewer than five replications: the interval rests on the values being normal, and is wide.
	Few Doubt = "few"
	// Wide: the 95 % interval is wider than ±10 % of the mean.
	Wide Doubt = "wide"
	// Unreached: replications ended at their cap before the precision that was asked for. Execution finds it.
	Unreached Doubt = "unreached"
)

// Doubts returns all doubts, from the gravest on.
func Doubts() []Doubt { return []Doubt{Unreached, Single, Dependent, Outlier, Skewed, Few, Wide} }

// Meaning says in a line what a doubt means.
func (d Doubt) Meaning() string {
	return map[Doubt]string{
		Unreached: "the cap of replications came before the precision that was asked for",
		Single:    "one replication has no interval",
		Dependent: "replications are not independent: the interval has the wrong width",
		Outlier:   "one replication has much of the variance: the interval may miss the mean",
		Skewed:    "the values are too skewed for so few replications: the interval may miss the mean",
		Few:       "the interval rests on few replications, and on their being normal",
		Wide:      "the interval is wider than ±10 % of the mean",
	}[d]
}

// Warning is a doubt with the number that raised it.
type Warning struct {
	Doubt Doubt
	Value float64 // replications (single, few), autocorrelation, share of variance, skewness, half-width / |mean|
	Limit float64 // that it should not pass; for single and few, that it should reach; for skewed, of |Value|
}

const (
	doubtSigmas  = 4    // of statistics that are about normal
	doubtOutlier = 1e-4 // probability under normality
	doubtShare   = 0.25 // of the variance
	doubtFew     = 5    // replications
	doubtWide    = 0.1  // half-width / |mean|
	cochran      = 25   // replications for each unit of squared skewness
)

// String says a warning in a few words.
func (w Warning) String() string {
	switch infinite := math.IsInf(w.Value, 0); {
	case infinite && w.Doubt == Unreached:
		return "the mean is 0, or there are fewer than 10 values"
	case infinite:
		return "the mean is 0"
	}
	switch w.Doubt {
	case Single:
		return "1 replication"
	case Few:
		return fmt.Sprintf("%.0f replications", w.Value)
	case Dependent:
		return fmt.Sprintf("lag-1 autocorrelation %.2f", w.Value)
	case Outlier:
		return fmt.Sprintf("one replication has %.0f %% of the variance", 100*w.Value)
	case Skewed:
		return fmt.Sprintf("skewness %.2f wants %.0f replications", w.Value, math.Ceil(cochran*w.Value*w.Value))
	case Unreached:
		return fmt.Sprintf("± %.3g %% of the estimate, wanted %.3g %% of the mean", 100*w.Value, 100*w.Limit/(1-w.Limit)) // see Precision
	}
	return fmt.Sprintf("± %.3g %% of the mean", 100*w.Value)
}

// Excess is how far a warning is beyond its limit, as a ratio: what sorts warnings of one doubt.
func (w Warning) Excess() float64 {
	switch w.Doubt {
	case Single, Few:
		return w.Limit / w.Value
	}
	return math.Abs(w.Value / w.Limit)
}

// Doubter finds what is doubtful about estimates. It remembers what it computed for each number of replications, which
// takes longer than a look at the values; the zero value is ready.
type Doubter struct{ known map[int]thresholds }

type thresholds struct {
	t       float64 // quantile of the 95 % interval
	largest float64 // share of the sum of squares
}

// Warnings returns the warnings of a mean of values, gravest first, with its 95 % interval; NaN is a missing value.
// Values that are all equal raise none: whatever is measured so is no sample. At most about one estimate in ten
// thousand from independent normal replications is doubted as dependent, outlier or skewed each.
func (d *Doubter) Warnings(values []float64) []Warning {
	there := make([]float64, 0, len(values))
	for _, v := range values {
		if !math.IsNaN(v) {
			there = append(there, v)
		}
	}
	e := NewEstimate(there)
	n := float64(e.N)
	switch {
	case e.N == 0:
		return nil
	case e.N == 1:
		return []Warning{{Single, 1, doubtFew}}
	case e.SD == 0 || math.IsNaN(e.SD) || math.IsInf(e.SD, 0):
		return nil
	}
	limits := d.thresholds(e.N)
	var list []Warning
	warn := func(doubt Doubt, value, limit float64) { list = append(list, Warning{doubt, value, limit}) }
	r := Autocorrelation(there)
	if spread := doubtSigmas * (n - 2) / float64(n*math.Sqrt(n-1)); e.N > 2 && math.Abs(r+1/n) > spread {
		warn(Dependent, r, math.Copysign(spread, r+1/n)-1/n)
	}
	skewness, largest := shape(there, e)
	if largest > limits.largest {
		warn(Outlier, largest, limits.largest)
	}
	if e.N > 2 && n < cochran*skewness*skewness && math.Abs(skewness) > doubtSigmas*math.Sqrt(6*(n-2)/((n+1)*(n+3))) {
		warn(Skewed, skewness, math.Sqrt(n/cochran))
	}
	if e.N < doubtFew {
		warn(Few, n, doubtFew)
	}
	if width := e.relative(limits.t); width > doubtWide {
		warn(Wide, width, doubtWide)
	}
	return list
}

// thresholds returns those for n values, n at least 2.
func (d *Doubter) thresholds(n int) thresholds {
	limits, ok := d.known[n]
	if !ok {
		limits = thresholds{t: StudentT(n-1, summaryLevel), largest: 1} // of two values each has half
		if n > 2 {
			limits.largest = max(doubtShare, largestShare(n, doubtOutlier))
		}
		if d.known == nil {
			d.known = make(map[int]thresholds)
		}
		d.known[n] = limits
	}
	return limits
}

// largestShare returns the share of the sum of squares that the largest of n normal values, n at least 3, passes with
// this probability: Grubbs' critical value, squared, over n - 1.
func largestShare(n int, probability float64) float64 {
	t := StudentT(n-2, 1-probability/float64(n))
	square := float64(t * t)
	return float64(n-1) / float64(n) * (square / (float64(n-2) + square))
}

// relative returns the half-width of the interval with this quantile over |mean|; N is at least 2. It is infinite where
// the mean is 0 and the values vary, and 0 where they do not.
func (e Estimate) relative(t float64) float64 {
	if e.SD == 0 {
		return 0
	}
	return float64(t*e.SD) / math.Sqrt(float64(e.N)) / math.Abs(e.Mean)
}

// Autocorrelation returns the lag-1 autocorrelation of values in their order: Σ(xᵢ − x̄)(xᵢ₊₁ − x̄) / Σ(xᵢ − x̄)². It is
// NaN where they do not vary, or there are fewer than two. Independent values have −1/n on average.
func Autocorrelation(values []float64) float64 {
	e := NewEstimate(values)
	products, squares := 0.0, 0.0
	for i, v := range values {
		x := v - e.Mean
		squares += float64(x * x)
		if i > 0 {
			products += float64((values[i-1] - e.Mean) * x)
		}
	}
	return products / squares
}

// shape returns the skewness G₁ of values, m₃/m₂^1.5 with moments of divisor n, and the largest share that one of them
// has of the sum of squares. The values vary and none is missing.
func shape(values []float64, e Estimate) (skewness, largest float64) {
	squares, cubes, most := 0.0, 0.0, 0.0
	scale := max(e.Max-e.Mean, e.Mean-e.Min) // no cube leaves the range of a float64
	for _, v := range values {
		x := (v - e.Mean) / scale
		square := float64(x * x)
		squares += square
		cubes += float64(square * x)
		most = max(most, square)
	}
	m2 := squares / float64(e.N)
	return cubes / float64(e.N) / float64(m2*math.Sqrt(m2)), most / squares
}
