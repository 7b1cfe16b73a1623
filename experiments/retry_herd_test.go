package experiments

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"ratelab/clients"
	"ratelab/experiments/scenario"
	"ratelab/limiters"
)

// changed simulates another world than the experiment asks for.
func changed(change func(c *scenario.Config) error) breakage {
	return func(lab *Lab) {
		lab.Simulate = func(ctx context.Context, c scenario.Config) (scenario.Result, error) {
			if err := change(&c); err != nil {
				return nil, err
			}
			return scenario.Run(ctx, c)
		}
	}
}

// clientsWith changes a parameter of all clients.
func clientsWith(param, value string) breakage {
	return changed(func(c *scenario.Config) error {
		s, err := c.Clients.Specs()[0].With(param, value)
		if err != nil {
			return err
		}
		c.Clients, err = clients.ParseMix(s.String())
		return err
	})
}

// hinted tells other hints.
func hinted(hints string) breakage {
	return changed(func(c *scenario.Config) (err error) {
		c.Hints, err = clients.ParseHints(hints)
		return err
	})
}

func TestRetryHerdClaims(t *testing.T) {
	testClaims(t, "retry-herd", map[string]breakage{
		"clients that obey the same Retry-After return in the same second, all of them": hinted("server-jitter:max=5s"),
		// The jitter of all is over 20 s.
		"uniform jitter makes them balls in bins: the mean of their busiest second": changed(func(c *scenario.Config) (err error) {
			c.Hints = clients.HintsSpec{}
			c.Clients, err = clients.ParseMix("retry-after:jitter=20s,attempts=2")
			return err
		}),
		"exponential back-off without jitter keeps them together: in no round do fewer come than all":       clientsWith("jitter", "equal"),
		"full jitter from 1 s brings more than half of them, or more than all, back in the first second":    clientsWith("base", "2s"),
		"and in the seconds after that what the sums of their waits say":                                    clientsWith("factor", "3"),
		"of one key, told the exact wait of one token, they return n(n + 1)/2 times in all":                 hinted("server-jitter:max=1s"),
		"rounded up to a whole second, the same wait finds two tokens, and they return about half as often": changed(func(c *scenario.Config) error { c.Rounded = false; return nil }),
		"with a place in line each returns once":                                                            hinted("exact"),
		"and either way the last is served after n/r": changed(func(c *scenario.Config) (err error) {
			c.Limiter, err = limiters.Parse("token-bucket:rate=3/s,burst=2")
			return err
		}),
	})
}

func TestRetryHerdHasDrawableFigures(t *testing.T) {
	drawable(t, "retry-herd", func(get func(string) string) bool {
		return get("part") == "key" || get("part") == "timeline" && len(get("second")) == 1 || get("clients") == "50"
	})
}

func TestRetryHerdRefusesBadValuesWithAReason(t *testing.T) {
	refuses(t, "retry-herd", [][3]string{
		{"part", "flock", "known: together, spread, second, timeline, key"},
		{"clients", "0", "must be a whole number"},
		{"client", "retry-afer", `did you mean "retry-after"`},
		{"hints", "exakt", `did you mean "exact"`},
		{"second", "-1", "must be a whole number in 0..100"},
		{"rate", "2", "must be <number>/<duration>"},
		{"headers", "whole", "known: exact, rounded"},
	})
}

func TestBusiestSecondsAreCountedFromAnInstant(t *testing.T) {
	r := returns{again: []time.Duration{0, 30 * time.Second, 31*time.Second - 1, 31 * time.Second, 40 * time.Second}}
	counts := r.bySecond(30*time.Second, 5)
	assert.Equal(t, []int{2, 1, 0, 0, 0}, counts)
	most, fewest := busiest(counts)
	assert.Equal(t, 2, most)
	assert.Equal(t, 1, fewest)
}
