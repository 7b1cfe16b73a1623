package clients

// Ledger is a server's memory of the idempotency keys that it has charged. It
// knows the keys of one [Population], and remembers those of requests that are
// under way: its size is that of the population's slab.
type Ledger struct {
	charged []uint32 // by slot, the use in which it was charged; 0: never
}

// Charged reports whether a request with this key was charged. The key 0 is
// none, and never was.
func (l *Ledger) Charged(key uint64) bool {
	slot, use := uint32(key), uint32(key>>32)
	return use != 0 && int(slot) < len(l.charged) && l.charged[slot] == use
}

// Charge remembers that a request with this key was charged. It does nothing
// for the key 0.
func (l *Ledger) Charge(key uint64) {
	slot, use := uint32(key), uint32(key>>32)
	if use == 0 {
		return
	}
	for int(slot) >= len(l.charged) {
		l.charged = append(l.charged, 0)
	}
	l.charged[slot] = use
}
