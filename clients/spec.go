package clients

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ratelab/internal/spec"
)

// Entry is a registered policy.
type Entry struct {
	spec.Entry
	// Examples are specs for the conformance suite and for "show".
	Examples []string
	read     func(v *spec.Values) policy
}

var (
	registry = spec.Registry[Entry]{Kind: "client"}
	entries  []Entry // sorted by name
)

const (
	defaultAttempts = "4" // the first try and three retries
	nothing         = "none"
)

var (
	attemptsParam = spec.Param{Name: "attempts", Unit: "count", Default: defaultAttempts, Doc: "attempts of a request, the first included, or unlimited"}
	otherParams   = []spec.Param{
		{Name: "timeout", Unit: "duration", Default: nothing, Doc: "how long an attempt waits for its reply; then it is given up, and its charge stays"},
		{Name: "budget", Unit: "budget", Default: nothing, Doc: "what limits retries: a budget, with / for its : and , as in ratio/ttl=10s/min=10"},
		{Name: "users", Unit: "count", Default: nothing, Doc: "closes the loop: so many users, each with one request at a time"},
		{Name: "think", Unit: "duration", Default: nothing, Doc: "mean of a user's exponential time between requests; must be given with users"},
	}
)

// register adds a policy; the file of each does it in an init. retries says
// that it may try again, and so takes a limit of attempts.
func register(e Entry, retries bool) {
	if len(e.Examples) == 0 {
		panic(fmt.Sprintf("clients: %q has no example, so no test would run it", e.Name))
	}
	if retries {
		e.Params = append(e.Params, attemptsParam)
	}
	e.Params = append(e.Params, otherParams...)
	registry.Register(e.Entry, e)
	i, _ := slices.BinarySearchFunc(entries, e.Name, func(e Entry, name string) int { return strings.Compare(e.Name, name) })
	entries = slices.Insert(entries, i, e)
}

// Entries returns the registered policies, sorted by name.
func Entries() []Entry { return slices.Clone(entries) }

// Spec is a client's policy with the values of its parameters, all valid. It
// is read by [Parse], is not changed after that, and is safe for concurrent
// use.
type Spec struct {
	values *spec.Values
	rule
}

// rule is what a spec says.
type rule struct {
	policy   policy
	attempts int64         // the first included; 0: no limit
	timeout  time.Duration // 0: none
	budget   BudgetSpec    // the zero value: none
	users    int64         // 0: the loop is open
	think    time.Duration // mean, > 0 with users
}

// Parse reads a spec such as retry-after:jitter=30s,attempts=10. Errors name
// the client, the parameter and what would be right.
func Parse(text string) (Spec, error) {
	v, e, err := registry.Parse(text)
	if err != nil {
		return Spec{}, err
	}
	return newSpec(v, e)
}

func newSpec(v *spec.Values, e Entry) (Spec, error) {
	r := rule{policy: e.read(v), attempts: 1}
	if _, never := r.policy.(none); !never {
		r.attempts = readAttempts(v)
	}
	if v.Text("timeout") != nothing {
		r.timeout = v.Duration("timeout")
	}
	if v.Text("budget") != nothing {
		var err error
		if r.budget, err = ParseBudget(colons(v.Text("budget"))); err != nil {
			v.Fail("budget", "is no budget: %v", err)
		}
	}
	users, think := v.Text("users") != nothing, v.Text("think") != nothing
	switch {
	case users != think:
		v.Fail("users", "and think go together, as in users=50,think=1s: a user who does not think has no time of his own")
	case users:
		r.think = v.Duration("think")
		if r.users = v.Count("users"); r.users < 1 || r.users > MaxClients {
			v.Fail("users", "must lie in 1..%d, got %s", MaxClients, v.Text("users"))
		}
	}
	if at, atOnce := r.policy.(rude); atOnce && at.every == 0 && r.attempts == 0 {
		v.Fail("attempts", "must have a limit with every=0: retries at once would never let time pass")
	}
	if err := v.Err(); err != nil {
		return Spec{}, err
	}
	return Spec{v, r}, nil
}

func readAttempts(v *spec.Values) int64 {
	if v.Text("attempts") == "unlimited" {
		return 0
	}
	n := v.Count("attempts")
	if n < 1 {
		v.Fail("attempts", "must be >= 1, the first included, or unlimited, got %s", v.Text("attempts"))
	}
	return n
}

// Name returns the policy's name.
func (s Spec) Name() string { return s.values.Entry.Name }

// String writes the spec as [Parse] reads it: the parameters that were given,
// in declared order.
func (s Spec) String() string { return s.values.String() }

// With returns the spec with one parameter set to a value.
func (s Spec) With(param, value string) (Spec, error) {
	v, err := s.values.With(param, value)
	if err != nil {
		return Spec{}, err
	}
	e, _ := slices.BinarySearchFunc(entries, s.Name(), func(e Entry, name string) int { return strings.Compare(e.Name, name) })
	return newSpec(v, entries[e])
}

// IsZero reports whether the spec is the zero Spec, which is of no use.
func (s Spec) IsZero() bool { return s.values == nil }

// Attempts returns the most attempts of a request, the first included; 0 if
// there is no limit.
func (s Spec) Attempts() int64 { return s.rule.attempts }

// Timeout returns how long an attempt waits for its reply; 0 if it waits for
// ever.
func (s Spec) Timeout() time.Duration { return s.rule.timeout }

// Budget returns the spec's budget of retries.
func (s Spec) Budget() BudgetSpec { return s.rule.budget }

// Users returns how many users the spec brings with it; 0 if its loop is open,
// so that its requests come from a workload.
func (s Spec) Users() int64 { return s.rule.users }
