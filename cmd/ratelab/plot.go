package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newPlot() *cobra.Command {
	var (
		out string
		all bool
	)
	cmd := &cobra.Command{
		Use:   "plot NAME... | --all",
		Short: "Draw the figures of experiments from their results",
		Long: `plot reads the results of experiments and draws each figure as SVG, PDF and PNG,
and prints the path of the SVG; the others lie beside it. It never simulates.`,
		Example: `  ratelab run boundary-burst --quick --out results-quick && ratelab plot boundary-burst --out results-quick`,
		RunE: func(cmd *cobra.Command, args []string) error {
			loaded, err := load(args, all, out)
			if err != nil {
				return err
			}
			for _, d := range loaded {
				if err := cmd.Context().Err(); err != nil {
					return err
				}
				drawn, left, err := d.Plot()
				for _, path := range drawn {
					fmt.Fprintln(cmd.OutOrStdout(), path)
				}
				if err != nil {
					return failure{err}
				}
				for _, why := range left {
					fmt.Fprintf(cmd.ErrOrStderr(), "left out, these results are of another grid: %s\n", oneLine(why.Error()))
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "`FOLDER` of results")
	cmd.Flags().BoolVar(&all, "all", false, "every experiment")
	return cmd
}
