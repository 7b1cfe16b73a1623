package clients

import (
	"math/rand/v2"
	"time"

	"ratelab/limiters/contract"
)

// policy decides about the next attempt of a request whose last has failed. It
// has no state of its own: what it needs to know is in the failure.
type policy interface {
	// wait returns how long from now to wait, >= 0; false if the request is
	// given up. r is the client's own stream.
	wait(f failure, r *rand.Rand) (time.Duration, bool)
}

// failure is what a client knows of a failed attempt.
type failure struct {
	attempt int64         // that failed, from 1
	waited  time.Duration // before it; 0 before the first
	reply   contract.Reply
}

// told returns the wait that the reply asks for. ok is false if it says
// nothing: there is no hint, or one of 0 or less. It is Never if no wait helps.
func told(d contract.Decision) (wait time.Duration, ok bool) {
	if d.Has&contract.HintRetryAfter == 0 || d.RetryAfter <= 0 {
		return 0, false
	}
	return d.RetryAfter, true
}

// upTo draws uniformly from the whole nanoseconds 0..d, both included, so that
// the mean is d/2 exactly.
func upTo(d time.Duration, r *rand.Rand) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(r.Uint64N(uint64(d) + 1))
}

// plus adds two durations >= 0 and stops at Never.
func plus(a, b time.Duration) time.Duration {
	if sum := a + b; sum >= 0 {
		return sum
	}
	return contract.Never
}
