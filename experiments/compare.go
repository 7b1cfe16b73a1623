package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
	"ratelab/plots/table"
)

// Compared is two points of an experiment, with what the second changes.
type Compared struct {
	Pair    sweep.Pair
	Metrics []ComparedMetric // those that both measured, in the experiment's order
}

// ComparedMetric is one metric of a comparison.
type ComparedMetric struct {
	sweep.Metric
	sweep.Paired
	Low, High float64         // 95 % interval of the difference; infinite with one replication
	Warnings  []sweep.Warning // of the difference
}

// Comparison is what a comparison compared and how.
type Comparison struct {
	Pairs []Compared
	Reps  int
	Notes []string // what the user should know of the store
}

// Compare compares points of an experiment under the settings b with the
// points without them. The settings a hold for both sides, except for factors
// that b sets; where a says nothing of those, every value of the experiment's
// own is compared. Replication k of both shares its random numbers, and
// differences are taken replication by replication. Cells that are missing run
// and are stored, as in [Run]; no tables are written. Metrics, if any are named,
// are those to compare.
func Compare(ctx context.Context, e Experiment, o Options, a, b []Setting, metrics []string) (*Comparison, error) {
	planA, planB, err := e.sides(o, a, b)
	if err != nil {
		return nil, err
	}
	chosen, err := chooseMetrics(e, metrics)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Reps: planA.Reps}
	var changed []string
	for _, s := range b {
		changed = append(changed, s.Factor)
	}
	pairs, unpaired, err := sweep.Pairs(planA, planB, changed)
	if err != nil {
		return nil, err
	}
	if len(pairs) == 0 {
		return nil, nothingToCompare(e, b, unpaired)
	}
	var cells []sweep.Cell
	at := make(map[string]int)
	for _, p := range pairs {
		for _, cell := range slices.Concat(p.A, p.B) {
			if _, there := at[cell.Key()]; !there {
				at[cell.Key()] = len(cells)
				cells = append(cells, cell)
			}
		}
	}
	store, err := e.open(planA, o, planB)
	if err != nil {
		return nil, RunError{err}
	}
	c.Notes = store.Damage()
	result, err := sweep.ExecuteCells(ctx, planA, cells, sweep.Options{
		Workers: o.Workers, KeepGoing: o.KeepGoing, AtOnce: o.AtOnce, Progress: o.Progress, Store: store,
	})
	if closing := store.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return c, RunError{err}
	}
	var doubter sweep.Doubter
	values := func(cells []sweep.Cell, metric string) []float64 {
		list := make([]float64, len(cells))
		for rep, cell := range cells {
			list[rep] = result.Rows[at[cell.Key()]].Get(metric)
		}
		return list
	}
	for _, p := range pairs {
		compared := Compared{Pair: p}
		for _, m := range chosen {
			left, right := values(p.A, m.Name), values(p.B, m.Name)
			paired := sweep.PairedDifference(left, right)
			if paired.Difference.N == 0 {
				continue
			}
			row := ComparedMetric{Metric: m, Paired: paired}
			row.Low, row.High = paired.Difference.Interval(0.95)
			for rep := range left {
				left[rep] = right[rep] - left[rep]
			}
			for _, w := range doubter.Warnings(left) {
				if w.Doubt != sweep.Wide { // a difference may well be about 0
					row.Warnings = append(row.Warnings, w)
				}
			}
			compared.Metrics = append(compared.Metrics, row)
		}
		c.Pairs = append(c.Pairs, compared)
	}
	return c, nil
}

// RunError is what went wrong when cells ran, not in what was asked for.
type RunError struct{ Err error }

func (e RunError) Error() string { return e.Err.Error() }

// Unwrap returns what went wrong.
func (e RunError) Unwrap() error { return e.Err }

// sides returns the plans of the two sides of a comparison.
func (e Experiment) sides(o Options, a, b []Setting) (planA, planB *sweep.Plan, err error) {
	if err := cmp.Or(oneEach("--a", a), oneEach("--b", b)); err != nil {
		return nil, nil, err
	}
	if len(b) == 0 {
		return nil, nil, errors.New("compare needs --b FACTOR=VALUE: what to compare with the experiment's own values, or with --a")
	}
	if planA, err = e.side(o, a); err != nil {
		return nil, nil, err
	}
	left := slices.DeleteFunc(slices.Clone(a), func(s Setting) bool {
		return slices.ContainsFunc(b, func(t Setting) bool { return t.Factor == s.Factor })
	})
	planB, err = e.side(o, slices.Concat(left, b))
	return planA, planB, err
}

// oneEach refuses settings of one side that are not one value for each factor.
func oneEach(side string, settings []Setting) error {
	for i, s := range settings {
		if len(s.Values) != 1 {
			return fmt.Errorf("%s %s: want one value, got %d", side, s.Factor, len(s.Values))
		}
		if slices.ContainsFunc(settings[:i], func(t Setting) bool { return t.Factor == s.Factor }) {
			return fmt.Errorf("%s %s is given twice", side, s.Factor)
		}
	}
	return nil
}

// side returns the plan of those points that have these values.
func (e Experiment) side(o Options, settings []Setting) (*sweep.Plan, error) {
	o.Set = slices.Concat(o.Set, settings)
	p, err := e.Prepare(o)
	if err != nil {
		return nil, err
	}
	where := p.Where
	p.Where = func(get func(string) string) bool {
		for _, s := range settings {
			if !strings.Contains(s.Values[0], "{") && get(s.Factor) != s.Values[0] { // a formula has many values
				return false
			}
		}
		return where == nil || where(get)
	}
	_, err = p.Cells()
	return p, err
}

func chooseMetrics(e Experiment, names []string) ([]sweep.Metric, error) {
	var known []string
	for _, m := range e.Metrics {
		known = append(known, m.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("experiment %q: unknown metric %q%s; known: %s", e.Name, name, spec.DidYouMean(name, known), strings.Join(known, ", "))
		}
	}
	if len(names) == 0 {
		return e.Metrics, nil
	}
	return slices.DeleteFunc(slices.Clone(e.Metrics), func(m sweep.Metric) bool { return !slices.Contains(names, m.Name) }), nil
}

// nothingToCompare says why no point has a partner.
func nothingToCompare(e Experiment, b []Setting, un sweep.Unpaired) error {
	var settings []string
	for _, s := range b {
		settings = append(settings, s.text())
	}
	text := fmt.Sprintf("experiment %q: nothing to compare with %s", e.Name, strings.Join(settings, " "))
	points := func(n int) string {
		if n == 1 {
			return "1 point"
		}
		return fmt.Sprintf("%d points", n)
	}
	point := func(c sweep.Cell) string { return strings.TrimSuffix(strings.TrimSuffix(c.Key(), "rep=0"), ",") }
	if n := len(un.Same); n > 0 {
		text += fmt.Sprintf("; it changes nothing at %s, such as %s", points(n), point(un.Same[0]))
	}
	if n := len(un.Without); n > 0 {
		text += fmt.Sprintf("; %s can not have it, such as %s", points(n), point(un.Without[0]))
	}
	return errors.New(text + "; choose other values with --a, or see ratelab show " + e.Name)
}

// Table returns a row for each pair and metric: the factors in which the
// sides agree, a_FACTOR and b_FACTOR for those in which they may differ,
// metric, unit, n, mean_a, mean_b, difference (b - a), ci_low, ci_high,
// variance_ratio (empty if infinite) and warnings.
func (c *Comparison) Table(e Experiment) (*table.Table, error) {
	const digits = 12
	differs := make(map[string]bool)
	for _, p := range c.Pairs {
		for _, f := range e.Factors {
			if p.Pair.A[0].Get(f.Name) != p.Pair.B[0].Get(f.Name) {
				differs[f.Name] = true
			}
		}
	}
	var columns []table.Column
	for _, f := range e.Factors {
		if differs[f.Name] {
			columns = append(columns, table.Column{Name: "a_" + f.Name}, table.Column{Name: "b_" + f.Name})
		} else {
			columns = append(columns, table.Column{Name: f.Name})
		}
	}
	columns = append(columns, table.Column{Name: "metric"}, table.Column{Name: "unit"}, table.Column{Name: "n", Type: table.Integer})
	for _, name := range []string{"mean_a", "mean_b", "difference", "ci_low", "ci_high", "variance_ratio"} {
		columns = append(columns, table.Column{Name: name, Type: table.Number, Digits: digits})
	}
	t, err := table.New(append(columns, table.Column{Name: "warnings"})...)
	if err != nil {
		return nil, err
	}
	for _, p := range c.Pairs {
		var factors []any
		for _, f := range e.Factors {
			factors = append(factors, p.Pair.A[0].Get(f.Name))
			if differs[f.Name] {
				factors = append(factors, p.Pair.B[0].Get(f.Name))
			}
		}
		for _, m := range p.Metrics {
			var doubts []string
			for _, w := range m.Warnings {
				doubts = append(doubts, string(w.Doubt))
			}
			row := append(slices.Clone(factors), m.Name, m.Unit, m.Difference.N, m.A.Mean, m.B.Mean, m.Difference.Mean,
				orMissing(m.Low), orMissing(m.High), orMissing(m.VarianceRatio), strings.Join(doubts, " "))
			if err := t.Append(row...); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// orMissing returns a number as a table has it: NaN if it is not finite.
func orMissing(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}
