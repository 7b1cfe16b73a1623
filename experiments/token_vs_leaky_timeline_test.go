package experiments

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/plots"
)

// admittedByDefinition decides the time-line once more, in whole milliseconds and straight from what each limiter is
// said to be; no limiter of the project has a part in it.
func admittedByDefinition(limiter string, times []int64) (passes []bool) {
	const limit, window, interval = 5, 1000, 200
	var log []int64
	inLast := func(t, from int64) (n int) { // admitted in (from, t]
		for _, a := range log {
			if a > from && a <= t {
				n++
			}
		}
		return n
	}
	allowed := int64(0) // the bucket: when it will be full again
	for _, t := range times {
		ok := false
		start := t / window * window
		switch limiter {
		case "fixed-window":
			ok = inLast(t, start-1) < limit
		case "sliding-log":
			ok = inLast(t, t-window) < limit
		case "sliding-counter-fits", "sliding-counter-below":
			// previous * (share of the window before that is still in) + current, over 1000
			estimate := int64(inLast(start-1, start-window-1))*(window-(t-start)) + int64(inLast(t, start-1))*window
			ok = estimate+window <= limit*window
			if limiter == "sliding-counter-below" {
				ok = estimate < limit*window
			}
		case "token-bucket", "gcra", "leaky-queue":
			ok = max(allowed, t)-t <= (limit-1)*interval
		case "leaky-meter":
			ok = allowed <= t
		}
		if ok {
			log = append(log, t)
			allowed = max(allowed, t) + interval
		}
		passes = append(passes, ok)
	}
	return passes
}

func TestTheTimelineIsWhatTheDefinitionsSay(t *testing.T) {
	d := fewCells(t, "token-vs-leaky", func(get func(string) string) bool { return get("part") == "timeline" })
	for _, name := range leakyTimelineLimiters {
		row, _, err := leakyTimelineRow(d, name)
		require.NoError(t, err)
		assert.Equal(t, admittedByDefinition(name, leakyTimelineMillis), row.Admitted, name)
		last := 0.0
		for i, goes := range row.Times {
			if !row.Admitted[i] {
				continue
			}
			came := float64(leakyTimelineMillis[i]) / 1000
			if name != "leaky-queue" {
				assert.InDelta(t, came, goes, 1e-9, "%s passes at once", name)
				continue
			}
			want := came
			if last > 0 {
				want = max(came, last+0.2)
			}
			assert.InDelta(t, want, goes, 1e-9, "the queue lets one go every 200 ms")
			last = goes
		}
	}
	figure, err := leakyTimelineFigure(d)
	require.NoError(t, err)
	assert.Equal(t, "Ten requests around an edge: a fixed window of 5 a second passes 10, a token bucket 7, a sliding log 5", figure.Title)
	svg, err := plots.SVG(figure)
	require.NoError(t, err)
	assert.NotEmpty(t, svg)
}
