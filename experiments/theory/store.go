package theory

import "math"

// MM1Wait returns the mean wait before service in M/M/1, in mean services: ρ/(1-ρ), for a load 0 < rho < 1: twice that of M/D/1
// (MD1Wait). Source: Pollaczek and Khinchine.
func MM1Wait(rho float64) float64 {
	if !positive(rho) || rho >= 1 {
		return math.NaN()
	}
	return rho / (1 - rho)
}

// StoreLatency returns the mean time in seconds that a check takes at a store which answers capacity > 0 requests per second one
// after the other, each in 1/R seconds, of lambda < capacity per second: the round trip of rtt >= 0 seconds, the wait of M/D/1, and
// the service. Poisson arrivals, no bound on the queue.
func StoreLatency(rtt, lambda, capacity float64) float64 {
	if !finite(rtt) || !positive(capacity) {
		return math.NaN()
	}
	return rtt + (MD1Wait(lambda/capacity)+1)/capacity
}

// StoreLatencyExponential is StoreLatency for services that are exponential with mean 1/R: rtt + 1/(R-Λ).
func StoreLatencyExponential(rtt, lambda, capacity float64) float64 {
	if !finite(rtt) || !positive(capacity) {
		return math.NaN()
	}
	return rtt + (MM1Wait(lambda/capacity)+1)/capacity
}

// OutageOpen returns the mean number that a fleet which fails open admits in a fixed window of limit >= 0 whose store is up for
// part of it: E[min(Pois(up), L)] + down, where up > 0 and down >= 0 are the mean numbers of arrivals while it is up and down.
// Poisson arrivals of unit cost; the store forgets nothing; an answer takes no time.
func OutageOpen(up, down float64, limit int) float64 {
	if !finite(down) {
		return math.NaN()
	}
	return FixedWindowAdmitted(up, limit) + down
}

// OutageClosed returns the mean number that a fleet which fails closed admits in the window of OutageOpen: E[min(Pois(up), L)],
// as much as would have been admitted had nobody come while the store was down.
func OutageClosed(up float64, limit int) float64 { return FixedWindowAdmitted(up, limit) }

// OutageLocal returns the mean number that a fleet admits in the window of OutageOpen whose servers each fall back to a fixed
// window of their own, empty when the outage begins, with the given limits >= 0, behind a random balancer with the given weights:
// E[min(Pois(up), L)] + Σ E[min(Pois(down·w_i), L_i)], down > 0.
func OutageLocal(up, down float64, limit int, weights []float64, limits []int) float64 {
	return FixedWindowAdmitted(up, limit) + FleetFixedWindow(down, weights, limits)
}
