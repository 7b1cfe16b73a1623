// Package engines measures the event queue and the open loop of ratelab beside
// what others offer for the same work.
//
// The work is the HOLD model (n events are pending, each one that runs schedules
// its successor) and the M/M/1 queue (two event sources). The engines are des,
// the engine that one writes first on container/heap, SimPy, and ns-3 with each of
// its schedulers. For M/M/1 there is a loop of two variables as well, which is
// what remains when there is no queue of events. All draw the same numbers from
// the same file, and all must come to the same end: [Outcome.Check] is compared
// before anything is said of time.
//
// The open loop is a plain scenario of ratelab beside a bare loop of the same draws
// and the same decisions.
//
// Times are processor time of the process, without its start and without the
// filling of its queue; engines take turns, and the table shows medians. `make bench`
// prints it, and what the machine was loaded with. What is not installed says so.
package engines
