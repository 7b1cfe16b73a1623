// Package scenario is one simulated world: an arrival process, a fleet with
// its balancer, coordination and limiter, or layers of them, a horizon, and
// what is measured in it. It is the wiring and nothing else: arrivals come from workloads,
// decisions from fleet, and every number from des/metrics.
//
// [Run] simulates one replication and returns its metrics by name. A world
// without feedback and without a round trip takes a fast path that needs no
// event queue; both ways give the same bytes.
//
// Two small worlds stand beside it, which have clients and no fleet: [Contend]
// lets them contend for one row, [Call] lets them call a server that fails.
package scenario
