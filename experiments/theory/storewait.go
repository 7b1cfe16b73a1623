package theory

import "math"

// MD1WaitMost is the longest wait of MD1WaitAbove, whose terms cancel beyond.
const MD1WaitMost = 10

// MD1WaitAbove returns the share of requests that wait longer than wait before service in M/D/1, a wait in services
// from 0 to MD1WaitMost and a load 0 < rho < 1:
//
//	1 - (1-ρ) Σ_{k=0}^{⌊x⌋} (ρ(k-x))^k/k! e^{ρ(x-k)}.
//
// At 0 that is ρ: those that find the server busy. Poisson arrivals, no bound on the queue.
// Source: A. K. Erlang (1909); the alternating sum loses digits as x grows, about five at x = 10.
func MD1WaitAbove(rho, wait float64) float64 {
	if !positive(rho) || rho >= 1 || !(wait >= 0 && wait <= MD1WaitMost) {
		return math.NaN()
	}
	sum := 0.0
	for k := 0.0; k <= wait; k++ {
		back := rho * (wait - k)
		sum += float64(math.Pow(-back, k) / math.Gamma(k+1) * math.Exp(back))
	}
	return 1 - float64((1-rho)*sum)
}
