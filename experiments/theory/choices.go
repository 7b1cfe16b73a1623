package theory

import "math"

// ChoicesTail returns the share of servers that hold at least n >= 0 requests in a fleet of infinitely many servers, where each
// request joins the least loaded of choices d >= 1 drawn at random: ρ^((d^n-1)/(d-1)), ρ^n for d = 1. Poisson arrivals at a load
// 0 < rho < 1 per server, exponential services, stationary, load known without delay.
// Source: N. Vvedenskaya, R. Dobrushin and F. Karpelevich (1996); M. Mitzenmacher, "The power of two choices in randomized load
// balancing", IEEE TPDS 12 (2001).
func ChoicesTail(rho float64, choices, n int) float64 {
	if !(rho > 0 && rho < 1) || choices < 1 || n < 0 {
		return math.NaN()
	}
	if choices == 1 {
		return math.Pow(rho, float64(n))
	}
	d := float64(choices)
	return math.Pow(rho, (math.Pow(d, float64(n))-1)/(d-1))
}

// ChoicesTime returns the mean time in the system of ChoicesTail, in services: Σ_{i>=1} ρ^((d^i-d)/(d-1)); 1/(1-ρ) for d = 1. With
// two choices at ρ = 0.99 it is 5.4 instead of 100. A fleet that starts empty needs many times 1/(1-√ρ)² services to get there.
func ChoicesTime(rho float64, choices int) float64 {
	if !(rho > 0 && rho < 1) || choices < 1 {
		return math.NaN()
	}
	if choices == 1 {
		return 1 / (1 - rho)
	}
	sum := 0.0
	for i := 1; ; i++ {
		term := ChoicesTail(rho, choices, i) / rho
		if term < negligible*sum {
			return sum
		}
		sum += term
	}
}
