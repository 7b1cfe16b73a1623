package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/des"
	"ratelab/experiments"
	"ratelab/experiments/sweep"
)

// bomb is a handler that breaks after three seconds of simulated time.
type bomb struct{}

func (bomb) Handle(s *des.Sim, _ uint64) {
	if s.Now() == 3*time.Second {
		panic("the model broke")
	}
	s.After(time.Second, bomb{}, 7)
}

// breaking is an experiment of which some cells fail.
func breaking() experiments.Experiment {
	return experiments.Experiment{
		Name: "breaking", Question: "What breaks?", Reps: 2, QuickReps: 2,
		Factors: []sweep.Factor{{Name: "part", Description: "of the model"}},
		Metrics: []sweep.Metric{{Name: "m", Description: "a metric"}},
		Grids:   []sweep.Grid{{{Factor: "part", Values: []string{"sound", "queue", "x:y=1/s"}}}},
		Cell: func(_ context.Context, _ experiments.Lab, c sweep.Cell, out *sweep.Row) error {
			switch {
			case c.Get("part") == "queue":
				s := des.New()
				s.After(0, bomb{}, 7)
				s.Run(time.Minute)
			case c.Get("part") == "x:y=1/s" && c.Rep == 1:
				return errors.New("no such part")
			}
			out.Set("m", 1)
			return nil
		},
	}
}

// inFolder runs an experiment as the command does.
func inFolder(t *testing.T, e experiments.Experiment, o experiments.Options) (out, errOut string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	cmd.SetOut(&stdout)
	cmd.SetErr(&stderr)
	err = runOne(cmd, e, o, o.Command(e.Name))
	return stdout.String(), stderr.String(), err
}

func TestFailedCellsAreListedWithTheLineThatRunsThemAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	o := experiments.Options{Out: "results", Seed: 3, Quick: true, Workers: 1, KeepGoing: true, Program: experiments.Program{Hash: "one"},
		Set: []experiments.Setting{{Factor: "part", Values: []string{"sound", "queue", "x:y=1/s"}}}}
	out, errOut, err := inFolder(t, breaking(), o)
	const flags = `--quick --seed 3 --set 'part=sound ; queue ; x:y=1/s'`
	assert.EqualError(t, err, `breaking: 3 of 6 cells failed, 0 did not run; 3 are kept in results/breaking/cells; those that are not done run again with: ratelab run breaking `+flags+` --workers 1 --keep-going`)
	assert.Empty(t, out)
	assert.Equal(t, `breaking: cell part=queue,rep=0 (replication 0, seed 3): panic: des: at 3s, main.bomb, tag 7: the model broke; alone: ratelab run breaking `+flags+` --cell part=queue,rep=0
breaking: cell part=queue,rep=1 (replication 1, seed 3): panic: des: at 3s, main.bomb, tag 7: the model broke; alone: ratelab run breaking `+flags+` --cell part=queue,rep=1
breaking: cell part="x:y=1/s",rep=1 (replication 1, seed 3): no such part; alone: ratelab run breaking `+flags+` --cell 'part="x:y=1/s",rep=1'
`, errOut)

	o.Out = "elsewhere"
	_, errOut, err = inFolder(t, breaking(), o)
	require.Error(t, err)
	assert.Contains(t, errOut, "alone: ratelab run breaking "+flags+" --cell part=queue,rep=0 --out elsewhere\n")

	o.Out, o.KeepGoing = "results", false
	_, errOut, err = inFolder(t, breaking(), o)
	require.Error(t, err)
	assert.Equal(t, `breaking: 1 of 6 cells failed, 2 did not run; 3 are kept in results/breaking/cells; those that are not done run again with: ratelab run breaking `+flags+` --workers 1`, err.Error())
	assert.Contains(t, errOut, "alone: ratelab run breaking")
}

func TestManyFailuresAreNotAllListed(t *testing.T) {
	t.Chdir(t.TempDir())
	e := breaking()
	e.Cell = func(context.Context, experiments.Lab, sweep.Cell, *sweep.Row) error { return errors.New("all is lost") }
	o := experiments.Options{Out: "results", Seed: 1, Reps: 20, KeepGoing: true, Program: experiments.Program{Hash: "one"}}
	_, errOut, err := inFolder(t, e, o)
	assert.ErrorContains(t, err, "breaking: 60 of 60 cells failed, 0 did not run; no cell is done; ")
	assert.Contains(t, errOut, "\nbreaking: and 50 more cells failed\n")
}

func TestPaceLeavesOutWhatWasCached(t *testing.T) {
	for _, c := range []struct {
		now     sweep.Progress
		elapsed time.Duration
		rate    float64
		left    time.Duration
	}{
		{sweep.Progress{Total: 10}, time.Second, 0, 0},
		{sweep.Progress{Done: 5, Cached: 5, Total: 10}, time.Second, 0, 0},
		{sweep.Progress{Done: 5, Total: 10}, 10 * time.Second, 0.5, 10 * time.Second},
		{sweep.Progress{Done: 95, Cached: 90, Total: 100}, 10 * time.Second, 0.5, 10 * time.Second},
	} {
		rate, left := pace(c.now, c.elapsed)
		assert.Equal(t, c.rate, rate, fmt.Sprint(c.now))
		assert.Equal(t, c.left, left, fmt.Sprint(c.now))
	}
}
