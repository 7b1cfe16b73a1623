package experiments

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/sweep"
)

func TestAnInterruptedRunEndsInItsCells(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := Experiment{
		Name: "endless", Question: "When?", Reps: 3,
		Metrics: []sweep.Metric{{Name: "m", Description: "a metric"}},
		Grids:   []sweep.Grid{{}},
		Cell: func(ctx context.Context, _ Lab, c sweep.Cell, _ *sweep.Row) error {
			if c.Rep == 0 {
				return nil
			}
			cancel()
			<-ctx.Done() // or for hours
			return ctx.Err()
		},
	}
	out := t.TempDir()
	var last int
	_, err := Run(ctx, e, Options{Out: out, Seed: 1, Workers: 1, KeepGoing: true, Progress: func(done, _ int) { last = done }})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, last)
	left, err := os.ReadDir(out)
	require.NoError(t, err)
	assert.Empty(t, left)
}
