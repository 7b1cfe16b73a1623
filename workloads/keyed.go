package workloads

import "math/rand/v2"

// Keyed gives each arrival of w a key of its own: uniform on 0..n-1 and
// independent of everything else, drawn from r. With n <= 1 it returns w.
//
// r must be a stream for this purpose alone ("keys"): then the times of the
// arrivals are the same for every n. It is not for a workload whose spec
// [Spec.SetsKeys].
func Keyed(w Workload, n uint32, r *rand.Rand) Workload {
	if n <= 1 {
		return w
	}
	return &keyed{w, n, r}
}

type keyed struct {
	w Workload
	n uint32
	r *rand.Rand
}

func (k *keyed) Next() (Arrival, bool) {
	a, ok := k.w.Next()
	if ok {
		a.Key = k.r.Uint32N(k.n)
	}
	return a, ok
}
