package experiments

import (
	"slices"
	"testing"

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
