package des

// instant holds the events that were scheduled for the instant at which the
// clock stands, in the order of scheduling: a ring of the order words of their
// keys, whose length is a power of two. It is empty before the clock moves on.
//
// In a heap such an event would be the worst case of both push and pop. Whatever
// stands in the heap for the same instant was scheduled before the clock came
// there, so it runs first.
type instant struct {
	ring       []uint64
	head, tail uint // orders head..tail-1 are held, each at its number modulo len(ring)
}

func (q *instant) len() int { return int(q.tail - q.head) }

func (q *instant) push(order uint64) {
	if q.tail-q.head == uint(len(q.ring)) {
		q.grow()
	}
	q.ring[q.tail&uint(len(q.ring)-1)] = order
	q.tail++
}

func (q *instant) first() uint64 { return q.ring[q.head&uint(len(q.ring)-1)] }

func (q *instant) pop() { q.head++ }

func (q *instant) grow() {
	ring := make([]uint64, max(16, 2*len(q.ring)))
	for i := q.head; i != q.tail; i++ {
		ring[i&uint(len(ring)-1)] = q.ring[i&uint(len(q.ring)-1)]
	}
	q.ring = ring
}

// keep removes every order that live does not report.
func (q *instant) keep(live func(order uint64) bool) {
	to := q.head
	for i := q.head; i != q.tail; i++ {
		if order := q.ring[i&uint(len(q.ring)-1)]; live(order) {
			q.ring[to&uint(len(q.ring)-1)] = order
			to++
		}
	}
	q.tail = to
}
