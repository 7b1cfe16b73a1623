package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"ratelab/internal/atomicfile"
	"ratelab/internal/spec"
	"ratelab/logs/fit"
	"ratelab/plots"
)

func newFit() *cobra.Command {
	var (
		log       logFlags
		rates     []string
		quantiles string
		format    string
		page      string
		figures   string
		grain     string
		within    = durationFlag{d: time.Minute}
		salt      string
		anonymize bool
		force     bool
		seed      uint64
	)
	cmd := &cobra.Command{
		Use:   "fit LOG...",
		Short: "Find the limit that fits a real log",
		Long: `fit reads the requests of web server logs or of a CSV, and finds the limits that
would not have refused them: for each rate the smallest burst of a token bucket a
key that refuses nothing to 99, 99.9 and 100 % of the keys, or admits as many of
the requests; for seconds, minutes, hours and days the smallest window limits.

The knee is the rate with the least product of rate and burst among those whose
bucket fills up within the log: a lower rate asks for a burst larger by more than
it saves, a higher one saves less than it costs. It is that of the first quantile
of the keys.

What the log can not say is said: times in whole seconds, requests that a limit
had refused already, addresses that many people share. A log whose times are no
times, as all its requests lie in a few minutes of each hour, is refused, status
2, unless --force says to fit it all the same.

As csv the frontier alone is printed, with the columns rate, of, quantile, burst.`,
		Example: `  ratelab fit logs/testdata/tour.log
  ratelab fit logs/testdata/tour.log --rates 1/s,2/s --quantiles 0.5,1 --format csv`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("fit needs a log file, or - for standard input")
			}
			options := fit.Options{Seed: seed}
			var err error
			if options.Shares, err = fit.ParseShares(quantiles); err != nil {
				return fmt.Errorf("--quantiles: %w", err)
			}
			if options.Rates, err = fit.ParseRates(rates); err != nil {
				return fmt.Errorf("--rates: %w", err)
			}
			if options.Grain, err = grainOf(grain); err != nil {
				return err
			}
			if within.d < 0 {
				return fmt.Errorf("--retry-within must be >= 0, got %s", spec.FormatDuration(within.d))
			}
			if salt != "" && !anonymize {
				return errors.New("--salt is for --anonymize")
			}
			if err := checkFormat(format); err != nil {
				return err
			}
			opts, err := log.options(cmd)
			if err != nil {
				return err
			}
			var report *fit.Report
			err = abandon(cmd.Context(), func() error {
				in, err := fit.Read(args, opts, within.d)
				if err != nil {
					return inputOrFailure(err)
				}
				report = fit.NewReport(in, options)
				return nil
			})
			if err != nil {
				return err
			}
			report.Within, report.Typed = within.d, log.typed(cmd, args)
			if anonymize {
				report.Names = fit.Anonymous(salt)
			}
			if why := report.Unfit(); why != "" && !force {
				return fmt.Errorf("%s: unfit for rates: %s; --force fits it all the same", report.Input.Log.Files[0].Name, why)
			}
			if err := saveFit(report, page, figures); err != nil {
				return failure{err}
			}
			return abandon(cmd.Context(), func() error {
				return written(writeFit(cmd.OutOrStdout(), cmd.ErrOrStderr(), report, format))
			})
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&rates, "rates", nil, "`RATES` to fit, separated by commas, as in 1/s,30/m (default: the usual ones that say something of the log)")
	f.StringVar(&quantiles, "quantiles", "0.99,0.999,1", "`SHARES` of keys and of requests that are not to be refused, separated by commas")
	log.add(f)
	log.addSort(f)
	f.StringVar(&grain, "resolution", "auto", "what times are cut to: auto, exact, or a duration like 1s")
	f.Var(&within, "retry-within", "how long after a refusal (429, 503) a request of the same key and path is a retry")
	f.BoolVar(&anonymize, "anonymize", false, "show keys as salted hashes")
	f.StringVar(&salt, "salt", "", "`TEXT` that makes the hashes the same again (default: a random one)")
	f.BoolVar(&force, "force", false, "fit a log that is unfit for rates")
	f.StringVar(&format, "format", "table", "table, csv or json")
	f.StringVar(&page, "html", "", "`FILE` to write a page with figures to")
	f.StringVar(&figures, "figures", "", "`PATH` to write figures to, as PATH-frontier.svg and PATH-refusals.svg, and .pdf and .png of each")
	f.Uint64Var(&seed, "seed", 1, "seed of the resamples of keys")
	return cmd
}

// saveFit writes the files that were asked for, a page and figures. It is not to be abandoned half way.
func saveFit(report *fit.Report, page, figures string) error {
	if page != "" {
		if err := atomicfile.Write(page, report.WritePage); err != nil {
			return err
		}
	}
	if figures != "" {
		for _, f := range report.Raw.Figures() {
			if err := plots.Save(f, figures+"-"+f.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeFit prints the report; what a CSV has no room for goes to messages.
func writeFit(out, messages io.Writer, report *fit.Report, format string) error {
	switch format {
	case "csv":
		sayFit(messages, report)
		return report.WriteCSV(out)
	case "json":
		return report.WriteJSON(out)
	}
	return report.WriteTable(out)
}

// sayFit prints what a CSV has no room for.
func sayFit(messages io.Writer, report *fit.Report) {
	for _, text := range report.Choices() {
		fmt.Fprintf(messages, "chosen: %s\n", text)
	}
	for _, text := range report.Warnings() {
		fmt.Fprintf(messages, "warning: %s\n", text)
	}
}

// grainOf reads the flag --resolution.
func grainOf(text string) (int64, error) {
	switch text {
	case "auto":
		return -1, nil
	case "exact":
		return 0, nil
	}
	d, err := spec.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("--resolution must be auto, exact or a duration > 0 like 1s, got %q", text)
	}
	return int64(d), nil
}
