package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"ratelab/experiments/scenario"
	"ratelab/internal/atomicfile"
	"ratelab/internal/spec"
	"ratelab/logs"
	"ratelab/plots"
	"ratelab/workloads"
)

// lookSeed is the seed of what "show" and "try" print.
const lookSeed = 1

// look is a workload and what was seen of it.
type look struct {
	workloads.Look
	spec    workloads.Spec
	counted []workloads.Counted // at a few lengths; nil if it has no law, or if it would take long
}

// lookAt parses a spec and reads enough of it.
func lookAt(text string) (look, error) {
	s, err := workloads.Parse(text)
	if err != nil {
		return look{}, err
	}
	arrivals := func(rep int) (workloads.Workload, error) {
		return scenario.Arrivals(s, 1, workloads.Streams(lookSeed, rep, ""))
	}
	var w [2]*workloads.Ordered // to find the horizon, and to look as far
	for i := range w {
		made, err := arrivals(0)
		if err != nil {
			return look{}, err
		}
		w[i] = s.InOrder(made)
	}
	from, horizon := s.Horizon(w[0])
	l := look{Look: workloads.LookAt(w[1], from, horizon, 60), spec: s}
	for _, read := range w {
		if err := read.Err(); err != nil {
			return look{}, fmt.Errorf("workload %q: %w", s, err)
		}
	}
	law, ok := s.Law()
	if !ok {
		return l, nil
	}
	rate, _ := s.MeanRate()
	lengths := s.Lengths()
	each := rate * (law.From + law.Period/2 + lengths[len(lengths)-1]).Seconds() // arrivals
	if reps := min(400, int(2e6/each)); reps >= 20 {
		if l.counted, err = s.Measure(arrivals, lookSeed, reps, lengths); err != nil {
			err = fmt.Errorf("workload %q: %w", s, err)
		}
	}
	return l, err
}

// showWorkload prints what a workload looks like.
func showWorkload(out io.Writer, p part, text string) error {
	l, err := lookAt(text)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n%s\n", text, p.Doc)
	return l.print(out)
}

func (l look) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "  %s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	if rate, ok := l.spec.MeanRate(); ok {
		line("mean rate", "%.6g requests/s", rate)
	}
	law, known := l.spec.Law()
	if known {
		line("dispersion", "%s at once, %s in the long run (variance/mean of counts; Poisson has 1)", number(law.AtOnce), number(law.Limit))
		line("memory", "%s", memory(law))
		line("by", "%s", law.Source)
	}
	from := ""
	if l.From > 0 {
		from = " from " + spec.FormatDuration(l.From) + " on"
	}
	line("seen", "%d arrivals in %s%s, %s, seed %d", l.Arrivals, spec.FormatDuration(l.Horizon), from, count(l.Keys, "key"), lookSeed)
	if err := w.Flush(); err != nil {
		return err
	}
	if l.Arrivals == 0 {
		return nil
	}

	most := slices.Max(l.Columns)
	fmt.Fprintf(out, "\ncounts, %d columns of %s, the highest %d:\n  %s\n", len(l.Columns), span(l.Horizon.Seconds()/float64(len(l.Columns))), most, bars(l.Columns, most))

	fmt.Fprintln(w)
	row := func(name string, list []workloads.Quantile, text func(float64) string) {
		if list == nil {
			return
		}
		fmt.Fprintf(w, "%s\tleast", name)
		for _, q := range list[1 : len(list)-1] {
			fmt.Fprintf(w, "\t%g%%", 100*q.Share)
		}
		fmt.Fprint(w, "\tmost\n")
		for _, q := range list {
			fmt.Fprintf(w, "\t%s", text(q.Value))
		}
		fmt.Fprintln(w)
	}
	row("gaps", l.Gaps, span)
	row("costs", l.Costs, func(x float64) string { return fmt.Sprintf("%.0f", x) })
	if known {
		fmt.Fprint(w, "\ndispersion\tmean count\tby the law\tmeasured\n")
		for i, length := range l.spec.Lengths() {
			rate, _ := l.spec.MeanRate()
			formula, measured := "no formula", "would take long"
			if !law.Measured() {
				formula = number(law.Dispersion(length))
			}
			if l.counted != nil {
				measured = fmt.Sprintf("%.3g ± %.2g", l.counted[i].Dispersion, l.counted[i].Error)
			}
			fmt.Fprintf(w, "in %s\t%.4g\t%s\t%s\n", spec.FormatDuration(length), rate*length.Seconds(), formula, measured)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nfirst arrivals (see ratelab arrivals for all):")
	for _, a := range l.First {
		fmt.Fprintf(out, "  %s s\n", logs.FormatSeconds(int64(a.At)))
	}
	return nil
}

// number writes a measure that may be unknown or without bound.
func number(x float64) string {
	switch {
	case math.IsNaN(x):
		return "unknown"
	case math.IsInf(x, 1):
		return "without bound"
	}
	return fmt.Sprintf("%.4g", x)
}

// memory says how long a process remembers.
func memory(l workloads.Law) string {
	switch {
	case l.Period > 0:
		return "a period of " + spec.FormatDuration(l.Period)
	case math.IsInf(l.Correlation, 1):
		return "over all ranges of time"
	case l.Correlation == 0:
		return "none"
	case math.IsNaN(l.Correlation):
		return "unknown"
	}
	return "correlation time " + span(math.Abs(l.Correlation))
}

// span writes a time of so many seconds, in four digits.
func span(seconds float64) string {
	if seconds >= 86400 {
		return fmt.Sprintf("%.4gd", seconds/86400)
	}
	d := time.Duration(math.Round(seconds * 1e9))
	for unit := time.Duration(1); unit <= d; unit *= 10 {
		if d < 10_000*unit {
			return d.Round(unit).String()
		}
	}
	return d.String()
}

// bars draws counts as columns of eight heights; nothing is a dot, and the least
// column is what is not nothing.
func bars(counts []int64, most int64) string {
	heights := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, n := range counts {
		if n == 0 {
			b.WriteRune('.')
			continue
		}
		b.WriteRune(heights[int(float64(n)/float64(most)*7.999)])
	}
	return b.String()
}

// drawWorkload writes a figure of what a workload looks like.
func drawWorkload(text, file string) error {
	l, err := lookAt(text)
	if err != nil {
		return err
	}
	if l.Arrivals == 0 {
		return fmt.Errorf("%s: nothing arrives in %s, there is nothing to draw", text, spec.FormatDuration(l.Horizon))
	}
	f, err := l.figure()
	if err != nil {
		return err
	}
	svg, err := plots.SVG(f)
	if err != nil {
		return failure{err}
	}
	if err := atomicfile.WriteBytes(file, svg); err != nil {
		return failure{err}
	}
	return nil
}

// figure draws counts over time, and dispersion by length if it was measured.
func (l look) figure() (plots.Figure, error) {
	width := l.Horizon.Seconds() / float64(len(l.Columns))
	counts := plots.Series{Name: "requests", Label: "requests"}
	for i, n := range append(slices.Clone(l.Columns), l.Columns[len(l.Columns)-1]) {
		counts.X, counts.Y = append(counts.X, l.From.Seconds()+float64(i)*width), append(counts.Y, float64(n))
	}
	panels := []plots.Panel{{Title: "Counts over time", Chart: plots.Step{
		X: plots.Axis{Label: "Time", Unit: "s"}, Y: plots.Axis{Label: "Requests in " + span(width), Zero: true}, Series: []plots.Series{counts},
	}}}
	if l.counted != nil {
		law, _ := l.spec.Law()
		measured := plots.Series{Name: "measured", Label: "measured", Markers: true}
		formula := plots.Series{Name: "law", Label: "law", Theory: true}
		first, last := l.counted[0].Length.Seconds(), l.counted[len(l.counted)-1].Length.Seconds()
		for _, c := range l.counted {
			measured.X, measured.Y = append(measured.X, c.Length.Seconds()), append(measured.Y, c.Dispersion)
			measured.Lo, measured.Hi = append(measured.Lo, max(0, c.Dispersion-2*c.Error)), append(measured.Hi, c.Dispersion+2*c.Error)
		}
		series := []plots.Series{measured}
		if !law.Measured() && last > first {
			const points = 60
			for i := range points + 1 {
				t := first * math.Pow(last/first, float64(i)/points)
				formula.X, formula.Y = append(formula.X, t), append(formula.Y, law.Dispersion(time.Duration(math.Round(t*1e9))))
			}
			series = append(series, formula)
		}
		panels = append(panels, plots.Panel{Title: "Index of dispersion", Chart: plots.Line{
			X: plots.Axis{Label: "Length of the interval", Unit: "s", Log: true}, Y: plots.Axis{Label: "Variance/mean of counts", Unit: "1", Zero: true}, Series: series,
		}})
	}
	title := fmt.Sprintf("%d requests in %s, at most %d in %s", l.Arrivals, spec.FormatDuration(l.Horizon), slices.Max(l.Columns), span(width))
	subtitle := fmt.Sprintf("%s; seed %d, intervals are two standard errors", l.spec, lookSeed)
	return plots.Figure{Name: "workload", Title: title, Subtitle: subtitle, Chart: plots.Grid{Columns: 1, Panels: panels}}, nil
}
