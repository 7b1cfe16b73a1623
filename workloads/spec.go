package workloads

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/random"
	"ratelab/internal/spec"
)

var (
	registry = spec.Registry[Entry]{Kind: "workload"}
	entries  []Entry // those of the registry, sorted by name
)

// register adds an arrival process; the file of each does it in an init. A
// name taken twice, or no example, is a bug in the program and panics.
func register(e Entry) {
	if len(e.Examples) == 0 {
		panic(fmt.Sprintf("workloads: %q has no example, so no test would run it", e.Name))
	}
	registry.Register(e.Entry, e)
	i, _ := slices.BinarySearchFunc(entries, e.Name, func(e Entry, name string) int { return strings.Compare(e.Name, name) })
	entries = slices.Insert(entries, i, e)
}

// Entries returns the registered arrival processes, sorted by name.
func Entries() []Entry { return slices.Clone(entries) }

// Spec is a workload's name with the values of its parameters, all valid. It
// is read by [Parse], is not changed after that, and is safe for concurrent
// use.
type Spec struct {
	entry  Entry
	values *spec.Values
}

// Parse reads a spec such as poisson:rate=100/s. It checks every value; only a
// file is not looked at before [Spec.New].
func Parse(text string) (Spec, error) {
	v, e, err := registry.Parse(text)
	if err != nil {
		return Spec{}, err
	}
	return checked(e, v)
}

// checked builds the workload once, so that its constructor sees the values.
func checked(e Entry, v *spec.Values) (Spec, error) {
	_, err := e.Build(v, Env{
		Stream: Streams(0, 0, "check"),
		Open:   func(string) (Workload, error) { return nothing{}, nil },
	})
	if err != nil {
		return Spec{}, err
	}
	return Spec{entry: e, values: v}, nil
}

// nothing is the workload in which nothing arrives.
type nothing struct{}

func (nothing) Next() (Arrival, bool) { return Arrival{}, false }

// New makes the workload, at its beginning. It fails where a file can not be
// read. Two workloads of one Spec share nothing but what env gives to both.
func (s Spec) New(env Env) (Workload, error) { return s.entry.Build(s.values, env) }

// Name returns the name of the arrival process.
func (s Spec) Name() string { return s.entry.Name }

// String writes the spec as [Parse] reads it: the parameters that were given,
// in declared order.
func (s Spec) String() string { return s.values.String() }

// With returns the spec with one parameter set to a value.
func (s Spec) With(param, value string) (Spec, error) {
	v, err := s.values.With(param, value)
	if err != nil {
		return Spec{}, err
	}
	return checked(s.entry, v)
}

// MeanRate returns the long-run mean rate in requests per second, and false if
// the spec declares none: a trace, or a story that ends.
func (s Spec) MeanRate() (perSecond float64, ok bool) {
	if s.entry.MeanRate == nil {
		return 0, false
	}
	perSecond = s.entry.MeanRate(s.values)
	return perSecond, perSecond > 0
}

// SetsKeys says that the arrivals carry keys of their own, so that [Keyed]
// must leave them alone.
func (s Spec) SetsKeys() bool {
	return s.entry.SetsKeys || s.entry.MaySetKeys != nil && s.entry.MaySetKeys(s.values)
}

// Streams returns the random streams of one replication: the stream of a
// purpose is named by seed, replication, purpose and entity, and by nothing
// else. So every point of a grid sees the same arrivals in a replication, and
// a stream more or less shifts no other. The entity is whose arrivals they
// are, such as a client or a tenant; "" where there is only one.
func Streams(seed uint64, rep int, entity string) func(purpose string) *rand.Rand {
	k := strconv.Itoa(rep)
	return func(purpose string) *rand.Rand { return random.Stream(seed, k, purpose, entity) }
}
