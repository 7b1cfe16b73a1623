package main

import (
	"errors"

	"github.com/spf13/cobra"

	"ratelab/experiments"
	"ratelab/experiments/sweep"
)

// precisionFlags are --precision and what goes with it.
type precisionFlags struct{ sweep.Precision }

func (p *precisionFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Float64Var(&p.Target, "precision", 0, "replicate each point until its means are this close, 0.05 for 5 %, in place of --reps")
	f.StringArrayVar(&p.Metrics, "precision-metric", nil, "`METRIC` that must be precise (default: all); may repeat")
	f.IntVar(&p.MaxReps, "max-reps", experiments.MaxReps, "most replications of a point with --precision")
}

// read checks the flags as far as they can be without a plan.
func (p *precisionFlags) read(cmd *cobra.Command) (sweep.Precision, error) {
	given := cmd.Flags().Changed
	switch {
	case given("precision") && given("reps"):
		return sweep.Precision{}, errors.New("--precision and --reps exclude each other: a precision decides how many replications there are")
	case !given("precision") && given("precision-metric"):
		return sweep.Precision{}, errors.New("--precision-metric goes with --precision, as in --precision 0.05")
	case !given("precision") && given("max-reps"):
		return sweep.Precision{}, errors.New("--max-reps goes with --precision, as in --precision 0.05; a fixed number is --reps")
	case !given("precision"):
		return sweep.Precision{}, nil
	case p.Target == 0:
		return sweep.Precision{}, errors.New("--precision must lie above 0 and below 1 (0.05 is ±5 % of the mean), got 0")
	case given("shard"):
		return sweep.Precision{}, errors.New("--precision shows only as it runs how many replications a point needs, so a shard can not know its cells: run it whole, or give --reps")
	}
	return p.Precision, nil
}
