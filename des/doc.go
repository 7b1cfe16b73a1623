// Package des is time: a clock, a queue of events, and named random streams. It
// knows nothing of what is simulated.
//
// # Three activities
//
// A model is a set of values that implement [Handler]. It is run in three steps.
//
//  1. Make a simulation with [New]. Its clock stands at 0, the epoch of the run,
//     and counts integer nanoseconds as a [time.Duration].
//  2. Schedule the first events with [Sim.At] and [Sim.After]. An event is a time,
//     a handler, and a tag by which the handler knows which of its events it is.
//  3. Call [Sim.Run]. The clock jumps from event to event; each handler changes
//     the model's state and schedules what follows from it.
//
// Time passes only between events. A handler runs at one instant, and everything
// it schedules for that same instant runs after it, before the clock moves on.
//
// # Order
//
// Events run in order of time, and events at equal times in the order in which
// they were scheduled. Nothing else decides: not the addresses of handlers, not
// the shape of the queue. [Sim.Reschedule] counts as scheduling anew.
//
// # Horizons
//
// Intervals are half-open. Run(until) runs the events of [now, until), so that
// Run(a) followed by Run(b) is Run(b), and an event at b belongs to what follows.
//
// [Never] is the largest time. Times beyond it saturate to it, and an event that
// stands there is kept but does not run. Run(Never) therefore runs until nothing
// is left to do.
//
// # Handles
//
// At and After return an [Event], a small value by which the event can be
// cancelled or moved as long as it is pending. From the moment it begins to run,
// its handle refers to nothing, for ever: Cancel and Reschedule then return
// false. So a model may keep old handles without asking whether they still count.
//
// # What goes wrong
//
// Scheduling in the past is a bug of the model and panics with a [PastError]. A
// panic in a handler leaves Run as a panic with a [Failure], which says at what
// simulated time and in which handler it happened.
//
// A Sim is used by one goroutine at a time. Different Sims share nothing and run
// in parallel freely.
//
// # How it works
//
// Each pending event has a slot (slots.go) that holds its handler and tag. The
// queue (queue.go) is a 4-ary heap of 16-byte keys: the time, and one word with a
// sequence number above the slot's index. Comparing keys therefore compares
// times first and the order of scheduling second, and no two keys are equal. A
// slot remembers which key is its own. Cancelling an event only frees its slot;
// its key stays in the queue, and is dropped when it comes to the top and the
// slot does not answer to it. When more than half of the queue is such dead keys
// it is rebuilt without them. Slots are reused, so that a simulation in its steady
// state allocates nothing.
//
// The key of an event that runs is not taken out of the heap at once: its place
// at the top is left as a hole, which the first event that its handler schedules
// fills. What is scheduled for the present instant passes by the heap, through a
// ring (instant.go).
//
// # Ties
//
// A result that hangs on the order of events at equal times says something about
// the program and not about what it simulates. [NewShuffled] makes a simulation
// that runs them in another order for each seed (shuffle.go), for tests.
package des
