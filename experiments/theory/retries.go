package theory

import "math"

// RetryAttempts returns the mean attempts per request if every attempt fails with probability p in [0, 1] independently, for a reason
// outside, and a request makes up to retries >= 0 more: 1 + p + ... + p^m = (1-p^(m+1))/(1-p).
func RetryAttempts(p float64, retries int) float64 {
	if !unit(p) || retries < 0 {
		return math.NaN()
	}
	if p == 1 {
		return float64(retries + 1)
	}
	return RetrySuccess(p, retries) / (1 - p)
}

// RetrySuccess returns the share of requests that succeed in the model of RetryAttempts: 1 - p^(m+1).
func RetrySuccess(p float64, retries int) float64 {
	if !unit(p) || retries < 0 {
		return math.NaN()
	}
	return 1 - math.Pow(p, float64(retries+1))
}

// LimiterRefusal returns the share of attempts that a limiter refuses which admits share = c/λ > 0 of the requests offered, if each
// refused one comes back up to retries >= 0 times, spread out so that attempts are independent: (1-c/λ)^(1/(m+1)), and 0 if c >= λ.
// The success stays c/λ: retries only raise the refusals. Fluid; saturated limiter. Source: c = λ(1-p^(m+1)).
func LimiterRefusal(share float64, retries int) float64 {
	if !positive(share) || retries < 0 {
		return math.NaN()
	}
	return math.Pow(1-min(share, 1), 1/float64(retries+1))
}

// LimiterAttempts returns the mean attempts per request in the model of LimiterRefusal: (c/λ)/(1-p). Half admitted and three
// retries: 3.143.
func LimiterAttempts(share float64, retries int) float64 {
	if !positive(share) || retries < 0 {
		return math.NaN()
	}
	if share >= 1 {
		return 1
	}
	return share / -math.Expm1(math.Log1p(-share)/float64(retries+1))
}

// TokensPerSuccess returns the mean tokens that a success costs if a reply is lost with probability lost in [0, 1), the client then
// asks again, as often as it takes, and the limiter can not tell: 1/(1-q). With an idempotency key it is 1.
func TokensPerSuccess(lost float64) float64 {
	if !(lost >= 0 && lost < 1) {
		return math.NaN()
	}
	return 1 / (1 - lost)
}
