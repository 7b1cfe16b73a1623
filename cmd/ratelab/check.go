package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ratelab/experiments"
)

func newCheck() *cobra.Command {
	var (
		out string
		all bool
	)
	cmd := &cobra.Command{
		Use:   "check NAME... | --all",
		Short: "Judge the claims of experiments by their results",
		Long: `check reads the results of experiments, judges each claim at each of its points,
and writes claims.csv. It never simulates. It exits with 1 if a claim fails, or
if one is undecided at full precision (a quick run may leave a fifth undecided).`,
		Example: `  ratelab run boundary-burst --quick --out results-quick && ratelab check boundary-burst --out results-quick`,
		RunE: func(cmd *cobra.Command, args []string) error {
			loaded, err := load(args, all, out)
			if err != nil {
				return err
			}
			var total experiments.Tally
			passes := true
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, d := range loaded {
				if err := cmd.Context().Err(); err != nil {
					return err
				}
				checked, err := d.Check()
				if err != nil {
					return failure{err}
				}
				fmt.Fprintln(w, d.Experiment.Name)
				for _, k := range checked {
					fmt.Fprintf(w, "  %s\t%.6g\t[%.6g, %.6g]\t%s %.6g\t%s\n", k.Verdict, k.Observed, k.Low, k.High, k.Relation, k.Expected, k.Claim)
				}
				t := experiments.Count(checked)
				total.Holds += t.Holds
				total.Fails += t.Fails
				total.Undecided += t.Undecided
				passes = passes && t.Passes(d.Quick)
			}
			fmt.Fprintln(w, total)
			if err := w.Flush(); err != nil {
				return failure{err}
			}
			if !passes {
				return failure{}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "folder of results")
	cmd.Flags().BoolVar(&all, "all", false, "every experiment")
	return cmd
}

// load reads the results of the experiments that a command line names.
func load(names []string, all bool, out string) ([]*experiments.Data, error) {
	chosen, err := choose(names, all)
	if err != nil {
		return nil, err
	}
	p, err := thisProgram()
	if err != nil {
		return nil, failure{err}
	}
	var loaded []*experiments.Data
	for _, e := range chosen {
		d, err := experiments.Load(e, out, p.Hash)
		if err != nil {
			return nil, err
		}
		loaded = append(loaded, d)
	}
	return loaded, nil
}
