package experiments

import (
	"strconv"

	"ratelab/experiments/theory"
)

func centralClaims() []Claim {
	return []Claim{
		centralLatency(),
		centralHot(),
		centralLateShare(),
		centralTailShare(),
		centralLateCharged(),
		centralRaceMean(),
		centralRaceVariance(),
		centralOperations(),
		centralOpen(),
		centralClosed(),
		centralLocal(),
		centralKept(),
		centralSums(),
	}
}

func centralAt(part, coordination string, more ...string) []string {
	return append([]string{"part", part, "coordination", coordination}, more...)
}

func centralLatency() Claim {
	c := Claim{
		Text:   "a check takes the round trip, and what M/D/1 takes",
		Domain: "Poisson arrivals below the store's capacity, operations that all take as long; stationary (2000 requests of warm-up); random shards, each with its share of the arrivals",
		Wrong:  "arrivals in bursts, operations of unequal length, several at a time, a balancer that smooths the arrivals",
		Source: "theory.StoreLatency",
		Metric: "delay_mean", Relation: Equal,
	}
	place := func(coordination, rtt, load, arrivals string, rttSeconds, rho float64) Point {
		return Point{
			At:       centralAt("latency", coordination, "rtt", rtt, "load", load, "arrivals", arrivals),
			Expected: theory.StoreLatency(rttSeconds, 1000*rho, 1000),
		}
	}
	four := centralShards("4", "random")
	c.Points = []Point{
		place(centralStore, "1ms", "0.5", "poisson", 0.001, 0.5), place(centralStore, "1ms", "0.6", "poisson", 0.001, 0.6), place(centralStore, "1ms", "0.8", "poisson", 0.001, 0.8),
		place(centralStore, "5ms", "0.5", "poisson", 0.005, 0.5), place(centralStore, "5ms", "0.8", "poisson", 0.005, 0.8),
		place(four, "1ms", "2", "poisson", 0.001, 0.5), place(four, "1ms", "2.4", "poisson", 0.001, 0.6),
		place(centralShards("4", "hash"), "1ms", "0.5", "poisson", 0.001, 0.5),
	}
	c.Outside = []Point{place(centralStore, "1ms", "0.8", "steady", 0.001, 0.8)}
	return c
}

func centralHot() Claim {
	c := Claim{
		Text:   "shards by a hash of the key leave one key one shard, which does all the work",
		Domain: "one key, any number of shards, any load that one shard bears",
		Wrong:  "a pick that does not go by the key; a key that is split",
		Source: "the definition of a hash",
		Metric: "store_hot_shard_share", Relation: Exact,
	}
	place := func(coordination, load string) Point {
		return Point{At: centralAt("latency", coordination, "load", load), Expected: 1}
	}
	for _, shards := range []string{"2", "4", "16"} {
		c.Points = append(c.Points, place(centralShards(shards, "hash"), "0.5"))
	}
	c.Outside = []Point{place(centralShards("4", "random"), "0.8")}
	return c
}

func centralLateShare() Claim {
	c := Claim{
		Text:   "the share of checks that come too late is the tail of the wait in M/D/1",
		Domain: "as for the latency; a late check loads the store all the same; at the very timeout an answer is too late",
		Wrong:  "a store that drops what nobody waits for, retries, arrivals in bursts",
		Source: "theory.MD1WaitAbove",
		Metric: centralLate, Relation: Equal,
	}
	place := func(at centralTimeout, expected float64) Point {
		return Point{At: centralAt("timeout", at.coordination(), "load", at.load, "limit", "100000"), Expected: expected, Scale: shareScale(expected)}
	}
	for _, at := range centralTimeouts {
		c.Points = append(c.Points, place(at, theory.MD1WaitAbove(at.rho, at.services)))
	}
	// As if the service did not count.
	c.Outside = []Point{place(centralTimeouts[4], theory.MD1WaitAbove(0.7, 2))}
	return c
}

func centralLateCharged() Claim {
	c := Claim{
		Text:   "an answer that comes too late has been charged for all the same",
		Domain: "a limit that is not reached; whether servers then admit or refuse",
		Wrong:  "a store that takes back charges, or knows when its answer comes too late; a limit that is reached",
		Source: "one charge to a check",
		Metric: centralWasted, Relation: Exact,
	}
	place := func(at centralTimeout, limit string) Point {
		return Point{At: centralAt("timeout", at.coordination(), "load", at.load, "limit", limit), Expected: 1}
	}
	c.Points = []Point{place(centralTimeouts[0], "100000"), place(centralTimeouts[2], "100000"), place(centralTimeouts[4], "100000")}
	c.Outside = []Point{place(centralTimeouts[1], "100")}
	return c
}

var centralWrites = map[string]theory.Write{"add": theory.WriteAdd, "set": theory.WriteSet}

// centralRacePoint is the place of a race and what overshoots there.
func centralRacePoint(part string, i int) Point {
	at := centralRaces[i]
	limit, _ := strconv.Atoi(at.limit)
	p := Point{
		At:       centralAt(part, centralRacy(at.write, at.delay), "limit", at.limit, "window", at.window),
		Expected: theory.RaceOvershoot(centralWrites[at.write], limit, at.perDelay),
	}
	if part == "spread" {
		p.At = append(p.At, "arrivals", "poisson")
	} else {
		p.At = append(p.At, "rtt", at.rtt, "load", "1")
	}
	return p
}

func centralRaceMean() Claim {
	c := Claim{
		Text:   "read and written d apart, a window that fills overshoots by Λd, and by LΛd if what was read is written back",
		Domain: "Poisson arrivals, windows that fill and are seen to before they end; d is half a round trip, the delay, and another half",
		Wrong:  "a check and a charge in one, windows that do not fill, a write that tells whether it was the first",
		Source: "theory.RaceOvershoot",
		Metric: "excess_mean", Relation: Equal,
	}
	for i := range centralRaces {
		c.Points = append(c.Points, centralRacePoint("race", i))
	}
	for _, write := range []string{"add", "set"} { // 12 come in a window of 60 ms
		c.Outside = append(c.Outside, Point{
			At:       centralAt("race", centralRacy(write, "2ms"), "limit", "20", "window", "60ms", "load", "0.2"),
			Expected: theory.RaceOvershoot(centralWrites[write], 20, 0.4),
		})
	}
	return c
}

func centralRaceVariance() Claim {
	c := Claim{
		Text:   "the overshoot of a race varies as a Poisson number does: its variance is its mean",
		Domain: "as for the mean, windows independent of each other",
		Wrong:  "arrivals more even, or less, than Poisson's",
		Source: "theory.RaceOvershoot, which is both",
		Metric: centralVariance, Relation: Equal,
	}
	for _, i := range centralSpread {
		c.Points = append(c.Points, centralRacePoint("spread", i))
	}
	c.Outside = []Point{{
		At:       centralAt("spread", centralRacy("add", "20ms"), "limit", "20", "arrivals", "steady"),
		Expected: theory.RaceOvershoot(theory.WriteAdd, 20, 20),
	}}
	return c
}

func centralOperations() Claim {
	c := Claim{
		Text:   "a check is one operation of the store, and one more for what is admitted if the write is apart",
		Domain: "no timeout, no message lost or doubled; arrivals as in the race",
		Wrong:  "leases, or refusals that a server remembers; a write for what was refused",
		Source: "1, and with theory.RaceOvershoot 1 + (L + overshoot)/ΛT",
		Metric: "store_ops_per_request", Relation: Equal,
	}
	const windowed = 60
	c.Points = []Point{
		{At: centralAt("race", "central", "limit", "20", "window", "60ms"), Expected: 1},
		{At: centralRacePoint("race", 0).At, Expected: 1 + (20+theory.RaceOvershoot(theory.WriteAdd, 20, 2))/windowed},
		{At: centralRacePoint("race", 4).At, Expected: 1 + (10+theory.RaceOvershoot(theory.WriteSet, 10, 2))/80},
		{At: centralRacePoint("race", 6).At, Expected: 1 + (100+theory.RaceOvershoot(theory.WriteSet, 100, 2))/360},
	}
	c.Outside = []Point{{At: centralAt("frontier", "leased:batch=25", "load", "1"), Expected: 1}}
	return c
}

// centralOutageClaim checks one way to fail. The store is up for 7/10 of each
// window; load times the limit comes in it.
func centralOutageClaim(c Claim, fail string, outside Point) Claim {
	c.Domain = "fixed windows of which the store is down from 4/10 to 7/10, Poisson arrivals, a timeout far shorter than that; the store keeps its counts"
	c.Metric, c.Relation = perWindow, Equal
	if fail == "local" {
		for _, n := range []int{1, 2, 4} {
			c.Points = append(c.Points, Point{
				At:       centralAt("outage", centralOutage(fail), "limit", "10", "load", "6", "servers", strconv.Itoa(n)),
				Expected: theory.OutageLocal(0.7*60, 0.3*60, 10, theory.Equal(n), fleetAll(n, 10)),
			})
		}
	} else {
		for _, at := range []struct {
			load string
			a    float64
		}{{"0.8", 80}, {"1", 100}, {"1.4", 140}} {
			expected := theory.OutageClosed(0.7*at.a, 100)
			if fail == "open" {
				expected = theory.OutageOpen(0.7*at.a, 0.3*at.a, 100)
			}
			c.Points = append(c.Points, Point{At: centralAt("outage", centralOutage(fail), "limit", "100", "load", at.load), Expected: expected})
		}
	}
	c.Outside = []Point{outside}
	return c
}

func centralOpen() Claim {
	return centralOutageClaim(Claim{
		Text:   "while the store is down, servers that fail open admit all that comes, uncounted",
		Wrong:  "servers that keep a count of their own, a store that hears of it afterwards",
		Source: "theory.OutageOpen",
	}, "open", Point{At: centralAt("outage", centralOutage("closed"), "limit", "100", "load", "1.4"), Expected: theory.OutageOpen(98, 42, 100)})
}

func centralClosed() Claim {
	return centralOutageClaim(Claim{
		Text:   "servers that fail closed admit as if nobody had come while the store was down",
		Wrong:  "checks that wait for the store to come back, callers that come again",
		Source: "theory.OutageClosed",
	}, "closed", Point{At: centralAt("outage", centralOutage("open"), "limit", "100", "load", "1"), Expected: theory.OutageClosed(70, 100)})
}

func centralLocal() Claim {
	return centralOutageClaim(Claim{
		Text:   "servers that fall back on limits of their own admit up to N limits more",
		Wrong:  "a share of the limit instead of all of it, a limiter that knows what the store had counted",
		Source: "theory.OutageLocal",
	}, "local", Point{At: centralAt("outage", centralOutage("open"), "limit", "10", "load", "6", "servers", "1"), Expected: theory.OutageLocal(42, 18, 10, theory.Equal(1), []int{10})})
}

func centralKept() Claim {
	c := Claim{
		Text:   "what is charged before it is admitted never breaks the promise, flood or not",
		Domain: "one count, or shares of it, that are charged in one operation: central, sharded, quotas, leases that end with their window; eight times the promise",
		Wrong:  "counts that are told afterwards, whole limits on several servers, shares that move while they are in use",
		Source: "the sum of what was charged",
		Metric: "excess_mean", Relation: Exact,
	}
	place := func(coordination string) Point { return Point{At: centralAt("frontier", coordination, "load", "8")} }
	for _, coordination := range []string{"central", "sharded:shards=8", "quota", "leased:batch=5", "leased:batch=25", "leased:batch=125"} {
		c.Points = append(c.Points, place(coordination))
	}
	c.Outside = []Point{place("local"), place("synced:period=10ms,delay=5ms"), place(centralRacy("add", "0s"))}
	return c
}

// centralSums: what apart counters admit together, at the same place.
func centralSums() Claim {
	c := Claim{
		Text:   "one count, whole limits and shares of it admit what each of their counters gets and has room for",
		Domain: "Poisson arrivals on eight servers with Zipf weights, or a shard at random; fixed windows",
		Wrong:  "counters that lend to each other, tokens that lie where nobody asks for them",
		Source: "theory.FixedWindowAdmitted and FleetFixedWindow",
		Metric: "admitted_over_rate", Relation: Equal,
	}
	place := func(coordination, load string, admitted float64) Point {
		return Point{At: centralAt("frontier", coordination, "load", load), Expected: admitted / 1000}
	}
	c.Points = []Point{
		place("central", "1", theory.FixedWindowAdmitted(1000, 1000)),
		place("quota", "1", theory.FleetFixedWindow(1000, theory.Zipf(8, 1), theory.Quotas(1000, 8, theory.Spread))),
		place("sharded:shards=8", "1", theory.FleetFixedWindow(1000, theory.Equal(8), theory.Quotas(1000, 8, theory.Spread))),
		place("local", "8", theory.FleetFixedWindow(8000, theory.Zipf(8, 1), fleetAll(8, 1000))),
	}
	c.Outside = []Point{place("leased:batch=125", "1", theory.FixedWindowAdmitted(1000, 1000))}
	return c
}
