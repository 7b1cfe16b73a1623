package experiments

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/clients"
	"ratelab/experiments/scenario"
)

// backoffChanged plays another contention than the experiment asks for, once
// and with 100 clients at most.
func backoffChanged(change func(c *scenario.Contention)) breakage {
	return func(lab *Lab) {
		lab.Contend = func(ctx context.Context, c scenario.Contention) (scenario.Contended, error) {
			c.Contests, c.Clients = 1, min(c.Clients, 100)
			change(&c)
			return scenario.Contend(ctx, c)
		}
	}
}

func TestBackoffContentionClaims(t *testing.T) {
	// swapped exchanges values of one parameter.
	swapped := func(param string, values map[string]string) breakage {
		return backoffChanged(func(c *scenario.Contention) {
			for from, to := range values {
				text := strings.Replace(c.Client.String(), param+"="+from, param+"="+to, 1)
				if text == c.Client.String() {
					continue
				}
				s, err := clients.Parse(text)
				require.NoError(t, err)
				c.Client = s
				return
			}
		})
	}
	slow := backoffChanged(func(c *scenario.Contention) { c.Service = 5 * time.Millisecond })
	testClaims(t, "backoff-contention", map[string]breakage{
		"the five algorithms make the calls that another simulation of the AWS study finds": swapped("first", map[string]string{"double": "base"}),
		"and they end when that simulation does":                                            backoffChanged(func(c *scenario.Contention) { c.Leg = 15 * time.Millisecond }),
		"full jitter makes less than half the calls of exponential back-off without jitter": swapped("jitter", map[string]string{"full": "none"}),
		"exponential back-off without jitter takes longest":                                 slow,
		"not to back off makes at least 5 % more calls than any other way":                  swapped("every", map[string]string{"0": "200ms"}),
		"and yet it ends soonest":                                                           slow,
		"equal jitter makes more calls than full jitter":                                    swapped("jitter", map[string]string{"equal": "full", "full": "equal"}),
	})
}

func TestBackoffContentionHasDrawableFigures(t *testing.T) {
	lab := trueLab(true)
	backoffChanged(func(*scenario.Contention) {})(&lab)
	drawAll(t, quickly(t, "backoff-contention", lab, 2, all))
}

func TestBackoffContentionTakesOtherValues(t *testing.T) {
	e, err := Lookup("backoff-contention")
	require.NoError(t, err)
	for _, set := range []Setting{{"clients", []string{"3"}}, {"service", []string{"250us"}}} {
		plan := e.plan(trueLab(true))
		require.NoError(t, plan.Override(set.Factor, set.Values))
		cells, err := plan.Cells()
		require.NoError(t, err)
		for _, c := range cells {
			if c.Rep == 0 && c.Int("clients") <= 30 {
				_, err := plan.RunCell(context.Background(), c)
				assert.NoError(t, err, c.Key())
			}
		}
	}
	refuses(t, "backoff-contention", [][3]string{
		{"part", "every", `known: each, compare`},
		{"algorithm", "fulll", `did you mean "full"`},
		{"clients", "0", "must be a whole number in 1..10000"},
		{"service", "-1ms", "must lie in 0s..1s"},
		{"service", "fast", "duration"},
	})
}
