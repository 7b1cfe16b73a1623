package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ratelab/clients"
	"ratelab/experiments"
	"ratelab/fleet"
	"ratelab/internal/spec"
	"ratelab/limiters"
)

func newShow() *cobra.Command {
	var svg string
	cmd := &cobra.Command{
		Use:   "show KIND/NAME | NAME | SPEC",
		Short: "Say what an experiment asks, what a limiter's rule is, what a spec means",
		Example: `  ratelab show token-bucket
  ratelab show experiments/boundary-burst
  ratelab show on-off:rate=20/s,on=1s,off=4s
  ratelab show 'sum:(poisson:rate=20/s)+(burst-train:size=50,period=10s)' --svg sum.svg`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("show takes one name or spec, got %d; see ratelab list", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			before, name, named := strings.Cut(args[0], "/")
			kind, known := kindNamed(before)
			if !named || !known {
				kind, name = "", args[0]
			}
			base, _, isSpec := strings.Cut(name, ":")
			var found []part
			for _, p := range parts() {
				if p.Name == base && (kind == "" || p.Kind == kind) {
					found = append(found, p)
				}
			}
			switch len(found) {
			case 0:
				var names []string
				for _, p := range parts() {
					if kind == "" || p.Kind == kind {
						names = append(names, p.Name)
					}
				}
				where, list := "nothing", "ratelab list"
				if kind != "" {
					where, list = "none of the "+kind, list+" "+kind
				}
				return fmt.Errorf("%s is called %q%s; see %s", where, base, spec.DidYouMean(base, names), list)
			case 1:
			default:
				var candidates []string
				for _, p := range found {
					candidates = append(candidates, p.Kind+"/"+p.Name)
				}
				return fmt.Errorf("%q is ambiguous: %s", base, strings.Join(candidates, ", "))
			}
			var (
				out bytes.Buffer
				err error
			)
			switch {
			case found[0].Kind == "experiments":
				err = showExperiment(&out, base)
			case found[0].Kind == "metrics":
				fmt.Fprintf(&out, "%s (metric): %s\n\n  unit: %s\n", base, found[0].Doc, found[0].Unit)
			case found[0].Kind == "faults":
				fmt.Fprintf(&out, "%s (fault): %s\n\nExample: --fault %s\n", base, found[0].Doc, found[0].Use)
			case isSpec:
				err = showSpec(&out, found[0], name)
			default:
				err = showPart(&out, found[0])
			}
			if err != nil {
				return err
			}
			if svg != "" {
				if found[0].Kind != "workloads" {
					return fmt.Errorf("--svg draws a workload, got one of the %s: %s", found[0].Kind, base)
				}
				if !isSpec {
					name = found[0].example
				}
				if err := drawWorkload(name, svg); err != nil {
					return err
				}
			}
			_, err = out.WriteTo(cmd.OutOrStdout())
			return written(err)
		},
	}
	cmd.Flags().StringVar(&svg, "svg", "", "draw the workload into this `FILE` too: counts over time, gaps, dispersion")
	return cmd
}

func showPart(out io.Writer, p part) error {
	fmt.Fprintf(out, "%s (%s): %s\n\n  %s\n", p.Name, strings.TrimSuffix(p.Kind, "s"), p.Doc, p.entry.Usage())
	if len(p.entry.Params) > 0 {
		fmt.Fprintln(out)
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, param := range p.entry.Params {
			value := "required"
			switch {
			case param.Unit == spec.Flag:
				value = "optional"
			case param.Default != "":
				value = "default " + param.Default
			}
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", param.Name, param.Unit, value, param.Doc)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	if p.entry.More != "" {
		fmt.Fprintf(out, "\n%s\n", p.entry.More)
	}
	if d, ok := limiters.DialectOf(p.Name); ok && d.Misleads != "" && p.Kind == "limiters" {
		fmt.Fprintf(out, "\nIts hints mislead: %s\n", d.Misleads)
	}
	fmt.Fprintf(out, "\nExample: %s\n", p.example)
	for _, how := range []struct{ unit, text string }{
		{"rate", "A rate is written as requests/time: 10/s, 0.5/s, 100/1m30s."},
		{"duration", "A duration is written with units from ns to d: 250ms, 1m30s, 1d."},
	} {
		if slices.ContainsFunc(p.entry.Params, func(param spec.Param) bool {
			return slices.Contains(strings.Split(param.Unit, "|"), how.unit)
		}) {
			fmt.Fprintln(out, how.text)
		}
	}
	return nil
}

// showSpec says what a whole spec means: a limiter's promise, what a workload
// looks like.
func showSpec(out io.Writer, p part, text string) error {
	var facts [][2]string
	add := func(name, format string, args ...any) {
		facts = append(facts, [2]string{name, fmt.Sprintf(format, args...)})
	}
	switch p.Kind {
	case "limiters":
		l, err := limiters.Parse(text)
		if err != nil {
			return err
		}
		add("capacity", "%d requests at one instant", l.Capacity())
		if r, ok := l.Rate(); ok {
			add("long-run rate", "%s", r)
		}
		if w, ok := l.Window(); ok {
			add("promise", "%d requests in %s", l.Promise(w), spec.FormatDuration(w))
		} else {
			add("promise", "%d requests in any 1s", l.Promise(1e9))
		}
	case "workloads":
		return showWorkload(out, p, text)
	case "clients":
		c, err := clients.Parse(text)
		if err != nil {
			return err
		}
		if n := c.Attempts(); n > 0 {
			add("attempts", "%d at most, the first included", n)
		} else {
			add("attempts", "no limit")
		}
		if c.Timeout() > 0 {
			add("timeout", "%s an attempt", spec.FormatDuration(c.Timeout()))
		}
		if n := c.Users(); n > 0 {
			add("loop", "closed: %d users, one request at a time each", n)
		} else {
			add("loop", "open: requests come from a workload")
		}
		add("budget of retries", "%s", c.Budget())
	case "budgets":
		if _, err := clients.ParseBudget(text); err != nil {
			return err
		}
	case "hints":
		if _, err := clients.ParseHints(text); err != nil {
			return err
		}
	case "balancers":
		if _, err := fleet.ParseBalancer(text); err != nil {
			return err
		}
	case "coordinations":
		if _, err := fleet.ParseCoordination(text); err != nil {
			return err
		}
	case "evictions":
		e, err := limiters.ParseEviction(text)
		if err != nil {
			return err
		}
		if n, bounded := e.Capacity(); bounded {
			add("capacity", "%d keys", n)
		}
	}
	fmt.Fprintf(out, "%s\n%s\n", text, p.Doc)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range facts {
		fmt.Fprintf(w, "  %s\t%s\n", f[0], f[1])
	}
	return w.Flush()
}

func showExperiment(out io.Writer, name string) error {
	e, err := experiments.Lookup(name)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n\nQuestion: %s\nHypothesis: %s\n\nFactors\n", e.Name, e.Question, e.Hypothesis)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range e.Factors {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", f.Name, f.Unit, f.Description)
	}
	fmt.Fprintf(w, "\nMetrics\n")
	for _, m := range e.Metrics {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", m.Name, m.Unit, m.Description)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nClaims")
	for _, c := range e.Claims {
		fmt.Fprintf(out, "  %s\n    where: %s\n    by: %s\n    false if: %s\n    checked at %d points, and at %d outside\n",
			c.Text, c.Domain, c.Source, c.Wrong, len(c.Points), len(c.Outside))
	}
	fmt.Fprintln(out, "\nThreats to validity")
	for _, t := range e.Threats {
		fmt.Fprintf(out, "  - %s\n", t)
	}
	fmt.Fprintf(out, "\nReplications: %d (quick: %d). Run it with: ratelab run %s\n", e.Reps, e.QuickReps, e.Name)
	return nil
}
