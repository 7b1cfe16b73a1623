package workloads

import (
	"math/rand/v2"
	"time"

	"ratelab/internal/spec"
)

// Arrival is one request as it arrives.
type Arrival struct {
	At       time.Duration // since the epoch of the run, >= 0 in simulations
	Key      uint32        // whose limit it counts against, from 0
	IP       uint32
	Endpoint uint32
	Cost     int64 // units, >= 1
}

// Workload is an arrival process: Next returns its arrivals in time order,
// and false after the last. Nothing allocates per arrival.
type Workload interface {
	Next() (Arrival, bool)
}

// Env is what a workload is built from.
type Env struct {
	// Stream returns the random stream for a purpose; gaps, keys and costs
	// draw from streams of their own.
	Stream func(purpose string) *rand.Rand
	// Open reads the arrivals of a file, in time order, for the workload
	// "trace"; its errors name the file. Nil where files can not be read.
	Open func(file string) (Workload, error)
}

// Build makes a workload from the values of its spec.
type Build func(v *spec.Values, env Env) (Workload, error)

// Entry is a registered arrival process.
type Entry struct {
	spec.Entry
	// MeanRate returns the long-run mean rate in requests per second that
	// the spec's values declare, 0 if these values have none (a story that
	// ends); nil if no values have one (a trace).
	MeanRate func(v *spec.Values) float64
	// Law says how the counts vary, for values that have a mean rate; nil if
	// it says nothing.
	Law func(v *spec.Values) Law
	// Span is how long a story takes that has no mean rate and goes on quietly;
	// nil if it ends.
	Span func(v *spec.Values) time.Duration
	// SetsKeys says that the arrivals carry keys of their own.
	SetsKeys bool
	// MaySetKeys says so for a process that is made of others, by its values;
	// nil if SetsKeys says it all.
	MaySetKeys func(v *spec.Values) bool
	// Build takes and checks the values and makes the workload. Parse calls it
	// too, with streams and an empty file, to have the values checked.
	Build Build
	// Examples are specs for the conformance suite and for "show".
	Examples []string
}
