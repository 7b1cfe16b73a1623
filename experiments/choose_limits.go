package experiments

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"ratelab/experiments/theory"
	"ratelab/limiters"
)

// chooseLimit returns the limiter of a point, and the most that it is proved
// to let through in any half-open chooseWindow, whatever arrives.
//
// If most is given, limit or rate is the largest with which that is at most
// most; otherwise the one whose long-run rate in a flood is chooseRate.
func chooseLimit(limiter, tuning, most string) (s limiters.Spec, proved float64, err error) {
	share := big.NewRat(1, 1)
	if tuning != "" {
		if _, ok := share.SetString(tuning); !ok {
			return s, 0, fmt.Errorf("tuning %q is no fraction", tuning)
		}
	}
	allowed := 0.0
	if most != "" {
		if _, err := fmt.Sscan(most, &allowed); err != nil {
			return s, 0, err
		}
	}
	switch limiter {
	case "fixed-window", "sliding-log", "sliding-counter-fits", "sliding-counter-below":
		return chooseWindowLimit(limiter, share, int64(allowed))
	}
	return chooseBucketLimit(limiter, share, int64(allowed))
}

// chooseWindowLimit is chooseLimit of the limiters with a window, share ·
// chooseWindow long.
func chooseWindowLimit(limiter string, share *big.Rat, most int64) (limiters.Spec, float64, error) {
	window := time.Duration(chooseTimes(share, int64(chooseWindow)))
	text, proved := "", func(limit int64) float64 { return math.NaN() }
	counter := func(rule theory.Rule) func(int64) float64 {
		return func(limit int64) float64 {
			if chooseWindow == 2*window {
				return theory.CounterTwoWindowEnvelope(rule, limit)
			}
			return theory.CounterEnvelopeOnClock(rule, limit, window, chooseWindow) // NaN for shorter windows
		}
	}
	extra := int64(0) // that the limit must have for its rate
	switch limiter {
	case "fixed-window":
		text = "fixed-window:limit=%d,window=%s"
		proved = func(limit int64) float64 {
			return theory.FixedWindowEnvelopeOnClock(limit, window, chooseWindow)
		}
	case "sliding-log":
		text = "sliding-log:limit=%d,window=%s"
		proved = func(limit int64) float64 { return theory.LogEnvelope(limit, window, chooseWindow) }
	case "sliding-counter-fits":
		text, proved, extra = "sliding-counter:limit=%d,window=%s,rule=fits", counter(theory.Fits), 1
	case "sliding-counter-below":
		text, proved = "sliding-counter:limit=%d,window=%s,rule=below", counter(theory.Below)
	}
	limit := most
	if most > 0 {
		for limit > 0 && !(proved(limit) <= float64(most)) {
			limit--
		}
	} else {
		limit = chooseTimes(share, int64(chooseRate*chooseWindow/time.Second)) + extra
	}
	if limit < 1 || math.IsNaN(proved(limit)) {
		return limiters.Spec{}, 0, fmt.Errorf("no limit of a %s with window %s is proved to let at most %d through in %s", limiter, window, most, chooseWindow)
	}
	s, err := limiters.Parse(fmt.Sprintf(text, limit, window))
	return s, proved(limit), err
}

// chooseBucketLimit is chooseLimit of the limiters with a rate. The burst, or
// the number of places, is share of what may pass in chooseWindow. What leaves
// a queue keeps to a bucket of burst 1.
func chooseBucketLimit(limiter string, share *big.Rat, most int64) (s limiters.Spec, proved float64, err error) {
	tokens := int64(chooseRate * chooseWindow / time.Second) // in a window
	burst := chooseTimes(share, tokens)
	if most > 0 {
		burst = chooseTimes(share, most)
	}
	room := burst // that a worst window has beside the rate
	text := limiter + fmt.Sprintf(":burst=%d", burst)
	switch limiter {
	case "leaky-meter":
		text, room = limiter+":", 1
	case "leaky-queue":
		text, room = limiter+fmt.Sprintf(":queue=%d", burst), 1
	}
	if most > 0 {
		tokens = most - room + 1 // b + ⌈r·w⌉ - 1
	}
	if tokens < 1 || burst < 1 {
		return s, 0, fmt.Errorf("a %s with room for %d lets more than %d through in %s", limiter, burst, most, chooseWindow)
	}
	if text[len(text)-1] != ':' {
		text += ","
	}
	s, err = limiters.Parse(text + "rate=" + chooseASecond(tokens))
	return s, theory.TokenBucketEnvelope(room, tokens, chooseWindow, chooseWindow), err
}

// chooseASecond writes so many in a window as a rate.
func chooseASecond(tokens int64) string {
	rate := big.NewRat(tokens, int64(chooseWindow/time.Second)).FloatString(1) // tenths, exactly
	return strings.TrimSuffix(rate, ".0") + "/s"
}

// chooseTimes returns ⌈share · n⌉.
func chooseTimes(share *big.Rat, n int64) int64 {
	product := new(big.Rat).Mul(share, big.NewRat(n, 1))
	up := new(big.Int).Add(product.Num(), new(big.Int).Sub(product.Denom(), big.NewInt(1)))
	return up.Quo(up, product.Denom()).Int64()
}
