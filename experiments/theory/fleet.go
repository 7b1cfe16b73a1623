package theory

import "math"

// The fleet: a Poisson stream in front of N servers, each with a limiter of its own and no word to the others. A balancer
// that draws the server of each request independently (random, weighted, or hashed over very many keys of one request each)
// splits it into independent Poisson streams, so that each server is a model of its own and the fleet is their sum. A round
// robin does not: each server then sees every N-th arrival, a renewal stream with Erlang-N gaps, smoother than Poisson. For the fixed window
// its sum is still exact, because only counts matter. For buckets, logs and counters there is no closed form here, and the sums
// of this file do not hold.

// Equal returns the weights of n >= 1 servers that are chosen alike.
func Equal(n int) []float64 { return Zipf(n, 0) }

// Zipf returns weights of n >= 1 servers proportional to 1/i^s, i = 1..n, s >= 0; they sum to 1. Nil outside the domain.
func Zipf(n int, s float64) []float64 {
	if n < 1 || !(s >= 0) || math.IsInf(s, 1) {
		return nil
	}
	w := make([]float64, n)
	for i := range w {
		w[i] = math.Pow(float64(i+1), -s)
	}
	normalise(w)
	return w
}

// Remainder is what becomes of the L mod N that N equal quotas leave over.
type Remainder int

const (
	Spread Remainder = iota // the first L mod N servers get one more
	Drop                    // nobody gets it
)

// Quotas divides a limit >= 0 among n >= 1 servers. Nil outside the domain.
func Quotas(limit, n int, left Remainder) []int {
	if limit < 0 || n < 1 || left != Spread && left != Drop {
		return nil
	}
	q := make([]int, n)
	for i := range q {
		q[i] = limit / n
		if left == Spread && i < limit%n {
			q[i]++
		}
	}
	return q
}

// QuotaUsedShare returns the share of a limit >= 1 that n >= 1 saturated quotas of a fixed window or log admit:
// 1 if the remainder is spread, N⌊L/N⌋/L if it is dropped.
func QuotaUsedShare(limit, n int, left Remainder) float64 {
	if limit < 1 {
		return math.NaN()
	}
	return quotaSum(limit, n, left, func(q int) float64 { return float64(q) }) / float64(limit)
}

// QuotaUsedShareCounter is QuotaUsedShare for a sliding counter, each quota admitting FloodCounter: with rule Fits and the
// remainder dropped N(⌊L/N⌋-1)/L, if ⌊L/N⌋ > 1.
func QuotaUsedShareCounter(rule Rule, limit, n int, left Remainder) float64 {
	if limit < 1 || !rule.known() {
		return math.NaN()
	}
	return quotaSum(limit, n, left, func(q int) float64 {
		if q == 0 {
			return 0
		}
		return FloodCounter(rule, int64(q))
	}) / float64(limit)
}

func quotaSum(limit, n int, left Remainder, of func(int) float64) float64 {
	quotas := Quotas(limit, n, left)
	if quotas == nil {
		return math.NaN()
	}
	sum := 0.0
	for _, q := range quotas {
		sum += of(q)
	}
	return sum
}

// FleetSaturated returns what n >= 1 saturated servers admit together, each admitting one >= 0: n times as much.
func FleetSaturated(n int, one float64) float64 {
	if n < 1 || !(one >= 0) {
		return math.NaN()
	}
	return float64(n) * one
}

// FleetFluid returns the fluid approximation of what servers with the given weights and limits (or rates) admit of a demand
// > 0: Σ min(demand·w_i, limit_i). An upper bound of every stochastic sum below, by Jensen's inequality.
func FleetFluid(demand float64, weights, limits []float64) float64 {
	if !positive(demand) || len(weights) != len(limits) || !shares(weights) {
		return math.NaN()
	}
	sum := 0.0
	for i, w := range weights {
		sum += min(demand*w, limits[i])
	}
	return sum
}

// FleetFixedWindow returns the mean admitted per window by servers that get the shares weights of a Poisson stream with a > 0
// arrivals per window, each with a fixed window of its own limit >= 0: Σ E[min(Pois(a·w_i), L_i)]. Windows aligned.
func FleetFixedWindow(a float64, weights []float64, limits []int) float64 {
	return split(a, weights, limits, FixedWindowAdmitted)
}

// FleetSlidingLog is FleetFixedWindow for sliding logs that count what they admit: Σ a·w_i (1 - ErlangB(a·w_i, L_i)).
func FleetSlidingLog(a float64, weights []float64, limits []int) float64 {
	return split(a, weights, limits, func(a float64, limit int) float64 { return a * SlidingLogAdmitShare(a, limit) })
}

// FleetSlidingLogAll is FleetFixedWindow for sliding logs that count refused requests too.
func FleetSlidingLogAll(a float64, weights []float64, limits []int) float64 {
	return split(a, weights, limits, func(a float64, limit int) float64 { return a * SlidingLogAllAdmitShare(a, limit) })
}

// FleetSlidingCounter is FleetFixedWindow for sliding counters: Σ a·w_i·SlidingCounterAdmitShare(L_i, a·w_i), in its domain.
func FleetSlidingCounter(rule Rule, count Count, a float64, weights []float64, limits []int) float64 {
	return split(a, weights, limits, func(a float64, limit int) float64 {
		if limit == 0 {
			return 0
		}
		return a * SlidingCounterAdmitShare(rule, count, limit, a)
	})
}

// FleetTokenBucket returns the mean admitted per second by servers that get the shares weights of a Poisson stream of
// lambda > 0 per second, each with a token bucket of rate r > 0 per second and its own burst (0 admits nothing):
// Σ λw_i(1 - TokenBucketLoss(λw_i/r, b_i)). With whole limits r is the limit's rate, with quotas a share of it.
func FleetTokenBucket(lambda float64, weights []float64, r float64, bursts []int) float64 {
	if !positive(r) {
		return math.NaN()
	}
	return split(lambda, weights, bursts, func(lambda float64, burst int) float64 {
		if burst == 0 {
			return 0
		}
		return TokenBucketAdmittedRate(lambda, r, burst)
	})
}

// FleetTickBucket is FleetTokenBucket for buckets that get tokens at once at every tick, per tick instead of per second:
// a > 0 is the mean number of arrivals per tick at the fleet.
func FleetTickBucket(a float64, weights []float64, tokens int, bursts []int) float64 {
	return split(a, weights, bursts, func(a float64, burst int) float64 {
		if burst == 0 {
			return 0
		}
		return a * (1 - TickBucketLoss(a, tokens, burst))
	})
}

// split sums what servers admit of independent Poisson streams. Neighbours with the same share and limit are computed once.
func split(demand float64, weights []float64, limits []int, admitted func(float64, int) float64) float64 {
	if !positive(demand) || len(weights) != len(limits) || !shares(weights) {
		return math.NaN()
	}
	sum, last := 0.0, 0.0
	for i, w := range weights {
		switch {
		case limits[i] < 0:
			return math.NaN()
		case i > 0 && w == weights[i-1] && limits[i] == limits[i-1]:
		case w == 0:
			last = 0
		default:
			last = admitted(demand*w, limits[i])
		}
		sum += last
	}
	return sum
}

// shares reports whether weights are at least one, none below 0, and sum to 1.
func shares(weights []float64) bool {
	sum := 0.0
	for _, w := range weights {
		if !unit(w) {
			return false
		}
		sum += w
	}
	return math.Abs(sum-1) < 1e-9
}

// FleetRoundRobinFixedWindow returns the mean admitted per window by fixed windows of the given limits >= 0 behind one round
// robin, under Poisson arrivals with a > 0 per window. Of n arrivals a server gets ⌊n/N⌋, and one more with probability
// (n mod N)/N, because whose turn it is at the start of a window is uniform and independent of n in the long run:
//
//	Σ_n P(n) Σ_i [(1 - s/N) min(q, L_i) + (s/N) min(q+1, L_i)],  q = ⌊n/N⌋, s = n mod N.
//
// With equal limits the turn does not matter and it is E[min(Pois(a), N·L)]: exactly one central window of N·L.
func FleetRoundRobinFixedWindow(a float64, limits []int) float64 {
	if !positive(a) || len(limits) == 0 {
		return math.NaN()
	}
	equal := true
	for _, limit := range limits {
		if limit < 0 {
			return math.NaN()
		}
		equal = equal && limit == limits[0]
	}
	servers := len(limits)
	if equal {
		return poissonMin(a, servers*limits[0])
	}
	lo, pmf := poissonBulk(a)
	mean := 0.0
	for i, share := range pmf {
		q, s := (lo+i)/servers, (lo+i)%servers
		more := float64(s) / float64(servers)
		for _, limit := range limits {
			mean += share * ((1-more)*float64(min(q, limit)) + more*float64(min(q+1, limit)))
		}
	}
	return mean
}
