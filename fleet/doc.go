// Package fleet is where the counters live: N servers behind a balancer, and
// the coordination by which they share one limit, or fail to.
//
// A request enters by [Fleet.Send]. The [Balancer] picks a server; the server
// asks its [Coordination], which answers exactly once, at once or after a
// round trip, by [Fleet.Answer]; an admitted request that its limiter holds
// back is released when its delay has passed; then the caller's
// [Caller.Done] hears the reply. Requests in flight live in a slab of slots
// with generations: a caller that gives up cancels its call, and a late
// answer to it is dropped, while its charge stays and is counted as wasted.
//
// Coordinations that need no round trip also decide through [Fleet.Decide],
// without an event queue. Both ways run the same limiters in the same order
// and give the same answers.
package fleet
