package experiments

import (
	"strconv"
	"time"

	"ratelab/experiments/theory"
)

// fleetPlace names a place of one part: limiter, servers, balancer, coordination
// and whatever else is given.
func fleetPlace(part, limiter string, n int, balancer, coordination string, more ...string) []string {
	return append([]string{"part", part, "limiter", limiter, "servers", strconv.Itoa(n), "balancer", balancer, "coordination", coordination}, more...)
}

func fleetClaims() []Claim {
	return []Claim{
		fleetMultiply(),
		fleetMultiplyCounter(),
		fleetMultiplyWindow(),
		fleetInstant(),
		fleetInstantCured(),
		fleetSplitWindow(),
		fleetSplitBucket(),
		fleetSplitLog(),
		fleetSplitCounter(),
		fleetSplitWeighted(),
		fleetRoundRobin(),
		fleetMirror(),
		fleetQuotaSplit(),
		fleetQuotaSaturated(),
		fleetHashRate(),
		fleetHashKeys(),
		fleetRemap(),
		fleetMovedKeys(),
		fleetHeld(),
		fleetCentralBound(),
		fleetCentralDelay(),
	}
}

const (
	fleetRR     = "round-robin"
	fleetRandom = "random"
	fleetZipf   = "weighted:zipf=1"
	fleetTwo    = "two-choices"
)

// fleetMultiply: counts over whole windows in a cycle, after a warm-up,
// have no start-up and no remainder.
func fleetMultiply() Claim {
	c := Claim{
		Text:   "N saturated local limits admit N times the rate",
		Domain: "round robin or fewest calls, steady arrivals at twice what N limits admit; fixed window, log, and everything that fills or leaks at a rate",
		Wrong:  "servers that know of each other, a server that the balancer leaves idle, demand below N times the rate",
		Source: "theory.FleetSaturated of theory.FloodTokenBucket, or of the limit per window",
		Metric: "admitted_over_rate", Relation: Exact,
	}
	for _, at := range []struct {
		limiter     string
		n           int
		rate, burst string
	}{
		{"fixed-window", 2, "2/s", "20"}, {"fixed-window", 8, "2/s", "20"}, {"fixed-window", 64, "5/s", "8"},
		{"sliding-log", 8, "5/s", "20"}, {"sliding-log", 64, "2/s", "8"},
		{"token-bucket", 1, "2/s", "20"}, {"token-bucket", 2, "5/s", "8"}, {"token-bucket", 8, "2/s", "20"}, {"token-bucket", 64, "2/s", "20"},
		{"gcra", 16, "5/s", "20"}, {"leaky-meter", 8, "2/s", ""}, {"leaky-queue", 8, "5/s", "8"},
	} {
		c.Points = append(c.Points, Point{
			At:       fleetPlace("saturated", at.limiter, at.n, fleetRR, "local", "rate", at.rate, "burst", at.burst),
			Expected: theory.FleetSaturated(at.n, theory.FloodTokenBucket(1, 1)),
		})
	}
	// With nothing in flight that is round robin; of queues, the shortest is served.
	for _, limiter := range []string{"fixed-window", "token-bucket", "leaky-queue"} {
		c.Points = append(c.Points, Point{
			At:       fleetPlace("saturated", limiter, 8, "least", "local", "rate", "2/s", "burst", "20"),
			Expected: theory.FleetSaturated(8, theory.FloodTokenBucket(1, 1)),
		})
	}
	for _, at := range [][]string{
		fleetPlace("saturated", "token-bucket", 8, fleetRR, "central", "rate", "2/s", "burst", "20"),
		fleetPlace("saturated", "token-bucket", 8, "hash", "local", "rate", "2/s", "burst", "20"),
		fleetPlace("saturated", "token-bucket", 8, fleetZipf, "local", "rate", "2/s", "burst", "20"),
	} {
		c.Outside = append(c.Outside, Point{At: at, Expected: 8})
	}
	return c
}

func fleetMultiplyCounter() Claim {
	c := Claim{
		Text:   "N saturated local counters that must fit admit N·(L−1) per window",
		Domain: "round robin, steady arrivals at twice what N limits admit, after the first window",
		Wrong:  "a counter that admits when its estimate is below the limit, one that shares its counts, one whose previous window is empty",
		Source: "theory.FleetSaturated of theory.FloodCounter",
		Metric: "admitted_over_rate", Relation: Exact,
	}
	place := func(n int, rate, burst, coordination string) Point {
		limit, _ := strconv.Atoi(burst)
		return Point{
			At:       fleetPlace("saturated", "sliding-counter", n, fleetRR, coordination, "rate", rate, "burst", burst),
			Expected: theory.FleetSaturated(n, theory.FloodCounter(theory.Fits, int64(limit))) / float64(limit),
		}
	}
	c.Points = []Point{place(2, "2/s", "20", "local"), place(8, "2/s", "20", "local"), place(8, "5/s", "8", "local"), place(64, "5/s", "20", "local")}
	c.Outside = []Point{place(8, "2/s", "20", "central")}
	return c
}

func fleetMultiplyWindow() Claim {
	c := Claim{
		Text:   "N saturated local windows overshoot N times",
		Domain: "round robin, steady arrivals at twice what N limits admit; fixed window and sliding log, over any interval as long as the window",
		Wrong:  "as above; and limits whose promise for an interval holds a burst that a saturated fleet has long spent",
		Source: "theory.FleetSaturated of theory.LogEnvelope over the promise",
		Metric: "overshoot", Relation: Exact,
	}
	const w = 10 * time.Second
	for _, at := range []struct {
		limiter string
		n       int
	}{{"fixed-window", 2}, {"fixed-window", 8}, {"fixed-window", 64}, {"sliding-log", 2}, {"sliding-log", 8}, {"sliding-log", 64}} {
		c.Points = append(c.Points, Point{
			At:       fleetPlace("saturated", at.limiter, at.n, fleetRR, "local", "rate", "2/s", "burst", "20"),
			Expected: theory.FleetSaturated(at.n, theory.LogEnvelope(20, w, w)) / 20,
		})
	}
	c.Outside = []Point{{At: fleetPlace("saturated", "token-bucket", 8, fleetRR, "local", "rate", "2/s", "burst", "20"), Expected: 8}}
	return c
}

func fleetInstant() Claim {
	c := Claim{
		Text:   "three instances × 20 tokens: a burst passes N times the limit",
		Domain: "round robin, a burst of twice what passes, at one instant, on limiters that have rested; every algorithm",
		Wrong:  "a bucket that the servers share, a burst that one server gets, a limiter that still remembers the burst before",
		Source: "theory.FleetSaturated",
		Metric: "max_window_admitted", Relation: Exact,
	}
	for _, at := range []struct {
		limiter string
		n       int
		one     float64
	}{
		{"token-bucket", 2, 20}, {"token-bucket", 3, 20}, {"token-bucket", 8, 20}, {"gcra", 3, 20}, {"leaky-queue", 3, 20}, {"leaky-meter", 3, 1},
		{"fixed-window", 3, 20}, {"sliding-log", 3, 20}, {"sliding-counter", 3, 20},
	} {
		c.Points = append(c.Points, Point{At: fleetPlace("instant", at.limiter, at.n, fleetRR, "local"), Expected: theory.FleetSaturated(at.n, at.one)})
	}
	c.Outside = []Point{
		{At: fleetPlace("instant", "token-bucket", 3, fleetRR, "central"), Expected: 60},
		{At: fleetPlace("instant", "token-bucket", 3, "hash", "local"), Expected: 60},
	}
	return c
}

func fleetInstantCured() Claim {
	c := Claim{
		Text:   "the same burst passes a central bucket once, and quotas as far as they divide",
		Domain: "round robin, a burst of 2·N·20 at one instant on rested token buckets; a central store at any distance",
		Wrong:  "servers that keep the whole limit, a remainder given out twice",
		Source: "the burst; the sum of theory.Quotas",
		Metric: "max_window_admitted", Relation: Exact,
	}
	place := func(n int, coordination string, expected float64) Point {
		return Point{At: fleetPlace("instant", "token-bucket", n, fleetRR, coordination), Expected: expected}
	}
	sum := func(n int, left theory.Remainder) (total float64) {
		for _, q := range theory.Quotas(20, n, left) {
			total += float64(q)
		}
		return total
	}
	for _, n := range []int{2, 3, 8} {
		c.Points = append(c.Points, place(n, "central", 20), place(n, "quota", sum(n, theory.Spread)), place(n, "quota:remainder=drop", sum(n, theory.Drop)))
	}
	c.Outside = []Point{place(3, "local", 20)}
	return c
}

// fleetSplitPlaces are the numbers of servers and the loads at which random
// splits are checked: where a server is offered 0.75, 1 and 1.5 times its rate.
var fleetSplitPlaces = []struct{ n, load int }{{4, 3}, {4, 4}, {4, 6}, {16, 16}}

// In part split bursts and limits are 10, and loads are in units of the rate,
// so that a window of limit 10 is offered 10·load on average.
const fleetTen = 10

// fleetSplitSums gives what the fleet admits over the promised rate, when its
// servers get the shares w of a Poisson stream and keep the whole limit each.
var fleetSplitSums = map[string]func(load float64, w []float64) float64{
	"fixed-window": func(load float64, w []float64) float64 {
		return theory.FleetFixedWindow(load*fleetTen, w, fleetAll(len(w), fleetTen)) / fleetTen
	},
	"sliding-log": func(load float64, w []float64) float64 {
		return theory.FleetSlidingLog(load*fleetTen, w, fleetAll(len(w), fleetTen)) / fleetTen
	},
	"sliding-counter": func(load float64, w []float64) float64 {
		return theory.FleetSlidingCounter(theory.Fits, theory.CountAdmitted, load*fleetTen, w, fleetAll(len(w), fleetTen)) / fleetTen
	},
	"token-bucket": func(load float64, w []float64) float64 {
		return theory.FleetTokenBucket(load, w, 1, fleetAll(len(w), fleetTen))
	},
	"leaky-meter": func(load float64, w []float64) float64 {
		return theory.FleetTokenBucket(load, w, 1, fleetAll(len(w), 1))
	},
}

func fleetAll(n, limit int) []int { return theory.Quotas(n*limit, n, theory.Spread) }

func fleetSplitPoint(limiter, sum string, n, load int, balancer string, weights []float64) Point {
	return Point{
		At:       fleetPlace("split", limiter, n, balancer, "local", "load", strconv.Itoa(load)),
		Expected: fleetSplitSums[sum](float64(load), weights),
	}
}

// fleetSplitClaim checks a random split of Poisson arrivals. Outside lies the
// round robin at the same place, whose servers see streams smoother than
// Poisson.
func fleetSplitClaim(limiter string, c Claim) Claim {
	c.Domain = "Poisson arrivals, each to any server with equal chance; windows aligned; long run (warm-up 4·b² emission intervals)"
	c.Wrong = "servers that share counts; a balancer whose choices depend on each other"
	c.Metric, c.Relation = "admitted_over_rate", Equal
	for _, at := range fleetSplitPlaces {
		c.Points = append(c.Points, fleetSplitPoint(limiter, limiter, at.n, at.load, fleetRandom, theory.Equal(at.n)))
	}
	c.Outside = append(c.Outside, fleetSplitPoint(limiter, limiter, 16, 16, fleetRR, theory.Equal(16)))
	return c
}

func fleetSplitWindow() Claim {
	c := fleetSplitClaim("fixed-window", Claim{
		Text:   "fixed windows behind a random balancer admit N·E[min(Pois(a/N), L)]",
		Source: "theory.FleetFixedWindow",
	})
	// Nothing is in flight, so that two choices are random.
	c.Points = append(c.Points, fleetSplitPoint("fixed-window", "fixed-window", 4, 4, fleetTwo, theory.Equal(4)))
	return c
}

func fleetSplitBucket() Claim {
	c := fleetSplitClaim("token-bucket", Claim{
		Text:   "buckets behind a random balancer admit Λ(1 − loss of M/D/1/b at Λ/Nr)",
		Source: "theory.FleetTokenBucket",
	})
	for _, limiter := range []string{"gcra", "leaky-queue"} {
		c.Points = append(c.Points, fleetSplitPoint(limiter, "token-bucket", 4, 4, fleetRandom, theory.Equal(4)))
	}
	c.Points = append(c.Points, fleetSplitPoint("leaky-meter", "leaky-meter", 4, 4, fleetRandom, theory.Equal(4)),
		fleetSplitPoint("token-bucket", "token-bucket", 4, 4, fleetTwo, theory.Equal(4)))
	return c
}

func fleetSplitLog() Claim {
	return fleetSplitClaim("sliding-log", Claim{
		Text:   "logs behind a random balancer admit Λ(1 − ErlangB(L, a/N))",
		Source: "theory.FleetSlidingLog",
	})
}

func fleetSplitCounter() Claim {
	return fleetSplitClaim("sliding-counter", Claim{
		Text:   "counters behind a random balancer admit N times what the chain of one counter says",
		Source: "theory.FleetSlidingCounter",
	})
}

func fleetSplitWeighted() Claim {
	c := Claim{
		Text:   "under Zipf weights each server is a limit of its own share",
		Domain: "Poisson arrivals, server i with chance proportional to 1/i; every algorithm that has a closed form; long run",
		Wrong:  "servers that share counts; other weights",
		Source: "theory.FleetFixedWindow, FleetSlidingLog, FleetSlidingCounter, FleetTokenBucket of theory.Zipf",
		Metric: "admitted_over_rate", Relation: Equal,
	}
	for _, limiter := range []string{"fixed-window", "sliding-log", "sliding-counter", "token-bucket"} {
		c.Points = append(c.Points,
			fleetSplitPoint(limiter, limiter, 4, 4, fleetZipf, theory.Zipf(4, 1)),
			fleetSplitPoint(limiter, limiter, 16, 16, fleetZipf, theory.Zipf(16, 1)))
	}
	c.Outside = []Point{fleetSplitPoint("fixed-window", "fixed-window", 16, 16, fleetZipf, theory.Equal(16))}
	return c
}

func fleetRoundRobin() Claim {
	c := Claim{
		Text:   "fixed windows behind a round robin admit what one window of N·L admits",
		Domain: "Poisson arrivals, one round robin, aligned windows of equal limits",
		Wrong:  "any other balancer, limiters that see when requests come and not only how many",
		Source: "theory.FleetRoundRobinFixedWindow",
		Metric: "admitted_over_rate", Relation: Equal,
	}
	place := func(limiter string, n, load int, balancer string) Point {
		return Point{
			At:       fleetPlace("split", limiter, n, balancer, "local", "load", strconv.Itoa(load)),
			Expected: theory.FleetRoundRobinFixedWindow(float64(load*fleetTen), fleetAll(n, fleetTen)) / fleetTen,
		}
	}
	// Above 5/4 of what they admit together too few windows are not full.
	for _, at := range []struct{ n, load int }{{4, 3}, {4, 4}, {4, 5}, {16, 16}} {
		c.Points = append(c.Points, place("fixed-window", at.n, at.load, fleetRR))
	}
	c.Outside = []Point{place("fixed-window", 16, 16, fleetRandom), place("sliding-log", 16, 16, fleetRR)}
	return c
}

func fleetMirror() Claim {
	c := Claim{
		Text:   "quotas of a fixed window behind a round robin decide as one central window",
		Domain: "one round robin, unit costs, N divides L: of n requests in a window min(n, L) pass, whoever's turn it is",
		Wrong:  "a remainder, any other balancer, a limiter that sees when requests come: each refuses what a central one admits",
		Source: "the same arrivals through a central limiter: no difference",
		Metric: fleetMinusCentral, Relation: Exact,
	}
	place := func(limiter string, n int, balancer string) Point {
		return Point{At: fleetPlace("quota", limiter, n, balancer, "quota")}
	}
	for _, n := range []int{2, 4, 16, 64} {
		c.Points = append(c.Points, place("fixed-window", n, fleetRR))
	}
	c.Outside = []Point{
		place("sliding-log", 4, fleetRR), place("token-bucket", 4, fleetRR),
		place("fixed-window", 10, fleetRR), place("fixed-window", 4, fleetRandom),
	}
	return c
}

// fleetQuotaUsed returns the share of a fixed window's limit of 64 that its
// quotas admit, of Poisson arrivals at exactly the promised rate.
func fleetQuotaUsed(n int, weights []float64) float64 {
	return theory.FleetFixedWindow(64, weights, theory.Quotas(64, n, theory.Spread)) / 64
}

func fleetQuotaSplit() Claim {
	c := Claim{
		Text:   "quotas starve: at exactly the promised rate they admit Σ E[min(Pois(a·w), L/N)]",
		Domain: "fixed windows, Poisson arrivals, random or Zipf-weighted balancer",
		Wrong:  "servers that lend each other what they do not use; a balancer that deals evenly",
		Source: "theory.FleetFixedWindow of theory.Quotas",
		Metric: "admitted_over_rate", Relation: Equal,
	}
	place := func(n int, balancer string, weights []float64) Point {
		v := fleetQuotaUsed(n, weights)
		return Point{At: fleetPlace("quota", "fixed-window", n, balancer, "quota"), Expected: v, Scale: min(v, 1-v)}
	}
	for _, n := range []int{16, 32, 64} {
		c.Points = append(c.Points, place(n, fleetRandom, theory.Equal(n)), place(n, fleetZipf, theory.Zipf(n, 1)))
	}
	c.Outside = []Point{place(64, fleetRR, theory.Equal(64))}
	return c
}

func fleetQuotaSaturated() Claim {
	c := Claim{
		Text:   "saturated quotas admit what division leaves of the promise",
		Domain: "round robin, steady arrivals far above the promise; fixed window and log; servers beyond the limit refuse everything",
		Wrong:  "a remainder given to nobody or twice, quotas rounded up, the whole limit kept",
		Source: "theory.QuotaUsedShare",
		Metric: "admitted_over_rate", Relation: Exact,
	}
	place := func(limiter string, n int, coordination string, left theory.Remainder) Point {
		return Point{
			At:       fleetPlace("saturated", limiter, n, fleetRR, coordination, "rate", "2/s", "burst", "20"),
			Expected: theory.QuotaUsedShare(20, n, left),
		}
	}
	const drop = "quota:remainder=drop"
	c.Points = []Point{
		place("fixed-window", 8, "quota", theory.Spread), place("fixed-window", 64, "quota", theory.Spread), place("sliding-log", 16, "quota", theory.Spread),
		place("fixed-window", 8, drop, theory.Drop), place("fixed-window", 64, drop, theory.Drop), place("sliding-log", 16, drop, theory.Drop),
	}
	c.Outside = []Point{place("fixed-window", 8, "local", theory.Spread)}
	return c
}

func fleetHashRate() Claim {
	c := Claim{
		Text:   "hashed by key, one caller has one limit however many servers there are",
		Domain: "one key, saturated, local limits, a hash of the key as balancer",
		Wrong:  "a balancer that spreads a key; a key that moves to another server",
		Source: "theory.FleetSaturated of one server",
		Metric: "admitted_over_rate", Relation: Exact,
	}
	place := func(limiter string, n int, balancer string) Point {
		return Point{At: fleetPlace("saturated", limiter, n, balancer, "local", "rate", "2/s", "burst", "20"), Expected: theory.FleetSaturated(1, 1)}
	}
	c.Points = []Point{place("token-bucket", 2, "hash"), place("token-bucket", 64, "hash"), place("fixed-window", 8, "hash"), place("sliding-log", 64, "hash")}
	c.Outside = []Point{place("token-bucket", 2, fleetRR)}
	return c
}

func fleetHashKeys() Claim {
	c := Claim{
		Text:   "hashed by key, no caller among many gets above the limit in any window",
		Domain: "16 keys, sliding logs, a hash of the key as balancer, demand four times the limit of each key",
		Wrong:  "a balancer that spreads a key; keys that share a limit",
		Source: "theory.LogEnvelope, reached because every key is saturated",
		Metric: "max_window_admitted", Relation: Exact,
	}
	const w = 4 * time.Second
	place := func(n int, balancer string) Point {
		return Point{At: fleetPlace("keys", "sliding-log", n, balancer, "local"), Expected: theory.LogEnvelope(8, w, w)}
	}
	c.Points = []Point{place(2, "hash"), place(8, "hash"), place(64, "hash")}
	c.Outside = []Point{place(8, fleetRR)}
	return c
}

// fleetRemap: bursts so close together that nothing is earned between them.
func fleetRemap() Claim {
	c := Claim{
		Text:   "hashed by key, a caller gets one limit more each time that its server goes down",
		Domain: "one key, local limits, a burst of twice the limit before and after each remap, all within one window; every algorithm",
		Wrong:  "servers that hand over their counts, a central count, a key that comes back to a server that remembers it",
		Source: "theory.FleetSaturated of the servers that the key has been at",
		Metric: "max_window_admitted", Relation: Exact,
	}
	place := func(limiter string, n, remaps int, one float64, coordination string) Point {
		return Point{
			At:       fleetPlace("remap", limiter, n, "hash", coordination, "remaps", strconv.Itoa(remaps), "keys", "1"),
			Expected: theory.FleetSaturated(remaps+1, one),
		}
	}
	for _, at := range []struct {
		limiter   string
		n, remaps int
		one       float64
	}{
		{"token-bucket", 8, 0, 20}, {"token-bucket", 8, 1, 20}, {"token-bucket", 8, 3, 20}, {"token-bucket", 64, 3, 20}, {"gcra", 8, 2, 20},
		{"fixed-window", 8, 3, 20}, {"sliding-log", 8, 2, 20}, {"sliding-counter", 8, 2, 20}, {"leaky-queue", 8, 1, 20}, {"leaky-meter", 8, 3, 1},
	} {
		c.Points = append(c.Points, place(at.limiter, at.n, at.remaps, at.one, "local"))
	}
	c.Outside = []Point{place("token-bucket", 8, 1, 20, "central")}
	return c
}

func fleetMovedKeys() Claim {
	c := Claim{
		Text:   "a server that goes down moves its own keys, and no others",
		Domain: "a hash of the key as balancer; each server down once, in the middle of a window: every key moves once in all",
		Wrong:  "a hash modulo the number of servers, which moves most keys each time; a balancer that spreads keys",
		Source: "the number of keys",
		Metric: fleetMoved, Relation: Exact,
	}
	place := func(n int, balancer string) Point {
		return Point{At: fleetPlace("remap", "fixed-window", n, balancer, "local", "keys", "16"), Expected: 16}
	}
	c.Points = []Point{place(4, "hash"), place(8, "hash"), place(16, "hash")}
	c.Outside = []Point{place(8, fleetRR)}
	return c
}

// fleetHeld: queues hold calls, which a balancer can count.
func fleetHeld() Claim {
	c := Claim{
		Text:   "two choices between queues lose less than half of what random loses",
		Domain: "leaky queues of 10 at exactly the rate of each, Poisson arrivals, N from 4 to 16",
		Wrong:  "limiters that hold nothing, so that no server seems busy; queues far above their rate, all of which are full",
		Source: "half way from theory.FleetTokenBucket to theory.FleetFluid",
		Metric: "admitted_over_rate", Relation: AtLeast,
	}
	place := func(limiter, balancer string, n int) Point {
		load := float64(n)
		ones := make([]float64, n)
		for i := range ones {
			ones[i] = 1
		}
		random, fluid := fleetSplitSums["token-bucket"](load, theory.Equal(n)), theory.FleetFluid(load, theory.Equal(n), ones)
		return Point{At: fleetPlace("split", limiter, n, balancer, "local", "load", strconv.Itoa(n)), Expected: (random + fluid) / 2}
	}
	c.Points = []Point{place("leaky-queue", fleetTwo, 4), place("leaky-queue", fleetTwo, 8), place("leaky-queue", fleetTwo, 16), place("leaky-queue", "least", 16)}
	c.Outside = []Point{place("gcra", fleetTwo, 8)}
	return c
}

func fleetCentralBound() Claim {
	c := Claim{
		Text:   "a central log never admits above its limit in any window",
		Domain: "any number of servers, any round trip, Poisson arrivals at ten times the rate",
		Wrong:  "a check that does not charge at once, servers that decide by themselves",
		Source: "theory.LogEnvelope",
		Metric: "max_window_admitted", Relation: AtMost,
	}
	const w = 10 * time.Second
	place := func(n int, coordination, rtt string) Point {
		return Point{At: fleetPlace("store", "sliding-log", n, fleetRR, coordination, "rtt", rtt), Expected: theory.LogEnvelope(20, w, w)}
	}
	c.Points = []Point{place(3, "central", "20ms"), place(8, "central", "1s"), place(64, "central", "0s"), place(64, "central", "20ms")}
	c.Outside = []Point{place(3, "local", "0s")}
	return c
}

func fleetCentralDelay() Claim {
	c := Claim{
		Text:   "a central limit costs every admitted request one round trip",
		Domain: "a limiter that does not delay, a store that is never busy",
		Wrong:  "answers kept from an earlier check, a second trip, a decision without the store",
		Source: "the round trip",
		Metric: "delay_mean", Relation: Exact,
	}
	place := func(n int, coordination, rtt string, d time.Duration) Point {
		return Point{At: fleetPlace("store", "sliding-log", n, fleetRR, coordination, "rtt", rtt), Expected: d.Seconds()}
	}
	c.Points = []Point{
		place(3, "central", "20ms", 20*time.Millisecond), place(8, "central", "1s", time.Second), place(64, "central", "20ms", 20*time.Millisecond),
	}
	c.Outside = []Point{place(3, "local", "0s", 20*time.Millisecond)}
	return c
}
