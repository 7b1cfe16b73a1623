package scenario

import "ratelab/workloads"

// ahead is the arrivals that are read before they come: of worlds in which
// nothing but they send requests.
type ahead struct {
	arrivals [64]workloads.Arrival
	keys     [64]uint32
	n, next  int
	ended    bool
}

// look reads arrivals ahead, and tells the fleet of them.
func (w *world) look() bool {
	h := &w.ahead
	h.n, h.next = 0, 0
	for h.n < len(h.arrivals) && !h.ended {
		a, ok := w.arrivals.Next()
		if !ok || a.At >= w.horizon {
			h.ended = true
			break
		}
		h.arrivals[h.n], h.keys[h.n] = a, a.Key
		h.n++
	}
	w.fleet.Foresee(h.keys[:h.n])
	return h.n > 0
}
