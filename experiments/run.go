package experiments

import (
	"context"
	"fmt"
	"path/filepath"

	"ratelab/experiments/sweep"
	"ratelab/plots/table"
)

// ClaimsFile is the name of the table of claims in a folder of results.
const ClaimsFile = "claims.csv"

// Setting gives values to a factor, in place of the experiment's own.
type Setting struct {
	Factor string
	Values []string
}

// Options say how an experiment is run.
type Options struct {
	Out     string // folder of all results; an experiment writes to Out/NAME
	Quick   bool
	Reps    int    // replications; 0 is the experiment's own number
	Seed    uint64 // below 2^63
	Workers int    // cells at the same time; 0 is as many as there are processors
	Set     []Setting
	// KeepGoing runs the other cells after one has failed.
	KeepGoing bool
	Program   Program
	Progress  func(done, total int)
}

// Program identifies the code that runs cells.
type Program struct {
	Hash     string
	Revision string // of the source, "" if unknown
	Dirty    bool   // the source had changes that the revision has not
}

// Outcome says what a run did.
type Outcome struct {
	Dir     string
	Fresh   bool // everything was there already: nothing was run
	Cells   int
	Checked []Checked
}

// Prepare returns the plan that an experiment would run, or an error of the
// user's in its settings.
func (e Experiment) Prepare(o Options) (*sweep.Plan, error) {
	p := e.plan(trueLab(o.Quick))
	p.Seed = o.Seed
	if o.Reps > 0 {
		p.Reps = o.Reps
	}
	for _, s := range o.Set {
		if err := p.Override(s.Factor, s.Values); err != nil {
			return nil, fmt.Errorf("experiment %q: %w", e.Name, err)
		}
	}
	if _, err := p.Cells(); err != nil {
		return nil, err
	}
	return p, nil
}

// Current returns nil if a run with these options would find its results
// there already, and otherwise an error that says why not.
func (e Experiment) Current(o Options) error {
	plan, err := e.Prepare(o)
	if err != nil {
		return err
	}
	m, err := manifest(plan, o)
	if err != nil {
		return err
	}
	return current(filepath.Join(o.Out, e.Name), m)
}

func manifest(plan *sweep.Plan, o Options) (sweep.Manifest, error) {
	m, err := sweep.NewManifest(plan)
	m.Program, m.Revision, m.Dirty, m.Quick = o.Program.Hash, o.Program.Revision, o.Program.Dirty, o.Quick
	return m, err
}

func current(dir string, m sweep.Manifest) error {
	if err := sweep.Fresh(dir, m); err != nil {
		return err
	}
	there, err := sweep.ReadManifest(dir)
	if err != nil {
		return err
	}
	if !there.Holds(dir, ClaimsFile) {
		return fmt.Errorf("the results in %s are stale: %s is not what was judged last", dir, ClaimsFile)
	}
	return nil
}

// Run runs an experiment unless its results are there, made by the same
// program from the same settings. It leaves runs.csv, summary.csv,
// claims.csv, datapackage.json and manifest.json. If ctx is cancelled, cells in
// flight end at once, the error wraps ctx's, and what was there before stays
// as it was.
func Run(ctx context.Context, e Experiment, o Options) (Outcome, error) {
	out := Outcome{Dir: filepath.Join(o.Out, e.Name)}
	plan, err := e.Prepare(o)
	if err != nil {
		return out, err
	}
	m, err := manifest(plan, o)
	if err != nil {
		return out, err
	}
	out.Cells = m.Cells
	if current(out.Dir, m) == nil {
		out.Fresh = true
		return out, nil
	}
	result, err := sweep.Execute(ctx, plan, sweep.Options{Workers: o.Workers, KeepGoing: o.KeepGoing, AtOnce: true, Progress: o.Progress})
	if err != nil && (!o.KeepGoing || ctx.Err() != nil) {
		return out, err
	}
	columns, tableErr := claimsTable(nil)
	if tableErr != nil {
		return out, tableErr
	}
	claims := table.Resource{Name: "claims", Path: ClaimsFile, Description: "one row for each claim and point, with its verdict", Columns: columns.Columns()}
	if err := result.Write(out.Dir, m, claims); err != nil {
		return out, err
	}
	if err != nil {
		return out, err
	}
	d, err := Load(e, o.Out, o.Program.Hash)
	if err != nil {
		return out, err
	}
	out.Checked, err = d.Check()
	return out, err
}
