package experiments

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/sweep"
	"ratelab/plots"
)

// quickly runs the points of an experiment that keep holds of, in a lab.
func quickly(t *testing.T, name string, lab Lab, reps int, keep func(get func(string) string) bool) *Data {
	t.Helper()
	e, err := Lookup(name)
	require.NoError(t, err)
	plan := e.plan(lab)
	plan.Reps = reps
	plan.Where = func(get func(string) string) bool { return (e.Where == nil || e.Where(get)) && keep(get) }
	runs := execute(t, plan)
	summary, err := sweep.Summarize(plan, runs)
	require.NoError(t, err)
	return &Data{Experiment: e, Quick: true, Reps: reps, Runs: runs, Summary: summary}
}

// all keeps every point.
func all(func(string) string) bool { return true }

// drawAll draws an experiment's figures, and returns their titles by name.
func drawAll(t *testing.T, d *Data) map[string]string {
	t.Helper()
	titles := map[string]string{}
	for _, f := range d.Experiment.Figures {
		figure, err := f.Draw(d)
		require.NoError(t, err, f.Name)
		svg, err := plots.SVG(figure)
		require.NoError(t, err, f.Name)
		assert.NotEmpty(t, svg, f.Name)
		assert.NotContains(t, figure.Title, "NaN", f.Name)
		t.Log(figure.Title)
		titles[f.Name] = figure.Title
	}
	return titles
}

// drawsNothing checks that every figure says so where nothing was measured.
func drawsNothing(t *testing.T, d *Data) {
	t.Helper()
	empty := *d
	var err error
	empty.Runs, err = d.Runs.Where("part", "none")
	require.NoError(t, err)
	empty.Summary, err = d.Summary.Where("part", "none")
	require.NoError(t, err)
	for _, f := range d.Experiment.Figures {
		_, err := f.Draw(&empty)
		assert.ErrorContains(t, err, "nothing was measured", f.Name)
	}
}

// refuses checks that an experiment refuses values of factors: factor, value,
// and what the error says.
func refuses(t *testing.T, name string, values [][3]string) {
	t.Helper()
	e, err := Lookup(name)
	require.NoError(t, err)
	for _, v := range values {
		_, err := e.Prepare(Options{Set: []Setting{{v[0], []string{v[1]}}}})
		assert.ErrorContains(t, err, v[2], "%s=%s", v[0], v[1])
	}
}

// takes checks that every part of an experiment runs with other values.
func takes(t *testing.T, name string, settings []Setting) {
	t.Helper()
	e, err := Lookup(name)
	require.NoError(t, err)
	for _, set := range settings {
		plan := e.plan(trueLab(true))
		require.NoError(t, plan.Override(set.Factor, set.Values))
		cells, err := plan.Cells()
		require.NoError(t, err, set)
		seen := make(map[string]bool)
		for _, c := range cells {
			if part := c.Get("part"); !seen[part] && c.Get(set.Factor) == set.Values[0] {
				seen[part] = true
				_, err := plan.RunCell(context.Background(), c)
				assert.NoError(t, err, c.Key())
			}
		}
		assert.NotEmpty(t, seen, set)
	}
}
