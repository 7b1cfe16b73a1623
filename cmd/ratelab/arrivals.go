package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ratelab/experiments/scenario"
	"ratelab/logs"
	"ratelab/workloads"
)

func newArrivals() *cobra.Command {
	var (
		horizon = durationFlag{d: time.Minute}
		keys    int
		seed    uint64
		format  string
	)
	cmd := &cobra.Command{
		Use:   "arrivals WORKLOAD-SPEC",
		Short: "Print the arrivals of a workload, to look at or to pipe into decide",
		Example: `  ratelab arrivals poisson:rate=2/s --horizon 10s
  ratelab arrivals page-turn:size=200,window=1m,half=1s --horizon 2m | ratelab decide --limiter fixed-window:limit=100,window=1m`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("arrivals takes one workload spec, got %d arguments; see ratelab list workloads", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := workloads.Parse(args[0])
			if err != nil {
				return err
			}
			write := logs.WriteArrivals
			switch format {
			case "csv":
			case "combined":
				write = logs.WriteCombined
			default:
				return fmt.Errorf("--format must be csv or combined, got %q", format)
			}
			if horizon.d <= 0 {
				return fmt.Errorf("--horizon must be > 0, got %s", horizon.d)
			}
			if keys < 1 || keys > scenario.MaxKeys {
				return fmt.Errorf("--keys must lie in 1..%d, got %d", scenario.MaxKeys, keys)
			}
			made, err := scenario.Arrivals(w, keys, workloads.Streams(seed, 0, ""))
			if err != nil {
				return err
			}
			arrivals := w.InOrder(made)
			err = write(cmd.OutOrStdout(), func() (time.Duration, uint32, uint32, int64, bool) {
				a, ok := arrivals.Next()
				if !ok || a.At >= horizon.d || cmd.Context().Err() != nil {
					return 0, 0, 0, 0, false
				}
				return a.At, a.Key, a.Endpoint, a.Cost, true
			})
			if err != nil {
				return failure{err}
			}
			if err := arrivals.Err(); err != nil {
				return failure{fmt.Errorf("workload %q: %w", w, err)}
			}
			return cmd.Context().Err()
		},
	}
	cmd.Flags().Var(&horizon, "horizon", "simulated time, half-open")
	cmd.Flags().IntVar(&keys, "keys", 1, "keys, uniform; ignored by workloads that set keys")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of every random stream")
	cmd.Flags().StringVar(&format, "format", "csv", "csv or combined")
	return cmd
}
