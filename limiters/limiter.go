package limiters

import (
	"time"

	"ratelab/limiters/contract"
)

// Decision is a limiter's answer; see [contract.Decision].
type Decision = contract.Decision

// Never is the RetryAfter of a request that no wait would help.
const Never = contract.Never

// Limiter is an algorithm with the state of all its keys, as one server or
// the store holds it. Times are nanoseconds since an epoch and may go back;
// costs are >= 1. Nothing allocates per decision once a key is known.
type Limiter interface {
	// Take decides a request and charges it as the limiter's rule says.
	Take(now time.Duration, key uint32, cost int64) Decision
	// Admit decides and charges exactly as Take does, without working out
	// the hints: for a caller that has no use for them.
	Admit(now time.Duration, key uint32, cost int64) (admitted bool, delay time.Duration)
	// Ask decides without charging: it moves only the key's latest time.
	// The hints describe the state as it stands, so that after a Charge an
	// Ask tells what is left.
	Ask(now time.Duration, key uint32, cost int64) Decision
	// Charge spends without asking: a layer's commit, a late write, a
	// remote delta. It may leave the key over its limit.
	Charge(now time.Duration, key uint32, cost int64)
	// Keys returns how many keys have state, Bytes the memory it takes.
	Keys() int
	Bytes() int64
	// Forget drops a key's state: its next request is its first.
	Forget(key uint32)
}

// Leveled is a Limiter with a level of tokens that rises evenly at its rate
// up to its capacity: the token bucket with continuous refill, GCRA and the
// leaky limiters.
type Leveled interface {
	// Level returns the tokens that the key has at now, which must not lie
	// before its latest time. It changes nothing.
	Level(now time.Duration, key uint32) float64
}

// Resting is a Limiter that can tell which states may be forgotten at no cost.
// All the limiters of this package are.
type Resting interface {
	// AtRest reports whether the key, if it is forgotten at now, will be
	// decided as if it were not, by all requests that come from now on in
	// order of time. It changes nothing.
	AtRest(now time.Duration, key uint32) bool
}

// Touchable is a Limiter that can be told of keys before their requests come.
// Their states lie far apart in memory, and a plain loop reads many in the time
// of a few, for no read waits for the one before. All the limiters of this
// package are, but for [Held].
type Touchable interface {
	// Touch reads some of the memory in which the states of keys lie, so that
	// it is at hand when they are asked for. It changes nothing, and what it
	// returns means nothing.
	Touch(keys []uint32) uint32
}
