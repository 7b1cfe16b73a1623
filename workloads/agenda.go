package workloads

import (
	"slices"
	"time"
)

// agenda is a binary heap of what is due, the earliest first; of what is due at
// one time, the lowest index.
type agenda []due

type due struct {
	at    time.Duration
	index uint32
}

func (a due) before(b due) bool { return a.at < b.at || a.at == b.at && a.index < b.index }

// arrange makes a heap of a list in any order.
func (a agenda) arrange() {
	slices.SortFunc(a, func(x, y due) int {
		if x.before(y) {
			return -1
		}
		return 1
	})
}

// postpone moves what is due first to a later time.
func (a agenda) postpone(at time.Duration) {
	moved := due{at, a[0].index}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(a) {
			break
		}
		if right := child + 1; right < len(a) && a[right].before(a[child]) {
			child = right
		}
		if !a[child].before(moved) {
			break
		}
		a[i] = a[child]
		i = child
	}
	a[i] = moved
}
