// Package limiters holds the algorithms that decide who may pass, one a file,
// each with the state of all its keys. They have no clock and do no I/O: a
// caller says what time it is.
//
// # Families
//
// A limiter is canonical or a dialect. The canonical ones are this project's
// own, defined by their rules alone. A dialect is named after a real program
// and decides what that program decides, its quirks included.
//
// The canonical limiters by what they remember of a key:
//
//   - fixed-window: a count, from zero in every window;
//   - sliding-log: the time of every request that still counts;
//   - sliding-counter: two counts, from which it estimates what the log knows;
//   - token-bucket: a level that fills at a rate;
//   - gcra: the time at which the next request would be due;
//   - leaky-meter: what is still in a bucket of capacity one;
//   - leaky-queue: the next free departure; it delays before it refuses.
//
// The last four are one idea in four guises. They are written independently
// of each other, each from its own rule, so that their tests can hold them
// against each other: token-bucket and gcra decide alike, leaky-meter as
// either with a burst of 1, and leaky-queue admits what gcra admits with a
// burst of one more than the queue.
//
// # From a text to a decision
//
// [Parse] reads a [Spec] such as "token-bucket:rate=2/s,burst=20"; [Spec.New]
// makes a [Limiter] of it; [Limiter.Take] decides. [Limiter.Admit] is the same
// decision without the hints, in less than half the time. [Limiter.Ask] followed by
// [Limiter.Charge] is Take cut in two, for callers that ask several limiters
// before they charge any, or that charge late.
//
// # Layers
//
// [ParseLayers] reads a [LayersSpec], several limiters with keys of their own:
// user=gcra:rate=1/s,burst=5 and global=fixed-window:limit=100,window=1s. Its
// [Layers] decide a request that has a key in each: all pay if all admit, or
// those up to the first that refuses, or each as if it were alone. See
// [ChargeMode].
//
// # Exactness
//
// Time is in whole nanoseconds, and every decision is made in whole numbers.
// A rate of N/P, N requests in P nanoseconds, is never divided: a bucket
// counts in parts of a token, P to the token, of which each nanosecond brings
// N; gcra and the queue count time in N-ths of a nanosecond, in which requests
// are due P apart. N, P, bursts and limits lie below 2⁵³, so that the products
// fit in 128 bits. Hints are rounded up to whole nanoseconds at the very end.
//
// # The latest time
//
// Clocks step back. A limiter decides at the latest time that the key has
// seen: nothing is earned twice, nothing is lost. Refused requests are seen
// too, and so are those that cost more than the capacity, although they change
// nothing else. Delay, RetryAfter and Reset still count from the request's own
// time, since that is what the caller can add them to.
//
// # Hints
//
// RetryAfter is exact: at that time the same request is admitted, one
// nanosecond earlier it is not, if nobody else comes. Remaining is how many
// unit requests would be admitted at once. Reset is the time until Remaining
// is the Limit again (of a fixed window: until it ends). After Ask they
// describe the state as it stands, with nothing charged. A time beyond int64
// nanoseconds is [Never].
//
// # The slab
//
// The states of all keys lie side by side in one slice, indexed by the key:
// callers number their keys from 0. It grows by doubling, as long as an eighth
// of it is of keys that came; keys that lie thinner are found through a table,
// at 11 to 21 bytes more each. [Limiter.Forget] frees a key for its next first request, [Limiter.Bytes] says what it all
// takes: 32 bytes a key for most, 40 for the counter and for
// refill=interval, and for the log 64 and
// 16 more for each entry, at most limit of them; for a dialect 16 to 72. Once a
// key is known no decision allocates, except that a log's ring doubles as it
// fills.
//
// # Limits that change
//
// A server whose share of a limit changes needs a limiter that is [Adjustable].
// [Indebted] and [Counted] are what else a fleet asks of some.
//
// # Holding keys
//
// Real programs forget. An [Eviction], read from a text such as
// "lru:capacity=50000", makes of a [Spec] a limiter that is [Held]: with room
// for so many keys, with sweeps of those that are idle, or as the zone of
// nginx's limit_req. It counts what it forgets, and how much of that was early:
// a state that was not yet at rest, see [Resting], so that whoever had spent
// his share is admitted as if he were new. Beside its state a key takes 24
// bytes for the order, and 5 to 11 for the index that finds it.
package limiters
