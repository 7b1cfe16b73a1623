package decide

import (
	"cmp"
	"fmt"

	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/logs"
)

// decider answers the rows of the input, in their order.
type decider interface {
	// columns are the columns that it needs beside t, key and cost, in the order of Arrival.Wanted.
	columns() []string
	decide(row *logs.Arrival) contract.Decision
	// forgotten counts the keys that were forgotten.
	forgotten() limiters.Forgotten
}

// single is one limiter, keyed by the column key.
type single struct {
	limiter limiters.Limiter
	held    *limiters.Held // the limiter, if it may forget
	keys    logs.Keys
}

func newDecider(opts Options) (decider, error) {
	spec, err := limiters.Parse(opts.Limiter)
	if err != nil {
		return nil, &logs.InputError{Err: fmt.Errorf("--limiter: %w", err)}
	}
	eviction, err := limiters.ParseEviction(cmp.Or(opts.Evict, "none"))
	if err != nil {
		return nil, &logs.InputError{Err: fmt.Errorf("--evict: %w", err)}
	}
	s := &single{}
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

func (s *single) decide(row *logs.Arrival) contract.Decision {
	return s.limiter.Take(row.At, s.keys.ID(row.Key), row.Cost)
}
