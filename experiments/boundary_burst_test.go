package experiments

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/experiments/theory"
	"ratelab/limiters"
	"ratelab/plots"
)

// boundaryOther makes a breakage that puts another limiter in place of every one: to says which.
func boundaryOther(to func(limiters.Spec) (limiters.Spec, error)) breakage {
	other := func(l limiters.Spec) limiters.Spec {
		s, err := to(l)
		if err != nil {
			panic(err)
		}
		return s
	}
	return func(lab *Lab) {
		simulate, limiter := lab.Simulate, lab.Limiter
		lab.Simulate = func(ctx context.Context, c scenario.Config) (scenario.Result, error) {
			c.Limiter = other(c.Limiter)
			return simulate(ctx, c)
		}
		lab.Limiter = func(l limiters.Spec, seed uint64) limiters.Limiter { return limiter(other(l), seed) }
	}
}

// boundaryWith gives a parameter another value.
func boundaryWith(param, value string) breakage {
	return boundaryOther(func(l limiters.Spec) (limiters.Spec, error) { return l.With(param, value) })
}

// boundaryOneMore makes the capacity one larger.
var boundaryOneMore = boundaryOther(func(l limiters.Spec) (limiters.Spec, error) { return l.Scale(1, 1, 1) })

// boundaryAnswers changes what limiters answer.
func boundaryAnswers(change func(*limiters.Decision)) breakage {
	return func(lab *Lab) {
		limiter := lab.Limiter
		lab.Limiter = func(l limiters.Spec, seed uint64) limiters.Limiter { return boundaryLiar{limiter(l, seed), change} }
	}
}

type boundaryLiar struct {
	limiters.Limiter
	change func(*limiters.Decision)
}

func (l boundaryLiar) Take(now time.Duration, key uint32, cost int64) limiters.Decision {
	var d limiters.Decision
	if l.Limiter != nil {
		d = l.Limiter.Take(now, key, cost)
	}
	l.change(&d)
	return d
}

func TestBoundaryBurstClaims(t *testing.T) {
	movedEdge := boundaryWith("origin", "first")
	forgetful := boundaryWith("window", "1ns") // an entry leaves at once
	fits, below := boundaryWith("rule", "fits"), boundaryWith("rule", "below")
	testClaims(t, "boundary-burst", map[string]breakage{
		"A fixed window admits twice its limit in a blink around its edge, from a second to a day long":                                         movedEdge,
		"A sliding log admits its limit and no more in any window, with bursts at the edge":                                                     forgetful,
		"The counter with rule fits admits its limit and no more in a blink":                                                                    below,
		"The counter with rule below admits one more than its limit in a blink":                                                                 fits,
		"A bucket whose burst is the limit admits the limit and no more in a blink":                                                             boundaryOneMore,
		"Quiet then loud, a fixed window admits both bursts: 197 in two seconds under 100 a minute":                                             movedEdge,
		"Quiet then loud, a fixed window refuses nobody":                                                                                        movedEdge,
		"Of the burst after the edge a sliding log admits none":                                                                                 forgetful,
		"Of the burst after the edge the counter with rule fits admits what its previous window has lost, rounded down: 1 of 100":               below,
		"Of the burst after the edge the counter with rule below admits the same, rounded up: 2 of 100":                                         fits,
		"Of the burst after the edge a bucket admits the quiet three, which it has earned back, and what it earns between the bursts: 6 of 100": boundaryOneMore,
		"An adversary gets twice the limit from a fixed window, however short the interval":                                                     boundaryOneMore,
		"Edges moved at random by key do not help: who reads Retry-After finds them and gets twice the limit":                                   boundaryAnswers(func(d *limiters.Decision) { d.RetryAfter = min(2*d.RetryAfter, time.Hour) }),
		"Windows that open with their first request give an adversary one less than twice the limit":                                            boundaryWith("origin", "epoch"),
		"An adversary gets the limit and no more from a sliding log":                                                                            boundaryWith("window", "900ms"),
		"An adversary gets L + ⌈Lδ/T⌉ − 1 from the counter with rule fits":                                                                      below,
		"An adversary gets L + ⌈Lδ/T⌉ from the counter with rule below":                                                                         fits,
		"An adversary gets b + ⌈rδ⌉ − 1 from a bucket":                                                                                          boundaryOneMore,
		"Within a window the counter with rule fits lets an adversary do what a token bucket does whose burst is the limit; beyond, less":       below,
		"In two windows an adversary gets 3L − 2 from the counter with rule fits":                                                               boundaryOneMore,
		"A leaky queue lets out ⌈rδ⌉ at most, whatever it admits":                                                                               boundaryAnswers(func(d *limiters.Decision) { d.Delay = 0 }),
	})
}

func TestBoundaryBurstFiguresSayWhatWasMeasured(t *testing.T) {
	e, err := Lookup("boundary-burst")
	require.NoError(t, err)
	plan := e.plan(trueLab(true))
	plan.Reps = 1
	plan.Where = func(get func(string) string) bool { // what the figures draw
		return e.Where(get) && (get("part") == "timeline" || (get("part") == "straddle" || get("part") == "story") && get("limit") == "100" ||
			get("part") == "envelope" && get("limit") == "10" && get("window") == "10s")
	}
	result, err := sweep.Execute(context.Background(), plan, sweep.Options{})
	require.NoError(t, err)
	d := &Data{Experiment: e, Quick: true, Reps: plan.Reps}
	d.Runs, err = result.Runs()
	require.NoError(t, err)
	d.Summary, err = result.Summary()
	require.NoError(t, err)

	titles := map[string]string{
		"story":    "A fixed window of 100 a minute lets 197 pass in two seconds; a log stops at 100",
		"blink":    "At its edge a fixed window of 100 admits 200 in a blink, be it a second or a day long",
		"envelope": "Up to one window a sliding counter is a token bucket: both give an adversary 19 for a limit of 10",
	}
	for _, f := range e.Figures {
		figure, err := f.Draw(d)
		require.NoError(t, err, f.Name)
		assert.Equal(t, titles[f.Name], figure.Title)
		_, err = plots.SVG(figure)
		assert.NoError(t, err, f.Name)
	}

	findings, err := e.Findings(d)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"Around the edge of a fixed window pass 200 requests with a limit of 100, whether the window is a second or a day; a sliding log admits 100, the weighted counter 100 (fits) or 101 (below), a token bucket of that burst 100.",
		"Three quiet requests, 97 at 0:59 and 100 at 1:01 under 100 a minute: a fixed window passes 197 within two seconds.",
		"Of the 100 at 1:01 a sliding log admits 0, the counter 1 (fits) or 2 (below), a token bucket 6.",
		"Whoever knows the limiter gets in one window, of a limit of 10: 20 from a fixed window, 19 from one that opens with a request, 10 from a log, 19 from the counter (fits) and from a bucket 19.",
		"In two windows it is 28 from the counter and 29 from the bucket: beyond a window the counter falls behind.",
		"Edges that differ by key move the loophole and do not close it: who reads Retry-After gets 20 in one window.",
	}, findings)

	// The parts that a figure needs may not have been run.
	d.Runs, err = d.Runs.Where("part", "none")
	require.NoError(t, err)
	d.Summary, err = d.Summary.Where("part", "none")
	require.NoError(t, err)
	for _, f := range e.Figures {
		_, err := f.Draw(d)
		assert.ErrorContains(t, err, "nothing was measured", f.Name)
	}
	_, err = e.Findings(d)
	assert.ErrorContains(t, err, "nothing was measured")
}

func TestBoundaryBurstRefusesSettingsThatMakeNoSense(t *testing.T) {
	refuses(t, "boundary-burst", [][3]string{
		{"part", "stradle", `unknown (did you mean "straddle"?); known: straddle, story`},
		{"limiter", "sliding-logs", `did you mean "sliding-log"?`},
		{"limit", "3", "from 4"},
		{"limit", "1.5", "whole number"},
		{"window", "1us", "from 1ms to 100d"},
		{"window", "soon", "from 1ms to 100d"},
		{"delta", "0", "from 0.001 to 10"},
		{"sixtieth", "601", "from 0 to 600"},
	})
	e, err := Lookup("boundary-burst")
	require.NoError(t, err)
	ends, err := e.Prepare(Options{Reps: 2, Set: []Setting{
		{"limit", []string{"4", "10000"}}, {"window", []string{"1ms", "100d"}},
		{"part", []string{"straddle", "story"}}, {"limiter", []string{"leaky-queue"}},
	}})
	require.NoError(t, err)
	_, err = sweep.Execute(context.Background(), ends, sweep.Options{})
	assert.NoError(t, err, "the largest and the smallest limits and windows can be run")
}

func TestBoundaryStoryHalfLeavesTheStoryAsItIs(t *testing.T) {
	for _, limit := range []int64{4, 10, 59, 60, 100, 1000, 10_000} {
		for _, window := range []time.Duration{time.Millisecond, 10 * time.Second, time.Minute, 100 * 24 * time.Hour} {
			tokens := func(half time.Duration) int64 { return int64(2 * half * time.Duration(limit) / window) }
			for seed := range uint64(50) {
				half := boundaryStoryHalf(boundaryRandom(seed), limit, window)
				assert.Positive(t, half)
				assert.Less(t, half, window/30, "the first quiet request still counts in a log")
				assert.Equal(t, tokens(window/60), tokens(half), "what a bucket earns between the bursts")
			}
		}
	}
}

func TestBoundaryStairsHaveBothValuesWhereTheEnvelopeSteps(t *testing.T) {
	stairs := boundaryStairs(800, func(delta time.Duration) float64 {
		if delta > 400 {
			return math.NaN()
		}
		return theory.LogEnvelope(10, 101, delta)
	})
	assert.Equal(t, []float64{2, 101, 102, 202, 203, 303, 304, 400}, stairs.X)
	assert.Equal(t, []float64{10, 10, 20, 20, 30, 30, 40, 40}, stairs.Y)
}
