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
		singles []string
		layers  []string
		charge  string
		evict   string
		log     logFlags
		format  string
		seed    uint64

		observed bool
		explain  string
	)
	cmd := &cobra.Command{
		Use:   "replay LOG... --limiter SPEC... | --layer COLUMN=SPEC...",
		Short: "Say what limits would have done to a real log",
		Long: `replay takes the requests of web server logs or of a CSV in time order through
each limiter, keyed by client address unless --key says otherwise, and says what
it would have refused, and whom. Lines out of order are sorted, lines that do not
parse are counted. It reads common and combined format, any log_format of nginx
or Apache with --log-format, JSON lines (those of nginx, Caddy, Envoy and Traefik
by themselves) and CSV, each as it is or compressed with gzip or zstd.

With --evict the limiters hold their keys as real programs do, and forget some.
A key is forgotten early if its next request may be decided otherwise than if it
had been kept.

All layers together are one more limit. A layer's keys are a column of the log
(ip, user, endpoint, method, status or agent; of a CSV any), or one for all
requests: global. --charge says who pays, as in decide.

--observed puts what would have been refused beside what the log says was refused,
429 and 503, request by request. --explain KEY shows what each limiter tells one
key: every request with its answer, long stretches of equal ones folded; as csv
and json, all of them.`,
		Example: `  ratelab replay logs/testdata/tour.log --limiter token-bucket:rate=1/s,burst=10 --limiter sliding-log:limit=60,window=1m
  ratelab replay logs/testdata/tour.log --layer ip=token-bucket:rate=1/s,burst=10 --layer global=token-bucket:rate=3/s,burst=60
  ratelab replay logs/testdata/tour.log --limiter token-bucket:rate=1/s,burst=10 --explain 10.0.0.3`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("replay needs a log file, or - for standard input")
			}
			var sets []limiters.LayersSpec
			var columns []string
			switch {
			case len(layers) > 0 && evict != "":
				return errors.New("--evict and --layer exclude each other: layers hold all their keys, --evict is for those of --limiter")
			case len(layers) > 0:
				set, err := parseLayers(layers, charge)
				if err != nil {
					return err
				}
				if len(singles) == 0 && log.key != "" {
					return errors.New("--key is the column of --limiter; a layer names its own")
				}
				sets, columns = append(sets, set), set.Columns()
			case charge != "":
				return errors.New("--charge says who pays of several layers; name them with --layer COLUMN=SPEC")
			case len(singles) == 0:
				return errors.New("replay needs --limiter SPEC, as in --limiter token-bucket:rate=1/s,burst=10, or --layer COLUMN=SPEC; both may repeat")
			}
			if err := replay.CheckFormat(format); err != nil {
				return err
			}
			opts, err := log.options(cmd)
			if err != nil {
				return err
			}
			opts.Columns = columns
			eviction, err := limiters.ParseEviction(cmp.Or(evict, "none"))
			if err != nil {
				return fmt.Errorf("--evict: %w", err)
			}
			return abandon(cmd.Context(), func() error {
				log, err := logs.Read(args, opts)
				if err != nil {
					return inputOrFailure(err)
				}
				options := replay.Options{Limiters: singles, Layers: sets, Eviction: eviction, Seed: seed, Observed: observed}
				if cmd.Flags().Changed("explain") {
					options.Explain = &explain
				}
				report, err := replay.Run(log, options)
				if err != nil {
					return inputOrFailure(err)
				}
				if format == "csv" { // which has no room for them
					for _, text := range report.Warnings() {
						fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s\n", text)
					}
				}
				return written(report.Write(cmd.OutOrStdout(), format))
			})
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&singles, "limiter", nil, "limiter `SPEC`; may repeat")
	f.StringVar(&evict, "evict", "", "eviction `SPEC`: how the limiters hold their keys (default none: they forget none)")
	f.StringArrayVar(&layers, "layer", nil, "layer `COLUMN=SPEC`, a limiter keyed by a column, or global; may repeat")
	f.StringVar(&charge, "charge", "", "`MODE` of paying for layers: admitted, in-order or always (default admitted)")
	log.add(f)
	f.BoolVar(&observed, "observed", false, "put what the log says was refused (429, 503) beside what would have been")
	f.StringVar(&explain, "explain", "", "`KEY` whose requests are shown with the answer to each")
	f.StringVar(&format, "format", "table", "table, csv or json")
	f.Uint64Var(&seed, "seed", 1, "seed of the limiters' random streams (window jitter)")
	return cmd
}

// parseLayers reads the flags --layer and --charge.
func parseLayers(texts []string, charge string) (limiters.LayersSpec, error) {
	mode, err := limiters.ParseChargeMode(charge)
	if err != nil {
		return limiters.LayersSpec{}, fmt.Errorf("--charge: %w", err)
	}
	set, err := limiters.ParseLayers(texts, mode)
	if err != nil {
		return limiters.LayersSpec{}, fmt.Errorf("--layer: %w", err)
	}
	return set, nil
}
