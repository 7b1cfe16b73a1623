package experiments

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/sweep"
)

// The factor is a column of numbers in the experiment's own grid, and of texts
// in the one that ran.
func TestARowOfAnotherGridIsTracedToItsCells(t *testing.T) {
	e := Experiment{
		Name: "sides", Question: "Which?", Reps: 2,
		Factors: []sweep.Factor{{Name: "side", Description: "one of them"}},
		Metrics: []sweep.Metric{{Name: "m", Description: "a metric"}},
		Grids:   []sweep.Grid{{{Factor: "side", Values: []string{"1", "2"}}}},
		Cell: func(_ context.Context, _ Lab, c sweep.Cell, out *sweep.Row) error {
			out.Set("m", float64(c.Rep))
			return nil
		},
	}
	o := Options{Out: t.TempDir(), Seed: 1, Program: Program{Hash: "one"}, Set: []Setting{{"side", []string{"1", "any"}}}}
	_, err := Run(t.Context(), e, o)
	require.NoError(t, err)
	d, err := Load(e, o.Out, "one")
	require.NoError(t, err)
	trace, err := d.TraceRow("m", "side", "any")
	require.NoError(t, err)
	assert.Equal(t, []string{"side=any,rep=0", "side=any,rep=1"}, trace.Cells)
	assert.Equal(t, []float64{0, 1}, trace.Values)
	assert.True(t, trace.Agrees(), "%v, made %v", trace.Row, trace.Made)
}
