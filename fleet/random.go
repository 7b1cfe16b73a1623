package fleet

import "math/rand/v2"

// uniform picks every server with the same chance, each request by itself.
type uniform struct {
	choice
	r *rand.Rand
}

func (b *uniform) Pick(uint32) int { return b.up[b.r.Uint64N(uint64(len(b.up)))] }

func init() {
	plain("random", "each request to any server, with equal chance",
		"Draws are independent: a server's share of a few requests may lie far from 1/N.",
		func(servers int, stream func(string) *rand.Rand) (Balancer, error) {
			return &uniform{allServe(servers), stream("balancer")}, nil
		})
}
