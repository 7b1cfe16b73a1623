package fleet

import "math/rand/v2"

// roundRobin deals requests out in turn, server 0 first, whatever their keys.
// A server that does not serve loses its turns.
type roundRobin struct {
	choice
	servers, next int
}

func newRoundRobin(servers int) *roundRobin {
	return &roundRobin{choice: allServe(servers), servers: servers}
}

func (b *roundRobin) Pick(uint32) int {
	i := b.turn()
	if !b.all(b.servers) {
		for !b.has(i) {
			i = b.turn()
		}
	}
	return i
}

func (b *roundRobin) turn() int {
	i := b.next
	if b.next++; b.next == b.servers {
		b.next = 0
	}
	return i
}

func init() {
	plain("round-robin", "each request to the next server in turn",
		"There is one turn for all keys, so that the requests of one key are spread as those of all are: with\none key, evenly. A server that is down is passed over.",
		func(servers int, _ func(string) *rand.Rand) (Balancer, error) { return newRoundRobin(servers), nil })
}
