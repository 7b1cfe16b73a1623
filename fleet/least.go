package fleet

import (
	"math/rand/v2"

	"ratelab/internal/spec"
)

// least picks the server with the fewest calls in flight; among equals the one
// that was picked longest ago, at first the lowest. With nothing in flight, as
// where all is decided at once and nothing is held, that is round robin.
type least struct {
	heap  []int // servers: heap[i] comes before heap[2i+1] and heap[2i+2]
	place []int // of each server in the heap
	load  []int // calls in flight at each, and away where it does not serve
	last  []int // when each was picked last, counted in picks
	picks int
}

// away is more than all that can be in flight.
const away = 1 << 40

func newLeast(servers int) *least {
	b := &least{
		heap: make([]int, servers), place: make([]int, servers),
		load: make([]int, servers), last: make([]int, servers), picks: servers,
	}
	for i := range servers {
		b.heap[i], b.place[i], b.last[i] = i, i, i
	}
	return b
}

func (b *least) Pick(uint32) int {
	server := b.heap[0]
	b.last[server] = b.picks
	b.picks++
	b.down(0)
	return server
}

func (b *least) started(server int) { b.add(server, 1) }
func (b *least) ended(server int)   { b.add(server, -1) }

func (b *least) serve(server int, up bool) {
	switch isUp := b.load[server] < away; {
	case up && !isUp:
		b.add(server, -away)
	case !up && isUp:
		b.add(server, away)
	}
}

func (b *least) add(server, calls int) {
	b.load[server] += calls
	if calls > 0 {
		b.down(b.place[server])
	} else {
		b.rise(b.place[server])
	}
}

// before reports whether server s is to be picked before server t.
func (b *least) before(s, t int) bool {
	return b.load[s] < b.load[t] || b.load[s] == b.load[t] && b.last[s] < b.last[t]
}

func (b *least) rise(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !b.before(b.heap[i], b.heap[parent]) {
			return
		}
		b.swap(i, parent)
		i = parent
	}
}

func (b *least) down(i int) {
	for {
		first := 2*i + 1
		if first >= len(b.heap) {
			return
		}
		if second := first + 1; second < len(b.heap) && b.before(b.heap[second], b.heap[first]) {
			first = second
		}
		if !b.before(b.heap[first], b.heap[i]) {
			return
		}
		b.swap(i, first)
		i = first
	}
}

func (b *least) swap(i, j int) {
	b.heap[i], b.heap[j] = b.heap[j], b.heap[i]
	b.place[b.heap[i]], b.place[b.heap[j]] = i, j
}

func init() {
	balancers.Register(spec.Entry{
		Name: "least",
		Doc:  "each request to the server with the fewest calls in flight",
		More: "A call is in flight from when it is sent until its caller hears the end: round trips and delays count. Among equals the server\n" +
			"that was picked longest ago comes first, so with nothing in flight this is round robin. A server that comes back is empty, and\n" +
			"takes all requests until it has as many as the others.",
	}, func(*spec.Values) (newBalancer, error) {
		return func(servers int, _ func(string) *rand.Rand) (Balancer, error) { return newLeast(servers), nil }, nil
	})
}
