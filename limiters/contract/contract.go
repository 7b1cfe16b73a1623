// Package contract says what a request and its answer carry, between clients,
// servers and limiters, and how an answer looks as an HTTP response.
//
// A [Reply] becomes a [Message] by [Style.Format], and a Message is read back
// by [Parse]. Headers know whole seconds only, so that what comes back is not
// the Reply but the rounded one: what a client can know of it. [Rounded] and
// [Style.Rounded] give it without a detour through text; a client, a server
// and a simulation that take it see the same.
//
// # The fields
//
//   - the status: 200, 429 if the key is over its limit, 503 if the server is
//     under pressure or cannot ask its store (RFC 6585, RFC 9110);
//   - Retry-After, in seconds or as a date (RFC 9110, section 10.2.3);
//   - X-RateLimit-Limit, -Remaining and -Reset, as many programs give them,
//     the last in seconds from now or as a Unix time;
//   - RateLimit-Policy and RateLimit, of draft-ietf-httpapi-ratelimit-headers,
//     structured fields (RFC 9651);
//   - which policy refused, in the body: see [Problem].
//
// All hints are rounded up: whoever comes back when he was told is not early.
//
// # The clock
//
// A date and a Unix time need a wall clock, which is an argument: the time
// since 1970 in UTC. A number of seconds above 10⁹, 31 years, is taken for a
// Unix time wherever it is read, since programs are known to mix up the two;
// so a longer wait is not written at all, and neither is an instant before
// the year 2001, but the seconds until then.
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
