// Package random draws the chance in a run, and gives the same bits on every
// machine.
//
// A [Stream] is a named generator. Its name is a seed and a path such as
// ("poisson", "gaps", "replication 3"), and its state depends on nothing
// else: a stream that is added, removed or drawn from more often shifts no
// other. Give every purpose a stream of its own, so that two models compared
// under one seed see the same arrivals whatever else they draw.
//
// [Exponential] draws the exponential law with a ziggurat that calls nothing
// from package math whose result depends on the architecture, and [ExpGaps]
// turns such draws into the points of a Poisson process on the integer
// nanosecond clock without changing its rate. [Normal] makes two of them into
// one of the normal law.
//
// Every product that is added to something is rounded by an explicit
// conversion, as in float64(x*y) + z: without it a compiler may fuse the two
// operations on one architecture and not on another, and the last bit differs.
package random
