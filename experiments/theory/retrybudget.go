package theory

import "math"

// RetryLoad is what a client with a retry budget does to a server that fails every attempt with probability p, in the long run, one
// call after the other.
type RetryLoad struct {
	Attempts float64 // mean attempts per call
	Success  float64 // share of calls that succeed in the end
}

var noRetryLoad = RetryLoad{math.NaN(), math.NaN()}

// BudgetMaxCap is the largest bucket of the two chains below, which cost O(cap³).
const BudgetMaxCap = 1000

// BucketBudget returns the load under a bucket of retry tokens: a call puts deposit >= 1 units into it, up to limit, when it starts;
// after a failure it retries as long as more than cost >= 1 units are there, and takes them. No other limit on retries. The domain is
// p in [0, 1], cost <= limit <= BudgetMaxCap. With units of a tenth, deposit 1, cost 10 and limit 50 it is Brooker's bucket.
//
// Source: the chain of the level at the start of a call, on 0..limit, solved without subtraction (chain.go). Whole units: in float64
// ten deposits of 0.1 are more than 1.
func BucketBudget(p float64, deposit, cost, limit int) RetryLoad {
	if !unit(p) || deposit < 1 || cost < 1 || limit < cost || limit > BudgetMaxCap {
		return noRetryLoad
	}
	return budgetChain(limit, func(level int, step func(share, attempts, success float64, level int)) {
		level = min(level+deposit, limit)
		reached := 1.0 // the probability that attempt i is made
		for i := 1.0; ; i++ {
			step(reached*(1-p), i, 1, level)
			reached *= p
			if level <= cost {
				step(reached, i, 0, level)
				return
			}
			level -= cost
		}
	})
}

// GRPCBudget returns the load under the retry throttling of gRPC: a failed attempt takes cost >= 1 units from a bucket of limit units,
// down to 0; a success puts deposit >= 1 units back; a failure is retried if then more than limit/2 are there, up to attempts >= 1
// attempts a call. The domain is p in [0, 1], cost, deposit <= limit <= BudgetMaxCap. With units of a tenth, the defaults are deposit 1,
// cost 10, limit 100. Retries stop wholly where the bucket drifts down: p above BudgetKnee(deposit/cost).
//
// Source: gRFC A6; the chain of the level at the start of a call, as in BucketBudget.
func GRPCBudget(p float64, deposit, cost, limit, attempts int) RetryLoad {
	if !unit(p) || deposit < 1 || cost < 1 || limit < max(cost, deposit) || limit > BudgetMaxCap || attempts < 1 {
		return noRetryLoad
	}
	return budgetChain(limit, func(level int, step func(share, attempts, success float64, level int)) {
		reached := 1.0
		for i := 1; ; i++ {
			step(reached*(1-p), float64(i), 1, min(level+deposit, limit))
			reached *= p
			level = max(level-cost, 0)
			if i == attempts || 2*level <= limit {
				step(reached, float64(i), 0, level)
				return
			}
		}
	})
}

// budgetChain returns the load of the stationary chain on 0..limit in which call tells step, for every way that a call can end, its
// probability, attempts, success and the level that it leaves.
func budgetChain(limit int, call func(level int, step func(share, attempts, success float64, level int))) RetryLoad {
	chain := make([][]float64, limit+1)
	loads := make([]RetryLoad, limit+1)
	for level := range chain {
		row := make([]float64, limit+1)
		call(level, func(share, attempts, success float64, left int) {
			row[left] += share
			loads[level].Attempts += share * attempts
			loads[level].Success += share * success
		})
		chain[level] = row
	}
	mean := RetryLoad{}
	for level, share := range stationary(chain) {
		mean.Attempts += share * loads[level].Attempts
		mean.Success += share * loads[level].Success
	}
	return mean
}

// BudgetFluid returns the load under a budget of ratio >= 0 retries per call without other limits, as a fluid: min(1/(1-p), 1+ratio)
// attempts and min(1, (1+ratio)(1-p)) success, for p in [0, 1]. The knee is BudgetKnee.
func BudgetFluid(p, ratio float64) RetryLoad {
	if !unit(p) || !finite(ratio) {
		return noRetryLoad
	}
	return RetryLoad{Attempts: min(1/(1-p), 1+ratio), Success: min(1, (1+ratio)*(1-p))}
}

// BudgetKnee returns the failure probability from which a budget of ratio >= 0 retries per call is short: ratio/(1+ratio), 1/11 for a
// tenth. For gRPC it is where the bucket has no drift, ratio = deposit/cost.
func BudgetKnee(ratio float64) float64 {
	if !finite(ratio) {
		return math.NaN()
	}
	return ratio / (1 + ratio)
}

// RatioBudgetMost returns the most attempts per call in the long run under a budget of ratio >= 0 retries per call and perSecond >= 0
// retries per second besides, for lambda > 0 calls per second: 1 + ratio + perSecond/λ. Finagle's defaults give 1.2 + 10/λ.
func RatioBudgetMost(lambda, ratio, perSecond float64) float64 {
	if !positive(lambda) || !finite(ratio) || !finite(perSecond) {
		return math.NaN()
	}
	return 1 + ratio + perSecond/lambda
}

// ActiveBudgetMost returns the most attempts per first attempt in flight under a budget which keeps retries in flight to share, in
// [0, 1), of all attempts in flight: 1/(1-share). Envoy's 20 % give 1.25. Where few are in flight its least number of retries, 3,
// allows more.
func ActiveBudgetMost(share float64) float64 {
	if !(share >= 0 && share < 1) {
		return math.NaN()
	}
	return 1 / (1 - share)
}
