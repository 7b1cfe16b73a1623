package engines

import (
	"container/heap"
	"time"
)

// RunHeap does a work on the engine that one writes first: container/heap, with
// one item an event.
func RunHeap(w Work, d *Draws) Outcome {
	e := &heapEngine{}
	if w.Model == "hold" {
		h := &heapHold{desHold{draws: d, left: w.Count}}
		for i := range w.N {
			e.after(h.next(), h, uint64(i))
		}
		cpu := cpuOf(e.run)
		return Outcome{int64(e.now), cpu}
	}
	h := &heapStation{newStation(d, w.Count)}
	e.after(h.gap(), h, arrival)
	cpu := cpuOf(e.run)
	return Outcome{h.sum, cpu}
}

type heapEngine struct {
	now     time.Duration
	items   itemHeap
	seq     uint64
	stopped bool
}

type heapHandler interface {
	handle(e *heapEngine, tag uint64)
}

type item struct {
	at      time.Duration
	seq     uint64
	handler heapHandler
	tag     uint64
}

type itemHeap []*item

func (q itemHeap) Len() int      { return len(q) }
func (q itemHeap) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q itemHeap) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].seq < q[j].seq
}
func (q *itemHeap) Push(x any) { *q = append(*q, x.(*item)) }
func (q *itemHeap) Pop() any {
	n := len(*q) - 1
	last := (*q)[n]
	(*q)[n] = nil
	*q = (*q)[:n]
	return last
}

func (e *heapEngine) after(d time.Duration, h heapHandler, tag uint64) {
	e.seq++
	heap.Push(&e.items, &item{at: e.now + d, seq: e.seq, handler: h, tag: tag})
}

func (e *heapEngine) run() {
	for !e.stopped && len(e.items) > 0 {
		next := heap.Pop(&e.items).(*item)
		e.now = next.at
		next.handler.handle(e, next.tag)
	}
}

type heapHold struct{ desHold }

func (h *heapHold) handle(e *heapEngine, tag uint64) {
	e.after(h.next(), h, tag)
	h.left--
	e.stopped = h.left == 0
}

type heapStation struct{ *station }

func (h *heapStation) handle(e *heapEngine, tag uint64) {
	begins := false
	if tag == arrival {
		begins = h.arrive(e.now)
		if h.arrived < h.count {
			e.after(h.gap(), h, arrival)
		}
	} else {
		begins = h.depart(e.now)
	}
	if begins {
		e.after(h.service(), h, departure)
	}
}
