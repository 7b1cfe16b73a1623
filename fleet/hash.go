package fleet

import (
	"math/bits"
	"math/rand/v2"
)

// hashed sends all requests of a key to one server: the key, mixed to 64
// bits, scaled to the number of servers. While that server does not serve, the
// key goes where the next mixing of the same bits says; other keys stay.
type hashed struct {
	serving
	servers int
}

func (b *hashed) Pick(key uint32) int {
	x := mix(uint64(key))
	server := b.scale(x)
	if !b.all(b.servers) {
		for !b.has(server) {
			x = mix(x)
			server = b.scale(x)
		}
	}
	return server
}

func (b *hashed) scale(x uint64) int {
	server, _ := bits.Mul64(x, uint64(b.servers))
	return int(server)
}

// mix is SplitMix64 (Steele, Lea, Flood 2014): the next state, finalised.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func init() {
	plain("hash", "all requests of a key to one server, by a hash of the key",
		func(servers int, _ func(string) *rand.Rand) (Balancer, error) {
			return &hashed{allServe(servers), servers}, nil
		})
}
