package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Options say how to execute a plan. None of them changes what a cell gives.
type Options struct {
	Workers   int  // cells at the same time; below 1: as many as there are processors
	KeepGoing bool // after a failed cell, run the others all the same
	// AtOnce, when it is closed, ends the cells in flight too. Otherwise they finish.
	AtOnce <-chan struct{}
	// Progress, if there is one, is called before the first cell and after each cell that ended, failed ones included,
	// one call at a time.
	Progress func(Progress)
	// Store, if there is one, gives the cells that it has, and takes those that run.
	Store *Store
	Shard Shard // the cells to run; the zero Shard is all
}

// Progress says how far a run is.
type Progress struct {
	Done   int // cells that ended, cached and failed ones included
	Cached int // of these, cells that the store had
	Total  int
}

// Result is what came out of a plan.
type Result struct {
	Plan       *Plan
	Cells      []Cell       // all cells of the plan, or of the shard, in the order of its rows
	Rows       []*Row       // by cell; nil if the cell failed or did not run
	Cached     int          // rows that the store had
	Failures   []*CellError // in the order of the cells
	Start, End time.Time    // wall clock, for the manifest
}

// Done returns the number of cells that have a row.
func (r *Result) Done() int {
	n := 0
	for _, row := range r.Rows {
		if row != nil {
			n++
		}
	}
	return n
}

// CellError says which cell failed, and why.
type CellError struct {
	Cell  Cell
	Err   error
	Stack string // where it panicked, if it did so by accident
}

func (e *CellError) Error() string {
	return fmt.Sprintf("cell %s (replication %d, seed %d): %v", e.Cell.Key(), e.Cell.Rep, e.Cell.Seed, e.Err)
}

func (e *CellError) Unwrap() error { return e.Err }

// Execute runs all cells of a plan that its store, if options name one, does not have. Replication 0 of every point comes
// first, then replication 1, so that an interrupted run has something of everything.
//
// A cell that returns an error or panics is listed in the result's failures. Unless options say to keep going, the
// first failure ends the run: cells that have not started do not, and the context of those that have is cancelled.
// Cancelling ctx ends the run gently: cells in flight finish (their context has ctx's values but is not cancelled by
// it) and no other starts. AtOnce ends those in flight too. A store that can not be written ends the run. In all cases
// Execute returns what is there, and an error that says what is not; that error wraps the first *CellError, ctx's
// error, or a *StoreError.
func Execute(ctx context.Context, plan *Plan, options Options) (*Result, error) {
	if plan.Precision.On() {
		return executePrecise(ctx, plan, options)
	}
	cells, err := plan.Cells()
	if err != nil {
		return nil, err
	}
	return ExecuteCells(ctx, plan, options.Shard.Pick(plan, cells), options)
}

// executePrecise is Execute with a precision.
func executePrecise(ctx context.Context, plan *Plan, options Options) (*Result, error) {
	if !options.Shard.Whole() {
		return nil, fmt.Errorf("plan %q: how many replications a point needs shows as it runs: a shard can not know its cells", plan.Name)
	}
	points, err := plan.points()
	if err != nil {
		return nil, err
	}
	r := &Result{Plan: plan, Start: time.Now()}
	b := newBench(ctx, plan, options)
	defer b.close()
	courses, err := b.precise(points)
	if err != nil {
		return nil, err
	}
	names := plan.factorNames()
	open := 0
	for _, c := range courses {
		if !c.done {
			open++
			c.reps = len(c.rows)
		}
		for rep := range c.reps {
			r.Cells = append(r.Cells, Cell{Rep: rep, Seed: plan.Seed, names: names, values: c.values})
			r.Rows = append(r.Rows, c.rows[rep])
		}
		for _, f := range c.failures {
			r.Cells, r.Rows = append(r.Cells, f.Cell), append(r.Rows, nil)
			r.Failures = append(r.Failures, f)
		}
	}
	r.End = time.Now()
	for _, row := range r.Rows {
		if row != nil && row.cached {
			r.Cached++
		}
	}
	if err := r.shortfall(b.cause()); err != nil || open == 0 {
		return r, err
	}
	return r, fmt.Errorf("%q: stopped before %d of %d points were precise: %w", plan.Name, open, len(points), b.cause())
}

// ExecuteCells is Execute of some cells of a plan, or of plans that differ only in their grids.
func ExecuteCells(ctx context.Context, plan *Plan, cells []Cell, options Options) (*Result, error) {
	r := &Result{Plan: plan, Cells: cells, Rows: make([]*Row, len(cells)), Start: time.Now()}
	turns := make([]int, len(cells)) // the order in which cells run
	for i := range turns {
		turns[i] = i
	}
	slices.SortStableFunc(turns, func(a, b int) int { return cmp.Compare(cells[a].Rep, cells[b].Rep) })
	round := make([]Cell, len(cells))
	for turn, i := range turns {
		round[turn] = cells[i]
	}

	b := newBench(ctx, plan, options)
	defer b.close()
	rows, failures := b.run(round)
	failed := make([]*CellError, len(cells))
	for turn, i := range turns {
		r.Rows[i], failed[i] = rows[turn], failures[turn]
	}
	for _, f := range failed {
		if f != nil {
			r.Failures = append(r.Failures, f)
		}
	}
	r.Cached, r.End = b.progress.Cached, time.Now()
	return r, r.shortfall(b.cause())
}

// shortfall says what a result lacks, and why.
func (r *Result) shortfall(cause error) error {
	done, total := r.Done(), len(r.Cells)
	var full *StoreError
	switch {
	case len(r.Failures) > 0 && !errors.As(cause, &full):
		return fmt.Errorf("%q: %d of %d cells failed, %d did not run; first: %w",
			r.Plan.Name, len(r.Failures), total, total-done-len(r.Failures), r.Failures[0])
	case done < total:
		return fmt.Errorf("%q: stopped with %d of %d cells done: %w", r.Plan.Name, done, total, cause)
	}
	return nil
}

// bench runs cells of a plan in rounds, which may depend on what earlier rounds gave.
type bench struct {
	plan    *Plan
	options Options
	ctx     context.Context // when it ends, no other cell starts
	inCell  context.Context // when it ends, so do the cells in flight
	stop    context.CancelFunc

	mutex    sync.Mutex
	progress Progress
	broken   error // of the store
}

func newBench(ctx context.Context, plan *Plan, options Options) *bench {
	b := &bench{plan: plan, options: options, ctx: ctx}
	b.inCell, b.stop = context.WithCancel(context.WithoutCancel(ctx))
	if options.AtOnce != nil {
		go func() {
			select {
			case <-options.AtOnce:
				b.stop()
			case <-b.inCell.Done():
			}
		}()
	}
	return b
}

// close ends the bench; it must be called.
func (b *bench) close() { b.stop() }

// ended reports whether no other cell may start: the run was interrupted, a cell failed and the options do not say to
// keep going, or the store can not be written.
func (b *bench) ended() bool { return b.ctx.Err() != nil || b.inCell.Err() != nil }

// cause says why the bench ended, if it was not by a cell that failed.
func (b *bench) cause() error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	switch {
	case b.broken != nil:
		return b.broken
	case b.ctx.Err() != nil:
		return b.ctx.Err()
	}
	return b.inCell.Err()
}

// run returns the rows of cells and their failures, by cell. What the store has is not run; the rest starts in the order
// given. A cell that did not run has neither row nor failure: see ended and cause.
func (b *bench) run(cells []Cell) (rows []*Row, failures []*CellError) {
	rows, failures = make([]*Row, len(cells)), make([]*CellError, len(cells))
	missing := b.fromStore(cells, rows)
	if len(missing) == 0 || b.ended() {
		return rows, failures
	}
	if b.options.Store != nil {
		if err := b.options.Store.begin(); err != nil {
			b.breaks(err)
			return rows, failures
		}
	}
	workers := b.options.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(workers, len(missing)) {
		group.Go(func() {
			for !b.ended() {
				turn := int(next.Add(1)) - 1
				if turn >= len(missing) {
					return
				}
				i := missing[turn]
				row, err := b.runCell(cells[i])
				switch {
				case err == nil:
					rows[i] = row
				case b.inCell.Err() != nil && errors.Is(err, b.inCell.Err()):
					return // ended because another cell failed, or at once
				case errors.As(err, &failures[i]):
					if !b.options.KeepGoing {
						b.stop()
					}
				default:
					b.breaks(err)
					return
				}
				b.report(1, 0, 0)
			}
		})
	}
	group.Wait()
	return rows, failures
}

// fromStore fills in the rows that the store has, and returns the cells that it does not have.
func (b *bench) fromStore(cells []Cell, rows []*Row) (missing []int) {
	for i, c := range cells {
		if b.options.Store != nil {
			row, err := b.options.Store.lookup(b.plan, c)
			if err != nil {
				b.breaks(err)
				return nil
			}
			rows[i] = row
		}
		if rows[i] == nil {
			missing = append(missing, i)
		}
	}
	cached := len(cells) - len(missing)
	b.report(cached, cached, len(cells))
	return missing
}

// runCell runs a cell and stores its row.
func (b *bench) runCell(c Cell) (*Row, error) {
	start := time.Now()
	row, err := b.plan.RunCell(b.inCell, c)
	if err != nil || b.options.Store == nil {
		return row, err
	}
	return row, b.options.Store.add(c, row, time.Since(start))
}

// breaks ends the run because of the store.
func (b *bench) breaks(err error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.broken == nil {
		b.broken = err
	}
	b.stop()
}

// report counts cells and passes the counts on.
func (b *bench) report(done, cached, total int) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.progress.Done += done
	b.progress.Cached += cached
	b.progress.Total += total
	if b.options.Progress != nil {
		b.options.Progress(b.progress)
	}
}

// patience is how long a cell may go on after its context has ended.
const patience = 250 * time.Millisecond

// RunCell runs one cell alone. The error, if there is one, is a *CellError, also when the cell panicked. A cell that
// does not soon end with ctx is let go: it ends by itself, and what it measures is dropped.
func (p *Plan) RunCell(ctx context.Context, c Cell) (*Row, error) {
	row := newRow(p.Metrics)
	type outcome struct {
		err   error
		stack string
	}
	ended := make(chan outcome, 1)
	run := func() {
		o := outcome{err: errors.New("the cell ended its goroutine (runtime.Goexit) instead of returning")}
		defer func() {
			if caught := recover(); caught != nil {
				if known, ok := caught.(misuse); ok {
					o = outcome{err: known}
				} else if err, ok := caught.(error); ok {
					o = outcome{fmt.Errorf("panic: %w", err), string(debug.Stack())}
				} else {
					o = outcome{fmt.Errorf("panic: %v", caught), string(debug.Stack())}
				}
			}
			ended <- o
		}()
		o = outcome{err: p.Run(ctx, c, row)}
	}
	go run() // its own goroutine, so that a cell can end only itself
	var o outcome
	select {
	case o = <-ended:
	case <-ctx.Done():
		select {
		case o = <-ended:
		case <-time.After(patience):
			o.err = ctx.Err()
		}
	}
	if o.err != nil {
		return nil, &CellError{Cell: c, Err: o.err, Stack: o.stack}
	}
	return row, nil
}
