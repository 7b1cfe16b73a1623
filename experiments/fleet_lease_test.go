package experiments

import (
	"testing"

	"ratelab/experiments/scenario"
	"ratelab/fleet"
)

func TestFleetLeaseClaims(t *testing.T) {
	local := fleetChanged(t, func(c *scenario.Config) (err error) {
		c.Coordination, err = fleet.ParseCoordination("local")
		c.RTT = fleet.RTT{}
		return err
	})
	inTurn := fleetChanged(t, func(c *scenario.Config) (err error) {
		c.Balancer, err = fleet.ParseBalancer("round-robin")
		return err
	})
	limit := func(value string) breakage {
		return fleetChanged(t, func(c *scenario.Config) (err error) {
			c.Limiter, err = c.Limiter.With("limit", value)
			return err
		})
	}
	testClaims(t, "fleet-lease", map[string]breakage{
		"leases that end with their window never break the promise":                                                      local,
		"the store grants no more than the promise in a window, and in a flood all of it":                                limit("1010"),
		"a window takes ⌈L/k⌉ granted calls":                                                                             coordinationWith(t, "batch=10", "batch=11"),
		"a flood costs (⌈L/k⌉ + N)/L calls per admitted request, if refusals are remembered":                             coordinationWith(t, "cache=yes", "cache=no"),
		"each server calls once in vain in a window, if it remembers":                                                    coordinationWith(t, "cache=yes", "cache=no"),
		"where refusals are forgotten, every refused request has called":                                                 coordinationWith(t, "cache=no", "cache=yes"),
		"when one server is refused, (N−1)(k−1)/2 tokens lie on the others, and fewer where k² is not small against L/N": inTurn,
		"never more than (N−1)(k−1) tokens are stranded":                                                                 coordinationWith(t, "batch=20", "batch=100"),
		"leases that outlive their window add N(k−1) to the next at worst":                                               coordinationWith(t, "ttl=20s", "ttl=window"),
		"what outlives its window adds no more than N(k−1)":                                                              local,
	})
}

func TestFleetLeaseHasADrawableFigure(t *testing.T) {
	drawAll(t, fewCells(t, "fleet-lease", func(get func(string) string) bool {
		return get("part") == "flood" || get("part") == "stranded" && get("limit") == "1000"
	}))
}

func TestFleetLeaseTakesOtherValues(t *testing.T) {
	takes(t, "fleet-lease", []Setting{
		{"part", []string{"below"}}, {"batch", []string{"3"}}, {"servers", []string{"3"}}, {"limit", []string{"7"}}, {"balancer", []string{"hash"}},
		{"ttl", []string{"3s"}}, {"cache", []string{"no"}}, {"rtt", []string{"3ms"}},
	})
}

func TestFleetLeaseRefusesBadValuesWithAReason(t *testing.T) {
	refuses(t, "fleet-lease", [][3]string{
		{"part", "floods", `did you mean "flood"`},
		{"batch", "0", "must be a whole number"},
		{"ttl", "windows", `must be a duration above 0, or window (did you mean "window"?)`},
		{"ttl", "0s", "must be a duration above 0, or window"},
		{"cache", "maybe", "known: yes, no"},
		{"balancer", "randomly", `did you mean "random"`},
	})
}
