package fleet

import "math/rand/v2"

// uniform picks every server with the same chance, each request by itself.
type uniform struct {
	servers uint64
	r       *rand.Rand
}

func (b *uniform) Pick(uint32) int { return int(b.r.Uint64N(b.servers)) }

func init() {
	plain("random", "each request to any server, with equal chance",
		func(servers int, stream func(string) *rand.Rand) (Balancer, error) {
			return &uniform{servers: uint64(servers), r: stream("balancer")}, nil
		})
}
