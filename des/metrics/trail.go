package metrics

import "time"

// trail holds what came in the last stretch of time, one entry for equal times, in
// a ring whose length is a power of two. The zero value is empty.
type trail struct {
	ring       []Admission
	head, tail uint  // entries head..tail-1 are held, each at its number modulo len(ring)
	sum        int64 // of their costs
}

// expire drops what does not lie in (now-w, now]. Times never decrease.
func (q *trail) expire(now, w time.Duration) {
	head, sum := q.head, q.sum
	for head != q.tail {
		oldest := &q.ring[head&uint(len(q.ring)-1)]
		if uint64(now-oldest.At) < uint64(w) {
			break
		}
		sum -= oldest.Cost
		head++
	}
	q.head, q.sum = head, sum
}

// push adds a cost at a time no earlier than any before.
func (q *trail) push(now time.Duration, cost int64) {
	q.sum += cost
	if q.head != q.tail {
		newest := &q.ring[(q.tail-1)&uint(len(q.ring)-1)]
		if newest.At == now {
			newest.Cost += cost
			return
		}
	}
	if q.tail-q.head == uint(len(q.ring)) {
		q.grow()
	}
	q.ring[q.tail&uint(len(q.ring)-1)] = Admission{now, cost}
	q.tail++
}

func (q *trail) grow() {
	ring := make([]Admission, max(8, 2*len(q.ring)))
	for i := q.head; i != q.tail; i++ {
		ring[i&uint(len(ring)-1)] = q.ring[i&uint(len(q.ring)-1)]
	}
	q.ring = ring
}
