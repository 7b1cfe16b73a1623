// Package clients says what a caller does with a "no".
//
// A [Spec] is a policy with its parameters, read from a text such as
// backoff:base=1s,cap=30s,jitter=full. The policy is asked after every failed
// attempt whether to come back, and when. Around it each spec has a limit of
// attempts, a timeout for each of them, a budget of retries, and, if it closes
// the loop, users who think between their requests.
//
// A [Population] runs a [Mix] of such clients on the event queue. Its open
// clients share the arrivals of a workload; its closed ones send their next
// request when the last has ended. A request travels like this:
//
//	arrival or thought → gate → budget → Server.Send → Population.Done or timeout → policy, budget → wait → gate …
//
// until it ends, once: with a success, or for one of the reasons that [End]
// lists. The gate is where paced and greedy clients hold back what they want
// to send; all others send at once.
//
// What the server does is not known here. A [Server] takes an attempt and
// answers it at once or later through [Population.Done]; an attempt that timed
// out is cancelled, and whatever it was charged stays charged. A reply may be
// lost on its way. A request may carry an idempotency key, which is the same
// for all its attempts: the server asks its [Ledger] whether that key was
// charged before.
//
// Hints are what makes a refusal useful. [Hints] are the server's: they leave
// a limiter's hints as they are, or add jitter, or give the waiters of a key a
// place in line. How headers round them is a function of the population.
//
// Nothing allocates per request. Requests in flight live in a slab; its size
// follows the most that were unfinished at once.
//
// # How to add a policy
//
// Write one file that registers it in an init, with an example. From then on
// it is listed, parsed, and run by the conformance suite.
package clients
