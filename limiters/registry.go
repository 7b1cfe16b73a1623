package limiters

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"

	"ratelab/internal/spec"
)

// rule is a limiter's algorithm with its parameters, before it has any state.
type rule interface {
	// capacity is the most units ever admitted at one instant.
	capacity() int64
	// rate is the long-run rate; false if nothing is ever admitted by rate.
	rate() (spec.Rate, bool)
	// window is the length of the window, if the algorithm has one.
	window() (time.Duration, bool)
	// scaled returns the text of the spec with the rate multiplied by num/den
	// and the capacity given. v holds the parameters of this rule's own spec.
	scaled(v *spec.Values, num, den, capacity int64) (string, error)
	// limiter makes the limiter, with no keys.
	limiter(seed uint64, keyText func(uint32) string) Limiter
}

// reader takes a rule's parameters from the Values; faults are left in them.
type reader func(*spec.Values) rule

var (
	registry  = spec.Registry[reader]{Kind: "limiter"}
	canonical []string
)

// registerCanonical adds a limiter of our own. With this it is listed, parsed,
// swept and put through the conformance suite; nothing else is edited.
func registerCanonical(e spec.Entry, read reader) {
	registry.Register(e, read)
	canonical = append(canonical, e.Name)
	slices.Sort(canonical)
}

// Entries describes every limiter, sorted by name.
func Entries() []spec.Entry { return registry.Entries() }

// Canonical returns the names of the limiters that are not named after a
// program, sorted.
func Canonical() []string { return slices.Clone(canonical) }

// Spec is a limiter with its parameters, read from a text such as
// "token-bucket:rate=2/s,burst=20". It has no state: [Spec.New] makes a
// limiter that has. The zero Spec is of no use.
type Spec struct {
	values *spec.Values
	read   reader
	rule   rule
}

// Parse reads a spec. Errors name the limiter, the parameter and what would
// be right.
func Parse(text string) (Spec, error) {
	v, read, err := registry.Parse(text)
	if err != nil {
		return Spec{}, err
	}
	return newSpec(v, read)
}

func newSpec(v *spec.Values, read reader) (Spec, error) {
	r := read(v)
	if err := v.Err(); err != nil {
		return Spec{}, err
	}
	return Spec{v, read, r}, nil
}

// String returns the spec's text: the parameters that were given, in the
// order in which they are documented.
func (s Spec) String() string { return s.values.String() }

// IsZero reports whether the spec is the zero Spec.
func (s Spec) IsZero() bool { return s.values == nil }

// Name returns the limiter's name.
func (s Spec) Name() string { return s.values.Entry.Name }

// Param returns the text of a parameter, or of its default; "" if the limiter
// has none of that name.
func (s Spec) Param(name string) string {
	for _, p := range s.values.Entry.Params {
		if p.Name == name {
			return s.values.Text(name)
		}
	}
	return ""
}

// New makes a limiter without keys. The seed and the keys' texts matter only
// where the spec has a jitter, to the phase of each key; keyText nil stands
// for the key's decimal number.
func (s Spec) New(seed uint64, keyText func(uint32) string) Limiter {
	return s.rule.limiter(seed, keyText)
}

// Capacity returns the most units ever admitted at one instant: the limit of
// a window, the burst of a bucket, 1 for the meter, 1 + K for a queue of K.
func (s Spec) Capacity() int64 { return s.rule.capacity() }

// Rate returns the long-run rate: the spec's own, or limit/window. It reports
// false if the limit is 0. The rate of a window may have a period above
// spec.MaxCount.
func (s Spec) Rate() (spec.Rate, bool) { return s.rule.rate() }

// Window returns the limiter's window, if it has one.
func (s Spec) Window() (time.Duration, bool) { return s.rule.window() }

// Promise returns what the limiter undertakes to admit at most in a time w:
// the limit, if it has a window of its own; else burst + ⌊rate·w⌋. It does not
// exceed MaxInt64.
func (s Spec) Promise(w time.Duration) int64 {
	capacity := s.Capacity()
	if _, windowed := s.Window(); windowed {
		return capacity
	}
	r, ok := s.Rate()
	if !ok || w <= 0 {
		return capacity
	}
	earned := product(uint64(w), uint64(r.N)).floorDiv(uint64(r.P))
	if earned > uint64(math.MaxInt64-capacity) {
		return math.MaxInt64
	}
	return capacity + int64(earned)
}

// Scale returns the spec of a share num/den of this one: the rate multiplied
// exactly, the capacity ⌊capacity·num/den⌋ + extra. Given to N servers with
// num/den = 1/N and extra 1 for the first capacity mod N of them, the
// capacities add up to the whole.
//
// The capacity may come to 0: a window with limit 0, a bucket with burst 0.
// A leaky-meter whose capacity is no longer 1, and a leaky-queue with nothing
// left, become gcra with that burst. An initial level is scaled without the
// extra.
func (s Spec) Scale(num, den, extra int64) (Spec, error) {
	if num <= 0 || den <= 0 {
		return Spec{}, fmt.Errorf("limiter %q can be scaled by a positive ratio, got %d/%d", s, num, den)
	}
	share, ok := portion(s.Capacity(), num, den)
	capacity := share + extra
	if !ok || capacity < 0 || capacity > spec.MaxCount {
		return Spec{}, fmt.Errorf("limiter %q: a capacity of %d·%d/%d%+d lies outside 0 to 2^53", s, s.Capacity(), num, den, extra)
	}
	text, err := s.rule.scaled(s.values, num, den, capacity)
	if err != nil {
		return Spec{}, fmt.Errorf("limiter %q: %w", s, err)
	}
	return Parse(text)
}

// portion returns ⌊n·num/den⌋, for n >= 0, and whether it lies below 2⁵³.
func portion(n, num, den int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(n), uint64(num))
	q := wide{hi, lo}.floorDiv(uint64(den))
	return int64(q & spec.MaxCount), q <= spec.MaxCount
}

// With returns the spec with one parameter set to another value.
func (s Spec) With(param, value string) (Spec, error) {
	v, err := s.values.With(param, value)
	if err != nil {
		return Spec{}, err
	}
	return newSpec(v, s.read)
}

// withAll writes a spec's text with parameters replaced: name, value, name,
// value.
func withAll(v *spec.Values, pairs ...string) (string, error) {
	for i := 0; i < len(pairs); i += 2 {
		var err error
		if v, err = v.With(pairs[i], pairs[i+1]); err != nil {
			return "", err
		}
	}
	return v.String(), nil
}

// windowRate returns limit/window in lowest terms.
func windowRate(limit int64, window time.Duration) (spec.Rate, bool) {
	if limit == 0 {
		return spec.Rate{}, false
	}
	a, b := limit, int64(window)
	for b != 0 {
		a, b = b, a%b
	}
	return spec.Rate{N: limit / a, P: window / time.Duration(a)}, true
}
