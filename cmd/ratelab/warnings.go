package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"ratelab/experiments"
	"ratelab/experiments/sweep"
)

// sayWarnings says what is doubtful about the means of a run, a line for each
// kind of doubt.
func sayWarnings(cmd *cobra.Command, e experiments.Experiment, outcome experiments.Outcome) {
	if len(outcome.Warnings) == 0 {
		return
	}
	out := cmd.ErrOrStderr()
	fmt.Fprintf(out, "%s: %d of %d means are doubtful; %s says which\n", e.Name, outcome.Doubtful, outcome.Rows, filepath.Join(outcome.Dir, sweep.WarningsFile))
	for _, g := range outcome.Warnings {
		fmt.Fprintf(out, "  %v\n", g)
	}
}
