package workloads

import (
	"math"
	"slices"
	"time"
)

// Look is what one run of a workload looks like.
type Look struct {
	From     time.Duration // when one began to look
	Horizon  time.Duration // for how long
	Arrivals int64
	Columns  []int64 // arrivals in equal parts of the horizon
	Gaps     []Quantile
	Costs    []Quantile // of the costs, if any is above 1
	Keys     int        // different keys; those of the first 2²⁰ arrivals
	First    []Arrival  // the first few
}

// Quantile is a value below which the share of a sample lies that Share says;
// gaps are in seconds.
type Quantile struct{ Share, Value float64 }

// shares are those of the quantiles of a Look.
var shares = []float64{0, 0.01, 0.1, 0.5, 0.9, 0.99, 1}

// mostLooked bounds how many gaps and costs are held for their quantiles.
const mostLooked = 1 << 20

// LookAt reads the arrivals in [from, from+horizon), of a workload that comes to
// them: see [Spec.InOrder].
func LookAt(w Workload, from, horizon time.Duration, columns int) Look {
	l := Look{From: from, Horizon: horizon, Columns: make([]int64, columns)}
	var gaps, costs []float64
	keys, dear := map[uint32]bool{}, false
	last := time.Duration(-1)
	for a, ok := w.Next(); ok && a.At-from < horizon; a, ok = w.Next() {
		if a.At < from {
			continue
		}
		l.Arrivals++
		l.Columns[min(columns-1, int(float64(a.At-from)/float64(horizon)*float64(columns)))]++
		if len(l.First) < 10 {
			l.First = append(l.First, a)
		}
		if len(costs) < mostLooked {
			if last >= 0 {
				gaps = append(gaps, (a.At - last).Seconds())
			}
			costs = append(costs, float64(a.Cost))
			keys[a.Key] = true
			dear = dear || a.Cost > 1
		}
		last = a.At
	}
	l.Keys = len(keys)
	l.Gaps = quantiles(gaps)
	if dear {
		l.Costs = quantiles(costs)
	}
	return l
}

// quantiles sorts the sample. The quantile of a share is the least value that is
// not below so much of it.
func quantiles(sample []float64) (list []Quantile) {
	if len(sample) == 0 {
		return nil
	}
	slices.Sort(sample)
	for _, s := range shares {
		i := int(math.Ceil(s*float64(len(sample)))) - 1
		list = append(list, Quantile{s, sample[max(0, i)]})
	}
	return list
}

// Horizon returns where to look for what a spec is like, and for how long, a
// round time: a few periods, some tens of its memory, hundreds of arrivals, all
// of a story that ends; at most a few million arrivals. It begins at 0, unless the
// long run begins much later. It reads a workload of the spec that has no mean
// rate.
func (s Spec) Horizon(w Workload) (from, horizon time.Duration) {
	rate, ok := s.MeanRate()
	if !ok {
		end := time.Duration(0)
		for range mostStory {
			a, more := w.Next()
			if !more {
				break
			}
			end = a.At
		}
		if s.entry.Span != nil {
			return 0, roundUp(s.entry.Span(s.values))
		}
		return 0, roundUp(later(end, 1))
	}
	law, _ := s.Law()
	seconds := 300 / rate
	if !math.IsInf(law.Correlation, 0) && law.Correlation > 0 {
		seconds = max(seconds, 20*law.Correlation)
	}
	horizon = nearest(1e9 * min(max(seconds, 2*law.Period.Seconds()), 1e6/rate))
	if law.From > horizon {
		return law.From, roundUp(horizon)
	}
	return 0, roundUp(horizon + law.From)
}

// mostStory bounds how much of a story is read for its end.
const mostStory = 100_000

// roundUp returns the next of 1, 2 and 5 times a power of ten, of seconds, or of
// minutes, hours and days.
func roundUp(d time.Duration) time.Duration {
	for _, unit := range []time.Duration{1, time.Microsecond, time.Millisecond, time.Second} {
		for _, n := range []time.Duration{1, 2, 5, 10, 20, 50, 100, 200, 500} {
			if d <= n*unit && (unit < time.Second || n <= 50) {
				return n * unit
			}
		}
	}
	for _, round := range []time.Duration{
		time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute,
		time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, day, 2 * day, 7 * day, 14 * day, 30 * day, 100 * day, 365 * day, 1000 * day, 10_000 * day,
	} {
		if d <= round {
			return round
		}
	}
	return math.MaxInt64 / 4
}

// Lengths returns round lengths at which counts tell something: from about one
// arrival to about a thousand, four at most.
func (s Spec) Lengths() (list []time.Duration) {
	rate, ok := s.MeanRate()
	if !ok {
		return nil
	}
	for expected := 1.0; expected <= 1000; expected *= 10 {
		length := roundUp(max(1, nearest(expected/rate*1e9)))
		if len(list) == 0 || length > list[len(list)-1] {
			list = append(list, length)
		}
	}
	return list
}
