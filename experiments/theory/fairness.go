package theory

import (
	"math"
	"slices"
)

// JainIndex returns how evenly shares >= 0 are spread over tenants: (Σx)²/(n Σx²), from 1/n, one has all, to 1, all have as much.
// NaN for nobody and for nothing. Source: R. Jain, D. Chiu and W. Hawe, DEC-TR-301 (1984).
func JainIndex(shares []float64) float64 {
	most := 0.0
	for _, x := range shares {
		if !finite(x) {
			return math.NaN()
		}
		most = max(most, x)
	}
	sum, squares := 0.0, 0.0
	for _, x := range shares {
		x /= most
		sum += x
		squares += x * x
	}
	return sum * sum / (float64(len(shares)) * squares)
}

// MaxMinShares returns what tenants with demands >= 0 get of a capacity >= 0 so that nobody can get more without somebody who has no
// more getting less: min(demand, level), the level filled up until the capacity or the demands are used. It is what limits for each
// tenant aim at. Nil outside the domain. Source: water filling; D. Bertsekas and R. Gallager, "Data Networks" (1992), 6.5.2.
func MaxMinShares(demands []float64, capacity float64) []float64 {
	if !demanded(demands, capacity) {
		return nil
	}
	order := slices.Sorted(slices.Values(demands))
	level, left := math.Inf(1), capacity
	for i, demand := range order {
		if even := left / float64(len(order)-i); even < demand {
			level = even
			break
		}
		left -= demand
	}
	shares := make([]float64, len(demands))
	for i, demand := range demands {
		shares[i] = min(demand, level)
	}
	return shares
}

// ProportionalShares returns what tenants with demands >= 0 get of a capacity >= 0 that does not ask who comes: demand·min(1, c/Σ). Under
// one shared limit independent Poisson tenants all lose the same share, since each arrival finds the limiter as time does; whoever asks
// more gets more. Nil outside the domain.
func ProportionalShares(demands []float64, capacity float64) []float64 {
	if !demanded(demands, capacity) {
		return nil
	}
	sum := 0.0
	for _, demand := range demands {
		sum += demand
	}
	shares := slices.Clone(demands)
	if sum > capacity {
		for i := range shares {
			shares[i] *= capacity / sum
		}
	}
	return shares
}

// demanded reports whether all are finite numbers, 0 or above, at least one demand among them.
func demanded(demands []float64, capacity float64) bool {
	return finite(capacity) && len(demands) > 0 && !slices.ContainsFunc(demands, func(x float64) bool { return !finite(x) })
}
