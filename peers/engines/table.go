package engines

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// openRequests is how many requests the open loop has.
const openRequests = 5_000_000

// works are the rows of the table. Where 10⁶ events are pending a count of
// 200 000 is a fifth of a turn; those of the others take long in SimPy already.
var works = []Work{{"hold", 1, 500_000}, {"hold", 100, 500_000}, {"hold", 10_000, 500_000}, {"hold", 1_000_000, 200_000}, {"mm1", 0, 200_000}}

// takesTooLong tells which schedulers of ns-3 are left out: its list takes a time
// that grows with N, its calendar resizes itself into 18 µs an event at 10⁶.
func takesTooLong(scheduler string, w Work) bool {
	return scheduler == "List" && w.N > 1000 || scheduler == "Calendar" && w.N > 100_000
}

// contender is an engine with the times that it took, per event or customer.
type contender struct {
	name  string
	run   func() (Outcome, error)
	times []time.Duration
	gone  error
}

func (c *contender) median() float64 {
	slices.Sort(c.times)
	n := len(c.times)
	return float64(c.times[(n-1)/2]+c.times[n/2]) / 2
}

// WriteTable measures everything, in rounds in which all engines have their turns,
// and writes the table. Its programs are made in the folder dir. It fails where
// engines do not come to the same end.
func WriteTable(out io.Writer, dir string, rounds int) error {
	d := NewDraws()
	f, err := NewForeign(dir, d)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d processors, load %s at the start\n", runtime.NumCPU(), load())
	var rows [][]*contender
	for _, w := range works {
		row := []*contender{
			{name: "des", run: func() (Outcome, error) { return RunDES(w, d), nil }},
			{name: "container/heap", run: func() (Outcome, error) { return RunHeap(w, d), nil }},
			{name: "SimPy", run: func() (Outcome, error) { return f.RunSimPy(w) }},
		}
		for _, s := range Schedulers {
			if !takesTooLong(s, w) {
				row = append(row, &contender{name: s, run: func() (Outcome, error) { return f.RunNS3(w, s) }})
			}
		}
		if w.Model == "mm1" {
			row = append(row, &contender{name: "raw", run: func() (Outcome, error) { return RunRaw(w, d), nil }})
		}
		rows = append(rows, row)
	}
	loop := []*contender{
		{name: "scenario", run: func() (Outcome, error) { return RunOpen(openRequests) }},
		{name: "raw", run: func() (Outcome, error) { return RunOpenRaw(openRequests) }},
	}
	for range rounds {
		for i, row := range rows {
			if err := turn(row, works[i].Count); err != nil {
				return fmt.Errorf("%s: %w", works[i], err)
			}
		}
		if err := turn(loop, openRequests); err != nil {
			return fmt.Errorf("open loop: %w", err)
		}
	}
	fmt.Fprintf(out, "load %s at the end; medians of %d rounds, processor time\n\n", load(), rounds)
	t := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(t, "work\tours\tcontainer/heap\tSimPy\tns-3, its best\traw loop\tgoals")
	for i, w := range works {
		goals := ""
		if w.Model == "hold" && w.N == 100 {
			goals = "x2, x12, x1.5 at least"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", w, cell(rows[i], "des"), cell(rows[i], "container/heap"),
			cell(rows[i], "SimPy"), cell(rows[i], Schedulers...), cell(rows[i], "raw"), goals)
	}
	fmt.Fprintf(t, "open loop\t%s\t\t\t\t%s\tx1.5 at most\n", cell(loop, "scenario"), cell(loop, "raw"))
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nns an event, customer or request; x: that many times the time of ours, the first column")
	fmt.Fprintln(out, "\nns-3, every scheduler:")
	t = tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(t, "work\t"+strings.Join(Schedulers, "\t"))
	for i, w := range works {
		fmt.Fprintf(t, "%s", w)
		for _, s := range Schedulers {
			if takesTooLong(s, w) {
				fmt.Fprint(t, "\ttakes too long")
			} else {
				fmt.Fprint(t, "\t", cell(rows[i], s))
			}
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// turn lets each engine do its work once, and compares how they end.
func turn(row []*contender, count int) error {
	var first Outcome
	for i, c := range row {
		if c.gone != nil {
			continue
		}
		o, err := c.run()
		switch {
		case errors.Is(err, ErrNotInstalled):
			c.gone = err
			continue
		case err != nil:
			return err
		case i == 0:
			first = o
		case o.Check != first.Check:
			return fmt.Errorf("%s comes to %d, %s to %d", row[0].name, first.Check, c.name, o.Check)
		}
		c.times = append(c.times, o.CPU*1000/time.Duration(count)) // in ps
	}
	return nil
}

// cell shows the best of the engines named, and how it compares with the first
// of the row.
func cell(row []*contender, names ...string) string {
	var best *contender
	for _, c := range row {
		if !slices.Contains(names, c.name) {
			continue
		}
		if c.gone != nil {
			return ErrNotInstalled.Error()
		}
		if best == nil || c.median() < best.median() {
			best = c
		}
	}
	switch {
	case best == nil:
		return "-"
	case best == row[0]:
		return fmt.Sprintf("%.1f", best.median()/1000)
	}
	text := fmt.Sprintf("%.1f x%.2f", best.median()/1000, best.median()/row[0].median())
	switch {
	case best.name == "raw":
		text = fmt.Sprintf("%.1f, ours x%.2f of it", best.median()/1000, row[0].median()/best.median())
	case len(names) > 1:
		text += " " + best.name
	}
	return text
}

// load returns the system's load averages.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}
