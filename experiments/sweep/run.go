package sweep

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Options say how to execute a plan. None of them changes what a cell gives.
type Options struct {
	Workers   int  // cells at the same time; below 1: as many as there are processors
	KeepGoing bool // after a failed cell, run the others all the same
	// AtOnce passes ctx's cancellation on to the cells in flight, so that a run of which nothing would be kept ends at
	// once. Otherwise they finish.
	AtOnce bool
	// Progress, if there is one, is called once before the first cell and after each cell that ended, failed ones
	// included, one call at a time.
	Progress func(done, total int)
}

// Result is what came out of a plan.
type Result struct {
	Plan       *Plan
	Cells      []Cell       // all cells of the plan, in the order of its rows
	Rows       []*Row       // by cell; nil if the cell failed or did not run
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

// Execute runs all cells of a plan. Replication 0 of every point comes first, then replication 1, so that an
// interrupted run has something of everything.
//
// A cell that returns an error or panics is listed in the result's failures. Unless options say to keep going, the
// first failure ends the run: cells that have not started do not, and the context of those that have is cancelled.
// Cancelling ctx ends the run gently: cells in flight finish (their context has ctx's values but is not cancelled by
// it) and no other starts. With AtOnce, cells in flight are cancelled too. In all cases Execute returns what is there, and an error that says what is not; that error
// wraps the first *CellError, or ctx's error.
func Execute(ctx context.Context, plan *Plan, options Options) (*Result, error) {
	cells, err := plan.Cells()
	if err != nil {
		return nil, err
	}
	r := &Result{Plan: plan, Cells: cells, Rows: make([]*Row, len(cells)), Start: time.Now()}
	failures := make([]*CellError, len(cells))
	outer := ctx
	if !options.AtOnce {
		outer = context.WithoutCancel(ctx)
	}
	inCell, stop := context.WithCancel(outer)
	defer stop()
	report := reporter(len(cells), options.Progress)

	workers := options.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	points := len(cells) / plan.Reps
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(workers, len(cells)) {
		group.Go(func() {
			for ctx.Err() == nil && inCell.Err() == nil {
				turn := int(next.Add(1)) - 1
				if turn >= len(cells) {
					return
				}
				i := turn%points*plan.Reps + turn/points
				row, err := plan.RunCell(inCell, cells[i])
				switch {
				case err == nil:
					r.Rows[i] = row
				case inCell.Err() != nil && errors.Is(err, inCell.Err()):
					return // ended because another cell failed, or with ctx
				default:
					errors.As(err, &failures[i])
					if !options.KeepGoing {
						stop()
					}
				}
				report()
			}
		})
	}
	group.Wait()
	r.End = time.Now()
	for _, f := range failures {
		if f != nil {
			r.Failures = append(r.Failures, f)
		}
	}
	return r, r.shortfall(ctx)
}

// shortfall says what a result lacks.
func (r *Result) shortfall(ctx context.Context) error {
	done, total := r.Done(), len(r.Cells)
	switch {
	case len(r.Failures) > 0:
		return fmt.Errorf("%q: %d of %d cells failed, %d did not run; first: %w",
			r.Plan.Name, len(r.Failures), total, total-done-len(r.Failures), r.Failures[0])
	case done < total:
		return fmt.Errorf("%q: stopped with %d of %d cells done: %w", r.Plan.Name, done, total, ctx.Err())
	}
	return nil
}

// reporter returns the function that counts ended cells and passes the count on.
func reporter(total int, progress func(done, total int)) func() {
	if progress == nil {
		return func() {}
	}
	var mutex sync.Mutex
	done := 0
	progress(done, total)
	return func() {
		mutex.Lock()
		defer mutex.Unlock()
		done++
		progress(done, total)
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
