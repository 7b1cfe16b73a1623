package theory

import "math"

// Servers that exchange what they counted every s seconds, the news taking d seconds to arrive, share one limit L per window.
// Between two exchanges each of N servers knows the sum as it stood at the last one, and (own counted) what it admitted itself
// since. A window opens at an exchange, ends long after it is full, and nothing is carried over.
//
// Units: perPeriod is Λs and perDelay Λd, the requests that reach the fleet in one period and in one delay. Unit costs.

// SyncedOvershootFluid returns what N = servers >= 1 admit above a limit L > 0 if requests flow evenly to all and own hits are
// counted, for perPeriod > 0 and perDelay >= 0. With x = L - kΛs in (Λd/N, Λs + Λd/N], k >= 0,
//
//	min((N-1)x, Λs + Λd - x):
//
// the servers stop either on their own count, or when the next news arrives. For d = 0 it is min(Λs - m, (N-1)m) with
// m = L mod Λs. Over a uniform phase of L it is uniform between Λd(N-1)/N and Λ(s+d)(N-1)/N. Source: what a server knows is
// Λt/N + kΛs(N-1)/N from kth news to the next.
func SyncedOvershootFluid(servers int, limit, perPeriod, perDelay float64) float64 {
	if servers < 1 || !positive(limit) || !positive(perPeriod) || !finite(perDelay) {
		return math.NaN()
	}
	ahead := perDelay / float64(servers)
	k := max(math.Ceil((limit-ahead)/perPeriod)-1, 0)
	x := limit - float64(k*perPeriod)
	return min(float64(servers-1)*x, perPeriod+perDelay-x)
}

// SyncedOvershootFluidMean returns the mean of SyncedOvershootFluid over the phase: Λ(s/2+d)(N-1)/N.
func SyncedOvershootFluidMean(servers int, perPeriod, perDelay float64) float64 {
	return syncedStale(servers, perPeriod/2, perDelay)
}

// SyncedOvershootFluidWorst returns the largest SyncedOvershootFluid over the phase: Λ(s+d)(N-1)/N.
func SyncedOvershootFluidWorst(servers int, perPeriod, perDelay float64) float64 {
	return syncedStale(servers, perPeriod, perDelay)
}

func syncedStale(servers int, age, perDelay float64) float64 {
	if servers < 1 || !positive(age) || !finite(perDelay) {
		return math.NaN()
	}
	return (age + perDelay) * float64(servers-1) / float64(servers)
}

// SyncedIgnoreOvershootFluid returns what servers admit above a limit > 0 that decide on the news alone and ignore their own hits
// since: ⌈L/Λs⌉Λs - L + Λd, whatever their number.
func SyncedIgnoreOvershootFluid(limit, perPeriod, perDelay float64) float64 {
	if !positive(limit) || !positive(perPeriod) || !finite(perDelay) {
		return math.NaN()
	}
	return float64(math.Ceil(limit/perPeriod)*perPeriod) - limit + perDelay
}

// SyncedIgnoreOvershootFluidMean returns the mean of SyncedIgnoreOvershootFluid over the phase: Λs/2 + Λd. The worst is Λs + Λd.
func SyncedIgnoreOvershootFluidMean(perPeriod, perDelay float64) float64 {
	if !positive(perPeriod) || !finite(perDelay) {
		return math.NaN()
	}
	return perPeriod/2 + perDelay
}

// SyncedMaxLimit is the largest limit of the two functions below, which cost O(L²) at most.
const SyncedMaxLimit = 20_000

// SyncedOvershoot returns the mean number that N = servers >= 1 admit above a limit 1 <= L <= SyncedMaxLimit in a window of periods
// >= 1 exchanges, if requests arrive as a Poisson stream split at random alike, own hits are counted and news takes no time.
//
// With G the sum at an exchange and R = L - G, the next one finds G' = G + Σ min(A_i, R), A_i ~ Poisson(Λs/N). Below L nothing is
// cut, so that G is Poisson(kΛs) there after k periods, and what is above it comes in one period:
//
//	Σ_{k<periods} Σ_{g<L} P(Pois(kΛs) = g) h(L-g),  h(R) = E[(Pois(Λs)-R)^+] - N·E[(Pois(Λs/N)-R)^+].
//
// Source: Σ min(A_i, R) < R iff Σ A_i < R, and it is then ΣA_i; so E[(Σ min(A_i, R) - R)^+] is the difference of the excesses.
func SyncedOvershoot(servers, limit int, perPeriod float64, periods int) float64 {
	if servers < 1 {
		return math.NaN()
	}
	n := float64(servers)
	return syncedOvershoot(limit, perPeriod, periods, func(room int) float64 {
		return poissonExcess(perPeriod, room) - n*poissonExcess(perPeriod/n, room)
	})
}

// SyncedIgnoreOvershoot returns the mean number that servers admit above a limit 1 <= L <= SyncedMaxLimit which decide on the news
// alone, in a window of periods >= 1 exchanges, perDelay >= 0: as SyncedOvershoot with h(R) = E[(Pois(Λs)-R)^+], and Λd more for
// what arrives before the news that the window is full. The news must arrive before the window ends.
func SyncedIgnoreOvershoot(limit int, perPeriod, perDelay float64, periods int) float64 {
	if !finite(perDelay) {
		return math.NaN()
	}
	return perDelay*syncedFull(limit, perPeriod, periods) + syncedOvershoot(limit, perPeriod, periods, func(room int) float64 {
		return poissonExcess(perPeriod, room)
	})
}

// syncedFull returns the probability that the last exchange but one, or one before it, finds the limit reached.
func syncedFull(limit int, perPeriod float64, periods int) float64 {
	if limit < 1 || limit > SyncedMaxLimit || !positive(perPeriod) || periods < 1 {
		return math.NaN()
	}
	if periods == 1 {
		return 0
	}
	return poissonUpper(float64(periods-1)*perPeriod, limit)
}

func syncedOvershoot(limit int, perPeriod float64, periods int, above func(room int) float64) float64 {
	if limit < 1 || limit > SyncedMaxLimit || !positive(perPeriod) || periods < 1 {
		return math.NaN()
	}
	over := make([]float64, limit+1) // over[room]
	for room := 1; room <= limit; room++ {
		if over[room] = above(room); over[room] <= 0 {
			break
		}
	}
	sum := over[limit]
	for k := 1; k < periods; k++ {
		lo, pmf := poissonBulk(float64(k) * perPeriod)
		if lo >= limit {
			break
		}
		for i, share := range pmf {
			if lo+i >= limit {
				break
			}
			sum += share * over[limit-lo-i]
		}
	}
	return sum
}

// SyncedBound returns the most that servers >= 1 which count their own hits admit per window of a limit >= 0: N·L, all of it in one
// period. With G known to all at its start, G + N(L-G).
func SyncedBound(servers int, limit float64) float64 { return FleetSaturated(servers, limit) }

// finite reports whether x is a finite number, 0 or above: the domain of every delay.
func finite(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }
