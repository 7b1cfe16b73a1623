package fleet

import (
	"math/bits"
	"math/rand/v2"
)

// hashed sends all requests of a key to one server: the key, mixed to 64
// bits by SplitMix64's finaliser (Steele, Lea, Flood 2014), scaled to the
// number of servers.
type hashed struct{ servers uint64 }

func (b hashed) Pick(key uint32) int {
	x := uint64(key) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	server, _ := bits.Mul64(x, b.servers)
	return int(server)
}

func init() {
	plain("hash", "all requests of a key to one server, by a hash of the key",
		func(servers int, _ func(string) *rand.Rand) (Balancer, error) { return hashed{uint64(servers)}, nil })
}
