package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ratelab/experiments/adversary"
	"ratelab/experiments/sweep"
	"ratelab/fleet"
	"ratelab/internal/atomicfile"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/logs"
)

func newWorst() *cobra.Command {
	var force bool
	var (
		limiter, harm, balancer, coordination, rtt, out string
		within, span                                    durationFlag
		c                                               adversary.Config
	)
	cmd := &cobra.Command{
		Use:   "worst --limiter SPEC [flags]",
		Short: "Search for the arrivals that do the most harm",
		Long: `worst looks for the worst that can come: arrivals that do the most harm against
a limiter, on one server or on a fleet. The search is blind. It starts from
random schedules of --requests in --span and knows only which were admitted; it
is told no rule, no phase, no bound and no hint. Harms:
  window   most requests admitted in any half-open interval of length --within
  deficit  (log - own)/log: by how much less is admitted than by an exact log of
           the same limit (of limiters with a window)
  delay    longest that an admitted request waits, round trips included

It prints what was found beside the bound that is proved, where one is, and
writes the arrivals, of one key and cost 1, to a CSV that decide (one server) or
simulate (a fleet) replays, in place of arrivals that are in it. The same seed finds the same, whatever the workers.`,
		Example: `  ratelab worst --limiter sliding-counter:limit=10,window=1s && ratelab decide --limiter sliding-counter:limit=10,window=1s worst.csv
  ratelab worst --limiter fixed-window:limit=5,window=1m --servers 3 --tries 2 --out fleet.csv`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if limiter == "" {
				return errors.New("worst needs --limiter SPEC, as in --limiter sliding-counter:limit=10,window=1s; see ratelab list limiters")
			}
			if c.Limiter, err = limiters.Parse(limiter); err != nil {
				return err
			}
			if c.Harm, err = adversary.ParseHarm(harm); err != nil {
				return fmt.Errorf("--harm %w", err)
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
			c.Within, c.Span = within.d, span.d
			if c.Within == 0 && c.Harm == adversary.Window {
				c.Within = telling(c.Limiter)
			}
			for _, name := range []string{"requests", "tries", "within", "span"} { // where 0 stands for a default
				if f := cmd.Flags().Lookup(name); f.Changed && strings.Trim(f.Value.String(), "0s.") == "" {
					return fmt.Errorf("--%s must be > 0, got %s", name, f.Value)
				}
			}
			if c.Harm != adversary.Window && cmd.Flags().Changed("within") {
				return fmt.Errorf("--within is the length of the intervals of --harm window, not of --harm %s", c.Harm)
			}
			if c.Seed >= 1<<63 {
				return fmt.Errorf("--seed must be below 2^63, got %d", c.Seed)
			}
			if err := checkWorkers(c.Workers); err != nil {
				return err
			}
			if err := c.Filled().Validate(); err != nil {
				return err
			}
			if err := checkFile(out); err != nil {
				return err
			}
			if !force && !overwritable(out) {
				return fmt.Errorf("--out %s exists, and holds no arrivals; give another name, or --force", out)
			}
			if !apart(c) && strings.Contains(out, ",") {
				return fmt.Errorf("--out must have no comma for a fleet, whose replay is trace:file=%s", out)
			}
			bar := newProgress(cmd.ErrOrStderr(), "worst", "climbs")
			c.Progress = func(done, total int) { bar.update(sweep.Progress{Done: done, Total: total}) }
			bar.update(sweep.Progress{Total: c.Filled().Tries})
			found, err := adversary.Search(cmd.Context(), c)
			bar.finish()
			if errors.Is(err, context.Canceled) {
				return bar.interrupted("")
			}
			if err != nil {
				return failure{err}
			}
			if err := atomicfile.Write(out, func(w io.Writer) error { return logs.WriteArrivals(w, found.Next()) }); err != nil {
				return failure{err}
			}
			bound, known := c.Bound()
			if err := printWorst(cmd.OutOrStdout(), found, bound, known, out); err != nil {
				return failure{err}
			}
			if known && found.Value() > bound.Most {
				return failure{fmt.Errorf("more was found than is proved to be the most: either that or limiter %q is wrong; the arrivals are in %s", c.Limiter, out)}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&limiter, "limiter", "", "limiter `SPEC` that the server or the fleet promises")
	f.StringVar(&harm, "harm", "window", "`HARM` of which the most is sought: window, deficit or delay")
	f.Var(&within, "within", "length of the intervals of --harm window (default: the limiter's window, or the time in which it fills, 1s at least)")
	f.IntVar(&c.Servers, "servers", 1, "servers in the fleet")
	f.StringVar(&balancer, "balancer", "round-robin", "balancer `SPEC`")
	f.StringVar(&coordination, "coordination", "local", "coordination `SPEC`")
	f.StringVar(&rtt, "rtt", "0s", "round trip to the central store, a duration or a `SPEC` as in exp:mean=1ms")
	f.IntVar(&c.Requests, "requests", 0, "most `REQUESTS` in a schedule (default: three times what all servers promise, 20 to 3000)")
	f.Var(&span, "span", "time in which they come (default: three windows)")
	f.IntVar(&c.Tries, "tries", 0, "`CLIMBS`, each from a random schedule (default 8)")
	f.Uint64Var(&c.Seed, "seed", 1, "seed of every random stream")
	f.IntVar(&c.Workers, "workers", 0, "climbs at the same time (0: one a processor)")
	f.StringVar(&out, "out", "worst.csv", "`FILE` for the arrivals")
	f.BoolVar(&force, "force", false, "overwrite --out whatever is in it")
	for _, name := range []string{"within", "span"} {
		f.Lookup(name).DefValue = ""
	}
	return cmd
}

// checkFile refuses the name of a file that could not be written, before there
// is anything to write.
func checkFile(name string) error {
	if name == "" {
		return errors.New("--out must name a file, got ''")
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return fmt.Errorf("--out must name a file, got the folder %s", name)
	}
	if info, err := os.Stat(filepath.Dir(name)); err != nil || !info.IsDir() {
		return fmt.Errorf("--out %s: there is no folder %s", name, filepath.Dir(name))
	}
	return nil
}

// overwritable reports whether a file is not there, or empty, or begins as the
// arrivals that are written here do.
func overwritable(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, len(arrivalsHead))
	n, err := io.ReadFull(f, head)
	return n == 0 && errors.Is(err, io.EOF) || string(head[:n]) == arrivalsHead
}

// arrivalsHead begins the files that worst writes.
const arrivalsHead = "t,key,cost\n"

// telling is the length of intervals that tell something of a limiter without a
// window: the time in which it fills, in whole seconds, one at least. 0 leaves the
// choice to the search.
func telling(l limiters.Spec) time.Duration {
	rate, ok := l.Rate()
	if _, windowed := l.Window(); windowed || !ok {
		return 0
	}
	seconds := math.Ceil(float64(l.Capacity()) / float64(rate.N) * rate.P.Seconds())
	return time.Duration(min(max(seconds, 1), math.Floor((adversary.MaxSpan/3).Seconds()))) * time.Second
}

// printWorst says what was sought, what was found, and how near that is to what
// is proved to be the most.
func printWorst(out io.Writer, f adversary.Found, b adversary.Bound, known bool, file string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	line("limiter", "%s", f.Limiter)
	if !apart(f.Config) {
		text := fmt.Sprintf("%s, balancer %s, coordination %s", count(f.Servers, "server"), f.Balancer, f.Coordination)
		if !f.RTT.IsZero() {
			text += ", round trip " + f.RTT.String()
		}
		line("fleet", "%s", text)
	}
	line("sought", "%s", sought(f))
	line("among", "%s of one key, in %s", count(f.Requests, "request"), spec.FormatDuration(f.Span))
	switch f.Harm {
	case adversary.Window:
		promise := f.Limiter.Promise(f.Within)
		line("found", "%s from %s on, of a promise of %d", harmText(f, f.Value()), spec.FormatDuration(f.From), promise)
	case adversary.Deficit:
		line("found", "%s: %d fewer than the %d of the log", harmText(f, f.Value()), f.Count, f.Of)
	default:
		line("found", "%s", harmText(f, f.Value()))
	}
	if !known {
		line("bound", "none is known")
	} else {
		line("bound", "%s: %s", harmText(f, b.Most), b.Source)
		if b.Most != 0 {
			line("share", "%s%% of the bound", strconv.FormatFloat(100*f.Value()/b.Most, 'g', 4, 64))
		}
	}
	if f.Harm == adversary.Window {
		_, windowed := f.Limiter.Window()
		short := !known || float64(f.Requests) < b.Most
		switch {
		case short && f.Value() == float64(f.Requests):
			line("", "all that were sent: raise --requests")
		case known && short:
			line("", "the bound takes more than the %s that may be sent: see --requests", count(f.Requests, "request"))
		case known && !windowed && b.Most < float64(f.Limiter.Promise(f.Within)):
			line("", "below the promise, burst + ⌊rate·w⌋: that counts both ends of an interval, of which only one is in it here")
		}
	}
	line("arrivals", "%s", schedule(f.Arrivals))
	line("search", "%s, %d schedules; climb %d was the first to come so far, after %d", count(f.Tries, "climb"), f.Tried, f.Climb+1, f.After)
	line("file", "%s, %s", file, count(len(f.Arrivals), "request"))
	line("replay", "%s", replayLine(f, file))
	if f.Harm == adversary.Window {
		line("", "of what it admits, %s decided from %s on and before %s", wasOrWere(f.Value()), spec.FormatDuration(f.From), spec.FormatDuration(f.From+f.Within))
	}
	return w.Flush()
}

func sought(f adversary.Found) string {
	switch f.Harm {
	case adversary.Deficit:
		return "the largest share by which less is admitted than by an exact log"
	case adversary.Delay:
		return "the longest wait of an admitted request"
	}
	return "the most admitted in any half-open interval of " + spec.FormatDuration(f.Within)
}

// harmText writes a harm with its unit.
func harmText(f adversary.Found, value float64) string {
	switch f.Harm {
	case adversary.Deficit:
		return strconv.FormatFloat(value, 'g', 6, 64)
	case adversary.Delay:
		return spec.FormatDuration(time.Duration(value))
	}
	return count(int64(value), "request")
}

// wasOrWere is so many, and the verb that goes with them.
func wasOrWere(n float64) string {
	if n == 1 {
		return "1 is"
	}
	return fmt.Sprintf("%.0f are", n)
}

// mostGroups is how many instants of a schedule are printed.
const mostGroups = 8

// schedule writes how many arrive when, the first few.
func schedule(at []time.Duration) string {
	var groups []string
	more := 0
	for first := 0; first < len(at); {
		n := 1
		for first+n < len(at) && at[first+n] == at[first] {
			n++
		}
		if len(groups) < mostGroups {
			groups = append(groups, fmt.Sprintf("%d at %s", n, spec.FormatDuration(at[first])))
		} else {
			more++
		}
		first += n
	}
	text := strings.Join(groups, ", ")
	if more > 0 {
		text += fmt.Sprintf(", and at %s more", count(more, "instant"))
	}
	return text
}

// apart reports whether one limiter decides by itself, as that of decide does.
func apart(c adversary.Config) bool { return c.Servers == 1 && c.Coordination.String() == "local" }

// replayLine is the line that replays a file.
func replayLine(f adversary.Found, file string) string {
	seed := ""
	if f.Seed != 1 {
		seed = fmt.Sprintf(" --seed %d", f.Seed)
	}
	if strings.Contains(file, " ") {
		file = "'" + file + "'"
	}
	if apart(f.Config) {
		return fmt.Sprintf("ratelab decide --limiter %s%s %s", f.Limiter, seed, file)
	}
	text := fmt.Sprintf("ratelab simulate --limiter %s --workload trace:file=%s,start=asis --servers %d --balancer %s --coordination %s", f.Limiter, file, f.Servers, f.Balancer, f.Coordination)
	if !f.RTT.IsZero() {
		text += " --rtt " + f.RTT.String()
	}
	return text + fmt.Sprintf(" --horizon %s --reps 1%s", spec.FormatDuration(f.Span), seed)
}
