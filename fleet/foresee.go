package fleet

import "ratelab/limiters"

// foreseen is the servers of requests that are known before they come.
type foreseen struct {
	servers   []int
	next      int
	touchable []limiters.Touchable // by bucket
	sum       uint32
}

// Foresee tells the keys of the requests that come next, in their order: the
// fleet picks their servers and reads their state from memory, all at once. It
// changes no result, and does nothing where faults or calls in flight bear on
// the choice of a server. No other request may come before all of these have.
func (f *Fleet) Foresee(keys []uint32) {
	if f.tracker != nil || len(f.trouble.changes) > 0 {
		return
	}
	a := &f.ahead
	a.servers, a.next = append(a.servers[:0], a.servers[a.next:]...), 0
	before := len(a.servers)
	for _, key := range keys {
		a.servers = append(a.servers, f.balancer.Pick(key))
	}
	if len(a.touchable) == 0 {
		return
	}
	for i, key := range keys {
		a.sum += a.touchable[min(a.servers[before+i], len(a.touchable)-1)].Touch(key)
	}
}

// pick picks the server of the next request.
func (f *Fleet) pick(key uint32) int {
	a := &f.ahead
	if a.next < len(a.servers) {
		a.next++
		return a.servers[a.next-1]
	}
	return f.balancer.Pick(key)
}
