package sweep

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"ratelab/plots/table"
)

// WarningsFile is the name of the table of warnings in a folder of results.
const WarningsFile = "warnings.csv"

// WarningColumns returns the columns of warnings.csv: factors, metric, n, warning, found, allowed.
func (p *Plan) WarningColumns() []table.Column {
	return append(p.factorColumns(), warningsTail()...)
}

// warningsTail is the columns of warnings.csv after the factors.
func warningsTail() []table.Column {
	number := func(name, description string) table.Column {
		return table.Column{Name: name, Description: description, Type: table.Number, Digits: summaryDigits}
	}
	meanings := make([]string, 0, len(Doubts()))
	for _, d := range Doubts() {
		meanings = append(meanings, string(d)+": "+d.Meaning())
	}
	return []table.Column{
		{Name: "metric", Description: "whose mean at this point is doubtful"},
		{Name: "n", Description: "replications that have a value", Type: table.Integer},
		{Name: "warning", Description: strings.Join(meanings, "; ")},
		number("found", "what raised it: replications (single, few), lag-1 autocorrelation (dependent), largest share of the sum of squares (outlier), skewness (skewed), half-width of the 95 % interval / |mean| (wide, unreached); empty if infinite"),
		number("allowed", "what found should not pass; for single and few, that it should reach; for skewed, of its absolute value"),
	}
}

// Warn returns a row for each warning of each estimate that Summarize makes of runs, in its order.
func Warn(plan *Plan, runs *table.Table) (*table.Table, error) {
	columns := plan.WarningColumns()
	t, err := table.New(columns...)
	if err != nil {
		return nil, err
	}
	groups, err := runs.GroupBy(plan.factorNames()...)
	if err != nil {
		return nil, err
	}
	var doubter Doubter
	var precision *sequence
	if plan.Precision.On() {
		if precision, err = newSequence(plan); err != nil {
			return nil, err
		}
	}
	for _, g := range groups {
		factors, err := factorCells(columns, g.Values)
		if err != nil {
			return nil, err
		}
		for _, m := range plan.Metrics {
			values, err := g.Table.Floats(m.Name)
			if err != nil {
				return nil, err
			}
			list := doubter.Warnings(values)
			if precision != nil && slices.Contains(precision.Metrics, m.Name) {
				list = slices.DeleteFunc(list, func(w Warning) bool { return w.Doubt == Wide }) // other widths were asked for
				if relative, precise := precision.width(values); !precise {
					list = append([]Warning{{Unreached, relative, precision.limit()}}, list...)
				}
			}
			for _, w := range list {
				value := w.Value
				if math.IsInf(value, 0) {
					value = math.NaN()
				}
				if err := t.Append(append(slices.Clone(factors), m.Name, NewEstimate(values).N, string(w.Doubt), value, w.Limit)...); err != nil {
					return nil, err
				}
			}
		}
	}
	return t, nil
}

// ReadWarnings reads the warnings.csv of a plan in a folder.
func ReadWarnings(dir string, plan *Plan) (*table.Table, error) {
	return table.ReadFile(filepath.Join(dir, WarningsFile), plan.WarningColumns())
}

// WarningGroup is all warnings of one doubt.
type WarningGroup struct {
	Doubt Doubt
	Count int
	// The one that is farthest beyond its limit, and where: metric at factors. The first of equal ones.
	Worst  Warning
	Metric string
	Point  string // factor=value,…
}

func (g WarningGroup) String() string {
	at := g.Metric
	if g.Point != "" {
		at += " at " + g.Point
	}
	return fmt.Sprintf("%d %s: %s; most: %s (%s)", g.Count, g.Doubt, g.Doubt.Meaning(), g.Worst, at)
}

// GroupWarnings puts the rows of warnings.csv together by doubt, the gravest first.
func GroupWarnings(plan *Plan, warnings *table.Table) ([]WarningGroup, error) {
	names := plan.factorNames()
	values, err := warnings.Floats("found")
	if err != nil {
		return nil, err
	}
	limits, err := warnings.Floats("allowed")
	if err != nil {
		return nil, err
	}
	groups := make(map[Doubt]*WarningGroup)
	for i := range warnings.Len() {
		record := warnings.Record(i)
		rest := record[len(names):]
		w := Warning{Doubt(rest[2]), values[i], limits[i]}
		if math.IsNaN(w.Value) {
			w.Value = math.Inf(1)
		}
		g := groups[w.Doubt]
		if g == nil {
			g = &WarningGroup{Doubt: w.Doubt}
			groups[w.Doubt] = g
		}
		g.Count++
		if g.Count == 1 || w.Excess() > g.Worst.Excess() {
			g.Worst, g.Metric, g.Point = w, rest[0], pointKey(names, record[:len(names)])
		}
	}
	list := make([]WarningGroup, 0, len(groups))
	for _, g := range groups {
		list = append(list, *g)
	}
	rank := func(g WarningGroup) int { return slices.Index(Doubts(), g.Doubt) }
	slices.SortFunc(list, func(a, b WarningGroup) int { return cmp.Compare(rank(a), rank(b)) })
	return list, nil
}
