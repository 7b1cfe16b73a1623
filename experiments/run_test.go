package experiments

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/sweep"
)

// endless is an experiment whose first replication is done at once, and whose
// others call meet and then go on until they are cancelled.
func endless(meet func()) Experiment {
	return Experiment{
		Name: "endless", Question: "When?", Reps: 3,
		Metrics: []sweep.Metric{{Name: "m", Description: "a metric"}},
		Grids:   []sweep.Grid{{}},
		Cell: func(ctx context.Context, _ Lab, c sweep.Cell, out *sweep.Row) error {
			out.Set("m", float64(c.Rep))
			if c.Rep == 0 {
				return nil
			}
			meet()
			<-ctx.Done() // or for hours
			return ctx.Err()
		},
	}
}

func TestARunThatEndsAtOnceKeepsWhatIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	atOnce := make(chan struct{})
	e := endless(func() {
		cancel()
		close(atOnce)
	})
	var last sweep.Progress
	o := Options{Out: t.TempDir(), Seed: 1, Workers: 1, KeepGoing: true, Program: Program{Hash: "one"}, AtOnce: atOnce,
		Progress: func(now sweep.Progress) { last = now }}
	outcome, err := Run(ctx, e, o)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, sweep.Progress{Done: 1, Total: 3}, last)
	assert.Equal(t, []int{3, 1, 0}, []int{outcome.Cells, outcome.Done, outcome.Cached})
	left, err := filepath.Glob(filepath.Join(o.Out, "endless", "*"))
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(o.Out, "endless", "cells")}, left, "no tables")

	s, err := e.Survey(o)
	require.NoError(t, err)
	assert.Equal(t, []bool{true, false, false}, []bool{s.States[0].Cached, s.States[1].Cached, s.States[2].Cached})
}

// squares is an experiment of six cells that counts those that it runs, and
// fails at 3 if told so.
func squares(ran *[]string, fail *bool) Experiment {
	return Experiment{
		Name: "squares", Question: "How many?", Reps: 2, QuickReps: 2,
		Factors: []sweep.Factor{{Name: "side", Description: "of the square"}},
		Metrics: []sweep.Metric{{Name: "area", Description: "a metric"}},
		Grids:   []sweep.Grid{{{Factor: "side", Values: []string{"1", "2", "3"}}}},
		Cell: func(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
			if *fail && c.Int("side") == 3 {
				return errors.New("no such square")
			}
			*ran = append(*ran, c.Key())
			area := c.Float("side") * c.Float("side")
			if lab.Quick {
				area += 0.5
			}
			out.Set("area", area)
			return nil
		},
	}
}

func tables(t *testing.T, dir string) string {
	t.Helper()
	runs, err := os.ReadFile(filepath.Join(dir, sweep.RunsFile))
	require.NoError(t, err)
	summary, err := os.ReadFile(filepath.Join(dir, sweep.SummaryFile))
	require.NoError(t, err)
	return string(runs) + string(summary)
}

func TestOnlyCellsThatAreMissingRun(t *testing.T) {
	var ran []string
	var fail bool
	e := squares(&ran, &fail)
	o := Options{Out: t.TempDir(), Seed: 1, Workers: 1, Program: Program{Hash: "one"}}
	run := func(o Options) (Outcome, []string) {
		ran = nil
		outcome, err := Run(t.Context(), e, o)
		require.NoError(t, err)
		alone := o
		alone.Out = t.TempDir()
		cells := ran
		_, err = Run(t.Context(), e, alone)
		require.NoError(t, err)
		assert.Equal(t, tables(t, filepath.Join(alone.Out, e.Name)), tables(t, outcome.Dir), "as without a store")
		m, err := sweep.ReadManifest(outcome.Dir)
		require.NoError(t, err)
		assert.Equal(t, []int{m.Cells, len(cells), m.Cells - len(cells), 0}, []int{m.Cells, m.CellsRun, m.CellsCached, m.CellsFailed})
		return outcome, cells
	}
	_, cells := run(o)
	assert.Len(t, cells, 6)
	full := tables(t, filepath.Join(o.Out, e.Name))

	wider := o
	wider.Set = []Setting{{"side", []string{"1", "2", "3", "4"}}}
	_, cells = run(wider)
	assert.Equal(t, []string{"side=4,rep=0", "side=4,rep=1"}, cells)

	more := o
	more.Reps = 3
	_, cells = run(more)
	assert.Equal(t, []string{"side=1,rep=2", "side=2,rep=2", "side=3,rep=2"}, cells)

	seed := o
	seed.Seed = 2
	_, cells = run(seed)
	assert.Len(t, cells, 6)

	quick := o
	quick.Quick = true
	_, cells = run(quick)
	assert.Len(t, cells, 6, "quick cells are others")
	_, cells = run(o)
	assert.Empty(t, cells, "the full ones are still there")
	assert.Equal(t, full, tables(t, filepath.Join(o.Out, e.Name)))
	_, cells = run(quick)
	assert.Empty(t, cells)

	other := o
	other.Program.Hash = "two"
	_, cells = run(other)
	assert.Len(t, cells, 6, "what another program computed is not served")
	_, cells = run(o)
	assert.Empty(t, cells, "and is kept")

	fewer := o
	fewer.Reps, fewer.Set = 1, []Setting{{"side", []string{"2"}}}
	_, cells = run(fewer)
	assert.Empty(t, cells)

	left, err := filepath.Glob(filepath.Join(o.Out, e.Name, "cells", "*.cells"))
	require.NoError(t, err)
	assert.Len(t, left, 3, "one segment for each origin: one full, one quick, two full")
}

func TestAFailedCellRunsAgainAndTheOthersAreKept(t *testing.T) {
	var ran []string
	fail := true
	e := squares(&ran, &fail)
	o := Options{Out: t.TempDir(), Seed: 1, Workers: 1, Program: Program{Hash: "one"}}
	outcome, err := Run(t.Context(), e, o)
	require.ErrorContains(t, err, "no such square")
	assert.Equal(t, []int{6, 2, 1}, []int{outcome.Cells, outcome.Done, len(outcome.Failures)})
	assert.NoFileExists(t, filepath.Join(outcome.Dir, sweep.RunsFile))

	o.KeepGoing = true
	ran = nil
	outcome, err = Run(t.Context(), e, o)
	require.ErrorContains(t, err, "no such square")
	assert.Equal(t, []string{"side=1,rep=1", "side=2,rep=1"}, ran)
	assert.Equal(t, []int{6, 4, 2, 2}, []int{outcome.Cells, outcome.Done, outcome.Cached, len(outcome.Failures)})
	m, err := sweep.ReadManifest(outcome.Dir)
	require.NoError(t, err)
	assert.Equal(t, []int{2, 2, 2}, []int{m.CellsRun, m.CellsCached, m.CellsFailed}, "the tables have what there is")
	_, err = Load(e, o.Out, "one")
	require.ErrorContains(t, err, "2 of 6 cells failed")

	fail, ran = false, nil
	_, err = Run(t.Context(), e, o)
	require.NoError(t, err)
	assert.Equal(t, []string{"side=3,rep=0", "side=3,rep=1"}, ran)
}

func TestShardsJoinIntoTheSameTables(t *testing.T) {
	var ran []string
	var fail bool
	e := squares(&ran, &fail)
	whole := Options{Out: t.TempDir(), Seed: 7, Quick: true, Reps: 3, Workers: 1, Program: Program{Hash: "one"}}
	_, err := Run(t.Context(), e, whole)
	require.NoError(t, err)

	o := whole
	o.Out = t.TempDir()
	plain := Options{Out: o.Out, Seed: 1, Program: o.Program} // what merge is told
	shard := func(i int) {
		o.Shard = sweep.Shard{Index: i, Count: 2}
		_, err := Run(t.Context(), e, o)
		require.NoError(t, err)
		assert.NoFileExists(t, filepath.Join(o.Out, e.Name, sweep.RunsFile), "a shard writes only cells")
	}
	shard(0)
	settings, err := ShardSettings(e, plain)
	require.NoError(t, err)
	_, _, err = Merge(e, settings)
	var stale *StaleError
	require.ErrorAs(t, err, &stale)
	assert.EqualError(t, err, filepath.Join(o.Out, "squares", "cells")+": 4 of 9 cells are missing: side=1,rep=1 side=2,rep=0 and 2 more; "+
		"run: ratelab run squares --quick --reps 3 --seed 7 --shard 1/2 --out "+o.Out)

	shard(1)
	settings, err = ShardSettings(e, plain)
	require.NoError(t, err)
	outcome, written, err := Merge(e, settings)
	require.NoError(t, err)
	assert.Equal(t, 9, outcome.Cached)
	assert.Equal(t, tables(t, filepath.Join(whole.Out, e.Name)), tables(t, outcome.Dir))
	require.Len(t, written, 2)
	assert.Equal(t, []int{9, 3}, []int{written[0].Rows, written[1].Rows})
	assert.Len(t, written[0].SHA256, 64)

	o.Seed = 8
	shard8 := o
	shard8.Shard.Index = 0
	_, err = Run(t.Context(), e, shard8)
	require.NoError(t, err)
	_, err = ShardSettings(e, plain)
	assert.EqualError(t, err, "the shards of squares ran with different settings: 0/2 with --quick --reps 3 --seed 8, 1/2 with --quick --reps 3 --seed 7; say which to merge with the same flags")
}

func TestCommandsAreTypedAsTheyAre(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Out: "results", Seed: 1}, "ratelab run x"},
		{Options{Out: "my results", Quick: true, Seed: 2, Reps: 3, Workers: 4, KeepGoing: true, Shard: sweep.Shard{Index: 1, Count: 4}},
			"ratelab run x --quick --reps 3 --seed 2 --workers 4 --keep-going --shard 1/4 --out 'my results'"},
		{Options{Out: "results", Seed: 1, Set: []Setting{{"a", []string{"1", "2"}}, {"b", []string{"x:y=1,z=2", "w"}}, {"c", []string{"it's"}}}},
			`ratelab run x --set a=1,2 --set 'b=x:y=1,z=2 ; w' --set 'c=it'\''s'`},
	} {
		assert.Equal(t, c.want, c.o.Command("x"))
	}
	assert.Equal(t, `ratelab run x --quick --cell 'a="1:2",rep=0'`, Options{Out: "results", Quick: true, Seed: 1, Workers: 3}.CellCommand("x", `a="1:2",rep=0`))
}
