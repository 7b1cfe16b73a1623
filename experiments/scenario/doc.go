// Package scenario is one simulated world: an arrival process, clients, a fleet
// with its balancer, coordination and limiter, or layers of them, a horizon, and
// what is measured in it. It is the wiring and nothing else: arrivals come from
// workloads, what callers do with a "no" from clients, decisions from fleet, and
// every number from des/metrics.
//
// [Run] simulates one replication and returns its metrics by name. A world
// without feedback and without a round trip takes a fast path that needs no
// event queue; both ways give the same bytes.
//
// Where clients may come back, each of their attempts is a request to the
// fleet: offered, admitted and refused count attempts, requests counts what
// they want. The run then ends at the horizon, and what is under way is
// unfinished. Metrics of one policy of a mix have its name at their end, as in
// success_share_rude.
//
// Two small worlds stand beside it, which have clients and no fleet: [Contend]
// lets them contend for one row, [Call] lets them call a server that fails.
package scenario
