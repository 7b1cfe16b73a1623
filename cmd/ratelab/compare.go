package main

import (
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

func newCompare() *cobra.Command {
	var (
		o       experiments.Options
		a, b    []string
		metrics []string
		format  string
	)
	cmd := &cobra.Command{
		Use:   "compare NAME [--a FACTOR=VALUE]... --b FACTOR=VALUE...",
		Short: "Compare points of an experiment, with the same random numbers",
		Long: `compare takes every point of an experiment's grid, changes it as --b says, and
prints what that changes of each metric: b - a, with a 95 % interval (each by
itself). Both sides have the same random numbers in replication k and are
compared replication by replication, which is why the interval is narrow:
the variance ratio says how many times more replications it would take with
random numbers of their own.

--a fixes factors of both sides, except those that --b sets; without it all
values of the experiment's own are compared. Cells that are missing run, and are
stored like those of ratelab run.`,
		Example: `  ratelab compare boundary-burst --quick --out results-quick --a part=straddle --a window=1s --a limit=10 --a limiter=fixed-window --b limiter=sliding-log`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("compare takes one experiment, got %d; see ratelab list experiments", len(args))
			}
			e, err := experiments.Lookup(args[0])
			if err != nil {
				return err
			}
			if format != "table" && format != "csv" {
				return fmt.Errorf("--format must be table or csv, got %q", format)
			}
			if cmd.Flags().Changed("reps") && o.Reps < 1 {
				return fmt.Errorf("--reps must be >= 1, got %d", o.Reps)
			}
			if err := checkOut(o.Out); err != nil {
				return err
			}
			if err := checkWorkers(o.Workers); err != nil {
				return err
			}
			sideA, err := parseSide("--a", a)
			if err != nil {
				return err
			}
			sideB, err := parseSide("--b", b)
			if err != nil {
				return err
			}
			if o.Program, err = thisProgram(); err != nil {
				return failure{err}
			}
			return compare(cmd, e, o, sideA, sideB, metrics, format)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&a, "a", nil, "`FACTOR=VALUE` of both sides, or of the first if --b sets it too; may repeat")
	f.StringArrayVar(&b, "b", nil, "`FACTOR=VALUE` of the second side; may repeat")
	f.StringArrayVar(&metrics, "metric", nil, "`METRIC` to compare (default: all); may repeat")
	f.IntVar(&o.Reps, "reps", 0, "replications (default: the experiment's own number)")
	f.Uint64Var(&o.Seed, "seed", 1, "base seed of every random stream")
	f.IntVar(&o.Workers, "workers", 0, "cells at the same time (0: one a processor)")
	f.StringVar(&o.Out, "out", "results", "`FOLDER` of results")
	f.BoolVar(&o.Quick, "quick", false, "fewer replications and a shorter horizon")
	f.StringVar(&format, "format", "table", "table or csv")
	return cmd
}

// parseSide reads the values of --a or --b.
func parseSide(flag string, texts []string) ([]experiments.Setting, error) {
	var settings []experiments.Setting
	for _, text := range texts {
		axes, err := sweep.ParseSetting(text)
		if err != nil {
			return nil, fmt.Errorf("%s %w", flag, err)
		}
		for _, axis := range axes {
			settings = append(settings, experiments.Setting{Factor: axis.Factor, Values: axis.Values})
		}
	}
	return settings, nil
}

func compare(cmd *cobra.Command, e experiments.Experiment, o experiments.Options, a, b []experiments.Setting, metrics []string, format string) error {
	var stop func()
	o.AtOnce, stop = secondSignal()
	defer stop()
	bar := newProgress(cmd.ErrOrStderr(), e.Name, "cells")
	o.Progress = bar.update
	c, err := experiments.Compare(cmd.Context(), e, o, a, b, metrics)
	bar.finish()
	if c != nil {
		sayNotes(cmd, e, c.Notes)
	}
	var running experiments.RunError
	switch {
	case errors.Is(err, context.Canceled):
		return bar.interrupted("; they are kept, and the same command goes on")
	case errors.As(err, &running):
		return failure{running.Err}
	case err != nil:
		return err
	}
	if format == "csv" {
		t, err := c.Table(e)
		if err != nil {
			return failure{err}
		}
		return written(t.Write(cmd.OutOrStdout()))
	}
	return written(printComparison(cmd.OutOrStdout(), e, c))
}

// printComparison prints a block for each pair of points.
func printComparison(out io.Writer, e experiments.Experiment, c *experiments.Comparison) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	pairs := "1 pair of points"
	if len(c.Pairs) != 1 {
		pairs = fmt.Sprintf("%d pairs of points", len(c.Pairs))
	}
	fmt.Fprintf(w, "%s: %s, %s with the same random numbers, 95 %% intervals\n", e.Name, pairs, count(c.Reps, "replication"))
	for _, p := range c.Pairs {
		common, a, b := p.Pair.Split()
		if common != "" {
			fmt.Fprintf(w, "\nat  %s\na   %s\nb   %s\n", common, a, b)
		} else {
			fmt.Fprintf(w, "\na   %s\nb   %s\n", a, b)
		}
		if len(p.Metrics) == 0 {
			fmt.Fprintln(w, "no metric has a value on both sides")
			continue
		}
		fmt.Fprintln(w, "metric\tunit\tn\ta\tb\tb - a\tlow\thigh\tvariance ratio\twarnings")
		for _, m := range p.Metrics {
			var warnings []string
			for _, warning := range m.Warnings {
				warnings = append(warnings, warning.String())
			}
			line := fmt.Sprintf("%s\t%s\t%d\t%.6g\t%.6g\t%.6g\t%s\t%s\t%s\t%s", m.Name, m.Unit, m.Difference.N, m.A.Mean, m.B.Mean, m.Difference.Mean,
				finite(m.Low), finite(m.High), ratio(m), strings.Join(warnings, ", "))
			fmt.Fprintln(w, strings.TrimRight(line, "\t"))
		}
	}
	return w.Flush()
}

func finite(x float64) string {
	if math.IsInf(x, 0) {
		return "-"
	}
	return fmt.Sprintf("%.6g", x)
}

// ratio shows how much pairing brought.
func ratio(m experiments.ComparedMetric) string {
	switch {
	case math.IsNaN(m.VarianceRatio):
		return "-" // nothing varies
	case math.IsInf(m.VarianceRatio, 1):
		return "all equal"
	}
	return fmt.Sprintf("%.3g", m.VarianceRatio)
}
