package fleet

import "math/rand/v2"

// roundRobin deals requests out in turn, server 0 first, whatever their keys.
type roundRobin struct{ servers, next int }

func (b *roundRobin) Pick(uint32) int {
	i := b.next
	if b.next++; b.next == b.servers {
		b.next = 0
	}
	return i
}

func init() {
	plain("round-robin", "each request to the next server in turn",
		func(servers int, _ func(string) *rand.Rand) (Balancer, error) {
			return &roundRobin{servers: servers}, nil
		})
}
