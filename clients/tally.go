package clients

// End is why a request ended.
type End uint8

// The ends of a request.
const (
	Succeeded  End = iota
	Exhausted      // all attempts failed
	Hopeless       // the client was told that no wait helps
	OverBudget     // the budget refused a retry
	Withheld       // the budget did not let an attempt be sent
	Crowded        // too many wait behind the client's gate

	ends = iota
)

func (e End) String() string {
	return [...]string{"succeeded", "exhausted", "hopeless", "over-budget", "withheld", "crowded"}[e]
}

// Tally counts what clients did. All counts are of events so far.
type Tally struct {
	Requests int64       // that began
	Ended    [ends]int64 // requests, by End
	Attempts int64       // that were sent
	Refused  int64       // attempts whose refusal was heard, throttled or shed
	TimedOut int64       // attempts that were given up
	Lost     int64       // replies that went astray

	// A request that was refused with a time to come back, and came back no
	// earlier after its first such refusal, obeyed; it was told the truth if
	// that attempt was not refused. Returns that were not answered count in
	// neither.
	Obeyed, Honest int64

	Charged int64 // units, see Population.Decided
}

func (t *Tally) add(o *Tally) {
	t.Requests += o.Requests
	for i := range t.Ended {
		t.Ended[i] += o.Ended[i]
	}
	t.Attempts += o.Attempts
	t.Refused += o.Refused
	t.TimedOut += o.TimedOut
	t.Lost += o.Lost
	t.Obeyed += o.Obeyed
	t.Honest += o.Honest
	t.Charged += o.Charged
}

// Plus returns what both counted, of different clients.
func (t Tally) Plus(o Tally) Tally {
	t.add(&o)
	return t
}

// Minus returns what was counted after before, which is an earlier Tally of the
// same clients.
func (t Tally) Minus(before Tally) Tally {
	t.Requests -= before.Requests
	for i := range t.Ended {
		t.Ended[i] -= before.Ended[i]
	}
	t.Attempts -= before.Attempts
	t.Refused -= before.Refused
	t.TimedOut -= before.TimedOut
	t.Lost -= before.Lost
	t.Obeyed -= before.Obeyed
	t.Honest -= before.Honest
	t.Charged -= before.Charged
	return t
}

// Unfinished returns how many requests have begun and not ended.
func (t Tally) Unfinished() int64 {
	n := t.Requests
	for _, ended := range t.Ended {
		n -= ended
	}
	return n
}

// GaveUp returns how many requests ended without a success.
func (t Tally) GaveUp() int64 { return t.Requests - t.Unfinished() - t.Ended[Succeeded] }

// AttemptsPerSuccess returns attempts by successes, NaN or infinite without
// any.
func (t Tally) AttemptsPerSuccess() float64 { return ratioOf(t.Attempts, t.Ended[Succeeded]) }

// Amplification returns attempts by requests: the load that retries make out
// of the load that users bring.
func (t Tally) Amplification() float64 { return ratioOf(t.Attempts, t.Requests) }

// UnitsPerSuccess returns what was charged for a success.
func (t Tally) UnitsPerSuccess() float64 { return ratioOf(t.Charged, t.Ended[Succeeded]) }

// SuccessShare returns the successes among the requests that have ended.
func (t Tally) SuccessShare() float64 {
	return ratioOf(t.Ended[Succeeded], t.Requests-t.Unfinished())
}

// HintHonesty returns the share of those that obeyed a hint who were then
// admitted.
func (t Tally) HintHonesty() float64 { return ratioOf(t.Honest, t.Obeyed) }

func ratioOf(a, b int64) float64 { return float64(a) / float64(b) }
