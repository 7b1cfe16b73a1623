package experiments

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
	"ratelab/plots/table"
)

// Trace is a row of a summary and the cells that it was made of.
type Trace struct {
	Metric, Unit string
	Cells        []string  // by key, as ratelab run --cell takes it
	Values       []float64 // the metric of each cell; NaN where it is missing
	Row          []string  // n, mean, sd, ci_low, ci_high, min, max as summary.csv has them
	Made         []string  // the same made of the cells' values
}

// Agrees reports whether the row is what its cells make.
func (t Trace) Agrees() bool { return slices.Equal(t.Row, t.Made) }

// TraceRow finds the one row of the summary that has a metric at a point: at
// is factor, value, factor, value … for as many factors as tell it apart.
func (d *Data) TraceRow(metric string, at ...string) (Trace, error) {
	factors := factorNames(d.Experiment.Factors)
	values, record, err := d.summaryRow(metric, at)
	if err != nil {
		return Trace{}, err
	}
	t := Trace{Metric: metric, Unit: record[len(factors)+1], Row: record[len(factors)+2:]}
	var point []string
	for i, f := range factors {
		point = append(point, f, values[i])
	}
	runs, err := d.Runs.Where(point...)
	if err != nil {
		return Trace{}, err
	}
	if t.Values, err = runs.Floats(metric); err != nil {
		return Trace{}, err
	}
	reps, err := runs.Ints("rep")
	if err != nil {
		return Trace{}, err
	}
	for _, rep := range reps {
		t.Cells = append(t.Cells, sweep.CellKey(factors, values, int(rep)))
	}
	plan := *d.plan
	plan.Metrics = slices.DeleteFunc(slices.Clone(plan.Metrics), func(m sweep.Metric) bool { return m.Name != metric })
	made, err := sweep.Summarize(&plan, runs)
	if err != nil {
		return Trace{}, err
	}
	if made.Len() == 1 {
		t.Made = made.Record(0)[len(factors)+2:]
	}
	return t, nil
}

// summaryRow finds the one row of the summary that has a metric at a point: the
// values of all factors there, and the row as summary.csv has it.
func (d *Data) summaryRow(metric string, at []string) (values, record []string, err error) {
	where := filepath.Join(d.Dir, sweep.SummaryFile)
	row, err := d.Summary.Where(append([]string{"metric", metric}, at...)...)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", where, err)
	}
	factors := factorNames(d.Experiment.Factors)
	groups, err := row.GroupBy(factors...)
	switch {
	case err != nil:
		return nil, nil, err
	case len(groups) == 0:
		return nil, nil, d.nothingThere(metric, at)
	case len(groups) > 1:
		return nil, nil, fmt.Errorf("%s has %d rows of metric %q there; name also %s", where, len(groups), metric, tellApart(factors, groups))
	}
	return groups[0].Values, row.Record(0), nil
}

// nothingThere says that no row of the summary has a metric at a point, and
// which metrics are there, or which values a factor can have.
func (d *Data) nothingThere(metric string, at []string) error {
	where := filepath.Join(d.Dir, sweep.SummaryFile)
	rows, err := d.Summary.Where(at...)
	if err != nil {
		return err
	}
	groups, err := rows.GroupBy("metric")
	if err != nil {
		return err
	}
	var names []string
	for _, g := range groups {
		names = append(names, g.Values[0])
	}
	if len(names) > 0 {
		return fmt.Errorf("%s has no row of metric %q there%s; it has %s", where, metric, spec.DidYouMean(metric, names), strings.Join(names, ", "))
	}
	for i := 0; i+1 < len(at); i += 2 { // a factor with a value that it has nowhere, or not with the others
		others := slices.Concat(at[:i], at[i+2:])
		rows, err := d.Summary.Where(append([]string{"metric", metric}, others...)...)
		if err != nil {
			return err
		}
		values, err := rows.Distinct(at[i])
		if err != nil {
			return err
		}
		if len(values) > 0 {
			beside := ""
			if len(others) > 0 {
				beside = " with " + sweep.PointKey(others...)
			}
			return fmt.Errorf("%s has no row at %s; %s is %s%s", where, sweep.PointKey(at...), at[i], anyOf(values), beside)
		}
	}
	return fmt.Errorf("%s has no row at %s; ratelab run %s --dry-run lists the points", where, sweep.PointKey(at...), d.Experiment.Name)
}

// anyOf lists values, the first few of many; one that does not apply is ”.
func anyOf(values []string) string {
	const most = 12
	var list []string
	for _, v := range values {
		if v == "" {
			v = "''"
		}
		list = append(list, v)
	}
	if len(list) > most {
		return strings.Join(list[:most], ", ") + fmt.Sprintf(" or one of %d more", len(list)-most)
	}
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " or " + list[n-1]
	}
	return list[0]
}

// tellApart lists the factors that points differ by, with what they can be.
func tellApart(factors []string, points []table.Group) string {
	var differ []string
	for i, f := range factors {
		var values []string
		for _, p := range points {
			value := p.Values[i]
			if value == "" {
				value = "''" // it does not apply
			}
			if !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
		if len(values) > 1 {
			differ = append(differ, fmt.Sprintf("%s (%s)", f, strings.Join(values, ", ")))
		}
	}
	return strings.Join(differ, ", ")
}
