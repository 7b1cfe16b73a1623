package fleet

import (
	"math/rand/v2"

	"ratelab/internal/spec"
)

// twoChoices draws two different servers and picks the one with fewer calls in
// flight, of equals the first drawn. With nothing in flight that is random.
type twoChoices struct {
	choice
	load []int // calls in flight at each
	r    *rand.Rand
}

func (b *twoChoices) Pick(uint32) int {
	n := uint64(len(b.up))
	if n == 1 {
		return b.up[0]
	}
	i, j := b.r.Uint64N(n), b.r.Uint64N(n-1)
	if j >= i {
		j++
	}
	first, second := b.up[i], b.up[j]
	if b.load[second] < b.load[first] {
		return second
	}
	return first
}

func (b *twoChoices) started(server int) { b.load[server]++ }
func (b *twoChoices) ended(server int)   { b.load[server]-- }

func init() {
	balancers.Register(spec.Entry{
		Name: "two-choices",
		Doc:  "each request to the one of two random servers with fewer calls in flight",
		More: "A call is in flight from when it is sent until its caller hears the end: round trips and delays count. Of equals the first drawn\n" +
			"is taken, so with nothing in flight this is random. (Mitzenmacher, IEEE TPDS 12, 2001.)",
	}, func(*spec.Values) (newBalancer, error) {
		return func(servers int, stream func(string) *rand.Rand) (Balancer, error) {
			return &twoChoices{choice: allServe(servers), load: make([]int, servers), r: stream("balancer")}, nil
		}, nil
	})
}
