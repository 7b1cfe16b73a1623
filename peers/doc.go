// Package peers runs real rate limiters beside the limiters that are named
// after them, and compares every answer.
//
// A [Peer] is a program: a Go library that runs in process on a clock that is
// set, or a server on loopback whose clock is read from a file. [Peer.Compare]
// makes cases of random arrivals that hit the edges (ties, the instants at
// which something is refilled or expires and one unit beside them, steps back,
// long rests, costs above the capacity), gives each to the program and to the
// dialect, and compares whether each request is admitted, how long it is held,
// and every hint that the dialect gives. The first difference is told with all
// that is needed to see it again.
//
// A [StoreCase] is a fleet of servers in front of a real Redis, at the time of
// the machine. What it admits and asks is compared with the simulated fleet of
// the same coordination, to which the same requests come. The numbers are of one
// run on one machine; that no window differs holds on any.
//
// It is a module of its own, so that nothing of what it compares with is needed
// to build ratelab. `make peers` runs everything and writes TABLE.md
// and STORE.md.
package peers
