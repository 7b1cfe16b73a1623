// Package advise finds the limit for a log: it simulates the limits that could be, and says which and why.
//
// The story in order:
//
//   - [Read] reads a log, and tells retries from new requests if it was written behind a limit.
//   - [Candidates] are the rates and bursts to look at, by default those that package fit finds; [Candidate.Limiters] are
//     all canonical limiters of one of them.
//   - A [World] says what stands around the limiter: clients that come back, a fleet. [World.Run] takes the requests of
//     the log through a limiter in it, and measures an [Outcome]: who is refused, how much, when, what is admitted at
//     worst, what is delayed, what it takes to remember.
//   - [Goals] are what is asked of the choice; [Goals.Choose] is lexicographic, a rule after the other, and
//     [Goals.Changes] says at which value of a goal the choice would be another.
//   - [Report] does all of it and writes it.
//
// Without clients that come back, on one server, what is refused is what package replay says, request by request.
package advise
