package decide

import (
	"cmp"
	"errors"
	"fmt"

	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/logs"
)

// decider answers the rows of the input, in their order.
type decider interface {
	// columns are the columns that it needs beside t, key and cost, in the order of Arrival.Wanted.
	columns() []string
	// unitCost names a limiter that knows requests of cost 1 only, "" if there is none.
	unitCost() string
	// decide returns the answer to a row, and the name of the layer that refused it, "" if none did.
	decide(row *logs.Arrival) (d contract.Decision, layer string)
	// standings are how the row that was decided last stands under each policy, in the order of Decision.Layer.
	standings() []contract.Standing
	// forgotten counts the keys that were forgotten.
	forgotten() limiters.Forgotten
}

func newDecider(opts Options) (decider, error) {
	switch {
	case opts.Limiter != "" && len(opts.Layers) > 0:
		return nil, &logs.InputError{Err: errors.New("--limiter and --layer exclude each other: a limiter for all is --layer global=SPEC")}
	case opts.Evict != "" && len(opts.Layers) > 0:
		return nil, &logs.InputError{Err: errors.New("--evict and --layer exclude each other: layers hold all their keys, --evict is for those of --limiter")}
	case opts.Charge != "" && len(opts.Layers) == 0:
		return nil, &logs.InputError{Err: errors.New("--charge says who pays of several layers; name them with --layer COLUMN=SPEC")}
	case len(opts.Layers) > 0:
		return newLayered(opts)
	}
	return newSingle(opts)
}

// single is one limiter, keyed by the column key.
type single struct {
	spec    limiters.Spec
	limiter limiters.Limiter
	held    *limiters.Held // the limiter, if it may forget
	keys    logs.Keys
	under   [1]contract.Standing
}

func newSingle(opts Options) (decider, error) {
	spec, err := limiters.Parse(opts.Limiter)
	if err != nil {
		return nil, &logs.InputError{Err: fmt.Errorf("--limiter: %w", err)}
	}
	eviction, err := limiters.ParseEviction(cmp.Or(opts.Evict, "none"))
	if err != nil {
		return nil, &logs.InputError{Err: fmt.Errorf("--evict: %w", err)}
	}
	s := &single{spec: spec}
	s.under[0].Policy = spec.Policy(contract.DefaultPolicy)
	if eviction.Forgets() {
		s.held = eviction.New(spec, opts.Seed, s.keys.Text)
		s.limiter = s.held
	} else {
		s.limiter = spec.New(opts.Seed, s.keys.Text)
	}
	return s, nil
}

func (s *single) forgotten() limiters.Forgotten {
	if s.held == nil {
		return limiters.Forgotten{}
	}
	return s.held.Forgotten()
}

func (s *single) columns() []string { return nil }

func (s *single) unitCost() string {
	if s.spec.UnitCost() {
		return s.spec.Name()
	}
	return ""
}

func (s *single) decide(row *logs.Arrival) (contract.Decision, string) {
	d := s.limiter.Take(row.At, s.keys.ID(row.Key), row.Cost)
	s.under[0].Decision = d
	if d.Admitted {
		return d, ""
	}
	return d, "key"
}

func (s *single) standings() []contract.Standing { return s.under[:] }
