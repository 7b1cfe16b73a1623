package main

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/clients"
	"ratelab/fleet"
	"ratelab/internal/atomicfile"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/logs/advise"
	"ratelab/logs/conf"
	"ratelab/logs/fit"
)

// adviseFlags are the flags of advise but for those of the log.
type adviseFlags struct {
	rate, protect, promise, tolerate              string
	burst                                         int64
	limiters, clients                             []string
	servers                                       int
	balancer, coordination, rtt                   string
	rounded, anonymize, force                     bool
	wait, window, within                          durationFlag
	quantiles, grain, salt, program, format, page string
	seed                                          uint64
}

func newAdvise() *cobra.Command {
	log := logFlags{}
	a := adviseFlags{wait: durationFlag{d: 100 * time.Millisecond}, window: durationFlag{d: time.Minute}, within: durationFlag{d: time.Minute}}
	cmd := &cobra.Command{
		Use:   "advise LOG...",
		Short: "Say which limit to choose for a real log, and why",
		Long: `advise takes the requests of a log through every canonical limiter, at the rates
and bursts that fit finds or at one that is given, and says what each would have
done: whom it refuses, how much, in which minute most, what it admits at worst of
one key and of all together, how long requests wait, what it has to remember.

Clients may come back when they are refused (--clients), and the limit may be that
of a fleet (--servers, --coordination). The requests of the log are what is asked
for; retries that the log has already, of one behind a limit, are told apart.

The choice is made by rules, one after the other: keep the total below --protect,
keep --promise, leave no more than --tolerate of the requests without success, let
them wait no longer than --wait in the mean; then what lets one key take least, the
product of rate and what it may have at once; then what refuses, waits and
remembers least. It says what decided, what comes next, and at which values of
--protect, --tolerate and --wait the choice would be another.

A promise is kept if no key is refused that keeps to it, all it asks for fitting in
a bucket of the promised rate and burst, and if every other key is admitted at
least what that bucket would admit.

With --config the choice is written as programs are configured, with what each of
them will do otherwise on this very log.`,
		Example: `  ratelab advise logs/testdata/tour.log
  ratelab advise logs/testdata/tour.log --protect 10/s --promise 1/s,burst=10 --clients retry-after:jitter=1s --servers 3 --coordination quota
  ratelab advise logs/testdata/tour.log --rate 1/s --burst 25 --config nginx`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("advise needs a log file, or - for standard input")
			}
			opts, err := a.options(cmd)
			if err != nil {
				return err
			}
			read, err := log.options(cmd)
			if err != nil {
				return err
			}
			return abandon(cmd.Context(), func() error {
				in, err := advise.Read(args, read, a.within.d)
				if err != nil {
					return inputOrFailure(err)
				}
				if why := in.Unfit(); why != "" && !a.force {
					return fmt.Errorf("%s: unfit for rates: %s; --force advises all the same", in.Fit.Log.Files[0].Name, why)
				}
				if why := in.TooFew(); why != "" && opts.Candidates == nil && !a.force {
					return fmt.Errorf("%s: %s; name one to look at with --rate and --burst or --limiter, or --force it", in.Fit.Log.Files[0].Name, why)
				}
				report, err := advise.New(cmd.Context(), in, opts)
				if err != nil {
					return inputOrFailure(err)
				}
				if a.page != "" {
					if err := atomicfile.Write(a.page, func(w io.Writer) error { return report.WritePage(w) }); err != nil {
						return failure{err}
					}
				}
				switch a.format {
				case "csv":
					sayFit(cmd.ErrOrStderr(), report.Fit)
					return written(report.WriteCSV(cmd.OutOrStdout()))
				case "json":
					return written(report.WriteJSON(cmd.OutOrStdout()))
				}
				return written(report.WriteTable(cmd.OutOrStdout()))
			})
		},
	}
	f := cmd.Flags()
	a.add(f)
	log.add(f)
	return cmd
}

// add declares them.
func (a *adviseFlags) add(f *pflag.FlagSet) {
	f.StringVar(&a.rate, "rate", "", "`RATE` to look at, as in 2/s, with --burst (default: those that fit finds)")
	f.Int64Var(&a.burst, "burst", 0, "requests at once, with --rate")
	f.StringArrayVar(&a.limiters, "limiter", nil, "limiter `SPEC` to look at, may repeat; alone without --rate")
	f.StringVar(&a.protect, "protect", "", "`RATE` that what stands behind can take, of all keys together: 100/s is 100 in any second, 6000/m is 6000 in any minute")
	f.StringVar(&a.promise, "promise", "", "`RATE,burst=B` that was promised to each key, as in 2/s,burst=20")
	f.StringVar(&a.tolerate, "tolerate", "0.01", "`SHARE` of the requests that may remain without success")
	f.Var(&a.wait, "wait", "how long requests that succeed may wait in the mean")
	f.Var(&a.window, "window", "over which it is measured how much one key has")
	f.StringArrayVar(&a.clients, "clients", []string{"none"}, "what clients do that are refused, a `SPEC`, repeated for a mix as in 'retry-after * 0.8' and 'rude * 0.2'")
	f.BoolVar(&a.rounded, "rounded", false, "hints are whole seconds, rounded up, as headers carry them")
	f.IntVar(&a.servers, "servers", 1, "servers in the fleet")
	f.StringVar(&a.balancer, "balancer", "round-robin", "balancer `SPEC`")
	f.StringVar(&a.coordination, "coordination", "local", "coordination `SPEC`")
	f.StringVar(&a.rtt, "rtt", "0s", "round trip to the central store, a duration or a `SPEC` as in exp:mean=1ms")
	f.StringVar(&a.program, "config", "", "`PROGRAMS` to write the choice for, separated by commas, or all: "+strings.Join(conf.Programs, ", "))
	f.StringVar(&a.quantiles, "quantiles", "0.99,0.999,1", "`SHARES` of keys and of requests that fit is not to refuse, separated by commas; the first is that of the knees")
	f.StringVar(&a.grain, "resolution", "auto", "what times are cut to: auto, exact, or a duration like 1s")
	f.Var(&a.within, "retry-within", "how long after a refusal (429, 503) a request of the same key and path is a retry")
	f.BoolVar(&a.anonymize, "anonymize", false, "show keys as salted hashes")
	f.StringVar(&a.salt, "salt", "", "`TEXT` that makes the hashes the same again (default: a random one)")
	f.BoolVar(&a.force, "force", false, "advise on a log that is unfit for rates")
	f.StringVar(&a.format, "format", "table", "table, csv or json")
	f.StringVar(&a.page, "html", "", "`FILE` to write a page with a figure to")
	f.Uint64Var(&a.seed, "seed", 1, "seed of every random stream")
}

// options reads them.
func (a *adviseFlags) options(cmd *cobra.Command) (o advise.Options, err error) {
	if err = checkFormat(a.format); err != nil {
		return o, err
	}
	if o.Candidates, err = a.candidates(cmd); err != nil {
		return o, err
	}
	for _, text := range a.limiters {
		s, err := limiters.Parse(text)
		if err != nil {
			return o, fmt.Errorf("--limiter: %w", err)
		}
		o.Limiters = append(o.Limiters, s)
	}
	if o.Goals, err = a.goals(); err != nil {
		return o, err
	}
	if o.World, err = a.world(cmd); err != nil {
		return o, err
	}
	switch {
	case a.within.d < 0:
		return o, fmt.Errorf("--retry-within must be >= 0, got %s", spec.FormatDuration(a.within.d))
	case a.window.d <= 0:
		return o, fmt.Errorf("--window must be > 0, got %s", spec.FormatDuration(a.window.d))
	case a.salt != "" && !a.anonymize:
		return o, errors.New("--salt is for --anonymize")
	}
	o.Within, o.Window = a.within.d, a.window.d
	if o.Fit.Shares, err = fit.ParseShares(a.quantiles); err != nil {
		return o, fmt.Errorf("--quantiles: %w", err)
	}
	if o.Fit.Grain, err = grainOf(a.grain); err != nil {
		return o, err
	}
	o.Fit.Seed = a.seed
	if a.anonymize {
		o.Names = fit.Anonymous(a.salt)
	}
	o.Programs, err = a.programs()
	return o, err
}

// candidates reads --rate and --burst; nil if fit is to find them.
func (a *adviseFlags) candidates(cmd *cobra.Command) ([]advise.Candidate, error) {
	burst := cmd.Flags().Changed("burst")
	switch {
	case (a.rate != "") != burst:
		return nil, errors.New("--rate and --burst go together, as in --rate 2/s --burst 20")
	case a.rate == "" && len(a.limiters) > 0:
		return []advise.Candidate{}, nil
	case a.rate == "":
		return nil, nil
	case a.burst < 1 || a.burst > spec.MaxCount:
		return nil, fmt.Errorf("--burst must be >= 1 and below 2^53, got %d", a.burst)
	}
	rate, err := fit.ParseRate(a.rate)
	if err != nil {
		return nil, fmt.Errorf("--rate %w", err)
	}
	return []advise.Candidate{{Rate: rate, Burst: a.burst, From: "given"}}, nil
}

// goals reads what is asked of the choice.
func (a *adviseFlags) goals() (g advise.Goals, err error) {
	if a.protect != "" {
		if g.Protect, err = advise.ParseProtected(a.protect); err != nil {
			return g, fmt.Errorf("--protect %w", err)
		}
	}
	if a.promise != "" {
		if g.Promise, err = advise.ParsePromise(a.promise); err != nil {
			return g, fmt.Errorf("--promise %w", err)
		}
	}
	fault := fmt.Errorf("--tolerate must be a share from 0 to 1, like 0.01, got %q", a.tolerate)
	if a.tolerate == "" || len(a.tolerate) > 20 || strings.Trim(a.tolerate, "0123456789.") != "" {
		return g, fault
	}
	var ok bool
	if g.Tolerate, ok = new(big.Rat).SetString(a.tolerate); !ok || g.Tolerate.Cmp(big.NewRat(1, 1)) > 0 {
		return g, fault
	}
	if a.wait.d < 0 {
		return g, fmt.Errorf("--wait must be >= 0, got %s", spec.FormatDuration(a.wait.d))
	}
	g.Wait = a.wait.d
	return g, nil
}

// world reads who stands around the limiter.
func (a *adviseFlags) world(cmd *cobra.Command) (w advise.World, err error) {
	if w.Clients, err = clients.ParseMix(a.clients...); err != nil {
		return w, err
	}
	if !w.Clients.Open() {
		return w, fmt.Errorf("clients %q bring their own users: who asks, and when, is said by the log", w.Clients)
	}
	if w.Balancer, err = fleet.ParseBalancer(a.balancer); err != nil {
		return w, err
	}
	if w.Coordination, err = fleet.ParseCoordination(a.coordination); err != nil {
		return w, err
	}
	if w.RTT, err = fleet.ParseRTT(a.rtt); err != nil {
		return w, err
	}
	if a.servers < 1 || a.servers > fleet.MaxServers {
		return w, fmt.Errorf("--servers must lie in 1..%d, got %d", fleet.MaxServers, a.servers)
	}
	if cmd.Flags().Changed("rounded") && !w.Clients.Feedback() {
		return w, errors.New("--rounded needs --clients, as in --clients retry-after: nobody acts on what is told without")
	}
	if a.seed >= 1<<63 {
		return w, fmt.Errorf("--seed must be below 2^63, got %d", a.seed)
	}
	w.Servers, w.Rounded, w.Seed = a.servers, a.rounded, a.seed
	return w, nil
}

// programs reads --config.
func (a *adviseFlags) programs() ([]string, error) {
	switch a.program {
	case "":
		return nil, nil
	case "all":
		return conf.Programs, nil
	}
	var list []string
	for name := range strings.SplitSeq(a.program, ",") {
		if !slices.Contains(conf.Programs, name) {
			return nil, fmt.Errorf("--config: unknown program %q%s; known: %s, all", name, spec.DidYouMean(name, conf.Programs), strings.Join(conf.Programs, ", "))
		}
		list = append(list, name)
	}
	return list, nil
}
