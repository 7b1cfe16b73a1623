package random

import "math"

// Zipf returns the n weights 1/k^s for k = 1..n, where 2s is the whole number
// halves >= 0. Powers are taken by multiplication and square root, which round
// alike on every machine.
func Zipf(n int, halves int64) []float64 {
	weights := make([]float64, n)
	for i := range weights {
		power := 1.0
		for range halves / 2 {
			power = float64(power * float64(i+1))
		}
		if halves%2 == 1 {
			power = float64(power * math.Sqrt(float64(i+1)))
		}
		weights[i] = 1 / power
	}
	return weights
}
