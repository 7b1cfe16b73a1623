package theory

import "math"

// Adaptive throttling: a client that counts its requests and what the server accepted of them, over a window, refuses some itself, so
// that the server gets K requests for each that it accepts. Source: B. Beyer et al., "Site Reliability Engineering", ch. 21.

// ThrottleRefusal returns the probability that a client refuses its next request itself, after requests >= 0 of which the server
// accepted accepts, 0 <= accepts <= requests, with a multiplier k >= 1: max(0, (requests - K·accepts)/(requests + 1)). Requests that it
// refused itself count.
func ThrottleRefusal(requests, accepts, k float64) float64 {
	if !finite(requests) || !(accepts >= 0 && accepts <= requests) || !(k >= 1) || math.IsInf(k, 1) {
		return math.NaN()
	}
	return max(0, requests-float64(k*accepts)) / (requests + 1)
}

// ThrottleSent returns the requests per second that clients send of lambda > 0 per second to a server that accepts capacity > 0 per
// second, with a multiplier k >= 1: min(λ, Kc) if λ > c, else λ. So K requests per accept where λ >= Kc. Fluid, long windows.
// Source: sent = λ(1 - refusal) = min(λ, K·accepts).
func ThrottleSent(lambda, capacity, k float64) float64 {
	if !positive(lambda) || !positive(capacity) || !(k >= 1) || math.IsInf(k, 1) {
		return math.NaN()
	}
	return min(lambda, k*capacity)
}

// ThrottleSentPerAccept returns ThrottleSent over what the server accepts: 1 if λ <= c, λ/c up to λ = Kc, and K from there.
func ThrottleSentPerAccept(lambda, capacity, k float64) float64 {
	return ThrottleSent(lambda, capacity, k) / min(lambda, capacity)
}
