package logs

// window puts the requests of a nearly sorted file in time order. It holds a bounded number of them and hands out the
// earliest. Those that are in order pass through a ring, the late ones through a heap: a late request costs the
// logarithm of the number of late ones, the others cost nothing more.
//
// A request that is late is earlier than one before it. All that enter the ring after it are later than it, so that of
// two at the same time the one in the ring goes first.
type window struct {
	ring   []Record // a power of two long
	first  int      // where the ring's records begin
	n      int      // how many the ring holds
	late   []lateRecord
	seen   int64 // late records so far
	latest int64
}

type lateRecord struct {
	Record
	seq int64 // of two at the same time, the smaller goes first
}

func (w *window) len() int { return w.n + len(w.late) }

// add takes in a request.
func (w *window) add(r *Record) {
	if w.n+len(w.late) > 0 && r.At < w.latest {
		w.late = append(w.late, lateRecord{*r, w.seen})
		w.seen++
		w.up(len(w.late) - 1)
		return
	}
	if w.n == len(w.ring) {
		grown := make([]Record, max(64, 2*len(w.ring)))
		for i := range w.n {
			grown[i] = w.ring[(w.first+i)&(len(w.ring)-1)]
		}
		w.ring, w.first = grown, 0
	}
	w.ring[(w.first+w.n)&(len(w.ring)-1)] = *r
	w.n++
	w.latest = r.At
}

// take hands out the earliest request. There must be one.
func (w *window) take() Record {
	if w.n == 0 || len(w.late) > 0 && w.late[0].At < w.ring[w.first].At {
		r := w.late[0].Record
		last := len(w.late) - 1
		w.late[0] = w.late[last]
		w.late = w.late[:last]
		w.down(0)
		return r
	}
	r := w.ring[w.first]
	w.first = (w.first + 1) & (len(w.ring) - 1)
	w.n--
	return r
}

func (w *window) before(i, j int) bool {
	a, b := &w.late[i], &w.late[j]
	return a.At < b.At || a.At == b.At && a.seq < b.seq
}

func (w *window) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !w.before(i, parent) {
			return
		}
		w.late[i], w.late[parent] = w.late[parent], w.late[i]
		i = parent
	}
}

func (w *window) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(w.late) {
			return
		}
		if child+1 < len(w.late) && w.before(child+1, child) {
			child++
		}
		if !w.before(child, i) {
			return
		}
		w.late[i], w.late[child] = w.late[child], w.late[i]
		i = child
	}
}
