package scenario

import "ratelab/workloads"

// manyPairs of a server and a key have states that do not stay in the cache: then
// the fleet is told of arrivals before they come.
const manyPairs = 1 << 15

// ahead is the arrivals that are read before they come, where nothing but they
// send requests.
type ahead struct {
	arrivals [64]workloads.Arrival
	keys     [64]uint32
	n, next  int
	ended    bool
}

// advanceAhead takes the next arrival of those that were read ahead. It is false
// after the last before the horizon.
func (w *world) advanceAhead() bool {
	h := w.ahead
	if h.next == h.n {
		w.lookAhead()
	}
	if h.next == h.n {
		return false
	}
	w.next = h.arrivals[h.next]
	h.next++
	return true
}

// lookAhead reads arrivals, and tells the fleet of them.
func (w *world) lookAhead() {
	h := w.ahead
	h.n, h.next = 0, 0
	for h.n < len(h.arrivals) && !h.ended {
		a, ok := w.arrivals.Next()
		if h.ended = !ok || a.At >= w.horizon || !w.inOrder(w.n+uint(h.n), a.At); h.ended {
			break
		}
		h.arrivals[h.n], h.keys[h.n] = a, a.Key
		h.n++
	}
	w.fleet.Foresee(h.keys[:h.n])
}
