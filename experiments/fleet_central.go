package experiments

import (
	"fmt"

	"ratelab/experiments/sweep"
	"ratelab/fleet"
)

func init() {
	parts := centralParts.names()
	register(Experiment{
		Name:     "fleet-central",
		Question: "What does it cost to ask a central store, and what goes wrong on the way?",
		Hypothesis: "A round trip and the wait of a queue for every check. A store that checks and charges in one operation keeps the promise; " +
			"a read and a write apart overshoot by what comes between them, and writing back what was read multiplies that by the limit. " +
			"When the store is down, the promise or the service is lost.",
		Factors: []sweep.Factor{
			{Name: "part", Default: "latency", Check: oneOf(parts...),
				Description: "which question: latency (a store of bounded capacity, nothing refused), timeout (servers that wait no longer than so), " +
					"race (reads and writes apart, saturated windows), spread (the same, each window by itself), " +
					"outage (a store that is down for 3/10 of each window), frontier (eight servers, every coordination, at the promise and in a flood)"},
			{Name: "coordination", Default: "central", Check: func(v string) error { _, err := fleet.ParseCoordination(v); return err },
				Description: "how the servers share the limit"},
			{Name: "servers", Check: wholeNumber(fleet.MaxServers), Description: "N; 8 where empty"},
			{Name: "limit", Unit: "requests", Check: wholeNumber(1 << 20), Description: "limit L of a fixed window; where empty, one that is not reached"},
			{Name: "window", Unit: "duration", Check: centralCheckWindow, Description: "its length; 1 s where empty"},
			{Name: "rtt", Unit: "duration", Check: fleetCheckRTT, Description: "round trip to the store; none where empty"},
			{Name: "load", Check: fleetCheckLoad,
				Description: "requests offered: in units of 1000/s; in the parts outage and frontier over the limit, per window; 1 where empty"},
			{Name: "arrivals", Check: oneOf("poisson", "steady"), Description: "how they come; Poisson where empty"},
		},
		Metrics: append(fromDictionary("excess_mean", "admitted_over_rate", "delay_mean", "store_ops_per_request", "store_hot_shard_share", "unused_share"),
			sweep.Metric{Name: centralVariance, Unit: "requests^2", Description: "Variance over windows of what was admitted above the limit."},
			sweep.Metric{Name: perWindow, Unit: "requests", Description: "Admitted requests per window of the limit."},
			sweep.Metric{Name: centralLate, Unit: "1", Description: "Share of requests that their server decided without the store, whose answer had not come by the timeout."},
			sweep.Metric{Name: centralWasted, Unit: "1", Description: "Charges that no admitted request was waiting for / answers that came too late."}),
		Grids:     centralGrids(),
		Where:     centralWhere,
		Reps:      40,
		QuickReps: 22,
		Cell:      centralCell,
		Claims:    centralClaims(),
		Figures: []Figure{
			{Name: "frontier", Draw: centralDrawFrontier},
			{Name: "latency", Draw: centralDrawLatency},
			{Name: "tail", Draw: centralDrawTail},
			{Name: "outage", Draw: centralDrawOutage},
		},
		Findings: centralFindings,
		Threats: []string{
			"Every operation takes the store the same time, whatever the limiter and however many keys there are.",
			"Round trips are all alike. Where they spread, so does the time between a read and its write, and late answers are more.",
			"A server that has timed out asks again at the next request: no circuit breaker, no connection to set up.",
			"Callers do not react: a refusal or a slow answer brings no retry, which would load the store further.",
			"The store comes back with what it had counted; one that forgets adds a limit to the window.",
			"The frontier is one place: eight servers, Zipf weights, a fixed window of 10 s. Its claims name what holds everywhere.",
		},
	})
}

const (
	centralVariance = "overshoot_variance"
	perWindow       = "admitted_per_window"
	centralLate     = "late_share"
	centralWasted   = "wasted_per_late"
)

// centralParts are the sub-questions: the factors that each needs beside the
// coordination, and what it does.
var centralParts = parts[func(w centralWorld, out *sweep.Row) error]{
	{"latency", "rtt load arrivals", centralWorld.latency},
	{"timeout", "limit rtt load", centralWorld.timeout},
	{"race", "limit window rtt load", centralWorld.race},
	{"spread", "limit window arrivals", centralWorld.spread},
	{"outage", "servers limit load", centralWorld.outage},
	{"frontier", "servers limit window rtt load", centralWorld.frontier},
}

// centralWhere keeps the points whose factors are those that the part needs,
// so that whoever sets the part gets the points of that part.
func centralWhere(get func(string) string) bool {
	return centralParts.fit(get, "servers", "limit", "window", "rtt", "load", "arrivals")
}

// centralFrontier lists the coordinations of the frontier, with the round trip
// of those that ask a store. Leases are named by their batch.
var centralFrontier = []struct{ label, coordination, rtt string }{
	{"local", "local", "0s"},
	{"quota", "quota", "0s"},
	{"adaptive", "adaptive:period=1s,smooth=0.5", "0s"},
	{"synced 10 ms", "synced:period=10ms,delay=5ms", "0s"},
	{"synced 100 ms", "synced:period=100ms,delay=5ms", "0s"},
	{"synced 1 s", "synced:period=1s,delay=5ms", "0s"},
	{"k=5", "leased:batch=5", "10ms"},
	{"k=25", "leased:batch=25", "10ms"},
	{"k=125", "leased:batch=125", "10ms"},
	{"central", "central", "10ms"},
	{"sharded 8", "sharded:shards=8", "10ms"},
	{"racy, add", "central-racy:delay=0s,write=add", "10ms"},
	{"racy, set", "central-racy:delay=0s,write=set", "10ms"},
}

// centralRaces are the places of the race: what is written, and windows long
// enough to fill and to be seen to.
var centralRaces = []struct {
	write, delay, limit, window, rtt string
	perDelay                         float64 // at 1000/s, delay and round trip
}{
	{"add", "2ms", "20", "60ms", "0s", 2},
	{"add", "20ms", "20", "100ms", "0s", 20},
	{"add", "15ms", "20", "100ms", "5ms", 20},
	{"add", "20ms", "100", "200ms", "0s", 20},
	{"set", "2ms", "10", "80ms", "0s", 2},
	{"set", "1ms", "50", "160ms", "0s", 1},
	{"set", "2ms", "100", "360ms", "0s", 2},
}

func centralRacy(write, delay string) string {
	return fmt.Sprintf("central-racy:delay=%s,write=%s", delay, write)
}

func centralGrids() []sweep.Grid {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	part := func(name string, axes ...sweep.Axis) sweep.Grid {
		return append(sweep.Grid{axis("part", name)}, axes...)
	}
	grids := []sweep.Grid{
		part("latency", axis("coordination", centralStore), axis("rtt", "1ms"), axis("load", "0.2", "0.5", "0.6", "0.8", "0.9"), axis("arrivals", "poisson")),
		part("latency", axis("coordination", centralStore), axis("rtt", "5ms"), axis("load", "0.5", "0.8"), axis("arrivals", "poisson")),
		part("latency", axis("coordination", centralStore), axis("rtt", "1ms"), axis("load", "0.8"), axis("arrivals", "steady")),
		part("latency", axis("coordination", centralShards("4", "random")), axis("rtt", "1ms"), axis("load", "0.8", "2", "2.4", "3.2", "3.6"), axis("arrivals", "poisson")),
		part("latency", axis("coordination", centralShards("2", "hash"), centralShards("4", "hash"), centralShards("16", "hash")),
			axis("rtt", "1ms"), axis("load", "0.5"), axis("arrivals", "poisson")),
		part("outage", axis("coordination", centralOutage("open"), centralOutage("closed")), axis("servers", "8"), axis("limit", "100"), axis("load", "0.8", "1", "1.4")),
		part("outage", axis("coordination", centralOutage("local"), centralOutage("open"), centralOutage("closed")), axis("servers", "1", "2", "4"), axis("limit", "10"), axis("load", "6")),
		part("timeout", axis("coordination", centralTimeouts[1].coordination()), axis("limit", "100"), axis("rtt", "1ms"), axis("load", centralTimeouts[1].load)),
		part("race", axis("coordination", "central"), axis("limit", "20"), axis("window", "60ms"), axis("rtt", "0s"), axis("load", "1")),
		part("race", axis("coordination", centralRacy("add", "2ms"), centralRacy("set", "2ms")), axis("limit", "20"), axis("window", "60ms"), axis("rtt", "0s"), axis("load", "0.2")),
		part("spread", axis("coordination", centralRacy("add", "20ms")), axis("limit", "20"), axis("window", "100ms"), axis("arrivals", "steady")),
	}
	for _, at := range centralTimeouts {
		grids = append(grids, part("timeout", axis("coordination", at.coordination()), axis("limit", "100000"), axis("rtt", "1ms"), axis("load", at.load)))
	}
	for _, at := range centralRaces {
		grids = append(grids, part("race", axis("coordination", centralRacy(at.write, at.delay)), axis("limit", at.limit), axis("window", at.window), axis("rtt", at.rtt), axis("load", "1")))
	}
	grids = append(grids, centralTailGrids()...)
	for _, i := range centralSpread {
		at := centralRaces[i]
		grids = append(grids, part("spread", axis("coordination", centralRacy(at.write, at.delay)), axis("limit", at.limit), axis("window", at.window), axis("arrivals", "poisson")))
	}
	for _, at := range centralFrontier {
		grids = append(grids, part("frontier", axis("coordination", at.coordination), axis("servers", "8"), axis("limit", "1000"), axis("window", "10s"), axis("rtt", at.rtt), axis("load", "1", "8")))
	}
	return grids
}

const centralStore = "central:capacity=1000/s"

func centralShards(shards, pick string) string {
	return fmt.Sprintf("sharded:shards=%s,pick=%s,capacity=1000/s", shards, pick)
}

// centralSpread are the races whose windows are looked at one by one.
var centralSpread = []int{1, 4, 6}

func centralOutage(fail string) string { return "central:timeout=1ms,fail=" + fail }

// centralTimeout is a place of part timeout: at a round trip of 1 ms and a
// service of 1 ms, a wait of so many services is waited for; a nanosecond more
// at 0, where even an answer without a wait would come at the timeout.
type centralTimeout struct {
	load, timeout, fail string
	rho, services       float64
}

var centralTimeouts = []centralTimeout{
	{"0.5", "2000001ns", "open", 0.5, 0},
	{"0.7", "2000001ns", "open", 0.7, 0},
	{"0.5", "2500us", "closed", 0.5, 0.5},
	{"0.5", "3ms", "open", 0.5, 1},
	{"0.7", "3ms", "closed", 0.7, 1},
}

func (t centralTimeout) coordination() string {
	return fmt.Sprintf("central:capacity=1000/s,timeout=%s,fail=%s", t.timeout, t.fail)
}
