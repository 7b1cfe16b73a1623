package metrics

import "math"

// Errors is the distribution of signed errors, in requests. Mean, mean absolute
// and root mean square are of compensated sums; quantiles lie within 1/128 of
// themselves plus 2⁻¹⁶ requests, up to 2⁴⁶ requests. The zero value is ready to use.
type Errors struct {
	n                 int64
	sum, abs, squares total
	min, max          float64
	below, above      histogram // of |error| in units of 2⁻¹⁶, by sign
}

// errorUnits is the number of histogram units in one request. Errors from 2⁶²
// units on share a bucket.
const errorUnits = 1 << 16

// Add counts one error, which is finite.
func (e *Errors) Add(x float64) {
	if e.n == 0 {
		e.min, e.max = x, x
	}
	e.n++
	if x < e.min {
		e.min = x
	}
	if x > e.max {
		e.max = x
	}
	a := math.Abs(x)
	e.sum.add(x)
	e.abs.add(a)
	e.squares.add(float64(x * x))
	units := uint64(1) << 62
	if u := float64(a*errorUnits) + 0.5; u < 1<<62 {
		units = uint64(u)
	}
	if x < 0 {
		e.below.add(units)
	} else {
		e.above.add(units)
	}
}

// Merge adds all that other counted.
func (e *Errors) Merge(other *Errors) {
	if other.n == 0 {
		return
	}
	if e.n == 0 {
		e.min, e.max = other.min, other.max
	}
	e.n += other.n
	e.min, e.max = min(e.min, other.min), max(e.max, other.max)
	e.sum.merge(&other.sum)
	e.abs.merge(&other.abs)
	e.squares.merge(&other.squares)
	e.below.merge(&other.below)
	e.above.merge(&other.above)
}

// N returns how many errors were counted. The other statistics are NaN if it is 0.
func (e *Errors) N() int64 { return e.n }

// Mean returns the mean error.
func (e *Errors) Mean() float64 { return e.sum.value() / float64(e.n) }

// MeanAbs returns the mean of |error|.
func (e *Errors) MeanAbs() float64 { return e.abs.value() / float64(e.n) }

// RMS returns the square root of the mean of the squared error.
func (e *Errors) RMS() float64 { return math.Sqrt(e.squares.value() / float64(e.n)) }

// Min returns the smallest error.
func (e *Errors) Min() float64 { return e.orNaN(e.min) }

// Max returns the largest error.
func (e *Errors) Max() float64 { return e.orNaN(e.max) }

// Quantile returns the quantile permille/1000: of n errors in order, the one of
// rank ⌈n·permille/1000⌉, within 1/128 of its magnitude plus 2⁻¹⁶ requests.
func (e *Errors) Quantile(permille int64) float64 {
	left := rankOf(permille, e.n)
	for i := len(e.below.counts) - 1; i >= 0; i-- {
		if left -= e.below.counts[i]; left <= 0 {
			return e.within(0 - float64(valueOf(i))/errorUnits) // never -0
		}
	}
	for i, n := range e.above.counts {
		if left -= n; left <= 0 {
			return e.within(float64(valueOf(i)) / errorUnits)
		}
	}
	return math.NaN()
}

func (e *Errors) within(x float64) float64 { return min(max(x, e.min), e.max) }

func (e *Errors) orNaN(x float64) float64 {
	if e.n == 0 {
		return math.NaN()
	}
	return x
}

// Statistics gives every statistic of the dictionary that begins with prefix,
// such as "error_open_time", in its order.
func (e *Errors) Statistics(prefix string, emit func(name string, value float64)) {
	emit(prefix+"_mean", e.Mean())
	emit(prefix+"_mean_abs", e.MeanAbs())
	emit(prefix+"_rms", e.RMS())
	emit(prefix+"_min", e.Min())
	emit(prefix+"_max", e.Max())
	for _, q := range errorQuantiles {
		emit(prefix+"_"+q.suffix, e.Quantile(q.permille))
	}
}

var errorQuantiles = []quantile{{"p01", 10}, {"p05", 50}, {"p50", 500}, {"p95", 950}, {"p99", 990}}
