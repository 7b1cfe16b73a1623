package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ratelab/experiments"
)

func newMerge() *cobra.Command {
	var (
		o   experiments.Options
		all bool
		set []string
	)
	cmd := &cobra.Command{
		Use:   "merge NAME... | --all",
		Short: "Join the cells that shards ran into the tables of experiments",
		Long: `merge makes the tables of experiments from the cells in results/NAME/cells, and
judges the claims. It never simulates: if cells are missing it says which, and
the command that runs them; if two files have different results for a cell it
names both. It takes the settings that the shards ran with; where there are
none, or they differ, --quick, --reps, --seed, --set and --where say them.`,
		Example: `  ratelab run boundary-burst --quick --shard 0/2 --out results-quick && ratelab run boundary-burst --quick --shard 1/2 --out results-quick && ratelab merge boundary-burst --out results-quick`,
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen, err := choose(args, all)
			if err != nil {
				return err
			}
			if err := checkOut(o.Out); err != nil {
				return err
			}
			if cmd.Flags().Changed("reps") && o.Reps < 1 {
				return fmt.Errorf("--reps must be >= 1, got %d", o.Reps)
			}
			if err := parseSet(&o, set); err != nil {
				return err
			}
			if o.Program, err = thisProgram(); err != nil {
				return failure{err}
			}
			told := false
			for _, name := range []string{"quick", "reps", "seed", "set", "where"} {
				told = told || cmd.Flags().Changed(name)
			}
			for _, e := range chosen {
				o := o
				if !told {
					if o, err = experiments.ShardSettings(e, o); err != nil {
						return err
					}
				}
				if _, err := e.Prepare(o); err != nil {
					return err
				}
				if err := mergeOne(cmd, e, o); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&all, "all", false, "every experiment")
	f.StringArrayVar(&set, "set", nil, "`FACTOR=VALUES` that the shards ran with; may repeat")
	f.StringArrayVar(&o.Where, "where", nil, "`CONDITION` that the shards ran with; may repeat")
	f.IntVar(&o.Reps, "reps", 0, "replications that the shards ran")
	f.Uint64Var(&o.Seed, "seed", 1, "base seed that the shards ran with")
	f.StringVar(&o.Out, "out", "results", "`FOLDER` of results")
	f.BoolVar(&o.Quick, "quick", false, "the shards were quick")
	return cmd
}

func mergeOne(cmd *cobra.Command, e experiments.Experiment, o experiments.Options) error {
	outcome, tables, err := experiments.Merge(e, o)
	sayNotes(cmd, e, outcome.Notes)
	sayWarnings(cmd, e, outcome)
	var stale *experiments.StaleError
	if errors.As(err, &stale) {
		return err
	}
	if err != nil {
		return failure{err}
	}
	for _, t := range tables {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %d rows, sha256 %s\n", t.Path, t.Rows, t.SHA256)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %d cells in %s; %s\n", e.Name, outcome.Cells, outcome.Dir, experiments.Count(outcome.Checked))
	sayUncovered(cmd, e, outcome.Checked)
	return nil
}
