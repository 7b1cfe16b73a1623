package experiments

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/scenario"
	"ratelab/fleet"
)

// coordinated simulates under another coordination than the experiment asks
// for, wherever it asks for one of these; for any if none is named.
func coordinated(t *testing.T, as string, instead ...string) breakage {
	return fleetChanged(t, func(c *scenario.Config) (err error) {
		if len(instead) == 0 || slices.Contains(instead, c.Coordination.String()) {
			c.Coordination, err = fleet.ParseCoordination(as)
		}
		return err
	})
}

// balanced simulates behind another balancer.
func balanced(t *testing.T, as string) breakage {
	return fleetChanged(t, func(c *scenario.Config) (err error) {
		c.Balancer, err = fleet.ParseBalancer(as)
		return err
	})
}

// fewCells runs the points of an experiment that keep holds of, once, quickly.
func fewCells(t *testing.T, name string, keep func(get func(string) string) bool) *Data {
	t.Helper()
	return quickly(t, name, trueLab(true), 1, keep)
}

// refuses checks that an experiment refuses values of factors: factor, value,
// and what the error says.
func refuses(t *testing.T, name string, values [][3]string) {
	t.Helper()
	e, err := Lookup(name)
	require.NoError(t, err)
	for _, v := range values {
		assert.ErrorContains(t, e.plan(trueLab(true)).Override(v[0], []string{v[1]}), v[2], v[0])
	}
}

// takes checks that every part of an experiment runs with other values.
func takes(t *testing.T, name string, settings []Setting) {
	t.Helper()
	e, err := Lookup(name)
	require.NoError(t, err)
	for _, set := range settings {
		plan := e.plan(trueLab(true))
		require.NoError(t, plan.Override(set.Factor, set.Values))
		cells, err := plan.Cells()
		require.NoError(t, err, set)
		seen := make(map[string]bool)
		for _, c := range cells {
			if part := c.Get("part"); !seen[part] && c.Get(set.Factor) == set.Values[0] {
				seen[part] = true
				_, err := plan.RunCell(context.Background(), c)
				assert.NoError(t, err, c.Key())
			}
		}
		assert.NotEmpty(t, seen, set)
	}
}
