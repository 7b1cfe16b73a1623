// Package adversary looks for the worst that can come: the arrivals that do the
// most harm against a limiter, on one server or on a fleet under any
// coordination.
//
// [Search] is blind. It is told how many requests may come, in what span, and
// the length of the intervals that count, by default the limiter's window. Of
// the limiter it knows what was admitted and nothing of how that is decided: no
// rule, no phase, no bound, no hint. It starts from random
// schedules and climbs: it moves, merges, stretches, thins, repeats and snaps
// blocks of arrivals, and keeps what does no less harm. Where the harm is a
// count, how near it is to one more shows the way over the plateaus between.
//
// What is found is then made plain, as long as it does as much harm: requests
// that are not needed go, those that may come together do, and instants get as
// few digits as will do. A file of it can be decided and simulated like any
// other arrivals.
//
// [Config.Bound] says what mathematics says is the most, where it says
// anything. The search never sees it, so that a bound which is reached is
// tight, and one which is passed is wrong, or the limiter is.
package adversary
