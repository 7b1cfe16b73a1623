package workloads

import (
	"math"
	"strconv"
	"time"

	"ratelab/internal/random"
)

// Counted is what the counts of one length of time were, over replications.
type Counted struct {
	Length     time.Duration
	Mean       float64 // requests
	MeanError  float64 // its standard error
	Dispersion float64 // variance over mean, the mean taken as declared if there is one
	Error      float64 // its standard error
}

// Measure counts the arrivals in intervals of the given lengths, in ascending
// order, in replications 0..reps-1 of a seed, one interval of each length in
// each. They begin where the law says that the long run does (at 0 if there is
// no law), at a uniformly random phase if the process has a period. build makes
// the arrivals of a replication from its streams.
func (s Spec) Measure(build func(rep int) (Workload, error), seed uint64, reps int, lengths []time.Duration) ([]Counted, error) {
	law, _ := s.Law()
	rate, declared := s.MeanRate()
	counts := make([][]float64, len(lengths))
	for rep := range reps {
		w, err := build(rep)
		if err != nil {
			return nil, err
		}
		start := law.From
		if law.Period > 0 {
			start = later(start, time.Duration(random.Stream(seed, strconv.Itoa(rep), "phase").Int64N(int64(law.Period))))
		}
		a, ok := w.Next()
		for ok && a.At < start {
			a, ok = w.Next()
		}
		n := 0.0
		for i, length := range lengths {
			for ; ok && a.At-start < length; n++ {
				a, ok = w.Next()
			}
			counts[i] = append(counts[i], n)
		}
	}
	all := make([]Counted, len(lengths))
	for i, length := range lengths {
		c := Counted{Length: length}
		c.Mean, c.MeanError = meanError(counts[i])
		about := c.Mean
		if declared {
			about = rate * length.Seconds()
		}
		for k, n := range counts[i] {
			counts[i][k] = float64((n - about) * (n - about))
		}
		c.Dispersion, c.Error = meanError(counts[i])
		c.Dispersion, c.Error = c.Dispersion/about, c.Error/about
		all[i] = c
	}
	return all, nil
}

// meanError returns the mean of a sample and its standard error.
func meanError(sample []float64) (mean, err float64) {
	n := float64(len(sample))
	for _, x := range sample {
		mean += x / n
	}
	for _, x := range sample {
		err += float64((x - mean) * (x - mean))
	}
	return mean, math.Sqrt(err / (n - 1) / n)
}
