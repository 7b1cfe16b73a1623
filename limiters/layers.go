package limiters

import (
	"time"

	"ratelab/limiters/contract"
)

// Layers are several limiters that a request must pass, each with keys of its
// own: a limit a user, one an address, one for all.
type Layers struct {
	charge   ChargeMode
	limiters []Limiter
	asked    []Decision
}

// Take decides and charges a request that has keys[i] in layer i. It returns
// the decision of all layers together, in which Layer is the first that
// refused. Nothing allocates once the keys are known.
//
// RetryAfter is the longest among the layers that were asked and refused;
// Limit and Remaining are the smallest over all layers, Reset and Delay the
// largest, as the layers stand afterwards. A hint that a layer does not give
// is left out, and is given if any layer gives it.
//
// With ChargeAdmitted the RetryAfter is exact: a layer that would admit the
// request at one time would at any later time, if nobody else came, and so all
// do once the last has come round. In the other modes a layer in front may
// have been charged, and refuse then.
func (l *Layers) Take(now time.Duration, keys []uint32, cost int64) Decision {
	refusedBy := -1
	switch l.charge {
	case ChargeInOrder:
		refusedBy = l.inOrder(now, keys, cost)
	case ChargeAlways:
		for i, limiter := range l.limiters {
			if l.asked[i] = limiter.Take(now, keys[i], cost); !l.asked[i].Admitted && refusedBy < 0 {
				refusedBy = i
			}
		}
	case ChargeAdmitted:
		if refusedBy = l.ask(now, keys, cost); refusedBy < 0 {
			for i, limiter := range l.limiters {
				l.asked[i] = limiter.Take(now, keys[i], cost)
			}
		}
	}
	return merged(l.asked, refusedBy)
}

// Admit decides and charges exactly as Take does, without working out the
// hints. It returns the first layer that refused, -1 if none did.
func (l *Layers) Admit(now time.Duration, keys []uint32, cost int64) (delay time.Duration, refusedBy int) {
	if l.charge == ChargeAdmitted {
		if refusedBy = l.ask(now, keys, cost); refusedBy >= 0 {
			return 0, refusedBy
		}
	}
	refusedBy = -1
	for i, limiter := range l.limiters {
		admitted, held := limiter.Admit(now, keys[i], cost)
		delay = max(delay, held)
		if !admitted && refusedBy < 0 {
			if refusedBy = i; l.charge == ChargeInOrder {
				break
			}
		}
	}
	if refusedBy >= 0 {
		delay = 0
	}
	return delay, refusedBy
}

// Limiter returns the limiter of layer i, to see what its keys take.
func (l *Layers) Limiter(i int) Limiter { return l.limiters[i] }

// Asked returns the decisions of the layers, each as if it were alone, of which
// the last Take made its own. They are good until the next Take.
func (l *Layers) Asked() []Decision { return l.asked }

// ask asks all layers and charges none, and returns the first that refuses.
func (l *Layers) ask(now time.Duration, keys []uint32, cost int64) (refusedBy int) {
	refusedBy = -1
	for i, limiter := range l.limiters {
		if l.asked[i] = limiter.Ask(now, keys[i], cost); !l.asked[i].Admitted && refusedBy < 0 {
			refusedBy = i
		}
	}
	return refusedBy
}

func (l *Layers) inOrder(now time.Duration, keys []uint32, cost int64) (refusedBy int) {
	for i, limiter := range l.limiters {
		if l.asked[i] = limiter.Take(now, keys[i], cost); l.asked[i].Admitted {
			continue
		}
		for j := i + 1; j < len(l.limiters); j++ {
			l.asked[j] = unseen(l.limiters[j], now, keys[j])
		}
		return i
	}
	return -1
}

// unseen returns how a limiter stands for a key, without showing it the
// request: not even the key's latest time moves.
func unseen(l Limiter, now time.Duration, key uint32) Decision {
	h := l.(holder)
	h.putAside(key)
	d := l.Ask(now, key, 1)
	h.putBack(key)
	d.Admitted, d.Delay = true, 0 // it has no part in the refusal
	return d
}

// holder keeps a key's state while it is looked at. Every limiter is one, by
// its slab; one that keeps more than the slab puts that aside as well.
type holder interface {
	putAside(key uint32)
	putBack(key uint32)
}

// merged makes one answer of those of all layers.
func merged(all []Decision, refusedBy int) Decision {
	admitted := refusedBy < 0
	d := Decision{Admitted: admitted, Layer: int32(max(0, refusedBy))}
	for i := range all {
		a := &all[i]
		has := a.Has
		if a.Admitted != admitted {
			has &^= contract.HintRetryAfter // it did not refuse
		}
		if has&contract.HintRetryAfter != 0 && (d.Has&contract.HintRetryAfter == 0 || a.RetryAfter > d.RetryAfter) {
			d.RetryAfter = a.RetryAfter
		}
		if has&contract.HintLimit != 0 && (d.Has&contract.HintLimit == 0 || a.Limit < d.Limit) {
			d.Limit = a.Limit
		}
		if has&contract.HintRemaining != 0 && (d.Has&contract.HintRemaining == 0 || a.Remaining < d.Remaining) {
			d.Remaining = a.Remaining
		}
		if has&contract.HintReset != 0 && (d.Has&contract.HintReset == 0 || a.Reset > d.Reset) {
			d.Reset = a.Reset
		}
		if admitted {
			d.Delay = max(d.Delay, a.Delay)
		}
		d.Has |= has
	}
	return d
}
