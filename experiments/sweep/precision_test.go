package sweep

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/internal/random"
)

// exact is a plan whose points spread differently: servers=0 not at all, others with a standard deviation of
// servers % of the mean, 100; count is 1 ± 10 %.
func exact(target float64, most int, servers ...string) *Plan {
	p := tiny(Grid{axis("servers", servers...)})
	p.Reps = 1 // does not count
	p.Precision = Precision{Target: target, Metrics: []string{"share"}, MaxReps: most}
	p.Run = func(_ context.Context, c Cell, out *Row) error {
		r := random.Stream(c.Seed, strconv.Itoa(c.Rep), "value", "")
		z := r.NormFloat64()
		out.Set("share", 100+c.Float("servers")*z)
		out.Set("count", 1+0.1*z)
		return nil
	}
	return p
}

// stopByHand is the rule word for word.
func stopByHand(values []float64, target float64) int {
	for n := 10; n <= len(values); n++ {
		e := NewEstimate(values[:n])
		lo, hi := e.Interval(0.95)
		if (hi-lo)/2 <= target/(1+target)*math.Abs(e.Mean) {
			return n
		}
	}
	return len(values)
}

func TestPointsRunUntilTheyArePreciseAndNoLonger(t *testing.T) {
	p := exact(0.02, 400, "0", "2", "5", "10", "80")
	r, err := Execute(t.Context(), p, Options{})
	require.NoError(t, err)
	all := *p
	all.Reps, all.Precision = 400, Precision{}
	full, err := Execute(t.Context(), &all, Options{})
	require.NoError(t, err)
	var want []int
	for point := range 5 {
		var values []float64
		for _, row := range full.Rows[400*point : 400*(point+1)] {
			values = append(values, row.Get("share"))
		}
		want = append(want, stopByHand(values, 0.02))
	}
	got := pointReps(r.Cells)
	assert.Equal(t, want, got)
	assert.Equal(t, 10, got[0], "what does not vary is precise")
	assert.Equal(t, 400, got[4], "the cap")
	assert.InDelta(t, math.Pow(1.96*10/100*1.02/0.02, 2), got[3], 40, "(z·sd/mean/γ')² replications")
	for i, row := range r.Rows {
		at := 400*0 + r.Cells[i].Rep
		for point, v := range []string{"0", "2", "5", "10", "80"} {
			if r.Cells[i].Get("servers") == v {
				at = 400*point + r.Cells[i].Rep
			}
		}
		assert.Equal(t, full.Rows[at].values, row.values)
	}
}

func TestHowManyReplicationsCountDependsOnNothingButValues(t *testing.T) {
	bytes := func(r *Result) string {
		runs, err := r.Runs()
		require.NoError(t, err)
		warnings, err := Warn(r.Plan, runs)
		require.NoError(t, err)
		return text(t, runs) + text(t, warnings)
	}
	p := exact(0.03, 60, "1", "7", "40")
	alone, err := Execute(t.Context(), p, Options{Workers: 1})
	require.NoError(t, err)
	for _, workers := range []int{2, 7} {
		r, err := Execute(t.Context(), p, Options{Workers: workers})
		require.NoError(t, err)
		assert.Equal(t, bytes(alone), bytes(r), "%d workers", workers)
	}

	// Interrupted after each 25 cells, with a store, until it is done.
	dir := t.TempDir()
	for round := 0; ; round++ {
		require.Less(t, round, 20)
		interrupted := exact(0.03, 60, "1", "7", "40")
		run := interrupted.Run
		ctx, cancel := context.WithCancel(t.Context())
		var ran atomic.Int32
		interrupted.Run = func(ctx context.Context, c Cell, out *Row) error {
			if ran.Add(1) == 25 {
				cancel()
			}
			return run(ctx, c, out)
		}
		s, err := OpenStore(dir, interrupted, Origin{Program: "one"})
		require.NoError(t, err)
		r, err := Execute(ctx, interrupted, Options{Store: s})
		cancel()
		require.NoError(t, s.Close())
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
			continue
		}
		assert.Equal(t, bytes(alone), bytes(r))
		assert.Greater(t, round, 1)
		assert.Less(t, r.Cached, len(r.Cells))
		again, err := Execute(t.Context(), interrupted, Options{Store: s})
		require.NoError(t, err)
		assert.Equal(t, len(r.Cells), again.Cached)
		assert.Equal(t, bytes(alone), bytes(again))
		cells, open, err := s.Sequence(interrupted)
		require.NoError(t, err)
		assert.Equal(t, 0, open)
		assert.Equal(t, alone.Cells, cells)
		break
	}
}

func TestAStoreKnowsWhatAPreciseRunStillNeeds(t *testing.T) {
	dir := t.TempDir()
	p := exact(0.02, 400, "0", "10")
	s, err := OpenStore(dir, p, Origin{Program: "one"})
	require.NoError(t, err)
	cells, open, err := s.Sequence(p)
	require.NoError(t, err)
	assert.Equal(t, []int{10, 10}, pointReps(cells))
	assert.Equal(t, 2, open)
	fixed := *p
	fixed.Reps, fixed.Precision = 30, Precision{}
	_, err = Execute(t.Context(), &fixed, Options{Store: s})
	require.NoError(t, err)
	cells, open, err = s.Sequence(p)
	require.NoError(t, err)
	assert.Equal(t, []int{10, 31}, pointReps(cells), "one more than there are, at least")
	assert.Equal(t, 1, open)
	require.NoError(t, s.Close())
}

func TestEveryChosenMetricMustBePrecise(t *testing.T) {
	p := exact(0.05, 400, "1")
	r, err := Execute(t.Context(), p, Options{})
	require.NoError(t, err)
	assert.Len(t, r.Cells, 10)
	p.Precision.Metrics = nil // count, too: ± 10 %
	r, err = Execute(t.Context(), p, Options{})
	require.NoError(t, err)
	assert.Greater(t, len(r.Cells), 15)
	m, err := NewManifest(p)
	require.NoError(t, err)
	assert.Equal(t, []string{"share", "count"}, m.Precision.Metrics)
}

func TestMetricsThatAreMissingOrZero(t *testing.T) {
	p := exact(0.05, 25, "1")
	p.Precision.Metrics = nil
	p.Run = func(_ context.Context, c Cell, out *Row) error {
		out.Set("share", 0)
		return nil
	}
	r, err := Execute(t.Context(), p, Options{})
	require.NoError(t, err)
	assert.Len(t, r.Cells, 10, "0 without variance is precise, and what is not measured is not looked at")

	p.Run = func(_ context.Context, c Cell, out *Row) error {
		if c.Rep%2 == 0 {
			out.Set("share", 7)
		}
		return nil
	}
	r, err = Execute(t.Context(), p, Options{})
	require.NoError(t, err)
	assert.Len(t, r.Cells, 19, "ten values are wanted, of every other replication")

	p.Run = func(_ context.Context, c Cell, out *Row) error {
		out.Set("share", float64(2*(c.Rep%2)-1))
		return nil
	}
	r, err = Execute(t.Context(), p, Options{})
	require.NoError(t, err)
	assert.Len(t, r.Cells, 25, "a mean of 0 with variance is never precise")
	runs, err := r.Runs()
	require.NoError(t, err)
	warnings, err := Warn(p, runs)
	require.NoError(t, err)
	assert.Contains(t, text(t, warnings), "1,,share,25,unreached,")
}

func TestTheManifestSaysHowManyReplicationsEachPointHas(t *testing.T) {
	dir := t.TempDir()
	p := exact(0.02, 50, "0", "2", "80")
	r, err := Execute(t.Context(), p, Options{})
	require.NoError(t, err)
	m, err := NewManifest(p)
	require.NoError(t, err)
	m.Program = "one"
	require.NoError(t, r.Write(dir, m))
	there, err := ReadManifest(dir)
	require.NoError(t, err)
	assert.Equal(t, Precision{0.02, []string{"share"}, 50}, there.Precision.Precision)
	assert.Equal(t, pointReps(r.Cells), there.Precision.PointReps)
	assert.Equal(t, []int{50, len(r.Cells), len(r.Cells)}, []int{there.Reps, there.Cells, there.CellsRun})
	warnings, err := ReadWarnings(dir, p)
	require.NoError(t, err)
	groups, err := GroupWarnings(p, warnings)
	require.NoError(t, err)
	require.NotEmpty(t, groups)
	assert.Equal(t, Unreached, groups[0].Doubt)
	assert.Equal(t, 1, groups[0].Count)
	assert.Equal(t, []string{"share", "servers=80"}, []string{groups[0].Metric, groups[0].Point})
	assert.Regexp(t, `^1 unreached: the cap of replications came before the precision that was asked for; most: ± [0-9.]+ % of the estimate, wanted 2 % of the mean \(share at servers=80\)$`, groups[0].String())

	want := func(p *Plan) Manifest {
		m, err := NewManifest(p)
		require.NoError(t, err)
		m.Program = "one"
		return m
	}
	require.NoError(t, Fresh(dir, want(p)))
	fixed := *p
	fixed.Reps, fixed.Precision = 50, Precision{}
	assert.ErrorContains(t, Fresh(dir, want(&fixed)), "they were run to a precision of 0.02 (share, at most 50 replications), and 50 replications are wanted")
	assert.ErrorContains(t, Fresh(dir, want(exact(0.01, 50, "0", "2", "80"))), "they were run to a precision of 0.02 (share, at most 50 replications), and a precision of 0.01 (share, at most 50 replications) is wanted")
	r, err = Execute(t.Context(), &fixed, Options{})
	require.NoError(t, err)
	require.NoError(t, r.Write(dir, want(&fixed)))
	assert.ErrorContains(t, Fresh(dir, want(p)), "they have 50 replications of each point, and a precision of 0.02 (share, at most 50 replications) is wanted")
	_, err = os.Stat(filepath.Join(dir, WarningsFile))
	require.NoError(t, err)
}

func TestAFailedReplicationEndsItsPoint(t *testing.T) {
	p := exact(0.02, 400, "2", "10")
	run := p.Run
	p.Run = func(ctx context.Context, c Cell, out *Row) error {
		if c.Int("servers") == 10 && c.Rep == 12 {
			return errors.New("no luck")
		}
		return run(ctx, c, out)
	}
	r, err := Execute(t.Context(), p, Options{KeepGoing: true})
	assert.ErrorContains(t, err, "first: cell servers=10,rep=12 (replication 12, seed 1): no luck")
	require.Len(t, r.Failures, 1)
	assert.Equal(t, 13, pointReps(r.Cells)[1], "twelve that are there, and the one that failed")
	assert.Equal(t, len(r.Cells), r.Done()+1)
	r, err = Execute(t.Context(), p, Options{Workers: 1})
	require.ErrorContains(t, err, "no luck")
	assert.Len(t, r.Failures, 1)
}

func TestPrecisionsThatCanNotBe(t *testing.T) {
	for want, q := range map[string]Precision{
		"a precision must lie above 0 and below 1 (0.05 is ±5 % of the mean), got 5":          {Target: 5, MaxReps: 100},
		"a precision must lie above 0 and below 1 (0.05 is ±5 % of the mean), got -0.1":       {Target: -0.1, MaxReps: 100},
		"a precision must lie above 0 and below 1 (0.05 is ±5 % of the mean), got NaN":        {Target: math.NaN(), MaxReps: 100},
		"a precision is looked at from 10 replications on: at most 10 must be allowed, got 9": {Target: 0.1, MaxReps: 9},
		`unknown metric "shares" (did you mean "share"?); known: share, count`:                {Target: 0.1, MaxReps: 10, Metrics: []string{"shares"}},
	} {
		p := exact(0.1, 10, "1")
		p.Precision = q
		_, err := p.Cells()
		assert.ErrorContains(t, err, want)
		_, err = Execute(t.Context(), p, Options{})
		assert.ErrorContains(t, err, want)
	}
	_, err := Execute(t.Context(), exact(0.1, 10, "1"), Options{Shard: Shard{0, 2}})
	assert.ErrorContains(t, err, "a shard can not know its cells")
}

func TestAnyReplicationOfAPreciseRunCanBeFound(t *testing.T) {
	p := exact(0.1, 40, "1", "2")
	c, err := p.Find("servers=2,rep=39")
	require.NoError(t, err)
	assert.Equal(t, 39, c.Rep)
	_, err = p.Find("servers=2,rep=40")
	assert.Error(t, err)
}
