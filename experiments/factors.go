package experiments

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/des/metrics"
	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
)

// oneOf checks that a factor's value is one of those known.
func oneOf(known ...string) func(value string) error {
	return func(value string) error {
		if slices.Contains(known, value) {
			return nil
		}
		return fmt.Errorf("unknown%s; known: %s", spec.DidYouMean(value, known), strings.Join(known, ", "))
	}
}

// wholeNumber checks that a factor's value is a whole number from 1 to most.
func wholeNumber(most int64) func(value string) error {
	return func(value string) error {
		if n, err := spec.ParseCount(value); err != nil || n < 1 || n > most {
			return fmt.Errorf("must be a whole number in 1..%d", most)
		}
		return nil
	}
}

// fromDictionary returns metrics that scenarios have, by their names.
func fromDictionary(names ...string) (chosen []sweep.Metric) {
	for _, name := range names {
		info, ok := metrics.Describe(name)
		if !ok {
			panic("experiments: the dictionary has no metric " + name)
		}
		chosen = append(chosen, sweep.Metric(info))
	}
	return chosen
}
