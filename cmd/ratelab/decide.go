package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ratelab/limiters"
	"ratelab/logs"
	"ratelab/logs/decide"
)

func newDecide() *cobra.Command {
	var opts decide.Options
	cmd := &cobra.Command{
		Use:   "decide --limiter SPEC | --layer COLUMN=SPEC... [FILE|-]",
		Short: "Decide every arrival of a CSV",
		Long: `decide reads arrivals (columns t in seconds, and optionally key and cost) and
prints what the limiter answers to each. Without a file it reads standard input.

With --evict the limiter holds its keys as a real program does, and forgets
some; how many is said on standard error. A key is forgotten early if its next
request may be decided otherwise than if it had been kept.

A layer is a limiter whose keys are a column of the input, or one for all
requests: global. Of several layers, --charge says who pays:
  admitted  all are asked, and charged only if all admit
  in-order  asked and charged one after another until one refuses
  always    each decides and charges as if it were alone

With --headers more columns say how an HTTP server gives the answer: status and
the header fields, named in lower case. They count in whole seconds, rounded up.
An empty one is absent: a hint that the limiter does not give, or a wait that is
longer than 10^9 s. The draft's fields have an item of each layer, named by its
column, or "default".`,
		Example: `  printf 't,key\n0,a\n0,a\n0.5,a\n' | ratelab decide --limiter token-bucket:rate=2/s,burst=1
  printf 't,user\n0,ann\n0,ann\n0,ben\n' | ratelab decide --layer user=gcra:rate=1/s,burst=1 --layer global=gcra:rate=9/s,burst=9 --explain
  printf 't\n0\n0\n' | ratelab decide --limiter token-bucket:rate=2/s,burst=1 --headers`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("decide reads one file, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.Limiter == "" && len(opts.Layers) == 0 {
				return errors.New("decide needs --limiter SPEC, as in --limiter token-bucket:rate=2/s,burst=20, or --layer COLUMN=SPEC; see ratelab list limiters")
			}
			in := "-"
			if len(args) == 1 {
				in = args[0]
			}
			opts.Stdin = cmd.InOrStdin()
			if opts.Evict != "" {
				opts.Forgotten = func(f limiters.Forgotten) {
					fmt.Fprintf(cmd.ErrOrStderr(), "%d keys forgotten (%d for want of room, %d for idleness), %d of them early\n",
						f.Total(), f.ByCapacity, f.ByIdleness, f.Early)
				}
			}
			return abandon(cmd.Context(), func() error {
				return inputOrFailure(decide.Run(in, cmd.OutOrStdout(), opts))
			})
		},
	}
	cmd.Flags().StringVar(&opts.Limiter, "limiter", "", "limiter `SPEC` that decides")
	cmd.Flags().StringVar(&opts.Evict, "evict", "", "eviction `SPEC`: how the limiter holds its keys (default none: it forgets none)")
	cmd.Flags().StringArrayVar(&opts.Layers, "layer", nil, "layer `COLUMN=SPEC`, a limiter keyed by a column, or global; may repeat")
	cmd.Flags().StringVar(&opts.Charge, "charge", "", "`MODE` of paying for layers: admitted, in-order or always (default admitted)")
	cmd.Flags().BoolVar(&opts.Headers, "headers", false, "print the HTTP status and header fields too, a column each")
	cmd.Flags().BoolVar(&opts.Explain, "explain", false, "print which layer refused, in one more column")
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
