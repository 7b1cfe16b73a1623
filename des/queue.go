package des

import (
	"cmp"
	"math/bits"
	"slices"
	"time"
)

const (
	slotBits = 24
	maxSlots = 1 << slotBits        // slots, the unused slot 0 included
	maxSeq   = 1<<(64-slotBits) - 1 // the largest sequence number
)

// key is what the queue sorts: a time, and one word that holds the sequence
// number of the scheduling above the index of the slot. Sequence numbers start at
// 1, so the word of a key is never 0.
type key struct {
	at    time.Duration
	order uint64
}

func (k key) slot() uint32 { return uint32(k.order & (maxSlots - 1)) }

// before returns 1 if k runs before other, else 0: the borrow of their
// difference as numbers of 128 bits. Times are never negative, and different keys
// are never equal. Where the answer is not to be guessed, it costs less as a
// number than as a branch.
func (k key) before(other key) int {
	_, borrow := bits.Sub64(k.order, other.order, 0)
	_, borrow = bits.Sub64(uint64(k.at), uint64(other.at), borrow)
	return int(borrow)
}

func compareKeys(a, b key) int {
	if c := cmp.Compare(a.at, b.at); c != 0 {
		return c
	}
	return cmp.Compare(a.order, b.order)
}

// root is where the first key stands. With three keys left free before it, four
// children fill one cache line of 64 bytes.
const root = 3

// queue is an implicit 4-ary heap: the children of keys[i] are keys[4(i-2)] and
// the three after it, none of which runs before it.
//
// The first key is not taken out until it must be: while the handler of its
// event runs there is a hole in its place, and the first key that is pushed falls
// into it. That saves bringing up the last key only to sink it again.
type queue struct {
	keys []key // keys[:root] are never used
	hole bool  // keys[root] is taken out
}

func newQueue() queue { return queue{keys: make([]key, root, 16)} }

// len returns how many keys there are, without the hole.
func (q *queue) len() int {
	n := len(q.keys) - root
	if q.hole {
		n--
	}
	return n
}

// first returns the first key, and false if there is none. It closes the hole.
func (q *queue) first() (key, bool) {
	if q.hole {
		q.pop()
	}
	if len(q.keys) <= root {
		return key{}, false
	}
	return q.keys[root], true
}

func (q *queue) push(k key) {
	if q.hole {
		q.hole = false
		if len(q.keys) == root+1 { // a single source is worth a shorter way
			q.keys[root] = k
			return
		}
		q.sift(root, k)
		return
	}
	q.keys = append(q.keys, k)
	keys := q.keys
	i := len(keys) - 1
	for i > root {
		parent := i>>2 + 2
		if keys[parent].before(k) != 0 {
			break
		}
		keys[i] = keys[parent]
		i = parent
	}
	keys[i] = k
}

// pop removes the first key, or the hole. There must be one.
func (q *queue) pop() {
	q.hole = false
	n := len(q.keys) - 1
	last := q.keys[n]
	q.keys = q.keys[:n]
	if n > root {
		q.sift(root, last)
	}
}

// guessFrom is where the heap is so large that the next children are not in
// the nearest caches. There a branch that is guessed fetches them before the
// comparison is done; a number can not.
const guessFrom = 1 << 15

// sift puts k where keys[i] is or below it, and moves up what runs before k.
func (q *queue) sift(i int, k key) {
	keys := q.keys
	for {
		child := 4 * (i - 2)
		if child+4 > len(keys) {
			break
		}
		four := (*[4]key)(keys[child:])
		first := 0
		if child < guessFrom {
			low := four[1].before(four[0]) & 1
			high := four[3].before(four[2])&1 | 2
			first = low ^ (low^high)&-four[high].before(four[low])
		} else {
			for j := 1; j < 4; j++ {
				if four[j].before(four[first]) != 0 {
					first = j
				}
			}
		}
		best := four[first&3]
		if k.before(best) != 0 {
			keys[i] = k
			return
		}
		keys[i] = best
		i = child + first
	}
	if child := 4 * (i - 2); child < len(keys) {
		first := child
		for j := child + 1; j < len(keys); j++ {
			if keys[j].before(keys[first]) != 0 {
				first = j
			}
		}
		if keys[first].before(k) != 0 {
			keys[i] = keys[first]
			i = first
		}
	}
	keys[i] = k
}

// keep removes every key that live does not report and the hole, and restores
// the heap.
func (q *queue) keep(live func(key) bool) {
	first := root
	if q.hole {
		q.hole, first = false, root+1
	}
	kept := q.keys[:root]
	for _, k := range q.keys[first:] {
		if live(k) {
			kept = append(kept, k)
		}
	}
	q.keys = kept
	q.heap()
}

// heap orders the keys from the last parent up.
func (q *queue) heap() {
	for i := (len(q.keys)-1)>>2 + 2; i >= root; i-- {
		q.sift(i, q.keys[i])
	}
}

// sort puts the keys in order, which is also a heap.
func (q *queue) sort() { slices.SortFunc(q.keys[root:], compareKeys) }
