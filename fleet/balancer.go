package fleet

import (
	"fmt"
	"math/rand/v2"

	"ratelab/internal/spec"
)

// Balancer picks the server, from 0, that takes a key's next request.
// Those that are taken out of the choice are not picked; one at least stays.
type Balancer interface {
	Pick(key uint32) int

	serve(server int, up bool) // takes a server out, or back in
}

// tracker is a balancer that goes by the calls in flight: it hears when one
// starts at a server and when it ends there.
type tracker interface {
	started(server int)
	ended(server int)
}

type buildBalancer func(v *spec.Values) (newBalancer, error)
type newBalancer func(servers int, stream func(string) *rand.Rand) (Balancer, error)

var balancers = spec.Registry[buildBalancer]{Kind: "balancer"}

// Balancers lists the balancers, sorted by name.
func Balancers() []spec.Entry { return balancers.Entries() }

// BalancerSpec is a parsed balancer, as in weighted:zipf=1. The zero value is
// round-robin.
type BalancerSpec struct {
	text string
	new  newBalancer
}

// ParseBalancer reads a balancer's spec.
func ParseBalancer(text string) (BalancerSpec, error) {
	v, build, err := balancers.Parse(text)
	if err != nil {
		return BalancerSpec{}, err
	}
	n, err := build(v)
	if err != nil {
		return BalancerSpec{}, err
	}
	return BalancerSpec{text: v.String(), new: n}, nil
}

func (b BalancerSpec) String() string {
	if b.new == nil {
		return "round-robin"
	}
	return b.text
}

func (b BalancerSpec) build(servers int, stream func(string) *rand.Rand) (Balancer, error) {
	if b.new == nil {
		return newRoundRobin(servers), nil
	}
	picks, err := b.new(servers, stream)
	if err != nil {
		return nil, fmt.Errorf("balancer %q: %w", b.text, err)
	}
	return picks, nil
}

// plain registers a balancer without parameters.
func plain(name, doc, more string, n newBalancer) {
	balancers.Register(spec.Entry{Name: name, Doc: doc, More: more}, func(*spec.Values) (newBalancer, error) { return n, nil })
}
