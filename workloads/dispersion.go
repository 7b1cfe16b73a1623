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
// order, in replications 0..reps-1 of a seed: in each one interval of the longest
// length, and as many of the others, one after the other, as fit into it. They
// begin where the law says that the long run does (at 0 if there is
// no law), at a uniformly random phase if the process has a period. build makes
// the arrivals of a replication from its streams; if they are out of order, that
// is the error.
func (s Spec) Measure(build func(rep int) (Workload, error), seed uint64, reps int, lengths []time.Duration) ([]Counted, error) {
	law, _ := s.Law()
	rate, declared := s.MeanRate()
	type tiles struct{ n, sum, squares float64 }
	means, squares := make([][]float64, len(lengths)), make([][]float64, len(lengths))
	for rep := range reps {
		made, err := build(rep)
		if err != nil {
			return nil, err
		}
		w := s.InOrder(made)
		start := law.From
		if law.Period > 0 {
			start = later(start, time.Duration(random.Stream(seed, strconv.Itoa(rep), "phase").Int64N(int64(law.Period))))
		}
		a, ok := w.Next()
		for ok && a.At < start {
			a, ok = w.Next()
		}
		longest := lengths[len(lengths)-1]
		now, present := make([]tiles, len(lengths)), make([]int64, len(lengths))
		for ; ok && a.At-start < longest; a, ok = w.Next() {
			for i, length := range lengths {
				if tile := int64((a.At - start) / length); tile != present[i] {
					now[i].sum += now[i].n
					now[i].squares += now[i].n * now[i].n
					now[i].n, present[i] = 0, tile
				}
				if present[i] < int64(longest/length) { // the last one may be cut off
					now[i].n++
				}
			}
		}
		if err := w.Err(); err != nil {
			return nil, err
		}
		for i, length := range lengths {
			whole := float64(longest / length)
			means[i] = append(means[i], (now[i].sum+now[i].n)/whole)
			squares[i] = append(squares[i], (now[i].squares+float64(now[i].n*now[i].n))/whole)
		}
	}
	all := make([]Counted, len(lengths))
	for i, length := range lengths {
		c := Counted{Length: length}
		c.Mean, c.MeanError = meanError(means[i])
		about := c.Mean
		if declared {
			about = rate * length.Seconds()
		}
		for k, mean := range means[i] {
			squares[i][k] += float64(about*about) - float64(2*about*mean)
		}
		c.Dispersion, c.Error = meanError(squares[i])
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
