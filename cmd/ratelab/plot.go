package main

import (
	"context"
	"fmt"
	"iter"
	"runtime"

	"github.com/spf13/cobra"

	"ratelab/experiments"
)

func newPlot() *cobra.Command {
	var (
		out          string
		all, svgOnly bool
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
			var formats []string // all
			if svgOnly {
				formats = []string{"svg"}
			}
			defer collectLess()()
			for p := range drawings(cmd.Context(), loaded, formats) {
				for _, path := range p.drawn {
					fmt.Fprintln(cmd.OutOrStdout(), path)
				}
				if err := cmd.Context().Err(); err != nil && p.err == err {
					return err
				}
				if p.err != nil {
					return failure{p.err}
				}
				for _, why := range p.left {
					fmt.Fprintf(cmd.ErrOrStderr(), "left out, these results are of another grid: %s\n", oneLine(why.Error()))
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "`FOLDER` of results")
	cmd.Flags().BoolVar(&all, "all", false, "every experiment")
	cmd.Flags().BoolVar(&svgOnly, "svg-only", false, "no PDF and PNG")
	return cmd
}

// drawing is what became of an experiment's figures.
type drawing struct {
	drawn []string
	left  []error
	err   error
}

// drawings draws the figures of experiments, as many experiments at a time as
// there are processors, and yields what became of them in order. It starts no
// other once the context has ended or nobody listens.
func drawings(ctx context.Context, loaded []*experiments.Data, formats []string) iter.Seq[drawing] {
	return func(yield func(drawing) bool) {
		ctx, stop := context.WithCancel(ctx)
		results := make([]chan drawing, len(loaded))
		turns := make(chan struct{}, runtime.GOMAXPROCS(0))
		for i := range results {
			results[i] = make(chan drawing, 1)
		}
		go func() {
			for i, d := range loaded {
				turns <- struct{}{}
				go func() {
					var p drawing
					if p.err = ctx.Err(); p.err == nil {
						p.drawn, p.left, p.err = d.Plot(formats...)
					}
					results[i] <- p
					<-turns
				}()
			}
		}()
		going := true
		for _, result := range results { // all of them: nothing is written after the end
			if p := <-result; going && !yield(p) {
				going = false
				stop()
			}
		}
		stop()
	}
}
