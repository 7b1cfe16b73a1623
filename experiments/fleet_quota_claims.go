package experiments

import (
	"fmt"
	"strconv"

	"ratelab/experiments/theory"
)

func quotaClaims() []Claim {
	return []Claim{
		quotaSplit(),
		quotaRoundRobin(),
		quotaAlgorithms(),
		quotaSharding(),
		quotaShardedKey(),
		quotaMatching(),
		quotaDivision(),
		quotaBucketRate(),
		quotaBucketBurst(),
		quotaNothingLeft(),
		quotaPromise(),
		quotaNoGain(),
		quotaAdaptivePromise(),
		quotaAdaptiveEnvelope(),
		quotaAdaptiveRecovers(),
		quotaOutage(),
		quotaHeld(),
		quotaGreedyHeld(),
		quotaBatches(),
	}
}

// quotaPlace names a place of one part: N, balancer, coordination, and whatever
// else is given.
func quotaPlace(part, limiter string, n int, balancer, coordination string, more ...string) []string {
	return append([]string{"part", part, "limiter", limiter, "servers", strconv.Itoa(n), "balancer", balancer, "coordination", coordination}, more...)
}

// quotaWeights are the shares of a stream that balancers give to N servers.
var quotaWeights = map[string]func(n int) []float64{
	fleetRandom: theory.Equal,
	fleetZipf:   func(n int) []float64 { return theory.Zipf(n, 1) },
}

// quotaLoads are the loads of a limit of 100 at which sums are checked.
var quotaLoads = []struct {
	text     string
	requests float64 // per window
}{{"0.8", 80}, {"1", 100}, {"1.2", 120}}

func quotaSplit() Claim {
	c := Claim{
		Text:   "quotas of fixed windows admit Σ E[min(Pois(Λw), L/N)] per window",
		Domain: "Poisson arrivals, each request to any server with equal or Zipf-distributed chance, windows aligned",
		Wrong:  "servers that lend each other what they do not use; a balancer whose choices depend on each other",
		Source: "theory.FleetFixedWindow of theory.Quotas",
		Metric: "admitted_rate", Relation: Equal,
	}
	place := func(n int, balancer, as, load string, a float64) Point {
		return Point{
			At:       quotaPlace("split", "fixed-window", n, balancer, "quota", "load", load),
			Expected: theory.FleetFixedWindow(a, quotaWeights[as](n), theory.Quotas(100, n, theory.Spread)),
		}
	}
	for _, balancer := range []string{fleetRandom, fleetZipf} {
		for _, load := range quotaLoads {
			c.Points = append(c.Points, place(10, balancer, balancer, load.text, load.requests))
		}
		c.Points = append(c.Points, place(4, balancer, balancer, "1", 100), place(8, balancer, balancer, "1", 100), place(20, balancer, balancer, "1", 100))
	}
	c.Outside = []Point{place(10, fleetRR, fleetRandom, "1", 100), place(10, fleetRandom, fleetZipf, "1", 100)}
	return c
}

func quotaRoundRobin() Claim {
	c := Claim{
		Text:   "behind a round robin they admit E[min(Pois(Λ), L)] per window, as one central window",
		Domain: "Poisson arrivals, one round robin, aligned windows; a little less where N does not divide L",
		Wrong:  "any other balancer; limiters that see when requests come and not only how many",
		Source: "theory.FleetRoundRobinFixedWindow of theory.Quotas",
		Metric: "admitted_rate", Relation: Equal,
	}
	place := func(n int, balancer, load string, a float64) Point {
		return Point{
			At:       quotaPlace("split", "fixed-window", n, balancer, "quota", "load", load),
			Expected: theory.FleetRoundRobinFixedWindow(a, theory.Quotas(100, n, theory.Spread)),
		}
	}
	for _, load := range quotaLoads {
		c.Points = append(c.Points, place(10, fleetRR, load.text, load.requests))
	}
	c.Points = append(c.Points, place(8, fleetRR, "1", 100), place(20, fleetRR, "1", 100))
	c.Outside = []Point{place(10, fleetRandom, "1", 100)}
	return c
}

// quotaAlgorithm gives what servers of other algorithms admit per window of a
// Poisson stream of 100, of which they have the shares w.
var quotaAlgorithm = map[string]func(w []float64, left theory.Remainder) float64{
	"sliding-log": func(w []float64, left theory.Remainder) float64 {
		return theory.FleetSlidingLog(100, w, theory.Quotas(100, len(w), left))
	},
	"sliding-counter": func(w []float64, left theory.Remainder) float64 {
		return theory.FleetSlidingCounter(theory.Fits, theory.CountAdmitted, 100, w, theory.Quotas(100, len(w), left))
	},
	"token-bucket": func(w []float64, left theory.Remainder) float64 {
		return theory.FleetTokenBucket(100, w, 100/float64(len(w)), theory.Quotas(100, len(w), left))
	},
}

func quotaAlgorithms() Claim {
	c := Claim{
		Text:   "quotas of logs, counters and buckets admit the sum of what each share admits alone",
		Domain: "Poisson arrivals at exactly the promise, random or Zipf-weighted; a bucket's share has the rate r/N exactly and the burst ⌊b/N⌋",
		Wrong:  "a bucket whose share of the rate is rounded, or its burst not; servers that share counts; a round robin, which makes streams smoother than Poisson",
		Source: "theory.FleetSlidingLog, FleetSlidingCounter, FleetTokenBucket of theory.Quotas",
		Metric: "admitted_rate", Relation: Equal,
	}
	place := func(limiter string, n int, balancer, as, coordination string, left theory.Remainder) Point {
		return Point{
			At:       quotaPlace("split", limiter, n, balancer, coordination, "load", "1"),
			Expected: quotaAlgorithm[limiter](quotaWeights[as](n), left),
		}
	}
	for _, limiter := range []string{"sliding-log", "sliding-counter", "token-bucket"} {
		for _, balancer := range []string{fleetRandom, fleetZipf} {
			c.Points = append(c.Points, place(limiter, 10, balancer, balancer, "quota", theory.Spread))
		}
		c.Outside = append(c.Outside, place(limiter, 10, fleetRR, fleetRandom, "quota", theory.Spread))
	}
	c.Points = append(c.Points,
		place("token-bucket", 8, fleetRandom, fleetRandom, "quota", theory.Spread),
		place("token-bucket", 8, fleetRandom, fleetRandom, quotaDrop, theory.Drop))
	return c
}

func quotaSharding() Claim {
	c := Claim{
		Text:   "S shards of a store, drawn for each request, admit what quotas of S servers do behind a random balancer",
		Domain: "one key, Poisson arrivals, a store without a round trip, whatever the servers and their balancer",
		Wrong:  "a shard that is not drawn anew for each request; shards that are servers'",
		Source: "theory.QuotaUsedShareRandom of theory.Equal(S)",
		Metric: "admitted_rate", Relation: Equal,
	}
	place := func(format string, shards int) Point {
		return Point{
			At:       quotaPlace("split", "fixed-window", 10, fleetRR, fmt.Sprintf(format, shards), "load", "1"),
			Expected: 100 * theory.QuotaUsedShareRandom(100, theory.Equal(shards), 100, theory.Spread),
		}
	}
	c.Points = []Point{place(quotaSharded, 4), place(quotaSharded, 10), place(quotaSharded, 20)}
	c.Outside = []Point{place(quotaHashed, 10)}
	return c
}

func quotaShardedKey() Claim {
	c := Claim{
		Text:   "a key that is hashed to one shard, or to one server with a quota, has L/S",
		Domain: "16 keys, each offered three times its limit, S divides L; all keys together are then admitted 16·L/S per window",
		Wrong:  "a key that moves among shards, servers that enforce the whole limit, a demand that does not fill a share",
		Source: "theory.ShardedKeyLimit",
		Metric: "admitted_rate", Relation: Exact,
	}
	place := func(n int, balancer, coordination string, shards int) Point {
		return Point{
			At:       quotaPlace("keys", "fixed-window", n, balancer, coordination),
			Expected: quotaKeys * theory.ShardedKeyLimit(20, shards, theory.Spread),
		}
	}
	for _, shards := range []int{2, 5, 20} {
		c.Points = append(c.Points, place(10, fleetRR, fmt.Sprintf(quotaHashed, shards), shards))
	}
	c.Points = append(c.Points, place(5, "hash", "quota", 5))
	c.Outside = []Point{place(10, fleetRR, fmt.Sprintf(quotaSharded, 5), 5), place(5, "hash", "local", 5)}
	return c
}

func quotaMatching() Claim {
	c := Claim{
		Text:   "shares of 4/2/1/1 under a demand of 4/2/1/1 admit Σ E[min(Pois(Λw), Lw)]",
		Domain: "Poisson arrivals, fixed windows, shares in the proportions of the balancer's weights",
		Wrong:  "equal shares; shares given to other servers",
		Source: "theory.FleetFixedWindow of the shares 40, 20, 10 and 10 of 80",
		Metric: "admitted_rate", Relation: Equal,
	}
	place := func(coordination, load string, a float64) Point {
		return Point{
			At:       quotaPlace("split", "fixed-window", 4, quotaUneven, coordination, "load", load),
			Expected: theory.FleetFixedWindow(a, []float64{0.5, 0.25, 0.125, 0.125}, []int{40, 20, 10, 10}),
		}
	}
	c.Points = []Point{place(quotaShares, "0.8", 64), place(quotaShares, "1", 80), place(quotaShares, "1.2", 96)}
	c.Outside = []Point{place("quota", "1", 80)}
	return c
}

func quotaDivision() Claim {
	c := Claim{
		Text:   "with the remainder dropped, saturated quotas use N⌊L/N⌋/L of the promise, counters that must fit N(⌊L/N⌋−1)/L",
		Domain: "round robin, steady arrivals at twice the limit for each server; fixed window, log and counter; a counter of limit 1 uses half of it",
		Wrong:  "a remainder that is given out; shares rounded up",
		Source: "theory.QuotaUsedShare, QuotaUsedShareCounter",
		Metric: "admitted_over_rate", Relation: Exact,
	}
	place := func(limiter string, n int, coordination string) Point {
		used := theory.QuotaUsedShare(20, n, theory.Drop)
		if limiter == "sliding-counter" {
			used = theory.QuotaUsedShareCounter(theory.Fits, 20, n, theory.Drop)
		}
		return Point{At: quotaPlace("saturated", limiter, n, fleetRR, coordination), Expected: used}
	}
	for _, limiter := range []string{"fixed-window", "sliding-log", "sliding-counter"} {
		for _, n := range []int{3, 8, 12, 16, 64} {
			c.Points = append(c.Points, place(limiter, n, quotaDrop))
		}
		c.Outside = append(c.Outside, place(limiter, 12, "quota"))
	}
	return c
}

func quotaBucketRate() Claim {
	c := Claim{
		Text:   "saturated buckets use the whole rate, but for the shares of servers whose burst is 0",
		Domain: "round robin, steady arrivals at twice the rate for each server; r/N is exact, so that nothing is lost as long as one token fits",
		Wrong:  "a share of the rate that is rounded, a burst of 0 that still admits",
		Source: "the share of theory.Quotas above 0",
		Metric: "admitted_over_rate", Relation: Exact,
	}
	place := func(limiter string, n int, coordination string, left theory.Remainder) Point {
		some := 0
		for _, burst := range theory.Quotas(20, n, left) {
			if burst > 0 {
				some++
			}
		}
		return Point{At: quotaPlace("saturated", limiter, n, fleetRR, coordination), Expected: float64(some) / float64(n)}
	}
	for _, n := range []int{3, 8, 16, 32, 64} {
		c.Points = append(c.Points, place("token-bucket", n, "quota", theory.Spread), place("token-bucket", n, quotaDrop, theory.Drop))
	}
	c.Outside = []Point{place("fixed-window", 16, quotaDrop, theory.Drop)}
	return c
}

func quotaBucketBurst() Claim {
	c := Claim{
		Text:   "a burst passes them as far as it divides: N⌊b/N⌋ with the remainder dropped",
		Domain: "round robin, a burst of 2·N·b at one instant on rested token buckets",
		Wrong:  "a remainder that is given out; bursts rounded up",
		Source: "the sum of theory.Quotas",
		Metric: "max_window_admitted", Relation: Exact,
	}
	place := func(n int, coordination string) Point {
		sum := 0
		for _, q := range theory.Quotas(20, n, theory.Drop) {
			sum += q
		}
		// Half a bucket comes back in the second over which the most is
		// sought; a burst at its first instant is refused the rest.
		return Point{At: quotaPlace("instant", "token-bucket", n, fleetRR, coordination), Expected: float64(sum)}
	}
	c.Points = []Point{place(3, quotaDrop), place(8, quotaDrop), place(16, quotaDrop), place(64, quotaDrop)}
	c.Outside = []Point{place(3, "quota"), place(64, "quota")}
	return c
}

func quotaNothingLeft() Claim {
	c := Claim{
		Text:   "of N servers that share a limit below N, N−L have nothing to give",
		Domain: "N > L, the remainder spread, every algorithm",
		Wrong:  "shares rounded up; servers that enforce the whole limit",
		Source: "the zeros of theory.Quotas: N − L",
		Metric: "zero_share_servers", Relation: Exact,
	}
	place := func(limiter string, n int) Point {
		return Point{At: quotaPlace("saturated", limiter, n, fleetRR, "quota"), Expected: float64(n - 20)}
	}
	c.Points = []Point{place("fixed-window", 20), place("fixed-window", 32), place("token-bucket", 32), place("sliding-log", 64), place("token-bucket", 64)}
	c.Outside = []Point{place("fixed-window", 16)}
	return c
}

func quotaPromise() Claim {
	c := Claim{
		Text:   "quotas never admit above the promise",
		Domain: "fixed windows, counted over the same windows, any demand and balancer; shares of equal or other proportions, and over the servers that serve as long as none stops",
		Wrong:  "a remainder given out twice, servers that enforce the whole limit",
		Source: "shares add up to the limit",
		Metric: "excess_mean", Relation: Exact,
	}
	place := func(part string, n int, balancer, coordination, load string) Point {
		return Point{At: quotaPlace(part, "fixed-window", n, balancer, coordination, "load", load)}
	}
	c.Points = []Point{
		place("split", 10, fleetRR, "quota", "1.2"), place("split", 10, fleetRandom, "quota", "2"), place("split", 10, fleetZipf, "quota", "2"),
		place("split", 8, fleetRandom, "quota", "1"), place("split", 4, quotaUneven, quotaShares, "1.2"), place("outage", 10, fleetRR, quotaServing, "1.2"),
	}
	c.Outside = []Point{place("split", 10, fleetRR, "local", "1.2")}
	return c
}

func quotaNoGain() Claim {
	c := Claim{
		Text:   "no division of a limit admits more than one central limiter of the same arrivals",
		Domain: "unit costs; fixed window, log and token bucket, whose central form admits as much of any arrivals as their promise allows",
		Wrong:  "servers that enforce the whole limit; shares that move within a window, and then count twice",
		Source: "the same arrivals through a central limiter: no more",
		Metric: fleetMinusCentral, Relation: AtMost,
	}
	place := func(limiter, balancer, coordination, load string) Point {
		return Point{At: quotaPlace("central", limiter, 10, balancer, coordination, "load", load)}
	}
	for _, limiter := range []string{"fixed-window", "sliding-log", "token-bucket"} {
		for _, balancer := range []string{fleetRandom, fleetZipf} {
			c.Points = append(c.Points, place(limiter, balancer, "quota", "1"))
		}
	}
	c.Points = append(c.Points, place("fixed-window", fleetRR, "quota", "1.2"), place("fixed-window", fleetZipf, quotaAdaptive, "1.2"))
	c.Outside = []Point{place("fixed-window", fleetRR, "local", "1.2")}
	return c
}

func quotaAdaptivePromise() Claim {
	c := Claim{
		Text:   "shares that follow demand never admit above the promise if they move only where windows turn",
		Domain: "fixed windows, a period that is a multiple of the window, whatever the demand",
		Wrong:  "shares that move within a window: what was counted at one server is free again at another",
		Source: "shares add up to the limit, and none moves within a window",
		Metric: "excess_mean", Relation: Exact,
	}
	place := func(balancer, coordination, load string) Point {
		return Point{At: quotaPlace("split", "fixed-window", 10, balancer, coordination, "load", load)}
	}
	c.Points = []Point{
		place(fleetRandom, quotaAdaptive, "1.2"), place(fleetZipf, quotaAdaptive, "1.2"), place(fleetZipf, quotaAdaptive, "1"),
		place(fleetRandom, "adaptive:period=3s", "1.2"), place(fleetZipf, "adaptive:period=3s", "1.2"),
		{At: quotaPlace("outage", "fixed-window", 10, fleetRR, quotaAdaptive, "load", "1.2")},
	}
	c.Outside = []Point{place(fleetRandom, quotaRestless, "1.2")}
	return c
}

func quotaAdaptiveEnvelope() Claim {
	c := Claim{
		Text:   "buckets whose shares follow demand keep the limit's envelope however often they move",
		Domain: "token buckets, any period and smoothing, any demand: most admitted in a second over burst + rate",
		Wrong:  "a bucket that keeps more than its new share holds, or gains tokens when it grows",
		Source: "theory.TokenBucketEnvelope of the whole limit over its own",
		Metric: "overshoot", Relation: AtMost,
	}
	place := func(balancer, coordination string) Point {
		return Point{At: quotaPlace("envelope", "token-bucket", 10, balancer, coordination), Expected: 1}
	}
	for _, coordination := range []string{quotaAdaptive, quotaRestless} {
		c.Points = append(c.Points, place(fleetRandom, coordination), place(fleetZipf, coordination))
	}
	c.Outside = []Point{place(fleetRandom, "local")}
	return c
}

func quotaAdaptiveRecovers() Claim {
	c := Claim{
		Text:   "where demand is uneven, shares that follow it admit at least what equal shares do",
		Domain: "Zipf-weighted demand, or three of ten servers down; fixed windows, estimates every window, a tenth shared evenly",
		Wrong:  "shares that do not follow; an even demand, whose noise they follow as well",
		Source: "theory.FleetFixedWindow, FleetRoundRobinFixedWindow of theory.Quotas",
		Metric: "admitted_rate", Relation: AtLeast,
	}
	quotas := theory.Quotas(100, 10, theory.Spread)
	for _, load := range quotaLoads {
		c.Points = append(c.Points, Point{
			At:       quotaPlace("split", "fixed-window", 10, fleetZipf, quotaAdaptive, "load", load.text),
			Expected: theory.FleetFixedWindow(load.requests, quotaWeights[fleetZipf](10), quotas),
		})
		if load.requests >= 100 {
			c.Points = append(c.Points, Point{
				At:       quotaPlace("outage", "fixed-window", 10, fleetRR, quotaAdaptive, "load", load.text),
				Expected: theory.FleetRoundRobinFixedWindow(load.requests, quotas[:7]),
			})
		}
	}
	c.Outside = []Point{{
		At:       quotaPlace("split", "fixed-window", 10, fleetRandom, quotaAdaptive, "load", "1"),
		Expected: theory.FleetFixedWindow(100, theory.Equal(10), quotas),
	}}
	return c
}

func quotaOutage() Claim {
	c := Claim{
		Text:   "servers that are down take their quotas with them, unless N counts those that serve",
		Domain: "k of N servers down for all windows that are counted, Poisson arrivals, fixed windows; over=fleet has N−k shares of L/N, over=serving N−k of L/(N−k)",
		Wrong:  "a balancer that still picks them; shares that stay as they were, or do not",
		Source: "theory.FleetRoundRobinFixedWindow, FleetFixedWindow of theory.Quotas",
		Metric: "admitted_rate", Relation: Equal,
	}
	place := func(n, down int, balancer, coordination string, limits []int, load string, a float64) Point {
		p := Point{At: quotaPlace("outage", "fixed-window", n, balancer, coordination, "down", strconv.Itoa(down), "load", load)}
		if balancer == fleetRR {
			p.Expected = theory.FleetRoundRobinFixedWindow(a, limits)
		} else {
			p.Expected = theory.FleetFixedWindow(a, theory.Equal(n-down), limits)
		}
		return p
	}
	// Where the quotas that are left are all used but for a few windows in a
	// whole run, there is nothing to compare.
	left := func(n, down int, balancer, load string, a float64) {
		c.Points = append(c.Points, place(n, down, balancer, "quota", theory.Quotas(100, n, theory.Spread)[down:], load, a))
	}
	serving := func(n, down int, balancer, load string, a float64) {
		c.Points = append(c.Points, place(n, down, balancer, quotaServing, theory.Quotas(100, n-down, theory.Spread), load, a))
	}
	left(10, 3, fleetRR, "0.8", 80)
	left(4, 1, fleetRR, "1", 100)
	left(10, 3, fleetRandom, "1", 100)
	for _, load := range quotaLoads {
		serving(10, 3, fleetRR, load.text, load.requests)
	}
	serving(4, 1, fleetRR, "1", 100)
	serving(4, 2, fleetRR, "1", 100)
	serving(10, 3, fleetRandom, "1", 100)
	c.Outside = []Point{place(10, 3, fleetRR, quotaAdaptive, theory.Quotas(100, 10, theory.Spread)[3:], "1", 100)}
	return c
}

func quotaHeld() Claim {
	c := Claim{
		Text:   "hashed by key, quotas starve large callers: of caller k they admit E[min(Pois(a), L/N)]",
		Domain: "ten callers of Zipf-distributed size, Poisson, of which the largest offers 17 of its limit of 20; fixed windows, N divides L",
		Wrong:  "callers whose requests go to several servers; servers that enforce the whole limit",
		Source: "the sum of theory.FixedWindowAdmitted at L/N over the callers",
		Metric: "admit_share", Relation: Equal,
	}
	place := func(n int, balancer, coordination string) Point {
		const offered = 0.25 * 20 * quotaTenants
		limits := make([]int, quotaTenants)
		for k := range limits {
			limits[k] = int(theory.ShardedKeyLimit(20, n, theory.Spread))
		}
		share := theory.FleetFixedWindow(offered, theory.Zipf(quotaTenants, 1), limits) / offered
		return Point{At: quotaPlace("tenants", "fixed-window", n, balancer, coordination, "greedy", "4"), Expected: share, Scale: shareScale(share)}
	}
	c.Points = []Point{place(2, "hash", "quota"), place(4, "hash", "quota"), place(5, "hash", "quota"), place(10, "hash", "quota"), place(20, "hash", "quota")}
	c.Outside = []Point{place(5, fleetRR, "quota"), place(5, "hash", "local")}
	return c
}

func quotaGreedyHeld() Claim {
	c := Claim{
		Text:   "a caller that is hashed to one server gets E[min(Pois(a), L/N)] of what it offers, though it offers less than its limit",
		Domain: "one caller beside ten others, which offers half of its limit, or all of it; fixed windows, N divides L",
		Wrong:  "callers that share a limit; a caller whose requests go to several servers",
		Source: "theory.ShardedKeyFixedWindow",
		Metric: quotaGreedyRate, Relation: Equal,
	}
	place := func(n int, balancer, coordination, greedy string, a float64) Point {
		return Point{
			At:       quotaPlace("tenants", "fixed-window", n, balancer, coordination, "greedy", greedy),
			Expected: theory.ShardedKeyFixedWindow(a, 20, n, theory.Spread),
		}
	}
	c.Points = []Point{
		place(2, "hash", "quota", "2", 10), place(4, "hash", "quota", "2", 10), place(5, "hash", "quota", "2", 10),
		place(1, "hash", "quota", "4", 20), place(2, "hash", "quota", "4", 20),
	}
	c.Outside = []Point{place(5, fleetRR, "quota", "4", 20), place(5, "hash", "local", "4", 20)}
	return c
}

func quotaBatches() Claim {
	c := Claim{
		Text:   "batches starve every window alike: quotas behind a round robin as one central window, behind a random balancer a little more",
		Domain: "batches of one size at Poisson times, each request dealt out by itself; fixed windows; behind a round robin N divides L",
		Wrong:  "a batch that goes to one server whole; windows that are not aligned",
		Source: "theory.FleetFixedWindowBatches",
		Metric: "admitted_rate", Relation: Equal,
	}
	place := func(balancer string, size, as int) Point {
		weights, limits := theory.Equal(1), []int{100}
		if w := quotaWeights[balancer]; w != nil {
			weights, limits = w(10), theory.Quotas(100, 10, theory.Spread)
		}
		return Point{
			At:       quotaPlace("batch", "fixed-window", 10, balancer, "quota", "size", strconv.Itoa(size)),
			Expected: theory.FleetFixedWindowBatches(100, as, weights, limits),
		}
	}
	for _, size := range []int{1, 5, 20} {
		c.Points = append(c.Points, place(fleetRR, size, size), place(fleetRandom, size, size))
	}
	c.Points = append(c.Points, place(fleetZipf, 5, 5))
	c.Outside = []Point{place(fleetRandom, 20, 1), place(fleetRR, 20, 1)}
	return c
}
