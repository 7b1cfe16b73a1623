package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFlagsThatWouldDoNothingAreRefused has command lines of which a part
// would silently be without effect.
func TestFlagsThatWouldDoNothingAreRefused(t *testing.T) {
	const limiter = "token-bucket:rate=2/s,burst=20"
	for _, c := range []struct {
		want string
		line []string
	}{
		{`decide: --limiter takes one value, got "a" and then "b"; see ratelab decide --help`, []string{"decide", "--limiter", "a", "--limiter", "b"}},
		{`simulate: --limiter takes one value`, []string{"simulate", "--limiter", limiter, "--limiter=" + limiter}},
		{`simulate: --shed takes one value, got "none" and then "length:most=2"`, []string{"simulate", "--shed", "none", "--shed", "length:most=2"}},
		{`simulate: --horizon takes one value, got "1s" and then "2s"`, []string{"simulate", "--horizon", "1s", "--horizon", "2s"}},
		{`run: --reps takes one value`, []string{"run", "fleet-lease", "--reps", "2", "--reps", "3"}},
		{`--hints needs --clients, as in --clients retry-after: nobody acts on what is told without`, []string{"simulate", "--limiter", limiter, "--hints", "server-jitter:max=1s"}},
		{`--rounded needs --clients`, []string{"simulate", "--limiter", limiter, "--rounded"}},
		{`--population needs --clients`, []string{"simulate", "--limiter", limiter, "--population", "4"}},
		{`--sender needs --clients`, []string{"simulate", "--limiter", limiter, "--sender", "turn"}},
		{`as with --population 10`, []string{"simulate", "--limiter", limiter, "--clients", "rude * 0.5", "--clients", "retry-after * 0.5"}},
		{`--fault is empty; write store-down=10s..20s`, []string{"simulate", "--limiter", limiter, "--fault", ""}},
		{`nothing is called "overshot" (did you mean "overshoot"?); see ratelab list metrics`, []string{"simulate", "--limiter", limiter, "--metric", "overshot"}},
		{`--metric store_ops_rate is not measured in this scenario`, []string{"simulate", "--limiter", limiter, "--horizon", "1s", "--metric", "store_ops_rate"}},
		{`how long servers hear of each other late is its delay, as in synced:period=1s,delay=10ms`, []string{"simulate", "--limiter", limiter, "--coordination", "synced:period=1s", "--rtt", "10ms"}},
		{`shares change at once`, []string{"simulate", "--limiter", limiter, "--coordination", "adaptive:period=1s", "--rtt", "10ms"}},
	} {
		status, out, errOut := ratelab(t, "", c.line...)
		assert.Equal(t, 2, status, c.line)
		assert.Empty(t, out, c.line)
		assert.Contains(t, errOut, c.want, c.line)
	}
	status, _, errOut := ratelab(t, "", "simulate", "--limiter", limiter, "--horizon", "1s", "--reps", "1", "--clients", "none", "--hints", "server-jitter:max=1s", "--rounded")
	assert.Zero(t, status, errOut)
}
