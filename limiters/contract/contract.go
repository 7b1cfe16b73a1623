// Package contract says what a request and its answer carry, between clients,
// servers and limiters. How an answer looks as HTTP headers belongs here too.
package contract

import (
	"math"
	"time"
)

// Never is the RetryAfter of a request that no wait would help.
const Never = time.Duration(math.MaxInt64)

// Request is what a client sends.
type Request struct {
	At       time.Duration // when it was sent, since the epoch of the run
	Key      uint32        // whose limit it counts against
	IP       uint32        // where it comes from
	Endpoint uint32        // what it asks for
	Cost     int64         // units it spends, >= 1
	// ID is the sender's own name for this attempt, handed back with its end.
	// Idempotency is the same for all attempts of one request, 0 if it has no
	// such key: what was charged once under it is not charged again.
	ID, Idempotency uint64
}

// Hints says which of a Decision's hints the program behind it gives at all.
type Hints uint8

// The hints of a Decision.
const (
	HintRetryAfter Hints = 1 << iota
	HintLimit
	HintRemaining
	HintReset

	AllHints = HintRetryAfter | HintLimit | HintRemaining | HintReset
)

// Decision is a limiter's answer to one request. Durations are counted from
// the request's own time.
type Decision struct {
	Admitted   bool
	Delay      time.Duration // admitted, but to be held this long; 0 if refused
	RetryAfter time.Duration // refused: when the same request would be admitted; Never if no wait helps; 0 if admitted
	Limit      int64         // the capacity: most units ever admitted at one instant
	Remaining  int64         // unit requests that would be admitted now, one after another
	Reset      time.Duration // until Remaining is Limit again; Never beyond int64 ns
	Has        Hints         // which of RetryAfter, Limit, Remaining, Reset are given
	Layer      int32         // refused by several limiters together: the first that refused, from 0
}

// Outcome is how a request ended.
type Outcome uint8

// The outcomes of a request.
const (
	OK        Outcome = iota // admitted and served
	Throttled                // refused by identity: this key is over its limit
	Shed                     // refused by pressure: the server is drowning
	Timeout                  // no answer in time
	StoreDown                // the store that holds the limit could not be asked
)

func (o Outcome) String() string {
	return [...]string{"ok", "throttled", "shed", "timeout", "store-down"}[o]
}

// Reply is what comes back to the client.
type Reply struct {
	Outcome  Outcome
	Server   int // the server that answered, from 0
	Decision Decision
}
