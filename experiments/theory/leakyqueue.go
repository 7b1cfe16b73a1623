package theory

import (
	"math"
	"time"
)

// MD1Wait returns the mean wait before service in M/D/1, in services: ρ/(2(1-ρ)), for a load 0 < rho < 1.
// Source: Pollaczek and Khinchine. The mean time in the system is one service more.
func MD1Wait(rho float64) float64 {
	if !positive(rho) || rho >= 1 {
		return math.NaN()
	}
	return rho / (2 * (1 - rho))
}

// MD1KWait returns the mean wait before service of those that M/D/1/K admits, in services of length D = 1/r, for a load
// rho > 0 and places >= 1 including the one in service. It is the mean delay of a leaky queue that holds places-1 waiting
// requests, under Poisson arrivals of unit cost; what that queue refuses is TokenBucketLoss(rho, places).
// Source: Little's law on the departure chain (md1k.go).
func MD1KWait(rho float64, places int) float64 {
	if !positive(rho) || places < 1 {
		return math.NaN()
	}
	if places == 1 {
		return 0
	}
	if rho > overloaded {
		// A departure leaves all other places taken; the first arrival, 1/ρ later on average, takes the last one.
		return float64(places-1) - 1/rho
	}
	return newMD1K(rho, places).wait()
}

// MD1TickWait returns the mean delay to release from a queue that lets one request go at fixed ticks every D, in D:
// 1/(2(1-ρ)), half a tick more than MD1Wait. Poisson arrivals, load 0 < rho < 1, no bound on the queue.
// Source: M/D/1 whose server takes a vacation D whenever it finds nobody.
func MD1TickWait(rho float64) float64 {
	if !positive(rho) || rho >= 1 {
		return math.NaN()
	}
	return 1 / (2 * (1 - rho))
}

// QueueDelayMost returns the longest delay, in whole ns rounded up, of a queue that holds up to queue >= 0 waiting requests and
// lets tokens >= 1 go every per: ⌈queue·per/tokens⌉. That of the last of queue + 1 requests at one instant. Unit costs.
func QueueDelayMost(queue, tokens int64, per time.Duration) float64 {
	if queue < 0 || tokens < 1 || per <= 0 {
		return math.NaN()
	}
	return ceilMulDiv(0, queue, int64(per), tokens)
}
