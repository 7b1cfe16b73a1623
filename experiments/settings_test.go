package experiments

import (
	"context"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/sweep"
	"ratelab/internal/random"
)

func TestSettingsThatGoTogetherFormulasAndConditions(t *testing.T) {
	var ran []string
	e := shops(&ran)
	o := Options{Out: t.TempDir(), Seed: 1, Workers: 1, Reps: 1, Program: Program{Hash: "one"},
		Set:    []Setting{{"part", []string{"north", "south"}}},
		Zipped: [][]Setting{{{"size", []string{"1", "2", "9"}}, {"goods", []string{"{size+1}", "50", "3"}}}},
		Where:  []string{"size < 9", "part = 'north'"},
	}
	outcome, err := Run(t.Context(), e, o)
	require.NoError(t, err)
	assert.Equal(t, []string{"part=north,size=1,goods=2,rep=0", "part=north,size=2,goods=50,rep=0"}, ran)
	assert.Equal(t, 2, outcome.Cells)
	assert.Equal(t, `ratelab run shops --reps 1 --set part=north,south --set 'size=1,2,9 & goods={size+1},50,3' --where 'size < 9' --where 'part = '\''north'\''' --workers 1 --out `+o.Out,
		o.Command("shops"))
	for command, want := range map[string]Options{
		"ratelab run shops --seed 0 --precision 0.05 --precision-metric sales --max-reps 40 --out ''": {Precision: sweep.Precision{Target: 0.05, Metrics: []string{"sales"}, MaxReps: 40}},
		"ratelab run shops --seed 0 --precision 0.05 --out ''":                                        {Precision: sweep.Precision{Target: 0.05, MaxReps: MaxReps}},
	} {
		assert.Equal(t, command, want.Command("shops"))
	}
	for want, bad := range map[string]Options{
		`experiment "shops": expression "sise < 3": unknown factor "sise"`:        {Where: []string{"sise < 3"}},
		`"size > 5" keeps none of its 3 points`:                                   {Where: []string{"size > 5"}},
		`factors that go value by value need equally many: "size" has 1, "goods"`: {Zipped: [][]Setting{{{"size", []string{"1"}}, {"goods", []string{"1", "2"}}}}},
	} {
		_, err := e.Prepare(bad)
		assert.ErrorContains(t, err, want)
	}
}

func TestShardsRememberSettingsThatGoTogether(t *testing.T) {
	var ran []string
	e := shops(&ran)
	o := Options{Out: t.TempDir(), Seed: 1, Workers: 1, Reps: 2, Program: Program{Hash: "one"},
		Zipped: [][]Setting{{{"size", []string{"1", "2"}}, {"goods", []string{"4", "5"}}}}, Where: []string{"part = 'north'"}}
	for i := range 2 {
		o.Shard = sweep.Shard{Index: i, Count: 2}
		_, err := Run(t.Context(), e, o)
		require.NoError(t, err)
	}
	again, err := ShardSettings(e, Options{Out: o.Out, Seed: 1, Program: o.Program})
	require.NoError(t, err)
	assert.Equal(t, o.Zipped, again.Zipped)
	assert.Equal(t, o.Where, again.Where)
	outcome, _, err := Merge(e, again)
	require.NoError(t, err)
	assert.Equal(t, 4, outcome.Cells)
}

// spread is an experiment whose points have a standard deviation of spread %
// of the mean.
func spread() Experiment {
	return Experiment{
		Name: "spread", Question: "How wide?", Reps: 5, QuickReps: 3,
		Factors: []sweep.Factor{{Name: "percent", Description: "of the mean"}},
		Metrics: []sweep.Metric{{Name: "m", Description: "a metric"}},
		Grids:   []sweep.Grid{{{Factor: "percent", Values: []string{"1", "10", "90"}}}},
		Cell: func(_ context.Context, _ Lab, c sweep.Cell, out *sweep.Row) error {
			out.Set("m", 100+c.Float("percent")*random.Stream(c.Seed, strconv.Itoa(c.Rep), "m", "").NormFloat64())
			return nil
		},
	}
}

func TestAPreciseRunIsCurrentResumedAndRead(t *testing.T) {
	e := spread()
	fixed := Options{Out: t.TempDir(), Seed: 1, Program: Program{Hash: "one"}}
	_, err := Run(t.Context(), e, fixed)
	require.NoError(t, err)

	o := fixed
	o.Precision = sweep.Precision{Target: 0.05, MaxReps: 40}
	s, err := e.Survey(o)
	require.NoError(t, err)
	assert.Equal(t, 3, s.Open)
	assert.Len(t, s.States, 30, "ten replications each, at least")
	outcome, err := Run(t.Context(), e, o)
	require.NoError(t, err)
	assert.Equal(t, 15, outcome.Cached)
	assert.Greater(t, outcome.Cells, 10+10+40-1)
	require.NotEmpty(t, outcome.Warnings)
	assert.Equal(t, sweep.Unreached, outcome.Warnings[0].Doubt)
	assert.Equal(t, "percent=90", outcome.Warnings[0].Point)
	assert.Equal(t, []int{1, 3}, []int{outcome.Doubtful, outcome.Rows})

	alone := o
	alone.Out = t.TempDir()
	whole, err := Run(t.Context(), e, alone)
	require.NoError(t, err)
	assert.Equal(t, tables(t, whole.Dir), tables(t, outcome.Dir), "as without a store")

	again, err := Run(t.Context(), e, o)
	require.NoError(t, err)
	assert.True(t, again.Fresh)
	assert.Equal(t, outcome.Cells, again.Cells)
	s, err = e.Survey(o)
	require.NoError(t, err)
	assert.True(t, s.Fresh)
	assert.Equal(t, 0, s.Open)
	assert.Len(t, s.States, outcome.Cells)

	d, err := Load(e, o.Out, "one")
	require.NoError(t, err)
	assert.Equal(t, 40, d.Reps, "the most of a point")
	assert.False(t, d.Partial)
	assert.Equal(t, outcome.Cells, d.Runs.Len())

	o.Shard = sweep.Shard{Index: 0, Count: 2}
	_, err = Run(t.Context(), e, o)
	assert.ErrorContains(t, err, "a shard can not know its cells")
	_, err = Run(t.Context(), e, fixed)
	require.NoError(t, err)
	m, err := sweep.ReadManifest(filepath.Join(o.Out, e.Name))
	require.NoError(t, err)
	assert.Nil(t, m.Precision)
	assert.Equal(t, []int{15, 15}, []int{m.Cells, m.CellsCached})
}

func TestResultsAreMadeAnewWithTheirOwnSettings(t *testing.T) {
	e := spread()
	plain := Options{Out: t.TempDir(), Seed: 1, Program: Program{Hash: "one"}}
	_, err := MadeWith(e, plain)
	assert.EqualError(t, err, filepath.Join(plain.Out, "spread")+" holds no results to verify; run: ratelab run spread --out "+plain.Out)

	precise, fixed := plain, plain
	precise.Seed, precise.Precision = 3, sweep.Precision{Target: 0.05, MaxReps: 12}
	fixed.Reps, fixed.Set, fixed.Where = 2, []Setting{{"percent", []string{"1", "{2*1}"}}}, []string{"percent > 0"}
	for name, o := range map[string]Options{"precision": precise, "replications": fixed, "own": plain} {
		_, err := Run(t.Context(), e, o)
		require.NoError(t, err, name)
		made, err := MadeWith(e, plain)
		require.NoError(t, err, name)
		assert.Equal(t, o, made, name)
		v, err := Verify(t.Context(), e, made)
		require.NoError(t, err, name)
		assert.Len(t, v.Compared, 5)
		assert.Empty(t, v.Differ, name)
	}

	// A manifest of before settings were recorded.
	m := sweep.Manifest{Seed: 3, Quick: true, Reps: 7}
	old, err := e.settingsIn(m, plain)
	require.NoError(t, err)
	assert.Equal(t, "ratelab run spread --quick --reps 7 --seed 3 --out "+plain.Out, old.Command("spread"))
}
