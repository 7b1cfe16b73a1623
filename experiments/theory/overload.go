package theory

import "math"

// A server of capacity c requests per second, first in first out, whose clients give up after a timeout and try again up to R times,
// while the server works on what they gave up. Fluid. Source: N. Bronson et al., "Metastable failures in distributed systems",
// HotOS 2021.

// OverloadOffered returns the requests per second that reach the server when every one times out, for load > 0 requests per second and
// retries R >= 0: load(1+R).
func OverloadOffered(load float64, retries int) float64 {
	if !positive(load) || retries < 0 {
		return math.NaN()
	}
	return load * float64(retries+1)
}

// OverloadHealsBelow returns the load below which a server of capacity > 0 recovers from any backlog: c/(1+R), retries R >= 0. Between it
// and the capacity it depends on the queue (OverloadQueueInTime); a collapse there has a finite life where arrivals are random.
func OverloadHealsBelow(capacity float64, retries int) float64 {
	if !positive(capacity) || retries < 0 {
		return math.NaN()
	}
	return capacity / float64(retries+1)
}

// OverloadRetriesBelow returns the retries per second under which a collapsed server recovers at any load, 0 < load < capacity: c - load.
func OverloadRetriesBelow(capacity, load float64) float64 {
	if !positive(load) || !(load < capacity) || math.IsInf(capacity, 1) {
		return math.NaN()
	}
	return capacity - load
}

// OverloadQueueInTime returns the number of requests in a queue below which each is served before its client gives up: c·timeout, for
// capacity > 0 per second and timeout > 0 seconds. A queue bounded below it keeps the goodput at the capacity under any load.
func OverloadQueueInTime(capacity, timeout float64) float64 {
	if !positive(capacity) || !positive(timeout) {
		return math.NaN()
	}
	return capacity * timeout
}

// DoorCollapse returns the arrivals per second at which a server of workers c >= 1 does nothing but decide, if each decision takes
// door > 0 seconds of a worker: c/D.
func DoorCollapse(workers int, door float64) float64 {
	if workers < 1 || !positive(door) {
		return math.NaN()
	}
	return float64(workers) / door
}

// DoorGoodput returns the requests per second that a server of workers c >= 1 completes of arrivals A > 0 per second behind a limit > 0
// per second, if every decision takes door D >= 0 seconds of a worker and every admitted request service S > 0 seconds more:
// min(A, limit, (c - A·D)/S), not below 0. Fluid; decisions come first. Source: workers are conserved, A·D + g·S <= c.
func DoorGoodput(limit float64, workers int, arrivals, door, service float64) float64 {
	if !positive(limit) || workers < 1 || !positive(arrivals) || !finite(door) || !positive(service) {
		return math.NaN()
	}
	return max(0, min(arrivals, limit, (float64(workers)-float64(arrivals*door))/service))
}

// DoorGoodputRefusals is DoorGoodput if only a refusal takes the door's time, 0 <= D < S: min(A, limit, (c - A·D)/(S - D)). It collapses
// at the same arrivals.
func DoorGoodputRefusals(limit float64, workers int, arrivals, door, service float64) float64 {
	if !positive(limit) || workers < 1 || !positive(arrivals) || !finite(door) || !positive(service) || door >= service {
		return math.NaN()
	}
	return max(0, min(arrivals, limit, (float64(workers)-float64(arrivals*door))/(service-door)))
}
