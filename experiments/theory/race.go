package theory

import "math"

// A server that reads a counter in a store, decides, and writes d later decides on an old number. In between the store admits what
// comes: Poisson arrivals at the fleet, perDelay = Λd of them on average, constant d, unit costs, a window that starts empty, with
// limit L, and ends long after it is full.

// Write is what a racing server writes.
type Write int

const (
	WriteAdd Write = iota // an increment
	WriteSet              // the value it read plus one: updates of others meanwhile are lost
)

// raceMean returns the mean of the Poisson overshoot, or NaN.
func raceMean(write Write, limit int, perDelay float64) float64 {
	switch {
	case limit < 1 || !finite(perDelay):
		return math.NaN()
	case write == WriteAdd:
		return perDelay
	case write == WriteSet:
		return float64(limit) * perDelay
	}
	return math.NaN()
}

// RaceOvershoot returns the mean number admitted above a limit L >= 1, which is also its variance: Λd for WriteAdd, LΛd for
// WriteSet, perDelay = Λd >= 0. Source: the overshoot is Poisson. An increment: the request that fills the window is seen d later.
// A value: value n is seen Exp(Λ) + d after value n-1, and all that come in these d read n-1.
func RaceOvershoot(write Write, limit int, perDelay float64) float64 {
	return raceMean(write, limit, perDelay)
}

// RaceOvershootAtMost returns the probability that a window is overshot by at most n >= 0, in the model of RaceOvershoot.
func RaceOvershootAtMost(write Write, limit int, perDelay float64, n int) float64 {
	mean := raceMean(write, limit, perDelay)
	switch {
	case math.IsNaN(mean) || n < 0:
		return math.NaN()
	case mean == 0:
		return 1
	}
	return poissonLower(mean, n)
}

// RaceOvershootQuantile returns the smallest overshoot that a window stays at or below with a probability of at least share, in
// [0, 1), in the model of RaceOvershoot.
func RaceOvershootQuantile(write Write, limit int, perDelay, share float64) float64 {
	mean := raceMean(write, limit, perDelay)
	switch {
	case math.IsNaN(mean) || !(share >= 0 && share < 1):
		return math.NaN()
	case mean == 0:
		return 0
	}
	lo, pmf := poissonBulk(mean)
	below := 0.0
	for i, p := range pmf {
		if below += p; below >= share {
			return float64(lo + i)
		}
	}
	return float64(lo + len(pmf) - 1)
}
