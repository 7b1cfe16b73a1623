package experiments

import (
	"time"

	"ratelab/internal/spec"
)

// smallestBurst returns b(r), rounded up: the smallest burst with which a
// bucket that starts full refuses none of the arrivals, whose times do not
// decrease. It is the largest, over intervals that begin and end with an
// arrival, of the arrivals in it minus rate times its length, straight from
// that definition: with arrivals counted from 0,
//
//	b = max over j of [(j+1) - r·t_j - min over i <= j of (i - r·t_i)],
//
// in N-ths of 1/P of a request, where r = N/P: whole numbers. 0 for no arrivals.
// (j+1)·P and N·t_j must fit in int64.
//
// Source: the arrival curve of a leaky bucket; R. L. Cruz, "A Calculus for
// Network Delay", IEEE Trans. Inf. Theory 37 (1991).
func smallestBurst(times []time.Duration, rate spec.Rate) int64 {
	unit := int64(rate.P)
	least, most := int64(0), int64(0)
	for j, t := range times {
		before := int64(j)*unit - int64(t)*rate.N
		if j == 0 || before < least {
			least = before
		}
		most = max(most, before+unit-least)
	}
	return (most + unit - 1) / unit
}
