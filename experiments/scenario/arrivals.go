package scenario

import (
	"math/rand/v2"
	"time"

	"ratelab/logs"
	"ratelab/workloads"
)

// Arrivals starts a workload, with uniform keys on 0..keys-1 where it sets
// none of its own. The stream for "keys" is apart from those of the workload,
// so that the number of keys shifts no arrival.
func Arrivals(w workloads.Spec, keys int, stream func(purpose string) *rand.Rand) (workloads.Workload, error) {
	return arrivalsOf(w, keys, stream, openLog)
}

// arrivalsOf is Arrivals with another way to open the files of traces.
func arrivalsOf(w workloads.Spec, keys int, stream func(purpose string) *rand.Rand, open func(file string) (workloads.Workload, error)) (workloads.Workload, error) {
	arrivals, err := w.New(workloads.Env{Stream: stream, Open: open})
	if err != nil || w.SetsKeys() {
		return arrivals, err
	}
	return workloads.Keyed(arrivals, uint32(keys), stream("keys")), nil
}

// openLog gives the arrivals of a log, or of an arrivals CSV, to the workload
// "trace".
func openLog(file string) (workloads.Workload, error) {
	next, _, err := logs.Open(file)
	if err != nil {
		return nil, err
	}
	return logged{next}, nil
}

type logged struct {
	next func() (at time.Duration, key uint32, cost int64, ok bool)
}

func (l logged) Next() (workloads.Arrival, bool) {
	at, key, cost, ok := l.next()
	return workloads.Arrival{At: at, Key: key, Cost: cost}, ok
}
