package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ratelab/experiments"
)

func newVerify() *cobra.Command {
	var (
		o   experiments.Options
		all bool
		row string
	)
	cmd := &cobra.Command{
		Use:   "verify NAME... | --all",
		Short: "Make results anew and compare them with those there, byte for byte",
		Long: `verify simulates experiments anew, from nothing and in a folder of its own, draws
their figures, and compares summaries, claims, data packages and figures with
those in results/NAME. It says what differs and exits with 1 if anything does.
It changes nothing. Figures are compared if any was drawn.

The settings are those that the results were made with, from manifest.json.
Without one, as in a clone, they are the experiment's own at full precision.

--row FACTOR=VALUE,...,metric=NAME traces one row of a summary instead: it lists
the cells that the row was made of, by key, and makes the row of them again.`,
		Example: `  ratelab run boundary-burst --quick --out results-quick && ratelab verify boundary-burst --out results-quick`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkWorkers(o.Workers); err != nil {
				return err
			}
			if err := checkOut(o.Out); err != nil {
				return err
			}
			if cmd.Flags().Changed("row") {
				return traceRow(cmd, args, all, o.Out, row)
			}
			chosen, err := choose(args, all)
			if err != nil {
				return err
			}
			if o.Program, err = thisProgram(); err != nil {
				return failure{err}
			}
			o.Seed = 1
			same := true
			for _, e := range chosen {
				fine, err := verifyOne(cmd, e, o)
				if err != nil {
					return err
				}
				same = same && fine
			}
			if !same {
				return failure{}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Out, "out", "results", "`FOLDER` of results")
	f.BoolVar(&all, "all", false, "every experiment")
	f.BoolVar(&o.Quick, "quick", false, "results without a manifest.json are of a quick run")
	f.IntVar(&o.Workers, "workers", 0, "cells at the same time (0: one a processor)")
	f.StringVar(&row, "row", "", "trace the row of a summary that `FACTOR=VALUE,...,metric=NAME` tells apart")
	return cmd
}

// verifyOne makes one experiment anew and says what differs.
func verifyOne(cmd *cobra.Command, e experiments.Experiment, o experiments.Options) (same bool, err error) {
	if o, err = experiments.MadeWith(e, o); err != nil {
		return false, err
	}
	bar := newProgress(cmd.ErrOrStderr(), e.Name, "cells")
	o.Progress = bar.update
	v, err := experiments.Verify(cmd.Context(), e, o)
	bar.finish()
	if err != nil && cmd.Context().Err() != nil {
		return false, bar.interrupted("; nothing was changed")
	}
	if err != nil {
		return false, failure{err}
	}
	w := bufio.NewWriter(cmd.OutOrStdout())
	undrawn := ""
	if v.Undrawn {
		undrawn = "; figures were not drawn"
	}
	fmt.Fprintf(w, "%s: %d of %d files are what this program makes%s\n", e.Name, len(v.Compared)-len(v.Differ), len(v.Compared), undrawn)
	for _, d := range v.Differ {
		fmt.Fprintf(w, "  %s: %s\n", d.File, d.Why)
	}
	return len(v.Differ) == 0, written(w.Flush())
}

// traceRow prints a row of a summary with the cells behind it.
func traceRow(cmd *cobra.Command, args []string, all bool, out, row string) error {
	if len(args) != 1 || all {
		return errors.New("--row takes one experiment")
	}
	metric, at, err := splitRow(row)
	if err != nil {
		return err
	}
	loaded, err := load(args, false, out)
	if err != nil {
		return err
	}
	t, err := loaded[0].TraceRow(metric, at...)
	if err != nil {
		return fmt.Errorf("--row: %w", err)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for i, key := range t.Cells {
		fmt.Fprintf(w, "%v\t%s\n", t.Values[i], key)
	}
	if err := w.Flush(); err != nil {
		return failure{err}
	}
	names := []string{"n", "mean", "sd", "ci_low", "ci_high", "min", "max"}
	var texts []string
	for i, name := range names {
		texts = append(texts, name+"="+t.Row[i])
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s (%s) of %d cells: %s\n", t.Metric, t.Unit, len(t.Cells), strings.Join(texts, " "))
	if !t.Agrees() {
		return failure{fmt.Errorf("the row is not what its cells make: %s", strings.Join(t.Made, " "))}
	}
	return nil
}

// splitRow reads FACTOR=VALUE,…,metric=NAME.
func splitRow(text string) (metric string, at []string, err error) {
	all, err := experiments.ParsePlace(text)
	if err != nil {
		return "", nil, fmt.Errorf("--row: %w", err)
	}
	for i := 0; i < len(all); i += 2 {
		if all[i] == "metric" {
			metric = all[i+1]
		} else {
			at = append(at, all[i], all[i+1])
		}
	}
	if metric == "" {
		return "", nil, errors.New("--row must name the metric of the row: metric=NAME")
	}
	return metric, at, nil
}
