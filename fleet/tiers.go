package fleet

import (
	"fmt"
	"math/bits"
	"strings"

	"ratelab/internal/spec"
)

// MaxTiers is how many tiers calls can have.
const MaxTiers = 3

// Tiers divide the keys into classes: tier 0 goes first, then 1, then 2. Each
// has its share of all keys, by a hash of the key. The zero Tiers are one.
type Tiers struct{ shares []int64 }

// ParseTiers reads whole proportions of up to three tiers, as in 1/6/3: health
// checks, users, batches. one is a single tier.
func ParseTiers(text string) (Tiers, error) {
	if text == "one" {
		return Tiers{}, nil
	}
	var t Tiers
	for part := range strings.SplitSeq(text, "/") {
		n, err := spec.ParseCount(part)
		if err != nil || n < 1 || n > 1<<32 || len(t.shares) == MaxTiers {
			return Tiers{}, fmt.Errorf("tiers must be two or three whole proportions > 0, as in 1/6/3, or one, got %q", text)
		}
		t.shares = append(t.shares, n)
	}
	if len(t.shares) < 2 {
		return Tiers{}, fmt.Errorf("tiers must be two or three whole proportions > 0, as in 1/6/3, or one, got %q", text)
	}
	return t, nil
}

// N returns how many tiers there are.
func (t Tiers) N() int { return max(1, len(t.shares)) }

// String writes the tiers as ParseTiers reads them.
func (t Tiers) String() string {
	if t.N() == 1 {
		return "one"
	}
	var texts []string
	for _, n := range t.shares {
		texts = append(texts, fmt.Sprint(n))
	}
	return strings.Join(texts, "/")
}

// Of returns the tier of a key.
func (t Tiers) Of(key uint32) int {
	if t.N() == 1 {
		return 0
	}
	sum := uint64(0)
	for _, n := range t.shares {
		sum += uint64(n)
	}
	x, _ := bits.Mul64(mix(uint64(key)^0x7469657273), sum) // bits of its own: a hash balancer has others
	for i, n := range t.shares {
		if x < uint64(n) {
			return i
		}
		x -= uint64(n)
	}
	return len(t.shares) - 1
}
