package sweep

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/spec"
)

// Cell is one point of a plan in one replication. Its methods panic if they are asked for a factor that the plan does
// not have, or for a number that the factor's value is not: in a run, that fails the cell with an error that says so.
type Cell struct {
	Rep  int    // replication, from 0
	Seed uint64 // base seed, the same in all cells

	names, values []string // of the factors, in declared order
}

// misuse is a panic that the author of an experiment caused, in words that need no stack.
type misuse string

func (m misuse) Error() string { return string(m) }

// Get returns the value of a factor, "" if it does not apply.
func (c Cell) Get(factor string) string {
	if i := slices.Index(c.names, factor); i >= 0 {
		return c.values[i]
	}
	panic(misuse(fmt.Sprintf("unknown factor %q%s; known: %s", factor, spec.DidYouMean(factor, c.names), strings.Join(c.names, ", "))))
}

// Int returns the value of a factor as an integer.
func (c Cell) Int(factor string) int64 {
	v, err := strconv.ParseInt(c.Get(factor), 10, 64)
	if err != nil {
		panic(misuse(fmt.Sprintf("factor %q: want an integer, got %q", factor, c.Get(factor))))
	}
	return v
}

// Float returns the value of a factor as a finite number.
func (c Cell) Float(factor string) float64 {
	v, err := parseNumber(c.Get(factor))
	if err != nil {
		panic(misuse(fmt.Sprintf("factor %q: want a number, got %q", factor, c.Get(factor))))
	}
	return v
}

// Duration returns the value of a factor as a duration, such as 250ms.
func (c Cell) Duration(factor string) time.Duration {
	v, err := spec.ParseDuration(c.Get(factor))
	if err != nil {
		panic(misuse(fmt.Sprintf("factor %q: want a duration like 250ms, got %q", factor, c.Get(factor))))
	}
	return v
}

// Key names the cell among those of its plan: a=1,b=2,rep=3, factors in declared order, without those that do not
// apply. A value that has characters other than letters, digits and simple signs is quoted as in Go.
func (c Cell) Key() string {
	key := pointKey(c.names, c.values)
	if key != "" {
		key += ","
	}
	return key + "rep=" + strconv.Itoa(c.Rep)
}

func pointKey(names, values []string) string {
	var b strings.Builder
	for i, v := range values {
		if v == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(names[i])
		b.WriteByte('=')
		if strings.ContainsAny(v, "=,\"\\ ") || strconv.Quote(v) != `"`+v+`"` {
			v = strconv.Quote(v)
		}
		b.WriteString(v)
	}
	return b.String()
}

// Cells returns the cells of the plan in the order of the rows of its results: by factors in declared order, numbers
// and durations by value, others in the order of the grids, then by replication. With a precision these are the cells
// that a run begins with.
func (p *Plan) Cells() ([]Cell, error) {
	points, err := p.points()
	if err != nil {
		return nil, err
	}
	reps := p.Reps
	if p.Precision.On() {
		reps = LeastReps
	}
	if len(points) > math.MaxInt32/reps {
		return nil, fmt.Errorf("plan %q: %d points in %d replications are more cells than can run", p.Name, len(points), reps)
	}
	names := p.factorNames()
	cells := make([]Cell, 0, len(points)*reps)
	for _, values := range points {
		for rep := range reps {
			cells = append(cells, Cell{Rep: rep, Seed: p.Seed, names: names, values: values})
		}
	}
	return cells, nil
}

// Find returns the cell that has this key.
func (p *Plan) Find(key string) (Cell, error) {
	all := *p
	if p.Precision.On() { // any replication may be needed
		all.Reps, all.Precision = p.Precision.MaxReps, Precision{}
	}
	cells, err := all.Cells()
	if err != nil {
		return Cell{}, err
	}
	for _, c := range cells {
		if c.Key() == key {
			return c, nil
		}
	}
	return Cell{}, fmt.Errorf("no cell %q in %q; the first of its %d cells is %s", key, p.Name, len(cells), cells[0].Key())
}

// Row is what a cell measured. A metric that was not set is missing.
type Row struct {
	metrics []Metric
	values  []float64
	cached  bool // it comes from a store
}

func newRow(metrics []Metric) *Row {
	r := &Row{metrics: metrics, values: make([]float64, len(metrics))}
	for i := range r.values {
		r.values[i] = math.NaN()
	}
	return r
}

// Set records a metric; NaN says that it is missing. It panics if the plan has no such metric or the value is infinite,
// which is a mistake, not a result.
func (r *Row) Set(metric string, value float64) {
	i := r.index(metric)
	if math.IsInf(value, 0) {
		panic(misuse(fmt.Sprintf("metric %q: want a finite number, or NaN if it is missing, got %v", metric, value)))
	}
	r.values[i] = value + 0 // −0 becomes 0
}

// Get returns a metric, NaN if it is missing. It panics if the plan has no such metric.
func (r *Row) Get(metric string) float64 { return r.values[r.index(metric)] }

func (r *Row) index(metric string) int {
	i := slices.IndexFunc(r.metrics, func(m Metric) bool { return m.Name == metric })
	if i < 0 {
		names := make([]string, len(r.metrics))
		for k, m := range r.metrics {
			names[k] = m.Name
		}
		panic(misuse(fmt.Sprintf("unknown metric %q%s; known: %s", metric, spec.DidYouMean(metric, names), strings.Join(names, ", "))))
	}
	return i
}
