package theory

import (
	"math"
	"time"
)

// SlabBytes returns the bytes a key of states that lie side by side in room for a power of two of them, which doubles when it is full:
// state·2^⌈log2 keys⌉/keys, for state >= 1 bytes each and 1 <= keys <= 2^32, numbered without gaps.
func SlabBytes(state, keys int64) float64 {
	if state < 1 || keys < 1 || keys > 1<<32 {
		return math.NaN()
	}
	room := int64(1)
	for room < keys {
		room *= 2
	}
	return float64(state*room) / float64(keys)
}

// RingRoom returns how many entries there is room for in a ring that has held entries >= 0 at once, at most limit >= 1: it begins with 4
// and doubles, and is never longer than the limit.
func RingRoom(entries, limit int64) int64 {
	room := int64(0)
	for room < min(entries, limit) {
		room = min(max(4, 2*room), limit)
	}
	return room
}

// IdleMeterShare returns the share that a meter of capacity one admits which forgets a key that nobody has asked for during the time
// idle > 0, of Poisson requests at lambda > 0 per second, of one key, when a request is admitted one interval > 0 after the last one:
// sooner if it comes idle after the one before, be that refused.
//
// From an admission on, m(t) = Σ_k P(S_k < t, all gaps up to the k-th < idle) requests are refused before t, and the share is 1/(1+m(interval)).
// The transform of the renewal equation m(t) = ∫_0^min(t,idle) λe^-λx (1 + m(t-x)) dx gives, with D = idle and a = e^-λD,
//
//	m(t) = λ Σ_j (-λa)^j [((t-jD)^+)^(j+1) - a((t-(j+1)D)^+)^(j+1)]/(j+1)!
//
// a sum of about t/D terms. For idle >= interval it is the meter that forgets nobody, 1/(1+λ·interval).
func IdleMeterShare(lambda float64, interval, idle time.Duration) float64 {
	if !positive(lambda) || interval <= 0 || idle <= 0 {
		return math.NaN()
	}
	x, d := lambda*interval.Seconds(), lambda*idle.Seconds() // in units of 1/λ
	if d >= x {
		return 1 / (1 + x)
	}
	if d > 40 { // a gap that long never comes: forgetting changes less than e^-40 of all
		return 1 / (1 + x)
	}
	return 1 / (1 + refusedBeforeGap(x, d))
}

// refusedBeforeGap returns m for λ = 1. The sum alternates; where its terms grow beyond what float64 can add up, m is at its limit.
func refusedBeforeGap(x, d float64) float64 {
	a := math.Exp(-d)
	sum, largest := 0.0, 0.0
	power := 1.0 // (-a)^j/(j+1)!
	for j := 0; float64(j)*d < x; j++ {
		if j > 0 {
			power *= -a
		}
		power /= float64(j + 1)
		term := power * (math.Pow(x-float64(j)*d, float64(j+1)) - a*math.Pow(max(0, x-float64(j+1)*d), float64(j+1)))
		sum += term
		largest = max(largest, math.Abs(term))
	}
	if largest < 1e6*math.Abs(sum) && sum > 0 {
		return sum
	}
	// The terms grow like e^ax, and m comes within about e^-ax of its limit: the mean number of gaps below idle before one above, each
	// below with probability 1-a.
	return (1 - a) / a
}

// LRUIdle returns the time after which a key that is not asked for is forgotten by a store of capacity keys that drops the least recently
// seen, by the approximation of Che: the time t in which as many different keys are seen, Σ(1 - e^-λ_i t) = capacity. Infinite if all keys
// fit. lambdas are the keys' Poisson rates, in 1/s.
//
// Source: H. Che, Y. Tung and Z. Wang, "Hierarchical Web caching systems: modeling, design and experimental results", IEEE JSAC 20 (2002).
func LRUIdle(lambdas []float64, capacity float64) float64 {
	if !(capacity > 0) {
		return math.NaN()
	}
	if capacity >= float64(len(lambdas)) {
		return math.Inf(1)
	}
	low, high := 0.0, 1.0
	for DistinctKeys(lambdas, high) < capacity {
		low, high = high, 2*high
		if math.IsInf(high, 1) {
			return high
		}
	}
	for range 100 {
		if middle := (low + high) / 2; DistinctKeys(lambdas, middle) < capacity {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// DistinctKeys returns how many different keys are seen in t seconds on average: Σ(1 - e^-λ_i t).
func DistinctKeys(lambdas []float64, t float64) float64 {
	sum := 0.0
	for _, l := range lambdas {
		sum -= math.Expm1(-l * t)
	}
	return sum
}

// EvictedMeterShare returns the share that meters of capacity one admit of the requests of many keys, with Poisson rates lambdas in 1/s,
// when a key that is idle for so long, in seconds, is forgotten: IdleMeterShare of each, weighed by its requests.
func EvictedMeterShare(lambdas []float64, interval time.Duration, idle float64) float64 {
	forget := time.Duration(math.MaxInt64)
	if idle < 1e9 {
		forget = time.Duration(idle * float64(time.Second))
	}
	all, admitted := 0.0, 0.0
	for _, l := range lambdas {
		all += l
		admitted += l * IdleMeterShare(l, interval, forget)
	}
	return admitted / all
}
