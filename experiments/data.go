package experiments

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"ratelab/experiments/sweep"
	"ratelab/plots"
	"ratelab/plots/table"
)

// Data is what an experiment measured, read back from its folder.
type Data struct {
	Experiment Experiment
	Dir        string
	Quick      bool
	Reps       int
	Partial    bool   // a grid other than the experiment's own was run
	Command    string // the line that makes these results
	Runs       *table.Table
	Summary    *table.Table

	plan   *sweep.Plan // of the grid that was run
	pooled error       // the first mean that was asked for over several points of the grid
}

// StaleError says that results are missing, or are not what this program
// would find, and what to do.
type StaleError struct {
	Experiment string
	Why        error
	Do         string // the command that makes them
}

func (e *StaleError) Error() string { return fmt.Sprintf("%v; run: %s", e.Why, e.Do) }

// Unwrap returns why the results are of no use.
func (e *StaleError) Unwrap() error { return e.Why }

// Load reads the results of an experiment in the folder out/NAME. If they are
// missing, incomplete, changed, or made by another program, the error is a
// StaleError.
func Load(e Experiment, out, program string) (*Data, error) {
	dir := filepath.Join(out, e.Name)
	m, err := sweep.ReadManifest(dir)
	manifestErr := err
	stale := func(why error) error {
		made := e.made(m, manifestErr, Options{Out: out, Program: Program{Hash: program}})
		return &StaleError{Experiment: e.Name, Why: why, Do: made.Command(e.Name)}
	}
	claims := filepath.Join(dir, ClaimsFile)
	if _, published := os.Stat(claims); errors.Is(err, fs.ErrNotExist) && published == nil {
		return nil, stale(fmt.Errorf("%s has no %s of this program to judge (it is not kept in git; the published verdicts are in %s)", dir, sweep.RunsFile, claims))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, stale(fmt.Errorf("%s holds no results of %q", dir, e.Name))
	}
	if err != nil {
		return nil, stale(err)
	}
	want := m
	want.Experiment, want.Program = e.Name, program
	if err := sweep.Fresh(dir, want); err != nil {
		return nil, stale(err)
	}
	plan := e.plan(trueLab(m.Quick))
	own, err := sweep.NewManifest(plan)
	if err != nil {
		return nil, err
	}
	plan.Grids, plan.Where = []sweep.Grid{m.Grid}, nil
	made := e.made(m, nil, Options{Out: out, Program: Program{Hash: program}})
	d := &Data{Experiment: e, Dir: dir, Quick: m.Quick, Reps: m.Reps, Partial: own.Keys != m.Keys, Command: made.Command(e.Name), plan: plan}
	if d.Runs, err = sweep.ReadRuns(dir, plan); err != nil {
		return nil, stale(err)
	}
	if d.Summary, err = sweep.ReadSummary(dir, plan); err != nil {
		return nil, stale(err)
	}
	return d, nil
}

// Judge judges the claims.
func (d *Data) Judge() ([]Checked, error) { return checkClaims(d.Experiment.Claims, d.Runs, d.Partial) }

// Check judges the claims and writes claims.csv and findings.txt.
func (d *Data) Check() ([]Checked, error) {
	checked, err := d.Judge()
	if err != nil {
		return nil, err
	}
	t, err := claimsTable(checked)
	if err != nil {
		return nil, err
	}
	if err := t.WriteFile(filepath.Join(d.Dir, ClaimsFile)); err != nil {
		return nil, err
	}
	if err := sweep.AddOutputs(d.Dir, ClaimsFile); err != nil {
		return nil, err
	}
	return checked, d.writeFindings()
}

// Findings says what was found. Results of another grid may lack what the
// sentences are about: there are none then.
func (d *Data) Findings() ([]string, error) {
	if d.Experiment.Findings == nil {
		return nil, nil
	}
	found, err := d.Experiment.Findings(d)
	if pooled := d.takePooled(); pooled != nil {
		err = pooled
	}
	if err != nil && d.Partial {
		return nil, nil
	}
	return found, err
}

// Doubtful returns how many rows of the summary warnings.csv has a doubt about.
func (d *Data) Doubtful() (int, error) {
	var out Outcome
	err := d.warn(&out)
	return out.Doubtful, err
}

// warn puts what warnings.csv says into an outcome.
func (d *Data) warn(out *Outcome) error {
	warnings, err := sweep.ReadWarnings(d.Dir, d.plan)
	if err != nil {
		return err
	}
	columns := warnings.Columns()
	names := make([]string, 0, len(columns))
	for _, c := range columns[:len(d.plan.Factors)+1] { // factors and metric
		names = append(names, c.Name)
	}
	doubtful, err := warnings.GroupBy(names...)
	if err != nil {
		return err
	}
	out.Doubtful, out.Rows = len(doubtful), d.Summary.Len()
	out.Warnings, err = sweep.GroupWarnings(d.plan, warnings)
	return err
}

// Plot draws the figures as SVG, PDF and PNG, or in those of plots.Formats that
// are named, and returns the paths of the SVG files. A partial grid may lack
// what a figure shows: left says which figures were left out, and why.
func (d *Data) Plot(formats ...string) (drawn []string, left []error, err error) {
	for _, f := range d.Experiment.Figures {
		name := d.Experiment.Name + "-" + f.Name
		base := filepath.Join(d.Dir, name)
		figure, err := d.draw(f)
		if err == nil {
			err = plots.Save(figure, base, formats...)
		}
		if err != nil {
			err = fmt.Errorf("figure %s: %w", name, err)
			if !d.Partial {
				return drawn, left, err
			}
			left = append(left, err)
			continue
		}
		var files []string
		for _, format := range plots.Formats {
			if len(formats) == 0 || slices.Contains(formats, format) {
				files = append(files, name+"."+format)
			}
		}
		if err := sweep.AddOutputs(d.Dir, files...); err != nil {
			return drawn, left, err
		}
		drawn = append(drawn, base+".svg")
	}
	return drawn, left, nil
}

// draw draws a figure, unless it takes several points for one.
func (d *Data) draw(f Figure) (plots.Figure, error) {
	figure, err := f.Draw(d)
	if pooled := d.takePooled(); pooled != nil {
		err = pooled
	}
	return figure, err
}

// SVG returns a figure: the file that Plot left of these results, or drawn now.
func (d *Data) SVG(f Figure) ([]byte, error) {
	file := d.Experiment.Name + "-" + f.Name + ".svg"
	if m, err := sweep.ReadManifest(d.Dir); err == nil && m.Holds(d.Dir, file) {
		return os.ReadFile(filepath.Join(d.Dir, file))
	}
	figure, err := d.draw(f)
	if err != nil {
		return nil, err
	}
	return plots.SVG(figure)
}

// Mean returns the mean and the 95 % interval of a metric over the
// replications of the one point of the grid at which factors have the given
// values: factor, value, factor, value …. The mean is NaN if nothing was measured
// there. It is NaN too if factors that are not named tell several points apart:
// what differs by them is no chance; the figure or the findings that asked for it
// then fail.
func (d *Data) Mean(metric string, at ...string) (mean, lo, hi float64) {
	o, err := observe(metric, Point{At: at}, d.Runs)
	if errors.Is(err, errSeveral) && d.pooled == nil {
		d.pooled = d.severalThere(metric, at)
	}
	if err != nil {
		return math.NaN(), math.NaN(), math.NaN()
	}
	lo, hi = o.Interval(0.95)
	return o.Mean, finite(lo), finite(hi)
}

// severalThere says which factors tell the points apart at which a mean was
// asked for.
func (d *Data) severalThere(metric string, at []string) error {
	rows, err := d.Runs.Where(at...)
	if err != nil {
		return err
	}
	factors := factorNames(d.Experiment.Factors)
	points, err := rows.GroupBy(factors...)
	if err != nil {
		return err
	}
	return fmt.Errorf("the mean of %s at %s: %w: %s", metric, sweep.PointKey(at...), errSeveral, tellApart(factors, points))
}

// takePooled returns the first mean that was asked for over several points since
// it was taken last; nil if none was.
func (d *Data) takePooled() error {
	err := d.pooled
	d.pooled = nil
	return err
}

// nothingMeasured says that results lack what a figure shows.
func nothingMeasured(metric string, at []string) error {
	return fmt.Errorf("nothing was measured of %s at %s", metric, sweep.PointKey(at...))
}

// Series returns a metric with its intervals along the numeric factor x, for
// the points at which other factors have the given values.
func (d *Data) Series(label, metric, x string, at ...string) (plots.Series, error) {
	s := plots.Series{Name: label, Label: label}
	rows, err := d.Summary.Where(append([]string{"metric", metric}, at...)...)
	if err != nil {
		return s, err
	}
	if rows.Len() == 0 {
		return s, nothingMeasured(metric, at)
	}
	for column, into := range map[string]*[]float64{x: &s.X, "mean": &s.Y, "ci_low": &s.Lo, "ci_high": &s.Hi} {
		if *into, err = rows.Floats(column); err != nil {
			return s, err
		}
	}
	return s, nil
}
