package experiments

import (
	"slices"
	"strings"
	"testing"

	"ratelab/experiments/scenario"
	"ratelab/fleet"
)

// resynced simulates a fleet that syncs with another value of one parameter.
func resynced(t *testing.T, param, value string) breakage {
	return fleetChanged(t, func(c *scenario.Config) (err error) {
		name, params, _ := strings.Cut(c.Coordination.String(), ":")
		kept := slices.DeleteFunc(strings.Split(params, ","), func(p string) bool { return strings.HasPrefix(p, param+"=") })
		c.Coordination, err = fleet.ParseCoordination(name + ":" + strings.Join(append(kept, param+"="+value), ","))
		return err
	})
}

func TestFleetSyncClaims(t *testing.T) {
	testClaims(t, "fleet-sync", map[string]breakage{
		"a window that fills overshoots by min(Λs − m, (N−1)m), m = L mod Λs, and with a delay by min((N−1)x, Λs + Λd − x)": resynced(t, "own", "ignore"),
		"over all limits within a period the overshoot is Λ(s/2 + d)(N−1)/N on average":                                     resynced(t, "delay", "25ms"),
		"and Λ(s + d)(N−1)/N at worst": resynced(t, "delay", "25ms"),
		"servers that ignore their own until it is exchanged overshoot by ⌈L/Λs⌉Λs − L + Λd, whatever their number":                             resynced(t, "own", "count"),
		"they overshoot by Λs/2 + Λd on average over all limits within a period":                                                                resynced(t, "own", "count"),
		"Poisson arrivals overshoot by the sum over exchanges of what comes above the limit in one period, less what servers cut by themselves": resynced(t, "own", "ignore"),
		"Poisson arrivals at servers that ignore their own overshoot by all that comes until the news does, whatever their number":              resynced(t, "delay", "100ms"),
		"a burst within one period passes N limits":                                                        resynced(t, "own", "ignore"),
		"no window gets more than N limits":                                                                resynced(t, "own", "ignore"),
		"if debts are carried, the long run admits no more than the rate":                                  resynced(t, "debt", "forgive"),
		"if they are forgiven, the long run admits the overshoot above it: 1 + overshoot/L times the rate": resynced(t, "debt", "carry"),
	})
}

func TestFleetSyncHasDrawableFigures(t *testing.T) {
	drawAll(t, fewCells(t, "fleet-sync", func(get func(string) string) bool { return get("part") == "curve" || get("part") == "debt" }))
}

func TestFleetSyncRefusesBadValuesWithAReason(t *testing.T) {
	refuses(t, "fleet-sync", [][3]string{
		{"part", "fluids", `did you mean "fluid"`},
		{"limiter", "sliding-log", "known: "},
		{"limit", "0", "must be a whole number in 1..1048576"},
		{"servers", "0", "must be a whole number in 1..65536"},
		{"rate", "200", "must be <number>/<duration>"},
		{"period", "0s", "must be > 0"},
		{"delay", "-1ms", "must be >= 0"},
		{"own", "counts", `did you mean "count"`},
		{"debt", "forgiven", `did you mean "forgive"`},
	})
}

func TestFleetSyncTakesOtherValues(t *testing.T) {
	takes(t, "fleet-sync", []Setting{
		{"limit", []string{"7"}}, {"servers", []string{"3"}}, {"rate", []string{"70/s"}}, {"period", []string{"70ms"}}, {"delay", []string{"3ms"}},
		{"limiter", []string{"token-bucket"}}, {"debt", []string{"carry"}}, {"own", []string{"ignore"}},
	})
}
