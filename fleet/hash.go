package fleet

import (
	"math/bits"
	"math/rand/v2"
)

// hashed sends all requests of a key to one server: the key, mixed to 64
// bits, scaled to the number of servers.
type hashed struct{ servers uint64 }

func (b hashed) Pick(key uint32) int { return b.scale(mix(uint64(key))) }

func (b hashed) scale(x uint64) int {
	server, _ := bits.Mul64(x, b.servers)
	return int(server)
}

// mix is the next output of SplitMix64 (Steele, Lea, Flood 2014) after x.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// rehashed is hashed among the servers that serve: while a key's server does
// not, the key goes where its bits, mixed once more, say. Other keys stay.
type rehashed struct {
	hashed
	choice
}

func (b *rehashed) Pick(key uint32) int {
	x := mix(uint64(key))
	server := b.scale(x)
	if !b.all(int(b.servers)) {
		for !b.has(server) {
			x = mix(x)
			server = b.scale(x)
		}
	}
	return server
}

func init() {
	plain("hash", "all requests of a key to one server, by a hash of the key",
		"Few keys may share a server while others have none. Of a server that is down, each key goes to another\nof its own, and no other key moves.",
		func(servers int, _ func(string) *rand.Rand) (Balancer, error) {
			return &rehashed{hashed{uint64(servers)}, allServe(servers)}, nil
		})
}
