package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ratelab/limiters"
	"ratelab/logs"
	"ratelab/logs/replay"
)

func newReplay() *cobra.Command {
	var (
		specs  []string
		evict  string
		opts   logs.Options
		input  string
		format string
		seed   uint64
	)
	cmd := &cobra.Command{
		Use:   "replay LOG... --limiter SPEC...",
		Short: "Say what limits would have done to a real log",
		Long: `replay takes the requests of web server logs (common or combined format) or of a
CSV in time order through each limiter, keyed by client address unless --key
says otherwise, and says what it would have refused, and whom. Lines out of
order are sorted, lines that do not parse are counted.

With --evict the limiters hold their keys as real programs do, and forget some.
A key is forgotten early if its next request may be decided otherwise than if it
had been kept.`,
		Example: `  ratelab replay logs/testdata/tour.log --limiter token-bucket:rate=1/s,burst=10 --limiter sliding-log:limit=60,window=1m`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if len(args) == 0 {
				return errors.New("replay needs a log file, or - for standard input")
			}
			if len(specs) == 0 {
				return errors.New("replay needs --limiter SPEC, as in --limiter token-bucket:rate=1/s,burst=10; it may repeat")
			}
			if err := replay.CheckFormat(format); err != nil {
				return err
			}
			if opts.Format, err = logs.ParseFormat(input); err != nil {
				return err
			}
			eviction, err := limiters.ParseEviction(cmp.Or(evict, "none"))
			if err != nil {
				return fmt.Errorf("--evict: %w", err)
			}
			opts.Stdin = cmd.InOrStdin()
			return abandon(cmd.Context(), func() error {
				log, err := logs.Read(args, opts)
				if err != nil {
					return inputOrFailure(err)
				}
				report, err := replay.RunHeld(log, specs, seed, eviction)
				if err != nil {
					return inputOrFailure(err)
				}
				return written(report.Write(cmd.OutOrStdout(), format))
			})
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&specs, "limiter", nil, "limiter `SPEC`; may repeat")
	f.StringVar(&evict, "evict", "", "eviction `SPEC`: how the limiters hold their keys (default none: they forget none)")
	f.StringVar(&opts.Key, "key", "", "`COLUMN` that holds the key; in a web server's log ip (default), user, endpoint, method, status or agent")
	f.StringVar(&opts.Time, "time", "", "CSV `COLUMN` that holds the time (default t)")
	f.StringVar(&opts.Cost, "cost", "", "CSV `COLUMN` that holds the cost")
	f.StringVar(&input, "input", "auto", "format of the logs: auto, common, combined or csv")
	f.StringVar(&format, "format", "table", "table, csv or json")
	f.Uint64Var(&seed, "seed", 1, "seed of the limiters' random streams (window jitter)")
	return cmd
}
