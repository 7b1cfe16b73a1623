package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ratelab/experiments"
	"ratelab/experiments/sweep"
)

func newRun() *cobra.Command {
	var (
		o                experiments.Options
		all              bool
		set              []string
		failFast, dryRun bool
		cell             string
	)
	cmd := &cobra.Command{
		Use:   "run NAME... | --all",
		Short: "Simulate experiments: every cell of the grid, into CSV",
		Long: `run simulates the cells of experiments and leaves runs.csv, summary.csv and
claims.csv in results/NAME. What is up to date is not run again.

--set replaces the values of a factor: --set servers=1,2,4 or 1..64 *2 or
0.5..1.5 step 0.1; values that hold commas are separated by " ; ".`,
		Example: `  ratelab run boundary-burst --quick --out results-quick`,
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen, err := choose(args, all)
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("reps") && o.Reps < 1 {
				return fmt.Errorf("--reps must be >= 1, got %d", o.Reps)
			}
			o.KeepGoing = o.KeepGoing || !failFast
			if err := checkWorkers(o.Workers); err != nil {
				return err
			}
			for _, text := range set {
				factor, list, ok := strings.Cut(text, "=")
				if !ok {
					return fmt.Errorf("--set takes FACTOR=VALUE,VALUE…, got %q", text)
				}
				values, err := sweep.ParseValues(list)
				if err != nil {
					return fmt.Errorf("--set %s: %w", factor, err)
				}
				o.Set = append(o.Set, experiments.Setting{Factor: factor, Values: values})
			}
			for _, e := range chosen {
				if _, err := e.Prepare(o); err != nil {
					return err
				}
			}
			if o.Program, err = thisProgram(); err != nil {
				return failure{err}
			}
			if cell != "" {
				return runCell(cmd, chosen, o, cell)
			}
			if dryRun {
				return printCells(cmd.OutOrStdout(), chosen, o)
			}
			for _, e := range chosen {
				if err := runOne(cmd, e, o); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&all, "all", false, "every experiment")
	f.StringArrayVar(&set, "set", nil, "`FACTOR=VALUES` in place of the experiment's own; may repeat")
	f.IntVar(&o.Reps, "reps", 0, "replications (default: the experiment's own number)")
	f.Uint64Var(&o.Seed, "seed", 1, "base seed of every random stream")
	f.IntVar(&o.Workers, "workers", 0, "cells at the same time (0: one a processor)")
	f.StringVar(&o.Out, "out", "results", "`FOLDER` for results")
	f.BoolVar(&o.Quick, "quick", false, "fewer replications and a shorter horizon")
	f.BoolVar(&o.KeepGoing, "keep-going", false, "after a cell fails, run the others all the same")
	f.BoolVar(&failFast, "fail-fast", true, "after a cell fails, run no other")
	f.BoolVar(&dryRun, "dry-run", false, "run nothing, list the cells and whether they would run")
	f.StringVar(&cell, "cell", "", "run only the cell with this `KEY`, as --dry-run lists them, and print its metrics")
	cmd.MarkFlagsMutuallyExclusive("keep-going", "fail-fast")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "cell")
	return cmd
}

// printCells lists the cells of experiments: to run, or there already.
func printCells(out io.Writer, chosen []experiments.Experiment, o experiments.Options) error {
	w := bufio.NewWriter(out)
	for _, e := range chosen {
		plan, err := e.Prepare(o)
		if err != nil {
			return err
		}
		cells, err := plan.Cells()
		if err != nil {
			return err
		}
		state, why := "cached", "its results are there"
		if err := e.Current(o); err != nil {
			state, why = "to run", err.Error()
		}
		fmt.Fprintf(w, "%s: %d cells %s: %s\n", e.Name, len(cells), state, why)
		for _, c := range cells {
			fmt.Fprintf(w, "%s\t%s\n", state, c.Key())
		}
	}
	return written(w.Flush())
}

// runCell runs one cell, prints what it measured, and writes nothing.
func runCell(cmd *cobra.Command, chosen []experiments.Experiment, o experiments.Options, key string) error {
	if len(chosen) != 1 {
		return fmt.Errorf("--cell takes one experiment, got %d", len(chosen))
	}
	plan, err := chosen[0].Prepare(o)
	if err != nil {
		return err
	}
	cell, err := plan.Find(key)
	if err != nil {
		return fmt.Errorf("--cell: %w", err)
	}
	row, err := plan.RunCell(cmd.Context(), cell)
	if err != nil && cmd.Context().Err() != nil {
		return cmd.Context().Err()
	}
	if err != nil {
		return failure{err}
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, m := range plan.Metrics {
		if v := row.Get(m.Name); !math.IsNaN(v) {
			fmt.Fprintf(w, "%s\t%s\t%v\n", m.Name, m.Unit, v)
		}
	}
	return written(w.Flush())
}

// checkWorkers refuses a number of workers that means nothing.
func checkWorkers(workers int) error {
	if workers < 0 {
		return fmt.Errorf("--workers must be >= 0, got %d", workers)
	}
	return nil
}

func runOne(cmd *cobra.Command, e experiments.Experiment, o experiments.Options) error {
	bar := newProgress(cmd.ErrOrStderr(), e.Name, "cells")
	o.Progress = bar.update
	outcome, err := experiments.Run(cmd.Context(), e, o)
	bar.finish()
	if errors.Is(err, context.Canceled) {
		return bar.interrupted("; nothing of this run was kept, earlier results of " + e.Name + " are as they were")
	}
	if err != nil {
		return failure{err}
	}
	if outcome.Fresh {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: up to date in %s\n", e.Name, outcome.Dir)
		return nil
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %d cells in %s; %s\n", e.Name, outcome.Cells, outcome.Dir, experiments.Count(outcome.Checked))
	sayUncovered(cmd, e, outcome.Checked)
	return nil
}

// choose finds the experiments that a command line names.
func choose(names []string, all bool) ([]experiments.Experiment, error) {
	if all {
		if len(names) > 0 {
			return nil, fmt.Errorf("give either names or --all, got both (%s)", names[0])
		}
		return experiments.All(), nil
	}
	if len(names) == 0 {
		return nil, errors.New("name an experiment, or give --all; see ratelab list experiments")
	}
	var chosen []experiments.Experiment
	for _, name := range names {
		e, err := experiments.Lookup(name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, e)
	}
	return chosen, nil
}
