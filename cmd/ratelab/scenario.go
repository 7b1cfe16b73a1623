package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"ratelab/experiments/scenario"
	"ratelab/internal/spec"
	"ratelab/plots/table"
)

// printScenario prints what was simulated, then what it measured. Delays are
// left out where nothing waited, unless metrics are wanted by name. If the warm-up was found, warmup says how.
func printScenario(out io.Writer, c scenario.Config, reps int, warmup string, t *table.Table, wanted func(metric string) bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	line("limiter", "%s", c.Limiter)
	if text := c.Limiter.Standing(); text != "" {
		line("", "%s", text)
	}
	window := time.Second
	if own, ok := c.Limiter.Window(); ok {
		window = own
	}
	line("promise", "%s in w = %s, to each key", count(c.Limiter.Promise(window), "request"), spec.FormatDuration(window))
	if !c.Clients.Open() {
		line("workload", "none: clients bring their own users")
	} else if rate, ok := c.Workload.MeanRate(); ok {
		line("workload", "%s, mean rate %.6g requests/s", c.Workload, rate)
	} else {
		line("workload", "%s", c.Workload)
	}
	fleet := fmt.Sprintf("%s, balancer %s, coordination %s", count(c.Servers, "server"), c.Balancer, c.Coordination)
	if !c.RTT.IsZero() {
		fleet += ", round trip " + c.RTT.String()
	}
	line("fleet", "%s", fleet)
	if c.Clocks.Differ() {
		line("clocks", "%s", c.Clocks)
	}
	for _, f := range c.Faults {
		line("fault", "%s", f)
	}
	printCapacity(line, c.Capacity)
	printPeople(line, c)
	const all = "admitted_over_rate adds up all keys against one key's rate"
	switch {
	case c.Workload.SetsKeys():
		line("keys", "the workload's own; %s", all)
	case c.Keys > 1:
		line("keys", "%d, uniform; %s", c.Keys, all)
	default:
		line("keys", "1")
	}
	line("horizon", "%s, warm-up %s", spec.FormatDuration(c.Horizon), spec.FormatDuration(c.Warmup))
	if warmup != "" {
		line("", "%s", warmup)
	}
	line("runs", "%s, seed %d", count(reps, "replication"), c.Seed)
	waited, err := anyAbove0(t, "delay_max")
	if err != nil {
		return err
	}
	if !waited {
		line("delays", "none: nothing that was admitted waited")
	}
	fmt.Fprintln(w)
	if err := w.Flush(); err != nil {
		return err
	}
	return printRows(out, t, func(metric string) bool {
		if wanted != nil {
			return wanted(metric)
		}
		return waited || !strings.HasPrefix(metric, "delay_")
	})
}

// count writes a number of things.
func count[N int | int64](n N, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// anyAbove0 reports whether the mean of a metric that is never negative is
// above 0.
func anyAbove0(t *table.Table, metric string) (bool, error) {
	rows, err := t.Where("metric", metric)
	if err != nil {
		return false, err
	}
	means, err := rows.Floats("mean")
	return len(means) > 0 && means[0] > 0, err
}

// nothingArrived reports whether no replication decided anything.
func nothingArrived(t *table.Table) bool {
	offered, err := anyAbove0(t, "offered")
	return err == nil && !offered
}

// whyNothing says that nothing was counted, and what to look at.
func whyNothing(c scenario.Config) string {
	text := "nothing arrived before the horizon, " + spec.FormatDuration(c.Horizon)
	if c.Warmup > 0 {
		text = fmt.Sprintf("nothing arrived between the warm-up, %s, and the horizon, %s", spec.FormatDuration(c.Warmup), spec.FormatDuration(c.Horizon))
	}
	if c.Workload.Name() == "trace" {
		text += "; a trace begins at its own time of day, or at 0 with start=zero"
	}
	return text
}
