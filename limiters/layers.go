package limiters

import (
	"fmt"
	"strings"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

// ChargeMode says who pays when several limiters stand one behind the other.
type ChargeMode string

const (
	// ChargeAdmitted asks every layer and charges all of them only if all
	// admit; otherwise none, not even one that counts refused requests.
	ChargeAdmitted ChargeMode = "admitted"
	// ChargeInOrder asks and charges layer by layer until one refuses. What
	// was charged before stays charged, and the layers behind do not see the
	// request.
	ChargeInOrder ChargeMode = "in-order"
	// ChargeAlways lets every layer decide and charge as if it were alone.
	ChargeAlways ChargeMode = "always"
)

// ParseChargeMode reads the name of a charge mode.
func ParseChargeMode(text string) (ChargeMode, error) {
	switch c := ChargeMode(text); c {
	case ChargeAdmitted, ChargeInOrder, ChargeAlways:
		return c, nil
	}
	modes := []string{string(ChargeAdmitted), string(ChargeInOrder), string(ChargeAlways)}
	return "", fmt.Errorf("charge must be %s, got %q%s", strings.Join(modes, ", "), text, spec.DidYouMean(text, modes))
}

// Global is the column of a layer that all requests share.
const Global = "global"

// Layer is a limiter and what its keys are.
type Layer struct {
	Column string // user, ip, endpoint, …, or Global
	Spec   Spec
}

// ParseLayer reads "COLUMN=SPEC", as in user=gcra:rate=1/s,burst=5.
func ParseLayer(text string) (Layer, error) {
	column, limiter, ok := strings.Cut(text, "=")
	if !ok || column == "" || strings.ContainsAny(column, ":,") {
		return Layer{}, fmt.Errorf("a layer is COLUMN=SPEC, as in user=gcra:rate=1/s,burst=5, got %q", text)
	}
	s, err := Parse(limiter)
	if err != nil {
		return Layer{}, fmt.Errorf("layer %q: %w", column, err)
	}
	return Layer{column, s}, nil
}

// Layers are several limiters that a request must pass, each with keys of its
// own: a limit a user, one an address, one for all.
type Layers struct {
	mode     ChargeMode
	limiters []Limiter
	asked    []Decision
}

// NewLayers builds the limiters of layers. keyText gives the text of a
// layer's key, see [Spec.New]; nil stands for decimal numbers.
func NewLayers(layers []Layer, mode ChargeMode, seed uint64, keyText func(layer int, key uint32) string) *Layers {
	l := &Layers{mode: mode, asked: make([]Decision, len(layers))}
	for i, layer := range layers {
		var text func(uint32) string
		if keyText != nil {
			text = func(key uint32) string { return keyText(i, key) }
		}
		l.limiters = append(l.limiters, layer.Spec.New(seed, text))
	}
	return l
}

// Take decides and charges a request that has keys[i] in layer i. It returns
// the decision of all layers together, and the first layer that refused, -1
// if none did.
//
// RetryAfter is the longest among the layers that refused; Limit and
// Remaining are the smallest over all layers, Reset and Delay the largest, as
// the layers stand afterwards. A hint that a layer does not give is left out,
// and is given if any layer gives it.
func (l *Layers) Take(now time.Duration, keys []uint32, cost int64) (d Decision, refusedBy int) {
	refusedBy = -1
	switch l.mode {
	case ChargeAdmitted:
		refusedBy = l.admitted(now, keys, cost)
	case ChargeInOrder:
		refusedBy = l.inOrder(now, keys, cost)
	case ChargeAlways:
		for i, limiter := range l.limiters {
			l.asked[i] = limiter.Take(now, keys[i], cost)
			if !l.asked[i].Admitted && refusedBy < 0 {
				refusedBy = i
			}
		}
	}
	return merge(l.asked, refusedBy < 0), refusedBy
}

func (l *Layers) admitted(now time.Duration, keys []uint32, cost int64) (refusedBy int) {
	refusedBy = -1
	for i, limiter := range l.limiters {
		l.asked[i] = limiter.Ask(now, keys[i], cost)
		if !l.asked[i].Admitted && refusedBy < 0 {
			refusedBy = i
		}
	}
	if refusedBy >= 0 {
		return refusedBy
	}
	for i, limiter := range l.limiters {
		limiter.Charge(now, keys[i], cost)
		delay := l.asked[i].Delay
		l.asked[i] = limiter.Ask(now, keys[i], 1)
		l.asked[i].Admitted, l.asked[i].Delay = true, delay
	}
	return -1
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

// unseen returns how a limiter stands for a key that it is not shown.
func unseen(l Limiter, now time.Duration, key uint32) Decision {
	h, ok := l.(holder)
	if ok {
		h.hold(key)
	}
	d := l.Ask(now, key, 1)
	if ok {
		h.restore(key)
	}
	d.Admitted, d.Delay = true, 0 // it has no part in the refusal
	return d
}

// holder keeps a key's state while it is looked at.
type holder interface {
	hold(key uint32)
	restore(key uint32)
}

// merge makes one answer of those of all layers.
func merge(all []Decision, admitted bool) Decision {
	d := Decision{Admitted: admitted}
	for i := range all {
		a := &all[i]
		if !a.Admitted && a.Has&contract.HintRetryAfter != 0 {
			d.RetryAfter = max(d.RetryAfter, a.RetryAfter)
			d.Has |= contract.HintRetryAfter
		}
		if a.Has&contract.HintLimit != 0 && (d.Has&contract.HintLimit == 0 || a.Limit < d.Limit) {
			d.Limit = a.Limit
			d.Has |= contract.HintLimit
		}
		if a.Has&contract.HintRemaining != 0 && (d.Has&contract.HintRemaining == 0 || a.Remaining < d.Remaining) {
			d.Remaining = a.Remaining
			d.Has |= contract.HintRemaining
		}
		if a.Has&contract.HintReset != 0 && (d.Has&contract.HintReset == 0 || a.Reset > d.Reset) {
			d.Reset = a.Reset
			d.Has |= contract.HintReset
		}
		if admitted {
			d.Delay = max(d.Delay, a.Delay)
		}
	}
	return d
}
