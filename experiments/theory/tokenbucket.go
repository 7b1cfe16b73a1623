package theory

import "math"

// TokenBucketLoss returns the share of requests that a token bucket refuses.
//
// Model: Poisson arrivals of unit cost at load rho = λ/r > 0; a bucket of burst >= 1 whole tokens that refills
// continuously and refuses what it cannot pay; long run. GCRA with the same rate and burst decides alike, a leaky meter
// is burst = 1, and a leaky queue that holds q waiting requests is burst = q+1.
//
// The time until the bucket is full again is the workload of a server that needs D = 1/r a request, and it admits iff
// fewer than b are in that system: M/D/1/K with K = b. Loss = 1 - 1/(π_0 + ρ), computed without the subtraction (md1k.go).
// Closed form for comparison: O. Brun and J.-M. Garcia, "Analytical solution of finite capacity M/D/1 queues",
// J. Appl. Probab. 37 (2000).
//
// Losses below about 1e-300 are returned as 0.
func TokenBucketLoss(rho float64, burst int) float64 {
	if !positive(rho) || burst < 1 {
		return math.NaN()
	}
	if burst == 1 {
		return rho / (1 + rho)
	}
	if rho > overloaded {
		return 1 - 1/rho
	}
	return newMD1K(rho, burst).loss
}

// TokenBucketAdmittedRate returns the admitted requests per second of a token bucket of rate r > 0 tokens per second and
// burst >= 1 under Poisson arrivals at lambda > 0 per second: λ(1 - TokenBucketLoss(λ/r, b)).
func TokenBucketAdmittedRate(lambda, r float64, burst int) float64 {
	if !positive(lambda) || !positive(r) {
		return math.NaN()
	}
	return lambda * (1 - TokenBucketLoss(lambda/r, burst))
}

// TokenBucketFullShare returns the share of time that the bucket of TokenBucketLoss is full: π_0/(π_0+ρ). For any arrivals
// admitted rate / r = 1 - that share, since tokens are lost while it is full and only then.
//
// Shares below about 1e-130 at loads above 300 are returned as 0.
func TokenBucketFullShare(rho float64, burst int) float64 {
	if !positive(rho) || burst < 1 {
		return math.NaN()
	}
	if burst == 1 {
		return 1 / (1 + rho)
	}
	if rho > overloaded {
		return 0
	}
	return newMD1K(rho, burst).empty()
}

// OneTokenAdmitShare returns the share that a meter of capacity one admits under Poisson arrivals at load rho = λ/r > 0:
// 1/(1+ρ), so that the admitted rate is λ/(1+λ/r). It is GCRA without tolerance, the leaky meter, the token bucket of burst 1
// and the sliding log of limit 1. Source: the non-paralyzable detector with dead time 1/r.
func OneTokenAdmitShare(rho float64) float64 {
	if !positive(rho) {
		return math.NaN()
	}
	return 1 / (1 + rho)
}

// TickBucketLoss returns the share of requests that a token bucket refuses if it is refilled by tokens >= 1 at once, at
// fixed ticks.
//
// Model: Poisson arrivals of unit cost, perTick > 0 of them on average between two ticks; burst >= 1; long run. With X the
// level just after a tick and A ~ Poisson(perTick),
//
//	X' = min(b, (X-A)^+ + tokens),  loss = E[(A-X)^+] / perTick.
//
// One token at every tick loses less than continuous refill at the same rate. Source: the chain above, solved by
// elimination without subtraction (chain.go); for burst 1, 1 - (1-e^-ρ)/ρ. It costs O(burst³) at most.
func TickBucketLoss(perTick float64, tokens, burst int) float64 {
	if !positive(perTick) || tokens < 1 || burst < 1 {
		return math.NaN()
	}
	tokens = min(tokens, burst)
	tail := poissonTails(perTick, burst+1)
	// State y = b - X, from 0 to b - tokens: y' = (min(b, y+A) - tokens)^+.
	size := burst - tokens + 1
	p := make([][]float64, size)
	for y := range p {
		row := make([]float64, size)
		for next := 1; next < size-1; next++ {
			if arrivals := next + tokens - y; arrivals >= 0 {
				row[next] = poissonPMF(perTick, arrivals)
			}
		}
		if size > 1 {
			row[size-1] = tail[burst-y]
			row[0] = poissonLower(perTick, tokens-y)
		}
		p[y] = row
	}
	if size == 1 {
		return poissonExcess(perTick, burst) / perTick
	}
	lost := 0.0
	for y, share := range stationary(p) {
		lost += share * poissonExcess(perTick, burst-y)
	}
	return lost / perTick
}
