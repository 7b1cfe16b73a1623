package experiments

import (
	"strconv"

	"ratelab/experiments/theory"
)

func leaseClaims() []Claim {
	return []Claim{
		leaseKept(),
		leaseGrantedClaim(),
		leaseGrantsClaim(),
		leaseCallsClaim(),
		leaseVainClaim(),
		leaseRefusedClaim(),
		leaseStrandedClaim(),
		leaseStrandedMost(),
		leaseOutlivesClaim(),
		leaseOutlivesMost(),
	}
}

func leaseAt(part, batch string, more ...string) []string {
	return append([]string{"part", part, "batch", batch}, more...)
}

// leasePlain is the place that most claims look at, except for what is given.
func leasePlain(part, batch string, more ...string) []string {
	plain := []string{"servers", "8", "limit", "1000", "balancer", fleetRandom, "ttl", "window", "cache", "yes", "rtt", "0s"}
	for i := 0; i < len(more); i += 2 {
		for j := 0; j < len(plain); j += 2 {
			if plain[j] == more[i] {
				plain[j+1] = more[i+1]
			}
		}
	}
	return leaseAt(part, batch, plain...)
}

func leaseKept() Claim {
	c := Claim{
		Text:   "leases that end with their window never break the promise",
		Domain: "any batch, any number of servers, refusals remembered or not; windows that fill before their last round trip",
		Wrong:  "a lease that outlives its window, a store that does not charge what it grants",
		Source: "what is granted is charged",
		Metric: "excess_mean", Relation: Exact,
	}
	place := func(batch string, more ...string) Point {
		return Point{At: leasePlain("flood", batch, more...), Expected: 0, Scale: 1}
	}
	c.Points = []Point{
		place("1"), place("20"), place("30"), place("100"), place("20", "cache", "no"), place("20", "rtt", "10ms"), place("20", "servers", "16"),
		{At: leasePlain("promise", "20"), Expected: 0, Scale: 1},
	}
	c.Outside = []Point{{At: leasePlain("outlive", "20", "balancer", fleetRR, "ttl", "20s"), Expected: 0, Scale: 1}}
	return c
}

func leaseGrantedClaim() Claim {
	c := Claim{
		Text:   "the store grants no more than the promise in a window, and in a flood all of it",
		Domain: "four times the limit is asked for; leases that end with their window or later",
		Wrong:  "grants that are rounded up to whole batches, or beside what is left",
		Source: "the limit",
		Metric: leaseGranted, Relation: Exact,
	}
	place := func(part, batch string, more ...string) Point {
		return Point{At: leasePlain(part, batch, more...), Expected: 1000}
	}
	c.Points = []Point{
		place("flood", "1"), place("flood", "20"), place("flood", "30"), place("flood", "100"), place("flood", "20", "servers", "2"), place("flood", "20", "ttl", "15s"),
	}
	c.Outside = []Point{place("below", "10")}
	return c
}

func leaseGrantsClaim() Claim {
	c := Claim{
		Text:   "a window takes ⌈L/k⌉ granted calls",
		Domain: "windows of which all is granted",
		Wrong:  "demand below the limit, a last lease that is refused because it would be short",
		Source: "theory.LeaseGrantCalls",
		Metric: leaseGrants, Relation: Exact,
	}
	for _, k := range []int{1, 10, 20, 30, 100} {
		c.Points = append(c.Points, Point{At: leasePlain("flood", strconv.Itoa(k)), Expected: theory.LeaseGrantCalls(1000, k)})
	}
	c.Points = append(c.Points, Point{At: leasePlain("flood", "20", "rtt", "10ms"), Expected: theory.LeaseGrantCalls(1000, 20)},
		Point{At: leasePlain("flood", "20", "cache", "no"), Expected: theory.LeaseGrantCalls(1000, 20)})
	c.Outside = []Point{{At: leasePlain("below", "10"), Expected: theory.LeaseGrantCalls(1000, 10)}}
	return c
}

func leaseCallsClaim() Claim {
	c := Claim{
		Text:   "a flood costs (⌈L/k⌉ + N)/L calls per admitted request, if refusals are remembered",
		Domain: "a flood that reaches every server after its last token; an answer that takes no time",
		Wrong:  "servers that ask again though they were refused, a server that is not asked after its last token",
		Source: "theory.LeaseGrantCalls, and one refusal to a server",
		Metric: leaseCalls, Relation: Exact,
	}
	place := func(k, n int, more ...string) Point {
		return Point{
			At:       leasePlain("flood", strconv.Itoa(k), append(more, "servers", strconv.Itoa(n))...),
			Expected: (theory.LeaseGrantCalls(1000, k) + float64(n)) / 1000,
		}
	}
	c.Points = []Point{place(5, 8), place(20, 8), place(30, 8), place(100, 8), place(20, 2), place(20, 16)}
	c.Outside = []Point{place(20, 8, "cache", "no")}
	return c
}

func leaseVainClaim() Claim {
	c := Claim{
		Text:   "each server calls once in vain in a window, if it remembers",
		Domain: "as above",
		Wrong:  "as above",
		Source: "the number of servers",
		Metric: leaseVain, Relation: Exact,
	}
	place := func(k string, n int, more ...string) Point {
		return Point{At: leasePlain("flood", k, append(more, "servers", strconv.Itoa(n))...), Expected: float64(n)}
	}
	c.Points = []Point{place("1", 8), place("20", 2), place("20", 8), place("20", 16)}
	c.Outside = []Point{place("20", 8, "cache", "no")}
	return c
}

func leaseRefusedClaim() Claim {
	c := Claim{
		Text:   "where refusals are forgotten, every refused request has called",
		Domain: "cache=no, an answer that takes no time; any batch",
		Wrong:  "a server that remembers, requests that wait for one answer together",
		Source: "the definition",
		Metric: leaseRefused, Relation: Exact,
	}
	place := func(k string, more ...string) Point {
		return Point{At: leasePlain("flood", k, more...), Expected: 1}
	}
	c.Points = []Point{place("1", "cache", "no"), place("20", "cache", "no"), place("100", "cache", "no")}
	c.Outside = []Point{place("20")}
	return c
}

// leaseStrandedPoint is a place of part stranded with an expectation that
// theory computes from servers, batch and limit.
func leaseStrandedPoint(i int, expected func(servers, batch, limit int) float64) Point {
	at := leaseStrands[i]
	n, _ := strconv.Atoi(at.servers)
	k, _ := strconv.Atoi(at.batch)
	l, _ := strconv.Atoi(at.limit)
	return Point{
		At:   leasePlain("stranded", at.batch, "servers", at.servers, "limit", at.limit),
		Late: func(p *Point) { p.Expected = expected(n, k, l) },
	}
}

func leaseStrandedClaim() Claim {
	c := Claim{
		Text:   "when one server is refused, (N−1)(k−1)/2 tokens lie on the others, and fewer where k² is not small against L/N",
		Domain: "uniform random routing, Poisson arrivals; a batch that divides the limit or not",
		Wrong:  "a balancer whose choices depend on each other, servers that lend, skewed weights",
		Source: "theory.LeaseStranded",
		Metric: "stranded_tokens", Relation: Equal,
	}
	for i := range leaseStrands {
		c.Points = append(c.Points, leaseStrandedPoint(i, theory.LeaseStranded))
	}
	inTurn := leaseStrandedPoint(1, theory.LeaseStranded)
	inTurn.At = leasePlain("stranded", "20", "balancer", fleetRR)
	// What holds for large limits only.
	small := leaseStrandedPoint(5, func(n, k, _ int) float64 { return theory.LeaseStrandedLimit(n, k) })
	c.Outside = []Point{inTurn, small}
	return c
}

func leaseStrandedMost() Claim {
	c := Claim{
		Text:   "never more than (N−1)(k−1) tokens are stranded",
		Domain: "any balancer: a server asks for a lease when it has nothing left",
		Wrong:  "a server that asks before it has spent what it has",
		Source: "theory.LeaseStrandedMost",
		Metric: "stranded_tokens", Relation: AtMost,
	}
	for _, i := range []int{1, 2, 6} {
		c.Points = append(c.Points, leaseStrandedPoint(i, func(n, k, _ int) float64 { return theory.LeaseStrandedMost(n, k) }))
	}
	c.Points = append(c.Points, Point{At: leasePlain("stranded", "20", "balancer", fleetRR), Expected: theory.LeaseStrandedMost(8, 20)})
	// As if there were a quarter of the servers.
	c.Outside = []Point{leaseStrandedPoint(1, func(n, k, _ int) float64 { return theory.LeaseStrandedMost(n/4, k) })}
	return c
}

func leaseOutlivesClaim() Claim {
	c := Claim{
		Text:   "leases that outlive their window add N(k−1) to the next at worst",
		Domain: "each server takes a lease just before the window ends, spends one token, and then a flood comes",
		Wrong:  "leases that end with their window, a store that charges them again",
		Source: "theory.LeaseOutliving",
		Metric: "excess_mean", Relation: Exact,
	}
	for _, at := range leaseOutlives {
		n, _ := strconv.Atoi(at.servers)
		k, _ := strconv.Atoi(at.batch)
		c.Points = append(c.Points, Point{
			At:       leasePlain("outlive", at.batch, "servers", at.servers, "balancer", fleetRR, "ttl", "20s"),
			Expected: theory.LeaseOutliving(n, k),
		})
	}
	c.Outside = []Point{{At: leasePlain("outlive", "20", "balancer", fleetRR), Expected: theory.LeaseOutliving(8, 20)}}
	return c
}

func leaseOutlivesMost() Claim {
	c := Claim{
		Text:   "what outlives its window adds no more than N(k−1)",
		Domain: "leases of any time to live, one or several batches of which are no more than the limit; any arrivals",
		Wrong:  "a server that holds several leases of a window, a batch above the limit",
		Source: "theory.LeaseOutliving",
		Metric: "excess_mean", Relation: AtMost,
	}
	place := func(part string, k int) Point {
		return Point{At: leasePlain(part, strconv.Itoa(k), "ttl", "15s"), Expected: theory.LeaseOutliving(8, k)}
	}
	c.Points = []Point{place("promise", 20), place("promise", 50), place("flood", 20)}
	// As if the batch were one, so that nothing could outlive.
	c.Outside = []Point{{At: leasePlain("outlive", "20", "balancer", fleetRR, "ttl", "20s"), Expected: theory.LeaseOutliving(8, 1), Scale: 1}}
	return c
}
