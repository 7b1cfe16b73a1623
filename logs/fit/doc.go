// Package fit finds the limit that traffic asks for: the smallest bucket, or the smallest window limit, that would not
// have refused it.
//
// The story in order:
//
//   - [Read] reads logs into [Traffic], which takes in requests in any order, and tells retries from new requests
//     ([Retries]); [Traffic.Arrivals] groups them by key, in time order.
//   - [Arrivals.Bursts] gives the burstiness of each key at a rate r, b(r): the most work of any interval less what r
//     brings in its length. A token bucket of that burst that starts full refuses the key nothing, a smaller one does.
//     With stamps in whole seconds b(r) lies in an interval, and the interval is exact (burst.go).
//   - [FitFrontier] asks how large a burst must be at each rate for a share of the keys, or a share of the requests,
//     never to be refused. [Frontier.Knee] names one point of it.
//   - [FitWindows] asks the same of fixed windows and sliding logs. [RefusalsOf] says what a bucket would have refused,
//     when, and to whom.
//   - [Analyze] does all of it and what a reader must know besides: keys that the knee does not fit and why, how the
//     fit moves between the halves of the log and among the keys, what the log can not say (stamps, retries, addresses
//     that many share), and whether its times are times at all ([Clock]).
//   - [Report] writes the answer as a table, CSV, JSON or a page.
//
// Everything is counted in integers: a burst agrees with what package limiters' token bucket does to the nanosecond,
// and no float decides.
package fit
