package experiments

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/limiters"
	"ratelab/workloads"
)

func world(t *testing.T, limiter, workload string, horizon time.Duration) scenario.Config {
	t.Helper()
	l, err := limiters.Parse(limiter)
	require.NoError(t, err)
	w, err := workloads.Parse(workload)
	require.NoError(t, err)
	c := scenario.Default(l, w)
	c.Horizon = horizon
	return c
}

// A bucket of b tokens that starts full empties in b/(λ − r) under load λ: with
// b = 2000, λ = 20/s and r = 10/s after 200 s, a fifth of the horizon.
func TestTheWarmUpOfAFullBucketIsTheTimeToEmptyIt(t *testing.T) {
	w, err := FindWarmup(t.Context(), world(t, "token-bucket:rate=10/s,burst=2000", "poisson:rate=20/s", 1000*time.Second))
	require.NoError(t, err)
	assert.True(t, w.Found)
	assert.Equal(t, time.Second, w.Interval)
	assert.InDelta(t, 200, w.Length.Seconds(), 15, "√(2·2000)/10 = 6 s is its spread, a batch is 5 s")
	assert.Equal(t, "found by MSER-5: what is admitted, in 1000 intervals of 1s of a pilot run", w.String())
}

// A queue fills in the time that its bucket empties; waiting times show it.
func TestTheWarmUpOfAQueueShowsInItsWaits(t *testing.T) {
	w, err := FindWarmup(t.Context(), world(t, "leaky-queue:rate=10/s,queue=1000", "steady:rate=20/s", 1000*time.Second))
	require.NoError(t, err)
	assert.True(t, w.Found)
	assert.InDelta(t, 100, w.Length.Seconds(), 10)

	w, err = FindWarmup(t.Context(), world(t, "leaky-queue:rate=10/s,queue=1000", "steady:rate=10100/1000s", 1000*time.Second))
	require.NoError(t, err)
	assert.False(t, w.Found, "all are admitted, but the queue grows all the time: 10 places in 100 s")
	assert.Contains(t, w.String(), "(waiting times, in 1000 intervals")
}

func TestASettledWorldNeedsHardlyAWarmUp(t *testing.T) {
	w, err := FindWarmup(t.Context(), world(t, "fixed-window:limit=10,window=1s", "poisson:rate=20/s", time.Hour))
	require.NoError(t, err)
	assert.True(t, w.Found)
	assert.Equal(t, 4*time.Second, w.Interval, "whole windows, 900 of them")
	assert.Less(t, w.Length, 10*time.Minute)

	w, err = FindWarmup(t.Context(), world(t, "leaky-queue:rate=100/s,queue=10", "poisson:rate=3/h", 10000*time.Hour))
	require.NoError(t, err)
	assert.True(t, w.Found, "hardly anyone ever waits")
	assert.Equal(t, 10*time.Hour, w.Interval, "10 h hold 30 requests already")
}

func TestAWorldThatDoesNotSettleIsSaidSo(t *testing.T) {
	w, err := FindWarmup(t.Context(), world(t, "token-bucket:rate=10/s,burst=7000", "poisson:rate=20/s", 1000*time.Second))
	require.NoError(t, err)
	assert.False(t, w.Found)
	assert.Equal(t, 500*time.Second, w.Length)
	assert.Equal(t, "half the horizon: by MSER-5 the first half does not settle (what is admitted, in 1000 intervals of 1s of a pilot run); "+
		"give a longer horizon, unless there is no steady state", w.String())

	_, err = FindWarmup(t.Context(), world(t, "fixed-window:limit=10,window=1m", "poisson:rate=20/s", 10*time.Minute))
	assert.EqualError(t, err, "a warm-up is found in 50 windows at least: horizon must be >= 50m, got 10m; or give the warm-up as a duration")
	_, err = FindWarmup(t.Context(), world(t, "fixed-window:limit=10,window=1s", "poisson:rate=3/h", 100*time.Hour))
	assert.ErrorContains(t, err, "a warm-up is found in 500 admitted requests at least, got ")
}

// With the warm-up, the admitted rate is the bucket's; without, the full
// bucket at the start adds b/horizon to it.
func TestWithoutItsWarmUpAScenarioIsBiased(t *testing.T) {
	c := world(t, "token-bucket:rate=10/s,burst=2000", "poisson:rate=20/s", 1000*time.Second)
	raw, err := scenario.Run(t.Context(), c)
	require.NoError(t, err)
	assert.InDelta(t, 1.2, raw.Get("admitted_over_rate"), 0.005)
	w, err := FindWarmup(t.Context(), c)
	require.NoError(t, err)
	c.Warmup = w.Length
	settled, err := scenario.Run(t.Context(), c)
	require.NoError(t, err)
	assert.InDelta(t, 1, settled.Get("admitted_over_rate"), 0.02)
}

// The pilot's random numbers are its own, and it counts what every run does.
func TestAPilotIsARunLikeAnother(t *testing.T) {
	for _, horizon := range []time.Duration{100 * time.Second, 2500*time.Second + 7} {
		c := world(t, "token-bucket:rate=10/s,burst=20", "poisson:rate=20/s", horizon)
		course, err := scenario.Pilot(t.Context(), c)
		require.NoError(t, err)
		again, err := scenario.Pilot(t.Context(), c)
		require.NoError(t, err)
		assert.Equal(t, course, again)
		assert.Zero(t, sweep.NewEstimate(course.Waited).Max)
		total := 0.0
		for _, x := range course.Admitted {
			total += x
		}
		covered := time.Duration(len(course.Admitted)) * course.Interval
		assert.LessOrEqual(t, len(course.Admitted), 1000)
		c.Rep, c.Horizon = int(^uint(0)>>1), covered // the pilot's replication
		r, err := scenario.Run(t.Context(), c)
		require.NoError(t, err)
		assert.Equal(t, r.Get("admitted"), total)
		c.Rep = 0
		other, err := scenario.Run(t.Context(), c)
		require.NoError(t, err)
		assert.NotEqual(t, other.Get("offered"), r.Get("offered"))
	}
}
