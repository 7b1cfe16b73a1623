package experiments

import (
	"strconv"
	"strings"

	"ratelab/experiments/theory"
)

// fairLoss is what an algorithm refuses of Poisson requests, of limit a second
// and load times as many requests.
func fairLoss(algorithm string, limit int, load float64) float64 {
	a := float64(load * float64(limit)) // in the window of a second
	switch algorithm {
	case "fixed-window":
		return 1 - theory.FixedWindowAdmitShare(a, limit)
	case "sliding-log":
		return theory.ErlangB(a, limit)
	case "sliding-counter":
		return 1 - theory.SlidingCounterAdmitShare(theory.Fits, theory.CountAdmitted, limit, a)
	case "leaky-meter":
		return theory.TokenBucketLoss(load, 1)
	}
	return theory.TokenBucketLoss(load, limit)
}

// fairPoints are points of a part: each of at has the values of the factors,
// in order, which expected is given as well.
func fairPoints(part, factors string, expected func(values []string) float64, scale func(float64) float64, at ...string) (points []Point) {
	names := strings.Fields(factors)
	for _, text := range at {
		values := strings.Fields(text)
		p := Point{At: []string{"part", part}}
		for i, name := range names {
			p.At = append(p.At, name, values[i])
		}
		p.Expected = expected(values)
		if scale != nil {
			p.Scale = scale(p.Expected)
		}
		points = append(points, p)
	}
	return points
}

func fairNumber(text string) float64 {
	x, _ := strconv.ParseFloat(text, 64)
	return x
}

func fairWhole(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// fairDemands are what the tenants of part greedy ask for.
func fairDemands(greedy float64) []float64 {
	demands := make([]float64, fairPolite+1)
	for i := range demands {
		demands[i] = fairDemand
	}
	demands[fairPolite] *= greedy
	return demands
}

// fairIndex is Jain's index if of each demand a share is refused.
func fairIndex(demands []float64, loss func(demand float64) float64) float64 {
	shares := theory.MaxMinShares(demands, fairCapacity)
	for i, d := range demands {
		shares[i] = d * (1 - loss(d)) / shares[i]
	}
	return theory.JainIndex(shares)
}

// fairTogether is what one bucket for all refuses in part greedy.
func fairTogether(greedy float64) float64 {
	return theory.TokenBucketLoss((fairPolite+greedy)*fairDemand/fairCapacity, fairCapacity)
}

// fairAlone is what a tenant's own bucket refuses in part greedy.
func fairAlone(demand, each float64) float64 { return theory.TokenBucketLoss(demand/each, int(each)) }

// fairLost is one over the requests of a tenant in the shortest run of part
// greedy, 94 s.
const fairLost = 1. / 468

func fairClaims() []Claim {
	poisson := func(v []string) float64 { return fairLoss(v[0], fairWhole(v[2]), fairNumber(v[3])) }
	const poissonFactors = "algorithm limits limit load"
	poissonAt := []string{"fixed-window global 20 2", "sliding-log global 20 2", "sliding-counter global 20 2", "token-bucket global 20 2", "gcra global 20 2",
		"leaky-meter global 20 2", "fixed-window global 5 1.5", "sliding-log global 5 1.5", "token-bucket global 5 1.5"}
	poissonOutside := []string{"fixed-window key 20 2", "token-bucket key 20 2"}

	batch := func(which int) func(v []string) float64 {
		return func(v []string) float64 {
			limit, size := fairWhole(v[2]), fairWhole(v[4])
			a := fairNumber(v[3]) * float64(limit) / 2
			single, batched := theory.FixedWindowBatchShares(a, a/float64(size), size, limit)
			return 1 - []float64{batched, single}[which]
		}
	}
	const batchFactors = "algorithm limits limit load size"
	batchAt := []string{"fixed-window global 20 1.5 2", "fixed-window global 20 1.5 5", "fixed-window global 20 1.5 10"}
	batchOutside := []string{"sliding-log global 20 1.5 10", "token-bucket global 20 1.5 10"}

	points := func([]string) float64 { return 0.02 }
	var burstyAt, steadyAt []string
	for _, a := range fairAlgorithmNames() {
		burstyAt, steadyAt = append(burstyAt, a+" global 20 1 on-off"), append(steadyAt, a+" global 20 1 steady")
	}

	rude := func(of func(theory.RudeShares) float64) func(v []string) float64 {
		return func(v []string) float64 {
			rate := fairRate * fairNumber(v[1]) / fairAlike
			return of(theory.RudeTenant((fairAlike-1)*rate, rate, fairRate, fairBurst, fairWhole(v[2])))
		}
	}
	const rudeFactors = "limits load retries manner"
	rudeAt := []string{"global 2 0 spread", "global 2 1 spread", "global 2 3 spread", "global 1.5 1 spread"}

	greedy := func(of func(greedy float64) float64) func(v []string) float64 {
		return func(v []string) float64 { return of(fairNumber(v[2])) }
	}
	const sharedFactors, ownFactors = "algorithm limits greedy", "algorithm limits greedy each"
	indexTogether := func(g float64) float64 {
		return fairIndex(fairDemands(g), func(float64) float64 { return fairTogether(g) })
	}
	indexAlone := func(g float64) float64 {
		return fairIndex(fairDemands(g), func(d float64) float64 { return fairAlone(d, fairOwn) })
	}
	alone := func([]string) float64 { return fairAlone(fairDemand, fairOwn) }
	used := func(g float64) float64 {
		sum := 0.0
		for _, d := range fairDemands(g) {
			sum += d * (1 - fairAlone(d, fairOwn))
		}
		return sum / fairCapacity
	}
	// Chance alone lowers the index, by about one over the requests of a tenant.
	index := func(points []Point) []Point {
		for i := range points {
			points[i].Error = fairLost
		}
		return points
	}
	whole := func(v float64) float64 { return max(v, 1) }

	return []Claim{
		{
			Text:   "under one limit for all, the largest of independent Poisson tenants loses what the algorithm refuses of all requests together",
			Domain: "independent Poisson tenants of whatever size, one limit for all, any algorithm",
			Wrong:  "a limit for each tenant, or one whose requests depend on each other",
			Source: "PASTA, with theory.FixedWindowAdmitShare, ErlangB, SlidingCounterAdmitShare, TokenBucketLoss", Metric: "loss_first", Relation: Equal,
			Points:  fairPoints("poisson", poissonFactors, poisson, shareScale, poissonAt...),
			Outside: fairPoints("poisson", poissonFactors, poisson, shareScale, poissonOutside...),
		},
		{
			Text:   "and so do the smaller ones: one limit for all is blind to size",
			Domain: "as above",
			Wrong:  "as above",
			Source: "as above", Metric: "loss_others", Relation: Equal,
			Points:  fairPoints("poisson", poissonFactors, poisson, shareScale, poissonAt...),
			Outside: fairPoints("poisson", poissonFactors, poisson, shareScale, poissonOutside...),
		},
		{
			Text:   "of two tenants with equal means the one that sends batches loses what does not find room behind its own requests",
			Domain: "one fixed window for both; Poisson batches of one size beside single Poisson requests",
			Wrong:  "an algorithm that remembers more than the window's count",
			Source: "theory.FixedWindowBatchShares", Metric: "loss_first", Relation: Equal,
			Points:  fairPoints("batches", batchFactors, batch(0), shareScale, batchAt...),
			Outside: fairPoints("batches", batchFactors, batch(0), shareScale, batchOutside...),
		},
		{
			Text:   "and the other loses less: what the batches leave at a random instant",
			Domain: "as above",
			Wrong:  "as above",
			Source: "theory.FixedWindowBatchShares", Metric: "loss_others", Relation: Equal,
			Points:  fairPoints("batches", batchFactors, batch(1), shareScale, batchAt...),
			Outside: fairPoints("batches", batchFactors, batch(1), shareScale, batchOutside...),
		},
		{
			Text:   "beside a Poisson tenant of the same mean, the burstier one loses more, by two points at least",
			Domain: "one limit for both, every algorithm; on-off requests",
			Wrong:  "a first tenant that is smoother than Poisson: then the Poisson one is the burstier",
			Source: "a bursty tenant finds the limit used by its own burst more often than a random instant does", Metric: "loss_gap", Relation: AtLeast,
			Points:  fairPoints("bursty", batchFactors[:len(batchFactors)-len("size")]+"first", points, whole, burstyAt...),
			Outside: fairPoints("bursty", batchFactors[:len(batchFactors)-len("size")]+"first", points, whole, steadyAt...),
		},
		{
			Text:   "a rude tenant loses p^(m+1) of its requests, where the others lose p",
			Domain: "one token bucket for all, Poisson tenants, up to m retries spread out so that attempts are independent",
			Wrong:  "retries in a loop, which find the bucket as empty as it was, or a limit of its own",
			Source: "theory.RudeTenant: the same chance for each attempt", Metric: "loss_first", Relation: Equal,
			Points:  fairPoints("rude", rudeFactors, rude(func(s theory.RudeShares) float64 { return 1 - s.Rude }), shareScale, rudeAt...),
			Outside: fairPoints("rude", rudeFactors, rude(func(s theory.RudeShares) float64 { return 1 - s.Rude }), shareScale, "global 2 3 loop", "key 2 3 spread"),
		},
		{
			Text:   "and what it gains the polite lose",
			Domain: "as above",
			Wrong:  "as above",
			Source: "theory.RudeTenant: p is the bucket's loss under all attempts", Metric: "loss_others", Relation: Equal,
			Points:  fairPoints("rude", rudeFactors, rude(func(s theory.RudeShares) float64 { return s.Refused }), shareScale, "global 2 0 spread", "global 2 1 spread", "global 1.5 1 spread"),
			Outside: fairPoints("rude", rudeFactors, rude(func(s theory.RudeShares) float64 { return s.Refused }), shareScale, "global 2 3 loop", "key 2 3 spread"),
		},
		{
			Text:   "under one limit for all Jain's index is that of shares in proportion to demand, over max-min shares",
			Domain: "one token bucket for all, Poisson tenants",
			Wrong:  "a limit for each tenant",
			Source: "theory.JainIndex of demand·(1 - TokenBucketLoss) over MaxMinShares", Metric: "jain", Relation: Equal,
			Points:  index(fairPoints("greedy", sharedFactors, greedy(indexTogether), nil, "token-bucket global 4", "token-bucket global 10", "token-bucket global 40")),
			Outside: fairPoints("greedy", ownFactors, greedy(indexTogether), nil, "token-bucket key 40 5", "token-bucket both 40 12"),
		},
		{
			Text:   "with a limit for each tenant it is that of what each bucket admits alone, near 1 however greedy one is",
			Domain: "a token bucket for each tenant, Poisson tenants",
			Wrong:  "one limit for all",
			Source: "theory.JainIndex of demand·(1 - TokenBucketLoss) over MaxMinShares, each by its own load", Metric: "jain", Relation: Equal,
			Points:  index(fairPoints("greedy", ownFactors, greedy(indexAlone), nil, "token-bucket key 2 5", "token-bucket key 4 5", "token-bucket key 10 5", "token-bucket key 40 5")),
			Outside: fairPoints("greedy", sharedFactors, greedy(indexAlone), nil, "token-bucket global 10", "token-bucket global 40"),
		},
		{
			Text:   "with a limit for each tenant the others lose what they would alone, whatever the greedy one asks for",
			Domain: "a token bucket for each tenant, Poisson tenants",
			Wrong:  "one limit for all",
			Source: "theory.TokenBucketLoss of a tenant's own load", Metric: "loss_others", Relation: Equal,
			Points:  fairPoints("greedy", ownFactors, alone, shareScale, "token-bucket key 4 5", "token-bucket key 10 5", "token-bucket key 40 5"),
			Outside: fairPoints("greedy", sharedFactors, alone, shareScale, "token-bucket global 10", "token-bucket global 40"),
		},
		{
			Text:   "but what the others do not ask for stays unused, however much the greedy one wants",
			Domain: "token buckets for each tenant that add up to less than the capacity, Poisson tenants",
			Wrong:  "one limit for all, or limits of tenants that add up to more than it",
			Source: "Σ demand·(1 - theory.TokenBucketLoss) / capacity", Metric: "used_share", Relation: Equal,
			Points:  fairPoints("greedy", ownFactors, greedy(used), nil, "token-bucket key 4 5", "token-bucket key 10 5", "token-bucket key 40 5"),
			Outside: append(fairPoints("greedy", sharedFactors, greedy(used), nil, "token-bucket global 40"), fairPoints("greedy", ownFactors, greedy(used), nil, "token-bucket both 40 12")...),
		},
		{
			Text:   "both together leave the others no worse off than one limit for all, by any bound for the greedy one below the capacity",
			Domain: "token buckets, charged if both admit; limits of tenants above what the others ask for",
			Wrong:  "limits of tenants below what the others ask for",
			Source: "theory.TokenBucketLoss of all requests together", Metric: "loss_others", Relation: AtMost,
			Points: fairPoints("greedy", ownFactors, greedy(fairTogether), shareScale, "token-bucket both 4 12", "token-bucket both 10 12", "token-bucket both 40 9",
				"token-bucket both 40 12", "token-bucket both 40 27"),
			Outside: fairPoints("greedy", ownFactors, func([]string) float64 { return fairTogether(1) }, nil, "token-bucket key 40 4"),
		},
	}
}
