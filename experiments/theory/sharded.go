package theory

import "math"

// A store that keeps a limit in S counters of L/S each is a fleet inside the store. If every request draws its shard, the shards
// are servers with quotas behind a random balancer: QuotaUsedShareRandom with N := S. If a key has its shard for good, its limit
// is that shard's.

// QuotaUsedShareRandom returns the share of a limit >= 1 that fixed windows with quotas of it admit of a Poisson stream of a > 0
// arrivals per window, split at random with the given weights: Σ E[min(Pois(a·w_i), q_i)]/L. Unit costs, windows aligned.
// Equal weights are a random balancer or shards drawn at random, Zipf weights a skewed one.
func QuotaUsedShareRandom(a float64, weights []float64, limit int, left Remainder) float64 {
	if limit < 1 {
		return math.NaN()
	}
	return FleetFixedWindow(a, weights, Quotas(limit, len(weights), left)) / float64(limit)
}

// ShardedKeyLimit returns the mean limit of one key whose shard is a uniform hash of it, in a store of shards >= 1 that share a
// limit >= 1: L/S if the remainder is spread, ⌊L/S⌋ if it is dropped.
func ShardedKeyLimit(limit, shards int, left Remainder) float64 {
	return QuotaUsedShare(limit, shards, left) * float64(limit) / float64(shards)
}

// ShardedKeyFixedWindow returns the mean admitted per window of one key whose shard is a uniform hash of it, each shard a fixed
// window: the mean over the shards of E[min(Pois(a), q_i)], a > 0 the key's mean number of arrivals per window, shards >= 1,
// limit >= 1. The key is alone on its shard, or limits are kept for each key.
func ShardedKeyFixedWindow(a float64, limit, shards int, left Remainder) float64 {
	quotas := Quotas(limit, shards, left)
	if quotas == nil || limit < 1 || !positive(a) {
		return math.NaN()
	}
	more := limit % shards
	if left == Drop {
		more = 0
	}
	sum := float64(more)*poissonMin(a, quotas[0]) + float64(shards-more)*poissonMin(a, limit/shards)
	return sum / float64(shards)
}

// HashRemapEnvelope returns the most that a fleet hashed by key admits one key in an interval in which the key moves to another
// server remaps >= 0 times, if one server admits envelope >= 0: one envelope more for each move, since the new server knows
// nothing. Attained if the key takes all that each server has.
func HashRemapEnvelope(envelope float64, remaps int) float64 {
	if !(envelope >= 0) || remaps < 0 {
		return math.NaN()
	}
	return FleetSaturated(remaps+1, envelope)
}
