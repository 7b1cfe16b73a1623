package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/atomicfile"
	"ratelab/plots/table"
)

// The files that Result.Write makes, beside the manifest.
const (
	RunsFile        = "runs.csv"
	SummaryFile     = "summary.csv"
	DataPackageFile = "datapackage.json"
)

const (
	summaryDigits = 12
	summaryLevel  = 0.95
)

// runsTail is the columns of runs.csv between factors and metrics.
func runsTail() []table.Column {
	return []table.Column{
		{Name: "rep", Description: "replication, from 0; the same replication of all points shares its random numbers", Type: table.Integer},
		{Name: "seed", Description: "base seed, from which all streams of random numbers are derived", Type: table.Integer},
	}
}

// summaryTail is the columns of summary.csv after the factors.
func summaryTail() []table.Column {
	number := func(name, description string) table.Column {
		return table.Column{Name: name, Description: description, Type: table.Number, Digits: summaryDigits}
	}
	return []table.Column{
		{Name: "metric", Description: "what was measured"},
		{Name: "unit", Description: "unit of the metric, for mean, sd, ci_low, ci_high, min and max"},
		{Name: "n", Description: "replications that have a value", Type: table.Integer},
		number("mean", "arithmetic mean over replications"),
		number("sd", "sample standard deviation over replications, divisor n - 1; empty if n is 1"),
		number("ci_low", "lower end of the 95 % confidence interval of the mean, Student t over replications; empty if n is 1"),
		number("ci_high", "upper end of the 95 % confidence interval of the mean; empty if n is 1"),
		number("min", "smallest value of a replication"),
		number("max", "largest value of a replication"),
	}
}

// factorColumns describes the factors. A factor is a column of numbers if all its values are numbers as a table writes
// them, so that its texts are the same either way.
func (p *Plan) factorColumns() []table.Column {
	columns := make([]table.Column, len(p.Factors))
	for f, values := range p.levels() {
		columns[f] = table.Column{Name: p.Factors[f].Name, Unit: p.Factors[f].Unit, Description: p.Factors[f].Description}
		if !slices.ContainsFunc(values, func(v string) bool { return v != "" && !plainNumber(v) }) {
			columns[f].Type = table.Number
		}
	}
	return columns
}

func plainNumber(text string) bool {
	x, err := parseNumber(text)
	return err == nil && strconv.FormatFloat(x, 'g', -1, 64) == text
}

// RunsColumns returns the columns of runs.csv: factors, rep, seed, metrics.
func (p *Plan) RunsColumns() []table.Column {
	columns := append(p.factorColumns(), runsTail()...)
	for _, m := range p.Metrics {
		columns = append(columns, table.Column{Name: m.Name, Unit: m.Unit, Description: m.Description, Type: table.Number})
	}
	return columns
}

// SummaryColumns returns the columns of summary.csv: factors, metric, unit, n, mean, sd, ci_low, ci_high, min, max.
func (p *Plan) SummaryColumns() []table.Column { return append(p.factorColumns(), summaryTail()...) }

// ReadRuns reads the runs.csv of a plan in a folder.
func ReadRuns(dir string, plan *Plan) (*table.Table, error) {
	return table.ReadFile(filepath.Join(dir, RunsFile), plan.RunsColumns())
}

// ReadSummary reads the summary.csv of a plan in a folder.
func ReadSummary(dir string, plan *Plan) (*table.Table, error) {
	return table.ReadFile(filepath.Join(dir, SummaryFile), plan.SummaryColumns())
}

// Runs returns a row for each cell that has one: factors, rep, seed, metrics.
func (r *Result) Runs() (*table.Table, error) {
	columns := r.Plan.RunsColumns()
	t, err := table.New(columns...)
	if err != nil {
		return nil, err
	}
	for i, row := range r.Rows {
		if row == nil {
			continue
		}
		cells, err := factorCells(columns, r.Cells[i].values)
		if err != nil {
			return nil, err
		}
		cells = append(cells, r.Cells[i].Rep, int64(r.Cells[i].Seed))
		for _, v := range row.values {
			cells = append(cells, v)
		}
		if err := t.Append(cells...); err != nil {
			return nil, fmt.Errorf("cell %s: %w", r.Cells[i].Key(), err)
		}
	}
	return t, nil
}

// factorCells returns the cells of the first columns of a row, which hold these factor values.
func factorCells(columns []table.Column, values []string) ([]any, error) {
	cells := make([]any, len(values), len(columns))
	for f, v := range values {
		switch {
		case columns[f].Type != table.Number:
			cells[f] = v
		case v == "":
			cells[f] = math.NaN()
		default:
			x, err := parseNumber(v)
			if err != nil {
				return nil, fmt.Errorf("factor %q: value %q is not one of the plan's", columns[f].Name, v)
			}
			cells[f] = x
		}
	}
	return cells, nil
}

// Summarize returns a row for each point of runs and each metric that has a value there, in the order of runs and of
// the plan's metrics.
func Summarize(plan *Plan, runs *table.Table) (*table.Table, error) {
	columns := plan.SummaryColumns()
	t, err := table.New(columns...)
	if err != nil {
		return nil, err
	}
	groups, err := runs.GroupBy(plan.factorNames()...)
	if err != nil {
		return nil, err
	}
	quantiles := make(map[int]float64) // by n; one takes longer than a mean
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
			e := NewEstimate(values)
			if e.N == 0 {
				continue
			}
			if math.IsNaN(e.Mean) || e.N > 1 && math.IsNaN(e.SD) {
				return nil, fmt.Errorf("metric %q at %s: the sum over replications is beyond the range of a float64", m.Name, strings.Join(g.Values, ", "))
			}
			lo, hi := math.NaN(), math.NaN()
			if e.N > 1 {
				q, ok := quantiles[e.N]
				if !ok {
					q = StudentT(e.N-1, summaryLevel)
					quantiles[e.N] = q
				}
				lo, hi = e.interval(q)
			}
			if err := t.Append(append(slices.Clone(factors), m.Name, m.Unit, e.N, e.Mean, e.SD, lo, hi, e.Min, e.Max)...); err != nil {
				return nil, fmt.Errorf("metric %q at %s: %w", m.Name, strings.Join(g.Values, ", "), err)
			}
		}
	}
	return t, nil
}

// Summary returns what Summarize makes of Runs.
func (r *Result) Summary() (*table.Table, error) {
	runs, err := r.Runs()
	if err != nil {
		return nil, err
	}
	return Summarize(r.Plan, runs)
}

// DataPackage returns the text of datapackage.json: the tables of the sweep, and others that lie beside them.
func (p *Plan) DataPackage(others ...table.Resource) []byte {
	return table.DataPackage(p.Name, p.Description, append([]table.Resource{
		{Name: "runs", Path: RunsFile, Description: "one row a cell, exact", Columns: p.RunsColumns()},
		{Name: "summary", Path: SummaryFile, Description: "one row for each point and metric, over replications", Columns: p.SummaryColumns()},
		{Name: "warnings", Path: WarningsFile, Description: "one row for each reason to take a row of the summary with care", Columns: p.WarningColumns()},
	}, others...))
}

// Write writes runs.csv, summary.csv, warnings.csv, datapackage.json and then manifest.json to a folder, which it makes if need be.
// The manifest is NewManifest's with what the caller filled in; Write adds counts, times and hashes. Others are tables
// that will lie beside those of the sweep, for the data package only.
func (r *Result) Write(dir string, m Manifest, others ...table.Resource) error {
	runs, err := r.Runs()
	if err != nil {
		return err
	}
	summary, err := Summarize(r.Plan, runs)
	if err != nil {
		return err
	}
	warnings, err := Warn(r.Plan, runs)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	m.CellsCached, m.CellsFailed = r.Cached, len(r.Failures)
	m.CellsRun = r.Done() - r.Cached
	m.Start, m.End = r.Start.UTC(), r.End.UTC()
	if m.Precision != nil {
		m.Precision.PointReps = pointReps(r.Cells)
		m.Cells, m.Reps = len(r.Cells), slices.Max(m.Precision.PointReps)
	}
	m.Outputs = nil
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{RunsFile, runs.Write},
		{SummaryFile, summary.Write},
		{WarningsFile, warnings.Write},
		{DataPackageFile, func(w io.Writer) error {
			_, err := w.Write(r.Plan.DataPackage(others...))
			return err
		}},
	} {
		hash := sha256.New() // of what is written, not of what another process may have put there since
		if err := atomicfile.Write(filepath.Join(dir, file.name), func(w io.Writer) error {
			return file.write(io.MultiWriter(w, hash))
		}); err != nil {
			return err
		}
		m.set(file.name, hex.EncodeToString(hash.Sum(nil)))
	}
	return m.write(dir)
}
