package main

import (
	"errors"

	"github.com/spf13/cobra"

	"ratelab/logs"
	"ratelab/logs/replay"
)

func newReplay() *cobra.Command {
	var (
		limiters []string
		opts     logs.Options
		input    string
		format   string
		seed     uint64
	)
	cmd := &cobra.Command{
		Use:   "replay LOG... --limiter SPEC...",
		Short: "Say what limits would have done to a real log",
		Long: `replay takes the requests of web server logs (common or combined format) or of a
CSV in time order through each limiter, keyed by client address, and says what
it would have refused, and whom. Lines out of order are sorted, lines that do
not parse are counted.`,
		Example: `  ratelab replay logs/testdata/tour.log --limiter token-bucket:rate=1/s,burst=10 --limiter sliding-log:limit=60,window=1m`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if len(args) == 0 {
				return errors.New("replay needs a log file, or - for standard input")
			}
			if len(limiters) == 0 {
				return errors.New("replay needs --limiter SPEC, as in --limiter token-bucket:rate=1/s,burst=10; it may repeat")
			}
			if err := replay.CheckFormat(format); err != nil {
				return err
			}
			if opts.Format, err = logs.ParseFormat(input); err != nil {
				return err
			}
			opts.Stdin = cmd.InOrStdin()
			return abandon(cmd.Context(), func() error {
				log, err := logs.Read(args, opts)
				if err != nil {
					return inputOrFailure(err)
				}
				report, err := replay.Run(log, limiters, seed)
				if err != nil {
					return inputOrFailure(err)
				}
				return written(report.Write(cmd.OutOrStdout(), format))
			})
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&limiters, "limiter", nil, "limiter SPEC; may repeat")
	f.StringVar(&opts.Key, "key", "", "CSV column that holds the key")
	f.StringVar(&opts.Time, "time", "", "CSV column that holds the time")
	f.StringVar(&opts.Cost, "cost", "", "CSV column that holds the cost")
	f.StringVar(&input, "input", "auto", "format of the logs: auto, common, combined or csv")
	f.StringVar(&format, "format", "table", "table, csv or json")
	f.Uint64Var(&seed, "seed", 1, "seed of the limiters' random streams (window jitter)")
	return cmd
}
