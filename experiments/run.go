package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ratelab/experiments/sweep"
	"ratelab/plots/table"
)

// ClaimsFile is the name of the table of claims in a folder of results.
const ClaimsFile = "claims.csv"

// Setting gives values to a factor, in place of the experiment's own.
type Setting struct {
	Factor string   `json:"factor"`
	Values []string `json:"values"`
}

// Options say how an experiment is run.
type Options struct {
	Out     string // folder of all results; an experiment writes to Out/NAME
	Quick   bool
	Reps    int    // replications; 0 is the experiment's own number
	Seed    uint64 // below 2^63
	Workers int    // cells at the same time; 0 is as many as there are processors
	Set     []Setting
	// Zipped is settings whose values go together, one by one; Where is
	// conditions, all of which a point must meet.
	Zipped [][]Setting
	Where  []string
	// Precision, if it asks for any, decides in place of Reps.
	Precision sweep.Precision
	// KeepGoing runs the other cells after one has failed.
	KeepGoing bool
	Shard     sweep.Shard // the cells to run; the zero Shard is all
	Program   Program     // whose cells may be used; its hash must be known
	// AtOnce, when it is closed, ends the cells in flight; the end of the
	// context lets them finish.
	AtOnce   <-chan struct{}
	Progress func(sweep.Progress)
}

// Program identifies the code that runs cells.
type Program struct {
	Hash     string
	Revision string // of the source, "" if unknown
	Dirty    bool   // the source had changes that the revision has not
}

// Outcome says what a run did.
type Outcome struct {
	Dir      string
	Store    string // folder of the cells
	Fresh    bool   // everything was there already: nothing was run
	Cells    int    // in all, or of the shard
	Done     int    // that have a row
	Cached   int    // of these, that the store had
	Failures []*sweep.CellError
	Notes    []string // what the user should know of the store, in a sentence each
	Checked  []Checked
	Warnings []sweep.WarningGroup // what is doubtful about the summary
	Doubtful int                  // rows of the summary that have warnings
	Rows     int                  // of the summary
}

// Prepare returns the plan that an experiment would run, or an error of the
// user's in its settings.
func (e Experiment) Prepare(o Options) (*sweep.Plan, error) {
	p := e.plan(trueLab(o.Quick))
	p.Seed = o.Seed
	if o.Reps > 0 {
		p.Reps = o.Reps
	}
	if p.Precision = o.Precision; p.Precision.On() && !o.Shard.Whole() {
		return nil, errors.New("with a precision it shows only in the run how many replications a point needs, so a shard can not know its cells: run it whole, or with a number of replications")
	}
	if err := o.override(p); err != nil {
		return nil, fmt.Errorf("experiment %q: %w", e.Name, err)
	}
	if _, err := p.Cells(); err != nil {
		return nil, err
	}
	return p, nil
}

// override puts the settings and conditions of options into a plan.
func (o Options) override(p *sweep.Plan) error {
	for _, s := range o.Set {
		if err := p.Override(s.Factor, s.Values); err != nil {
			return err
		}
	}
	for _, zipped := range o.Zipped {
		axes := make([]sweep.Axis, len(zipped))
		for i, s := range zipped {
			axes[i] = sweep.Axis{Factor: s.Factor, Values: s.Values}
		}
		if err := p.OverrideZipped(axes...); err != nil {
			return err
		}
	}
	for _, condition := range o.Where {
		if err := p.Constrain(condition); err != nil {
			return err
		}
	}
	return nil
}

func (e Experiment) manifest(plan *sweep.Plan, o Options) (sweep.Manifest, error) {
	m, err := sweep.NewManifest(plan)
	if err != nil {
		return m, err
	}
	if m.Contents, err = e.contents(plan); err != nil {
		return m, err
	}
	if m.Settings, err = json.Marshal(settingsOf(o)); err != nil {
		return m, err
	}
	m.Program, m.Revision, m.Dirty, m.Quick = o.Program.Hash, o.Program.Revision, o.Program.Dirty, o.Quick
	return m, nil
}

func (e Experiment) current(dir string, m sweep.Manifest) error {
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
	for _, own := range e.Tables {
		if !there.Holds(dir, own.File()) {
			return fmt.Errorf("the results in %s are stale: %s is not what was made last", dir, own.File())
		}
	}
	return nil
}

// open reads what the store of an experiment has for a plan, and others that
// share the store with it.
func (e Experiment) open(plan *sweep.Plan, o Options, others ...*sweep.Plan) (*sweep.Store, error) {
	variant, err := e.contents(append(others, plan)...)
	if err != nil {
		return nil, err
	}
	if o.Quick {
		variant = strings.TrimSuffix("quick "+variant, " ")
	}
	return sweep.OpenStore(e.cells(o), plan, sweep.Origin{Program: o.Program.Hash, Variant: variant})
}

// contents says what the values of plans stand for, as Experiment.Content
// tells: name, value and content of each that has one.
func (e Experiment) contents(plans ...*sweep.Plan) (string, error) {
	if e.Content == nil {
		return "", nil
	}
	var all []string
	for _, plan := range plans {
		m, err := sweep.NewManifest(plan)
		if err != nil {
			return "", err
		}
		for _, axis := range m.Grid {
			for _, value := range axis.Values {
				content, err := e.Content(axis.Factor, value)
				if err != nil {
					return "", fmt.Errorf("experiment %q: factor %q: %w", e.Name, axis.Factor, err)
				}
				if content != "" {
					all = append(all, sweep.PointKey(axis.Factor, value)+" "+content)
				}
			}
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", "), nil
}

// cells is the folder of the store.
func (e Experiment) cells(o Options) string { return filepath.Join(o.Out, e.Name, "cells") }

// Run runs an experiment unless its results are there, made by the same
// program from the same settings. Cells that the store has are not run again,
// those that run are stored as they end. It leaves runs.csv, summary.csv,
// claims.csv, datapackage.json and manifest.json; a shard leaves only cells.
//
// If ctx ends, cells in flight finish, unless AtOnce ends them too, the error
// wraps ctx's, and tables that were there before stay as they were. If cells
// failed and options say to keep going, the tables have the others, and the
// manifest says so.
func Run(ctx context.Context, e Experiment, o Options) (Outcome, error) {
	out := Outcome{Dir: filepath.Join(o.Out, e.Name), Store: e.cells(o)}
	plan, err := e.Prepare(o)
	if err != nil {
		return out, err
	}
	m, err := e.manifest(plan, o)
	if err != nil {
		return out, err
	}
	out.Cells = m.Cells
	if o.Shard.Whole() && e.current(out.Dir, m) == nil {
		there, err := sweep.ReadManifest(out.Dir)
		out.Fresh, out.Cells, out.Done, out.Cached = true, there.Cells, there.Cells, there.Cells
		return out, err
	}
	store, err := e.open(plan, o)
	if err != nil {
		return out, err
	}
	out.Notes = store.Damage()
	if !o.Shard.Whole() {
		if err := recordShard(store, o); err != nil {
			return out, err
		}
	}
	result, err := sweep.Execute(ctx, plan, sweep.Options{
		Workers: o.Workers, KeepGoing: o.KeepGoing, AtOnce: o.AtOnce, Progress: o.Progress, Store: store, Shard: o.Shard,
	})
	if closing := store.Close(); err == nil {
		err = closing
	}
	out.Cells, out.Done, out.Cached, out.Failures = len(result.Cells), result.Done(), result.Cached, result.Failures
	partial := len(result.Failures) > 0 && out.Done+len(result.Failures) == out.Cells
	if !o.Shard.Whole() || err != nil && !partial {
		return out, err
	}
	defer store.Lock()()
	if err := write(e, result, out.Dir, m); err != nil {
		return out, err
	}
	if err != nil {
		return out, err
	}
	_, err = checkWritten(e, o, &out)
	return out, tidy(store, &out, err)
}

// write writes the tables of a sweep. The data package tells of those too that
// will lie beside them.
func write(e Experiment, result *sweep.Result, dir string, m sweep.Manifest) error {
	columns, err := claimsTable(nil)
	if err != nil {
		return err
	}
	others := []table.Resource{{
		Name: "claims", Path: ClaimsFile, Description: "one row for each claim and point, with its verdict", Columns: columns.Columns(),
	}}
	for _, own := range e.Tables {
		others = append(others, table.Resource{Name: own.Name, Path: own.File(), Description: own.Description, Columns: own.Columns})
	}
	return result.Write(dir, m, others...)
}

// checkWritten reads back what was written, checks the claims and makes the
// experiment's own tables.
func checkWritten(e Experiment, o Options, out *Outcome) (*Data, error) {
	d, err := Load(e, o.Out, o.Program.Hash)
	if err != nil {
		return nil, err
	}
	if out.Checked, err = d.Check(); err != nil {
		return d, err
	}
	if err := d.tabulate(); err != nil {
		return d, err
	}
	return d, d.warn(out)
}

// tidy joins the segments of a store from which everything was made.
func tidy(store *sweep.Store, out *Outcome, err error) error {
	if err != nil {
		return err
	}
	if err := store.Compact(); err != nil {
		out.Notes = append(out.Notes, "the cells are whole, but could not be joined into one file: "+err.Error())
	}
	return nil
}

// Survey is what a run would do.
type Survey struct {
	Fresh  bool // nothing: the tables are there
	Why    error
	States []sweep.CellState
	Open   int           // points that may need more replications than are listed, to be precise
	Left   time.Duration // wall time of the cells that would run, one after the other; 0 if unknown
	Notes  []string
}

// Survey says what a run with these options would do. It writes nothing.
func (e Experiment) Survey(o Options) (Survey, error) {
	var s Survey
	plan, err := e.Prepare(o)
	if err != nil {
		return s, err
	}
	m, err := e.manifest(plan, o)
	if err != nil {
		return s, err
	}
	cells, err := plan.Cells()
	if err != nil {
		return s, err
	}
	cells = o.Shard.Pick(plan, cells)
	s.Why = e.current(filepath.Join(o.Out, e.Name), m)
	s.Fresh = s.Why == nil && o.Shard.Whole()
	if s.Fresh && !plan.Precision.On() {
		for _, c := range cells {
			s.States = append(s.States, sweep.CellState{Cell: c, Cached: true})
		}
		return s, nil
	}
	store, err := e.open(plan, o)
	if err != nil {
		return s, err
	}
	s.Notes = store.Damage()
	if plan.Precision.On() {
		if cells, s.Open, err = store.Sequence(plan); err != nil {
			return s, err
		}
	}
	s.States, s.Left, err = store.Survey(cells)
	return s, err
}
