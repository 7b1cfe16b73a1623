package adversary

import (
	"slices"
	"time"
)

// plain makes a schedule plainer without taking from its harm: requests that
// are not needed go, many at once if they can; instants that may be one become
// one; and what is left gets as few digits as will do.
func (e *evaluator) plain(at []time.Duration) []time.Duration {
	at = slices.Clone(at)
	least := e.try(at)
	var next []time.Duration
	keeps := func() bool {
		if e.try(next).harm(least) < 0 {
			return false
		}
		at, next = next, at
		return true
	}
	for size := len(at) / 2; size > 0; size /= 2 {
		for i := len(at) - size; i >= 0; i -= size {
			next = append(append(next[:0], at[:i]...), at[i+size:]...)
			if len(next) > 0 {
				keeps()
			}
		}
	}
	for i := 1; i < len(at); i++ {
		if at[i] == at[i-1] {
			continue
		}
		// Those before come later, or these come sooner.
		next = append(next[:0], at...)
		for j := i - 1; j >= 0 && at[j] == at[i-1]; j-- {
			next[j] = at[i]
		}
		if keeps() {
			continue
		}
		next = append(next[:0], at...)
		for j := i; j < len(at) && at[j] == at[i]; j++ {
			next[j] = at[i-1]
		}
		if keeps() {
			i--
		}
	}
	for unit := time.Duration(1e18); unit > 1; unit /= 10 {
		next = next[:0]
		for _, t := range at {
			next = append(next, t/unit*unit)
		}
		if keeps() {
			break
		}
	}
	return at
}
