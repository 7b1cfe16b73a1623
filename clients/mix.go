package clients

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"ratelab/internal/spec"
)

// MaxClients bounds the clients of a population.
const MaxClients = 1 << 24

// Mix says which clients a population has: open specs with their shares of the
// clients that a workload speaks for, and specs that bring their own users.
type Mix struct {
	parts []part
}

type part struct {
	spec  Spec
	share *big.Rat // of the open clients; nil if the spec has users
}

// maxParts is how many specs a mix may have: a request's ID has 8 bits for it.
const maxParts = 1 << 8

// ParseMix reads the specs of a mix: "SPEC", or "SPEC * SHARE" with a decimal
// share where several have an open loop. The shares add up to 1, exactly.
func ParseMix(texts ...string) (Mix, error) {
	var m Mix
	sum, open := new(big.Rat), 0
	for _, text := range texts {
		before, share, shared := cutLast(text, "*")
		s, err := Parse(before)
		if err != nil {
			return Mix{}, err
		}
		p := part{spec: s}
		switch {
		case s.Users() > 0 && shared:
			return Mix{}, fmt.Errorf("client %q brings its own users and takes no share, got %q", s, share)
		case s.Users() > 0:
		case shared:
			if p.share, err = readShare(share); err != nil {
				return Mix{}, fmt.Errorf("client %q: %w", s, err)
			}
			sum.Add(sum, p.share)
			open++
		default:
			p.share = big.NewRat(1, 1)
			sum.Add(sum, p.share)
			open++
		}
		m.parts = append(m.parts, p)
	}
	switch one := big.NewRat(1, 1); {
	case len(m.parts) == 0:
		return Mix{}, errors.New("a mix needs a client, such as none")
	case len(m.parts) > maxParts:
		return Mix{}, fmt.Errorf("a mix has at most %d clients, got %d", maxParts, len(m.parts))
	case open > 0 && sum.Cmp(one) != 0:
		return Mix{}, fmt.Errorf("the shares of clients must add up to 1, as in 'retry-after * 0.8' and 'rude * 0.2', got %s", sum.RatString())
	}
	return m, nil
}

func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

func readShare(text string) (*big.Rat, error) {
	text = strings.TrimSpace(text)
	if _, err := spec.ParseNumber(text); err != nil {
		return nil, fmt.Errorf("share %w", err)
	}
	share, ok := new(big.Rat).SetString(text)
	if !ok || share.Sign() <= 0 || share.Cmp(big.NewRat(1, 1)) > 0 {
		return nil, fmt.Errorf("share must lie in (0, 1], got %q", text)
	}
	return share, nil
}

// Specs returns the specs of the mix, in the order given.
func (m Mix) Specs() []Spec {
	var specs []Spec
	for _, p := range m.parts {
		specs = append(specs, p.spec)
	}
	return specs
}

// Open reports whether some of the clients need a workload.
func (m Mix) Open() bool {
	return slices.ContainsFunc(m.parts, func(p part) bool { return p.share != nil })
}

// Feedback reports whether the answers of the server can change what is sent:
// false only for none with an open loop, without budget and timeout.
func (m Mix) Feedback() bool {
	return slices.ContainsFunc(m.parts, func(p part) bool {
		_, never := p.spec.policy.(none)
		return !never || p.share == nil || p.spec.timeout > 0 || p.spec.budget.new != nil
	})
}

// String writes the specs, separated by " + ", with shares if there are
// several.
func (m Mix) String() string {
	var texts []string
	for _, p := range m.parts {
		text := p.spec.String()
		if p.share != nil && p.share.Cmp(big.NewRat(1, 1)) != 0 {
			digits, _ := p.share.FloatPrec()
			text += " * " + p.share.FloatString(digits)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " + ")
}

// policies returns the part of each of the mix's clients: n open ones, whose
// parts have their shares by largest remainder and are dealt by r, then the
// users part by part.
func (m Mix) policies(n int, r *rand.Rand) []uint8 {
	counts := m.apportion(n)
	var of []uint8
	for i, count := range counts {
		of = append(of, slices.Repeat([]uint8{uint8(i)}, count)...)
	}
	r.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	for i, p := range m.parts {
		if p.share == nil {
			of = append(of, slices.Repeat([]uint8{uint8(i)}, int(p.spec.users))...)
		}
	}
	return of
}

// apportion divides n clients among the open parts: the whole part of n·share
// each, and one more for the largest remainders, the earlier of equal ones
// first.
func (m Mix) apportion(n int) []int {
	counts, left := make([]int, len(m.parts)), n
	type remainder struct {
		part int
		rest *big.Rat
	}
	var rests []remainder
	for i, p := range m.parts {
		if p.share == nil {
			continue
		}
		quota := new(big.Rat).Mul(p.share, new(big.Rat).SetInt64(int64(n)))
		whole := new(big.Int).Quo(quota.Num(), quota.Denom())
		counts[i] = int(whole.Int64())
		left -= counts[i]
		rests = append(rests, remainder{i, quota.Sub(quota, new(big.Rat).SetInt(whole))})
	}
	slices.SortStableFunc(rests, func(a, b remainder) int { return cmp.Or(b.rest.Cmp(a.rest), cmp.Compare(a.part, b.part)) })
	for _, r := range rests[:min(left, len(rests))] {
		counts[r.part]++
	}
	return counts
}
