package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ratelab/experiments"
)

func newCheck() *cobra.Command {
	var (
		out         string
		all, points bool
	)
	cmd := &cobra.Command{
		Use:   "check NAME... | --all",
		Short: "Judge the claims of experiments by their results",
		Long: `check reads the results of experiments, judges each claim at each of its points,
and writes claims.csv. It never simulates. It prints what was found, a line for
each claim, and the points that fail or are undecided; outside its domain a claim
must fail, so there it is right that the points differ. What would make a claim
false follows where one fails; with --points it does for all, and so do the
threats to validity. It exits with 1 if a claim fails, or if one is undecided at
full precision (a quick run may leave a fifth undecided).`,
		Example: `  ratelab run boundary-burst --quick --out results-quick && ratelab check boundary-burst --out results-quick`,
		RunE: func(cmd *cobra.Command, args []string) error {
			loaded, err := load(args, all, out)
			if err != nil {
				return err
			}
			var total experiments.Tally
			passes := true
			out := bufio.NewWriter(cmd.OutOrStdout())
			for _, d := range loaded {
				if err := cmd.Context().Err(); err != nil {
					return err
				}
				checked, err := d.Check()
				if err != nil {
					return failure{err}
				}
				fmt.Fprintln(out, d.Experiment.Name)
				if !points {
					found, err := d.Findings()
					if err != nil {
						return failure{fmt.Errorf("%s: findings: %w", d.Experiment.Name, err)}
					}
					for _, sentence := range found {
						fmt.Fprintf(out, "  %s\n", sentence)
					}
					printClaims(out, checked)
				}
				printPoints(out, checked, points)
				printDoubts(out, d.Experiment, checked, points)
				sayUncovered(cmd, d.Experiment, checked)
				t := experiments.Count(checked)
				total = total.Plus(t)
				passes = passes && t.Passes(d.Quick)
			}
			fmt.Fprintln(out, total)
			if err := out.Flush(); err != nil {
				return failure{err}
			}
			if !passes {
				return failure{}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "`FOLDER` of results")
	cmd.Flags().BoolVar(&all, "all", false, "every experiment")
	cmd.Flags().BoolVar(&points, "points", false, "print every point at which a claim is judged, what would make the claims false, and the threats to validity")
	return cmd
}

// printClaims prints a line for each claim: its verdict, at how many points it
// holds, and at how many outside its domain it does not, as it must.
func printClaims(out io.Writer, checked []experiments.Checked) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for len(checked) > 0 {
		n := 1
		for n < len(checked) && checked[n].Text == checked[0].Text {
			n++
		}
		var in, outside experiments.Tally
		for _, k := range checked[:n] {
			t := experiments.Count([]experiments.Checked{k})
			if k.Outside {
				outside = outside.Plus(t)
			} else {
				in = in.Plus(t)
			}
		}
		verdict := experiments.Holds
		switch {
		case in.Fails+outside.Fails > 0:
			verdict = experiments.Fails
		case in.Undecided+outside.Undecided > 0:
			verdict = experiments.Undecided
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", verdict, share(in, "inside", "points hold"), share(outside, "outside", "outside differ"), checked[0].Text)
		checked = checked[n:]
	}
	_ = w.Flush() // out keeps its error
}

// share says at how many points the verdict is as it should be, of how many.
func share(t experiments.Tally, where, what string) string {
	if t.Points() == 0 {
		return "no point " + where
	}
	return fmt.Sprintf("%d of %d %s", t.Holds, t.Points(), what)
}

// printPoints prints the points that fail or are undecided, or all.
func printPoints(out io.Writer, checked []experiments.Checked, all bool) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, k := range checked {
		if all || k.Verdict != experiments.Holds {
			fmt.Fprintf(w, "  %s\t%.6g\t[%.6g, %.6g]\t%s %.6g\t%s\n", k.Verdict, k.Observed, k.Low, k.High, k.Relation, k.Expected, k.Claim)
		}
	}
	_ = w.Flush()
}

// printDoubts prints what would make the claims false that fail at a point; with
// all, that of all claims that were judged, where they hold, and what the
// experiment leaves out.
func printDoubts(out io.Writer, e experiments.Experiment, checked []experiments.Checked, all bool) {
	for _, c := range e.Claims {
		if slices.ContainsFunc(checked, func(k experiments.Checked) bool {
			return k.Text == c.Text && (all || k.Verdict == experiments.Fails)
		}) {
			fmt.Fprintf(out, "  %s\n    where: %s\n    false if: %s\n", c.Text, c.Domain, c.Wrong)
		}
	}
	if !all || len(checked) == 0 {
		return
	}
	fmt.Fprintln(out, "  Threats to validity")
	for _, threat := range e.Threats {
		fmt.Fprintf(out, "    - %s\n", threat)
	}
}

// sayUncovered says so if no claim is about what was run.
func sayUncovered(cmd *cobra.Command, e experiments.Experiment, checked []experiments.Checked) {
	if len(checked) == 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: no claim covers these values\n", e.Name)
	}
}

// load reads the results of the experiments that a command line names.
func load(names []string, all bool, out string) ([]*experiments.Data, error) {
	chosen, err := choose(names, all)
	if err != nil {
		return nil, err
	}
	if err := checkOut(out); err != nil {
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
