package fleet

import (
	"fmt"

	"ratelab/limiters/contract"
)

// Ledger remembers which requests were charged, by their idempotency keys. An
// attempt whose key is known is admitted without a charge, and is not told to
// [Caller.Decided]. There is one ledger: servers know of each other's charges
// at once, even where their limits are their own.
type Ledger interface {
	// Charged reports whether a request with this key was charged; never for
	// the key 0. Charge remembers it.
	Charged(key uint64) bool
	Charge(key uint64)
}

// bearsLedger refuses a ledger where a request is not decided at one instant
// by one limiter.
func (c Config) bearsLedger() error {
	if c.Ledger == nil {
		return nil
	}
	switch c.Coordination.name {
	case "", "local", "quota", "central", "sharded":
		return nil
	}
	return fmt.Errorf("coordination %q does not know idempotency keys; local, quota, central and sharded do", c.Coordination)
}

// known reports whether a call's request was charged before.
func (f *Fleet) known(c *callSlot) bool {
	return f.ledger != nil && f.ledger.Charged(c.req.Idempotency)
}

// paid admits a call whose request was charged before.
func (f *Fleet) paid(c *callSlot) bool {
	if f.known(c) {
		c.decision, c.uncharged = contract.Decision{Admitted: true}, true
		return true
	}
	return false
}

// remember enters a call that was charged.
func (f *Fleet) remember(c *callSlot) {
	if f.ledger != nil {
		f.ledger.Charge(c.req.Idempotency)
	}
}

// charged remembers a call if its decision charged it.
func (f *Fleet) charged(c *callSlot) {
	if c.decision.Admitted {
		f.remember(c)
	}
}
