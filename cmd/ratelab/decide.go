package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ratelab/logs"
	"ratelab/logs/decide"
)

func newDecide() *cobra.Command {
	var opts decide.Options
	cmd := &cobra.Command{
		Use:   "decide --limiter SPEC [FILE|-]",
		Short: "Decide every arrival of a CSV",
		Long: `decide reads arrivals (columns t in seconds, and optionally key and cost) and
prints what the limiter answers to each. Without a file it reads standard input.`,
		Example: `  printf 't,key\n0,a\n0,a\n0.5,a\n' | ratelab decide --limiter token-bucket:rate=2/s,burst=1`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("decide reads one file, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.Limiter == "" {
				return errors.New("decide needs --limiter SPEC, as in --limiter token-bucket:rate=2/s,burst=20; see ratelab list limiters")
			}
			in := "-"
			if len(args) == 1 {
				in = args[0]
			}
			opts.Stdin = cmd.InOrStdin()
			return abandon(cmd.Context(), func() error {
				return inputOrFailure(decide.Run(in, cmd.OutOrStdout(), opts))
			})
		},
	}
	cmd.Flags().StringVar(&opts.Limiter, "limiter", "", "limiter SPEC that decides")
	cmd.Flags().Uint64Var(&opts.Seed, "seed", 1, "seed of the limiter's random streams (window jitter)")
	cmd.Flags().BoolVar(&opts.Stream, "stream", false, "print as the input comes, without checking all of it first")
	return cmd
}

// inputOrFailure keeps an error of the input (exit 2) and marks any other as
// a failure of the program (exit 1).
func inputOrFailure(err error) error {
	var input *logs.InputError
	if err == nil || errors.As(err, &input) {
		return err
	}
	return failure{err}
}
