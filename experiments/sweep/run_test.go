package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// noisy is a plan whose cells take different times and have metrics that are missing here and there.
func noisy() *Plan {
	p := tiny(
		Grid{{Factor: "rule", Values: []string{"fits", "below"}}, {Factor: "servers", Values: []string{"1", "2", "16"}}},
		Grid{{Factor: "rule", Values: []string{"a=1,b=2"}}, {Factor: "wait", Values: []string{"1s", "10ms"}}},
	)
	p.Reps = 4
	p.Run = func(_ context.Context, c Cell, out *Row) error {
		random := rand.New(rand.NewPCG(c.Seed, uint64(c.Rep)))
		time.Sleep(time.Duration((c.Int("servers")*7+int64(c.Rep)*13)%5) * time.Millisecond)
		x := random.Float64()
		if c.Get("wait") == "" {
			out.Set("share", x/float64(c.Int("servers")))
		}
		if c.Rep != 2 {
			out.Set("count", float64(int(x*100)))
		}
		return nil
	}
	return p
}

func TestAnyNumberOfWorkersGivesTheSameBytes(t *testing.T) {
	files := []string{RunsFile, SummaryFile, DataPackageFile}
	want := map[string]string{}
	for _, workers := range []int{1, 2, 7, 1000, 0} {
		dir := filepath.Join(t.TempDir(), "made", "on", "demand")
		r, err := Execute(t.Context(), noisy(), Options{Workers: workers})
		require.NoError(t, err)
		require.NoError(t, r.Write(dir, Manifest{}))
		for _, file := range files {
			text, err := os.ReadFile(filepath.Join(dir, file))
			require.NoError(t, err)
			if workers == 1 {
				want[file] = string(text)
			}
			assert.Equal(t, want[file], string(text), "%s with %d workers", file, workers)
		}
	}
}

func TestProgressCountsEveryCellOnce(t *testing.T) {
	p := noisy()
	var calls []int
	_, err := Execute(t.Context(), p, Options{Workers: 3, Progress: func(p Progress) {
		assert.Equal(t, 32, p.Total)
		calls = append(calls, p.Done)
	}})
	require.NoError(t, err)
	var want []int
	for i := range 33 {
		want = append(want, i)
	}
	assert.Equal(t, want, calls)
}

func TestReplicationZeroOfEveryPointComesFirst(t *testing.T) {
	p := noisy()
	var reps []int
	p.Run = func(_ context.Context, c Cell, _ *Row) error {
		reps = append(reps, c.Rep)
		return nil
	}
	_, err := Execute(t.Context(), p, Options{Workers: 1})
	require.NoError(t, err)
	require.Len(t, reps, 32)
	assert.IsNonDecreasing(t, reps)
}

func TestWorkersRunAtTheSameTime(t *testing.T) {
	p := tiny(Grid{{Factor: "servers", Values: []string{"1", "2", "3"}}})
	var together atomic.Int32
	all := make(chan struct{})
	p.Run = func(ctx context.Context, _ Cell, _ *Row) error {
		if together.Add(1) == 3 {
			close(all)
		}
		select {
		case <-all:
			return nil
		case <-time.After(time.Minute):
			return errors.New("the others did not start")
		}
	}
	_, err := Execute(t.Context(), p, Options{Workers: 3})
	require.NoError(t, err)
}

// failing is a plan of which some cells fail, each in its own way.
func failing() *Plan {
	p := tiny(Grid{{Factor: "servers", Values: []string{"1", "2", "3", "4", "5", "6"}}})
	p.Seed, p.Reps = 42, 2
	p.Run = func(_ context.Context, c Cell, out *Row) error {
		out.Set("share", 1)
		if c.Rep == 0 {
			return nil
		}
		switch c.Int("servers") {
		case 2:
			return errBroken
		case 3:
			var none []int
			_ = none[c.Rep]
		case 4:
			out.Set("shares", 1)
		case 5:
			out.Set("share", math.Inf(1))
		case 6:
			runtime.Goexit()
		}
		return nil
	}
	return p
}

var errBroken = errors.New("the model broke at t = 3 s")

func TestKeepGoingRunsTheRestAndListsFailures(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		r, err := Execute(t.Context(), failing(), Options{Workers: workers, KeepGoing: true})
		assert.EqualError(t, err, `"tiny": 5 of 12 cells failed, 0 did not run; first: cell servers=2,rep=1 (replication 1, seed 42): the model broke at t = 3 s`)
		assert.ErrorIs(t, err, errBroken)
		require.NotNil(t, r)
		assert.Equal(t, 7, r.Done())
		var got []string
		for _, f := range r.Failures {
			got = append(got, f.Error())
		}
		assert.Equal(t, []string{
			"cell servers=2,rep=1 (replication 1, seed 42): the model broke at t = 3 s",
			"cell servers=3,rep=1 (replication 1, seed 42): panic: runtime error: index out of range [1] with length 0",
			`cell servers=4,rep=1 (replication 1, seed 42): unknown metric "shares" (did you mean "share"?); known: share, count`,
			`cell servers=5,rep=1 (replication 1, seed 42): metric "share": want a finite number, or NaN if it is missing, got +Inf`,
			"cell servers=6,rep=1 (replication 1, seed 42): the cell ended its goroutine (runtime.Goexit) instead of returning",
		}, got)
		assert.Contains(t, r.Failures[1].Stack, "run_test.go")
		assert.Empty(t, r.Failures[2].Stack)

		runs, err := r.Runs()
		require.NoError(t, err)
		assert.Equal(t, 7, runs.Len())
	}
}

func TestTheFirstFailureEndsTheRun(t *testing.T) {
	r, err := Execute(t.Context(), failing(), Options{Workers: 1})
	assert.EqualError(t, err, `"tiny": 1 of 12 cells failed, 4 did not run; first: cell servers=2,rep=1 (replication 1, seed 42): the model broke at t = 3 s`)
	var cell *CellError
	require.ErrorAs(t, err, &cell)
	assert.Equal(t, "servers=2,rep=1", cell.Cell.Key())
	assert.Equal(t, 7, r.Done())
}

func TestAFailureCancelsTheContextOfOtherCells(t *testing.T) {
	p := tiny(Grid{{Factor: "servers", Values: []string{"1", "2", "3", "4"}}})
	started := make(chan struct{})
	p.Run = func(ctx context.Context, c Cell, _ *Row) error {
		switch c.Int("servers") {
		case 1:
			close(started)
			<-ctx.Done() // a long cell
			return fmt.Errorf("at t = 5 s: %w", ctx.Err())
		case 2:
			<-started
			return errBroken
		}
		return nil
	}
	r, err := Execute(t.Context(), p, Options{Workers: 2})
	require.ErrorIs(t, err, errBroken)
	require.Len(t, r.Failures, 1, "the cell that was cancelled did not fail")
	assert.Equal(t, "servers=2,rep=0", r.Failures[0].Cell.Key())
	assert.Nil(t, r.Rows[0])
}

type valueKey struct{}

func TestCancellingFinishesCellsInFlight(t *testing.T) {
	p := noisy()
	for _, workers := range []int{1, 2, 7} {
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), valueKey{}, "carried"))
		var ran atomic.Int32
		p.Run = func(inner context.Context, _ Cell, out *Row) error {
			if ran.Add(1) == 10 {
				cancel()
			}
			time.Sleep(time.Millisecond)
			assert.NoError(t, inner.Err(), "a cell in flight is not cancelled")
			assert.Equal(t, "carried", inner.Value(valueKey{}))
			out.Set("share", 1)
			return nil
		}
		r, err := Execute(ctx, p, Options{Workers: workers})
		require.ErrorIs(t, err, context.Canceled)
		assert.EqualError(t, err, fmt.Sprintf(`"tiny": stopped with %d of 32 cells done: context canceled`, ran.Load()))
		assert.Empty(t, r.Failures)
		assert.Equal(t, int(ran.Load()), r.Done())
		assert.GreaterOrEqual(t, r.Done(), 10)
		assert.Less(t, r.Done(), 10+workers)
		runs, err := r.Runs()
		require.NoError(t, err)
		assert.Equal(t, r.Done(), runs.Len())
	}
}

func TestAtOnceCancelsCellsInFlight(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	p := tiny(Grid{{Factor: "servers", Values: []string{"1", "2", "3", "4"}}})
	ctx, cancel := context.WithCancel(t.Context())
	p.Run = func(ctx context.Context, c Cell, _ *Row) error {
		switch c.Int("servers") {
		case 1:
			return nil
		case 2:
			cancel()
			<-ctx.Done() // a long cell
			return fmt.Errorf("at t = 5 s: %w", ctx.Err())
		}
		<-release // a cell that looks at no context
		return nil
	}
	r, err := Execute(ctx, p, Options{Workers: 3, AtOnce: ctx.Done()})
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, r.Failures, "cells that were cancelled did not fail")
	assert.Nil(t, r.Rows[1])
	assert.Nil(t, r.Rows[2])
}

func TestACancelledContextStartsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := noisy()
	p.Run = func(context.Context, Cell, *Row) error { panic("must not run") }
	r, err := Execute(ctx, p, Options{})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 0, r.Done())
	assert.Empty(t, r.Failures)
}

func TestACellRunsAlone(t *testing.T) {
	p := noisy()
	whole, err := Execute(t.Context(), p, Options{})
	require.NoError(t, err)
	c, err := p.Find("rule=below,servers=16,rep=3")
	require.NoError(t, err)
	row, err := p.RunCell(t.Context(), c)
	require.NoError(t, err)
	for i := range whole.Cells {
		if whole.Cells[i].Key() == c.Key() {
			assert.Equal(t, whole.Rows[i].values, row.values)
			return
		}
	}
	t.Fatal("the cell is not in the whole run")
}
