package metrics

import (
	"fmt"
	"math"
	"math/bits"
	"time"
)

// Delay is the distribution of delays: mean and maximum exact, quantiles within
// 1/128 of themselves. The zero value is ready to use. Its memory is bounded by
// the logarithm of the longest delay: 58 kB at most.
type Delay struct {
	zeros             int64  // delays of 0
	n                 int64  // others; what follows is of them
	sumHigh, sumLow   uint64 // nanoseconds, 128 bits
	shortest, longest time.Duration
	histogram         histogram
}

// Add counts one delay >= 0. A negative delay is a bug in a model and panics.
func (d *Delay) Add(delay time.Duration) {
	if delay == 0 {
		d.zeros++ // most there are
		return
	}
	if delay < 0 {
		panic(fmt.Sprintf("metrics: delay must be >= 0, got %v", delay))
	}
	if d.n == 0 || delay < d.shortest {
		d.shortest = delay
	}
	d.longest = max(d.longest, delay)
	d.n++
	var carry uint64
	d.sumLow, carry = bits.Add64(d.sumLow, uint64(delay), 0)
	d.sumHigh += carry
	d.histogram.add(uint64(delay))
}

// AddZeros counts n >= 0 delays of 0.
func (d *Delay) AddZeros(n int64) { d.zeros += n }

// Merge adds all that other counted.
func (d *Delay) Merge(other *Delay) {
	d.zeros += other.zeros
	if other.n == 0 {
		return
	}
	if d.n == 0 || other.shortest < d.shortest {
		d.shortest = other.shortest
	}
	d.longest = max(d.longest, other.longest)
	d.n += other.n
	var carry uint64
	d.sumLow, carry = bits.Add64(d.sumLow, other.sumLow, 0)
	d.sumHigh += other.sumHigh + carry
	d.histogram.merge(&other.histogram)
}

// N returns how many delays were counted.
func (d *Delay) N() int64 { return d.zeros + d.n }

// Mean returns the mean delay in seconds, NaN if nothing was counted.
func (d *Delay) Mean() float64 {
	n := d.N()
	if n == 0 {
		return math.NaN()
	}
	whole, rest := bits.Div64(d.sumHigh, d.sumLow, uint64(n)) // fits: the mean is below 2⁶³
	ns := float64(whole) + float64(rest)/float64(n)
	return ns / 1e9
}

// Max returns the longest delay, 0 if nothing was counted.
func (d *Delay) Max() time.Duration { return d.longest }

// Quantile returns the quantile permille/1000: of n delays in order, the one of
// rank ⌈n·permille/1000⌉. It lies within 1/128 of the exact one, and between the
// shortest and the longest. It is 0 if nothing was counted.
func (d *Delay) Quantile(permille int64) time.Duration {
	left := rankOf(permille, d.N()) - d.zeros
	if left <= 0 {
		return 0
	}
	for i, n := range d.histogram.counts {
		if left -= n; left <= 0 {
			return min(max(time.Duration(valueOf(i)), d.shortest), d.longest)
		}
	}
	return d.longest
}

// Statistics gives every statistic of the dictionary that begins with prefix,
// which is "delay", in its order, in seconds; NaN if nothing was counted.
func (d *Delay) Statistics(prefix string, emit func(name string, value float64)) {
	seconds := func(t time.Duration) float64 {
		if d.N() == 0 {
			return math.NaN()
		}
		return t.Seconds()
	}
	emit(prefix+"_mean", d.Mean())
	for _, q := range delayQuantiles {
		emit(prefix+"_"+q.suffix, seconds(d.Quantile(q.permille)))
	}
	emit(prefix+"_max", seconds(d.Max()))
}

// quantile is one that is printed: p90 is 900 in a thousand.
type quantile struct {
	suffix   string
	permille int64
}

var delayQuantiles = []quantile{{"p50", 500}, {"p90", 900}, {"p99", 990}, {"p999", 999}}
