package experiments

import (
	"strings"
	"testing"

	"ratelab/experiments/scenario"
	"ratelab/fleet"
	"ratelab/workloads"
)

// coordinationWith changes the text of a world's coordination, old becomes new.
func coordinationWith(t *testing.T, pairs ...string) breakage {
	return fleetChanged(t, func(c *scenario.Config) (err error) {
		c.Coordination, err = fleet.ParseCoordination(strings.NewReplacer(pairs...).Replace(c.Coordination.String()))
		return err
	})
}

// offered gives a world other arrivals.
func offered(t *testing.T, pairs ...string) breakage {
	return fleetChanged(t, func(c *scenario.Config) (err error) {
		c.Workload, err = workloads.Parse(strings.NewReplacer(pairs...).Replace(c.Workload.String()))
		return err
	})
}

func TestFleetCentralClaims(t *testing.T) {
	testClaims(t, "fleet-central", map[string]breakage{
		"a check takes the round trip, and what M/D/1 takes":                           coordinationWith(t, "capacity=1000/s", "capacity=1200/s"),
		"shards by a hash of the key leave one key one shard, which does all the work": coordinationWith(t, "pick=hash", "pick=random"),
		"the share of checks that come too late is the tail of the wait in M/D/1":      offered(t, "poisson", "steady"),
		"the longest waits are as rare as in M/D/1":                                    offered(t, "poisson", "steady"),
		// What is lost on the way is late, and never charged for.
		"an answer that comes too late has been charged for all the same": fleetChanged(t, func(c *scenario.Config) (err error) {
			c.Faults, err = fleet.ParseFaults("lost=0.5")
			return err
		}),
		"read and written d apart, a window that fills overshoots by Λd, and by LΛd if what was read is written back": coordinationWith(t, "write=set", "write=add"),
		"the overshoot of a race varies as a Poisson number does: its variance is its mean":                           offered(t, "poisson", "steady"),
		"a check is one operation of the store, and one more for what is admitted if the write is apart":              coordinationWith(t, "write=set", "write=add"),
		"while the store is down, servers that fail open admit all that comes, uncounted":                             coordinationWith(t, "fail=open", "fail=closed"),
		"servers that fail closed admit as if nobody had come while the store was down": fleetChanged(t, func(c *scenario.Config) error {
			c.Faults = nil
			return nil
		}),
		"servers that fall back on limits of their own admit up to N limits more": coordinationWith(t, "fail=local", "fail=closed"),
		"what is charged before it is admitted never breaks the promise, flood or not": fleetChanged(t, func(c *scenario.Config) (err error) {
			c.Coordination, err = fleet.ParseCoordination("central-racy:delay=1s")
			return err
		}),
		"one count, whole limits and shares of it admit what each of their counters gets and has room for": fleetChanged(t, func(c *scenario.Config) (err error) {
			c.Balancer, err = fleet.ParseBalancer("random")
			return err
		}),
	})
}

func TestFleetCentralHasDrawableFigures(t *testing.T) {
	drawAll(t, fewCells(t, "fleet-central", func(get func(string) string) bool {
		switch get("part") {
		case "frontier", "latency", "timeout":
			return true
		}
		return get("part") == "outage" && get("load") == "6"
	}))
}

func TestFleetCentralTakesOtherValues(t *testing.T) {
	takes(t, "fleet-central", []Setting{
		{"part", []string{"outage"}}, {"load", []string{"0.75"}}, {"rtt", []string{"3ms"}}, {"servers", []string{"3"}},
		{"limit", []string{"7"}}, {"window", []string{"70ms"}}, {"arrivals", []string{"steady"}},
	})
}

func TestFleetCentralRefusesBadValuesWithAReason(t *testing.T) {
	refuses(t, "fleet-central", [][3]string{
		{"part", "latencies", `did you mean "latency"`},
		{"coordination", "centrale", `did you mean "central"`},
		{"servers", "0", "must be a whole number"},
		{"limit", "-1", "must be a whole number"},
		{"window", "0s", "must be > 0"},
		{"rtt", "-1ms", "must be >= 0"},
		{"load", "much", "must be a number"},
		{"arrivals", "bursty", "known: poisson, steady"},
	})
}
