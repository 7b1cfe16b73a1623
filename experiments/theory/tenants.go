package theory

import "math"

// FixedWindowBatchShares returns the shares admitted of two tenants of one fixed window of limit >= 1: one sends single requests, a > 0
// in a window on average, the other batches of size >= 1 at one instant, batches > 0 in a window on average; both at Poisson times.
//
// A request passes iff fewer than L came before it in its window. Seen from a random instant of the window, j batches or single requests
// came before with probability P(Pois(a+β) > j)/(a+β), and each is a batch with probability β/(a+β), whoever is next. The last of a
// batch need room for the first. With size 1 both are FixedWindowAdmitShare(a+β, L).
func FixedWindowBatchShares(a, batches float64, size, limit int) (single, batched float64) {
	if !positive(a) || !positive(batches) || size < 1 || limit < 1 {
		return math.NaN(), math.NaN()
	}
	events := a + batches
	sent := make([]float64, limit) // by n: the chance that j events are n requests
	came := make([]float64, limit) // by n: the chance that n requests came before
	sent[0] = 1
	for j := range limit { // as many events are at least as many requests
		chance := poissonUpper(events, j+1) / events
		for n := limit - 1; n >= 0; n-- {
			came[n] += chance * sent[n]
			sent[n] = 0
			if n >= 1 {
				sent[n] += a / events * sent[n-1]
			}
			if n >= size {
				sent[n] += batches / events * sent[n-size]
			}
		}
	}
	for n, chance := range came { // the k-th of a batch, from 0, passes if n + k < L
		single += chance
		batched += chance * float64(min(size, limit-n)) / float64(size)
	}
	return single, batched
}

// RudeShares is what comes of a tenant that tries again, and of those that do not.
type RudeShares struct {
	Refused  float64 // share of all attempts
	Attempts float64 // of the rude tenant, per request
	Polite   float64 // share of their requests that are served
	Rude     float64
}

// RudeTenant returns what comes of Poisson requests at polite > 0 a second that are sent once, and at rude > 0 a second that are sent up
// to retries >= 0 times more, spread out so that attempts are independent: all meet one token bucket of rate > 0 tokens a second and
// burst >= 1, which does not ask whose they are. Every attempt is then refused with the same chance p, the bucket's loss under
// polite + rude·(1-p^(m+1))/(1-p) attempts a second; the polite are served 1-p, the rude 1-p^(m+1). Outside the domain all fields are
// NaN.
//
// There is one such p: what is admitted, polite·(1-p) + rude·(1-p^(m+1)), falls with p, and what the bucket admits rises with the load.
func RudeTenant(polite, rude, rate float64, burst, retries int) RudeShares {
	if !positive(polite) || !positive(rude) || !positive(rate) || burst < 1 || retries < 0 {
		v := math.NaN()
		return RudeShares{v, v, v, v}
	}
	low, high := 0.0, 1.0
	for range 60 {
		p := (low + high) / 2
		if TokenBucketLoss((polite+rude*RetryAttempts(p, retries))/rate, burst) > p {
			low = p
		} else {
			high = p
		}
	}
	p := (low + high) / 2
	return RudeShares{Refused: p, Attempts: RetryAttempts(p, retries), Polite: 1 - p, Rude: RetrySuccess(p, retries)}
}
