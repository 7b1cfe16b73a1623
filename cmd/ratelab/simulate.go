package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"ratelab/des/metrics"
	"ratelab/experiments"
	"ratelab/experiments/scenario"
	"ratelab/fleet"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/workloads"
)

func newSimulate() *cobra.Command {
	var (
		limiter, workload, balancer, coordination, rtt, format string
		skew, drift                                            string
		faults                                                 []string
		c                                                      scenario.Config
		people                                                 peopleFlags
		capacity                                               capacityFlags
		horizon                                                = durationFlag{d: time.Hour}
		warmup                                                 warmupFlag
		reps, workers                                          int
		metricNames                                            []string
	)
	cmd := &cobra.Command{
		Use:   "simulate --limiter SPEC [flags]",
		Short: "Simulate one scenario and print what it measures",
		Example: `  ratelab simulate --limiter token-bucket:rate=2/s,burst=20 --workload poisson:rate=3/s
  ratelab simulate --limiter fixed-window:limit=100,window=1s --workload poisson:rate=1000/s --servers 8 --horizon 1m
  ratelab simulate --limiter gcra:rate=20/s,burst=5 --workload poisson:rate=30/s --clients 'retry-after:jitter=1s * 0.8' --clients 'rude * 0.2' --population 50 --horizon 10m
  ratelab simulate --limiter gcra:rate=1000/s,burst=1000 --workload flash-crowd:rate=280/s,peak=600/s,from=20s,to=25s --service exp:mean=3ms --clients rude:attempts=2,timeout=1s --recover-from 25s --horizon 2m`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if limiter == "" {
				return errors.New("simulate needs --limiter SPEC, as in --limiter token-bucket:rate=2/s,burst=20; see ratelab list limiters")
			}
			if err := checkFormat(format); err != nil {
				return err
			}
			if err := checkMetrics(metricNames); err != nil {
				return err
			}
			if c.Limiter, err = limiters.Parse(limiter); err != nil {
				return err
			}
			if c.Balancer, err = fleet.ParseBalancer(balancer); err != nil {
				return err
			}
			if c.Coordination, err = fleet.ParseCoordination(coordination); err != nil {
				return err
			}
			if c.RTT, err = fleet.ParseRTT(rtt); err != nil {
				return err
			}
			if c.Clocks, err = fleet.ParseClocks(skew, drift); err != nil {
				return err
			}
			if slices.ContainsFunc(faults, func(f string) bool { return strings.TrimSpace(f) == "" }) {
				return errors.New("--fault is empty; write " + strings.Join(fleet.FaultUsages(), ", "))
			}
			if c.Faults, err = fleet.ParseFaults(strings.Join(faults, ",")); err != nil {
				return err
			}
			if c.Workload, err = workloads.Parse(workload); err != nil {
				return err
			}
			if err := people.read(cmd, &c); err != nil {
				return err
			}
			if reps < 1 {
				return fmt.Errorf("--reps must be >= 1, got %d", reps)
			}
			if err := checkWorkers(workers); err != nil {
				return err
			}
			if c.Seed >= 1<<63 {
				return fmt.Errorf("--seed must be below 2^63, got %d", c.Seed)
			}
			c.Horizon, c.Warmup = horizon.d, warmup.d
			c.Measure = scenario.All(c.Limiter, c.Keys)
			c.Measure.Level = c.Measure.Level && c.Follows()
			c.Measure.Clients = cmd.Flags().Changed("clients")
			if err := capacity.read(cmd, &c); err != nil {
				return err
			}
			if err := people.heard(cmd, c); err != nil {
				return err
			}
			if err := abandon(cmd.Context(), c.Prepare); err != nil { // it may read a long file
				return err
			}
			how, err := findWarmup(cmd, &c, warmup, format)
			if err != nil {
				return err
			}
			var sampled atomic.Bool
			c.Sampled = func() { sampled.Store(true) }
			var late, decided atomic.Int64
			c.Late = func(l, d int64) { late.Add(l); decided.Add(d) }
			bar := newProgress(cmd.ErrOrStderr(), "simulate", "replications")
			t, err := experiments.Simulate(cmd.Context(), c, reps, workers, bar.update)
			bar.finish()
			if errors.Is(err, context.Canceled) {
				return bar.interrupted("")
			}
			if err != nil {
				return failure{err}
			}
			if sampled.Load() {
				fmt.Fprintf(cmd.ErrOrStderr(), "simulate: there are more than %d keys, or buckets of keys; what is measured by key is of the %d that came first\n", metrics.MostKeys, metrics.MostKeys)
			}
			// A round trip's worth at the end of a long run is not worth a word.
			if late.Load() > decided.Load()/100 {
				fmt.Fprintf(cmd.ErrOrStderr(), "simulate: %d of %d decisions came after the horizon, %s, of requests that had arrived before: counts have them, and so have admitted_rate and admitted_over_rate\n",
					late.Load(), decided.Load(), spec.FormatDuration(c.Horizon))
			}
			if nothingArrived(t) {
				fmt.Fprintf(cmd.ErrOrStderr(), "simulate: %s\n", whyNothing(c))
			}
			wanted, err := wantedMetrics(t, metricNames)
			if err != nil {
				return err
			}
			if format == "table" {
				return written(printScenario(cmd.OutOrStdout(), c, reps, how, t, wanted))
			}
			if wanted != nil {
				if t, err = onlyRows(t, wanted); err != nil {
					return failure{err}
				}
			}
			return written(printTable(cmd.OutOrStdout(), t, format))
		},
	}
	f := cmd.Flags()
	f.StringVar(&limiter, "limiter", "", "limiter `SPEC` that the fleet promises")
	f.StringVar(&workload, "workload", "poisson:rate=100/s", "workload `SPEC` of the arrivals")
	f.IntVar(&c.Servers, "servers", 1, "servers in the fleet")
	f.StringVar(&balancer, "balancer", "round-robin", "balancer `SPEC`")
	f.StringVar(&coordination, "coordination", "local", "coordination `SPEC`")
	f.StringVar(&rtt, "rtt", "0s", "round trip to the central store, a duration or a `SPEC` as in exp:mean=1ms")
	f.StringVar(&skew, "skew", "0s", "how far servers' clocks are ahead: a `DURATION` to draw from to either side, or one a server, as in 10ms/-5ms/0")
	f.StringVar(&drift, "drift", "0", "how much faster servers' clocks go: a `SHARE` such as 100ppm or 1e-4 to draw from to either side, or one a server, as in 10ppm/0")
	f.StringArrayVar(&faults, "fault", nil, "what goes wrong, may be repeated: `FAULT` is "+strings.Join(fleet.FaultUsages(), ", "))
	f.IntVar(&c.Keys, "keys", 1, "keys, uniform; ignored by workloads that set keys")
	people.add(f)
	capacity.add(f)
	f.Var(&horizon, "horizon", "simulated time, half-open")
	f.Var(&warmup, "warmup", "simulated time before anything is counted; auto finds it by MSER-5 on a pilot run")
	f.IntVar(&reps, "reps", 10, "replications")
	f.Uint64Var(&c.Seed, "seed", 1, "seed of every random stream")
	f.IntVar(&workers, "workers", 0, "replications at the same time (0: one a processor)")
	f.StringArrayVar(&metricNames, "metric", nil, "`METRIC` to print (default: all); may repeat")
	f.StringVar(&format, "format", "table", "table, csv or json")
	return cmd
}
