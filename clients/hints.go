package clients

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

// Hints are what a server tells those it refuses. Tell returns a decision made
// at now with the RetryAfter that is told instead, if it is a refusal with that
// hint and some wait helps.
type Hints interface {
	Tell(now time.Duration, req contract.Request, d contract.Decision) contract.Decision
}

// HintsEntry is a registered way to tell hints.
type HintsEntry struct {
	spec.Entry
	// Examples are specs for the tests and for "show".
	Examples []string
	read     func(v *spec.Values) newHints
}

type newHints func(stream func(purpose string) *rand.Rand) Hints

var (
	hintings     = spec.Registry[HintsEntry]{Kind: "hint"}
	hintsEntries []HintsEntry // sorted by name
)

func registerHints(e HintsEntry) {
	hintings.Register(e.Entry, e)
	i, _ := slices.BinarySearchFunc(hintsEntries, e.Name, func(e HintsEntry, name string) int { return strings.Compare(e.Name, name) })
	hintsEntries = slices.Insert(hintsEntries, i, e)
}

// HintsEntries returns the registered ways to tell hints, sorted by name.
func HintsEntries() []HintsEntry { return slices.Clone(hintsEntries) }

// HintsSpec is a parsed way to tell hints, as in server-jitter:max=30s. The
// zero value is exact.
type HintsSpec struct {
	text string
	new  newHints
}

// ParseHints reads a spec of hints.
func ParseHints(text string) (HintsSpec, error) {
	v, e, err := hintings.Parse(text)
	if err != nil {
		return HintsSpec{}, err
	}
	h := HintsSpec{text: v.String(), new: e.read(v)}
	if err := v.Err(); err != nil {
		return HintsSpec{}, err
	}
	return h, nil
}

// String writes the spec as [ParseHints] reads it.
func (h HintsSpec) String() string {
	if h.new == nil {
		return "exact"
	}
	return h.text
}

// New makes the hints of one server, with nobody waiting. stream returns the
// random stream for a purpose.
func (h HintsSpec) New(stream func(purpose string) *rand.Rand) Hints {
	if h.new == nil {
		return exact{}
	}
	return h.new(stream)
}

// mayTell reports whether a decision has a hint that may be changed.
func mayTell(d contract.Decision) bool {
	return !d.Admitted && d.Has&contract.HintRetryAfter != 0 && d.RetryAfter != contract.Never
}

func init() {
	registerHints(HintsEntry{
		Entry:    spec.Entry{Name: "exact", Doc: "the limiter's own: when the request would be admitted if nobody else came"},
		Examples: []string{"exact"},
		read:     func(*spec.Values) newHints { return func(func(string) *rand.Rand) Hints { return exact{} } },
	})
	registerHints(HintsEntry{
		Entry: spec.Entry{
			Name:   "window",
			Doc:    "until the window ends, counted from the epoch, whatever the limiter knows",
			Params: []spec.Param{{Name: "window", Unit: "duration", Doc: "the length of a window"}},
		},
		Examples: []string{"window:window=1m"},
		read: func(v *spec.Values) newHints {
			w := windowEnd{v.Duration("window")}
			return func(func(string) *rand.Rand) Hints { return w }
		},
	})
	registerHints(HintsEntry{
		Entry: spec.Entry{
			Name:   "server-jitter",
			Doc:    "the limiter's own and a random wait: a herd that obeys is spread",
			Params: []spec.Param{{Name: "max", Unit: "duration", Doc: "the longest extra wait, uniform from 0, both included"}},
		},
		Examples: []string{"server-jitter:max=30s"},
		read: func(v *spec.Values) newHints {
			most := v.Duration("max")
			return func(stream func(string) *rand.Rand) Hints { return serverJitter{most, stream("server-jitter")} }
		},
	})
}

type exact struct{}

func (exact) Tell(_ time.Duration, _ contract.Request, d contract.Decision) contract.Decision {
	return d
}

type windowEnd struct{ window time.Duration }

func (h windowEnd) Tell(now time.Duration, _ contract.Request, d contract.Decision) contract.Decision {
	if mayTell(d) {
		d.RetryAfter = h.window - now%h.window
	}
	return d
}

type serverJitter struct {
	most time.Duration
	r    *rand.Rand
}

func (h serverJitter) Tell(_ time.Duration, _ contract.Request, d contract.Decision) contract.Decision {
	if mayTell(d) {
		d.RetryAfter = plus(d.RetryAfter, upTo(h.most, h.r))
	}
	return d
}
