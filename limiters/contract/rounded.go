package contract

import "time"

// Style says in which of their forms a server writes the hints. The zero Style
// writes seconds.
type Style struct {
	DateRetryAfter bool // Retry-After is an HTTP-date, not seconds from now
	EpochReset     bool // X-RateLimit-Reset is a Unix time, not seconds from now
}

// Rounded returns what a client knows of a decision whose hints it reads in
// headers, in seconds: RetryAfter and Reset rounded up to whole seconds, and
// not given if they are Never or above 10⁹ s; Remaining and a hint of an
// instant that has passed at least 0; nothing of the Delay, which the server
// keeps to itself, nor of the Layer, of which the body says the name.
//
// So a client that waits for the rounded RetryAfter comes back at the true one
// or less than a second after it.
func Rounded(d Decision) Decision { return Style{}.decision(d, 0) }

// Rounded returns the reply that a client makes of the message that
// [Style.Format] makes of r at now, the time since 1970: see the function
// [Rounded]. In both styles of an instant the wait ends at a whole second of
// the clock. The client does not know which server answered, and takes an
// unreachable store for pressure; of a Timeout it knows nothing else.
func (s Style) Rounded(r Reply, now time.Duration) Reply {
	if r.Outcome == Timeout {
		return Reply{Outcome: Timeout}
	}
	d := s.decision(r.Decision, now)
	d.Admitted = r.Outcome == OK
	if d.Admitted {
		d.RetryAfter, d.Has = 0, d.Has&^HintRetryAfter
	}
	return Reply{Outcome: outcomeOf(statusOf(r.Outcome)), Decision: d}
}

func (s Style) decision(d Decision, now time.Duration) Decision {
	known := Decision{Admitted: d.Admitted}
	if h, ok := s.retryAfter(&d, now); ok {
		known.RetryAfter = h.wait(now)
		known.Has |= HintRetryAfter
	}
	if d.Has&HintLimit != 0 {
		known.Limit = max(0, d.Limit)
		known.Has |= HintLimit
	}
	if d.Has&HintRemaining != 0 {
		known.Remaining = max(0, d.Remaining)
		known.Has |= HintRemaining
	}
	if h, ok := s.reset(&d, now); ok {
		known.Reset = h.wait(now)
		known.Has |= HintReset
	}
	return known
}

// retryAfter is what Retry-After says; an admitted request has none.
func (s Style) retryAfter(d *Decision, now time.Duration) (hint, bool) {
	if d.Admitted || d.Has&HintRetryAfter == 0 {
		return hint{}, false
	}
	return roundUp(d.RetryAfter, now, s.DateRetryAfter)
}

// reset is what X-RateLimit-Reset says.
func (s Style) reset(d *Decision, now time.Duration) (hint, bool) {
	if d.Has&HintReset == 0 {
		return hint{}, false
	}
	return roundUp(d.Reset, now, s.EpochReset)
}
