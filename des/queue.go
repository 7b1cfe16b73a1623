package des

import (
	"cmp"
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

// before reports whether k runs before other. Different keys are never equal.
func (k key) before(other key) bool {
	return k.at < other.at || k.at == other.at && k.order < other.order
}

func compareKeys(a, b key) int {
	if c := cmp.Compare(a.at, b.at); c != 0 {
		return c
	}
	return cmp.Compare(a.order, b.order)
}

// queue is an implicit 4-ary heap: the children of keys[i] are keys[4i+1] to
// keys[4i+4], none of which runs before it.
type queue struct {
	keys []key
}

func (q *queue) push(k key) {
	q.keys = append(q.keys, k)
	keys := q.keys
	i := len(keys) - 1
	for i > 0 {
		parent := (i - 1) >> 2
		if keys[parent].before(k) {
			break
		}
		keys[i] = keys[parent]
		i = parent
	}
	keys[i] = k
}

// pop removes the first key. The queue must not be empty.
func (q *queue) pop() {
	n := len(q.keys) - 1
	last := q.keys[n]
	q.keys = q.keys[:n]
	if n > 0 {
		q.sift(0, last)
	}
}

// sift puts k where keys[i] is or below it, and moves up what runs before k.
func (q *queue) sift(i int, k key) {
	keys := q.keys
	for {
		child := 4*i + 1
		first := child
		switch {
		case child+4 <= len(keys): // the usual case, spelled out for speed
			four := keys[child : child+4 : child+4]
			best := four[0]
			if four[1].before(best) {
				best, first = four[1], child+1
			}
			if four[2].before(best) {
				best, first = four[2], child+2
			}
			if four[3].before(best) {
				first = child + 3
			}
		case child < len(keys):
			for j := child + 1; j < len(keys); j++ {
				if keys[j].before(keys[first]) {
					first = j
				}
			}
		default:
			keys[i] = k
			return
		}
		if k.before(keys[first]) {
			keys[i] = k
			return
		}
		keys[i] = keys[first]
		i = first
	}
}

// keep removes every key that live does not report, and restores the heap.
func (q *queue) keep(live func(key) bool) {
	q.keys = slices.DeleteFunc(q.keys, func(k key) bool { return !live(k) })
	for i := (len(q.keys) - 2) >> 2; i >= 0; i-- {
		q.sift(i, q.keys[i])
	}
}

// sort puts the keys in order, which is also a heap.
func (q *queue) sort() { slices.SortFunc(q.keys, compareKeys) }
