package des

import (
	"container/heap"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ratelab/internal/random"
)

// The HOLD model: n events are pending, and each one that runs schedules the next
// one an exponential time later. The increments (mean 1 ms) come from one table,
// so that only the engine is measured.

const increments = 8192 // a power of two

func drawIncrements() *[increments]time.Duration {
	r := random.Stream(1, "hold")
	table := new([increments]time.Duration)
	for i := range table {
		table[i] = time.Duration(float64(random.Exponential(r) * 1e6))
	}
	return table
}

// hold runs the model on this package's engine.
type hold struct {
	table *[increments]time.Duration
	drawn int
	left  int // events to run
}

func (h *hold) increment() time.Duration {
	h.drawn++
	return h.table[h.drawn&(increments-1)]
}

func (h *hold) Handle(s *Sim, tag uint64) {
	s.After(h.increment(), h, tag)
	h.left--
	if h.left == 0 {
		s.Stop()
	}
}

func newHold(n int) (*Sim, *hold) {
	s, h := New(), &hold{table: drawIncrements()}
	for i := range n {
		s.After(h.increment(), h, uint64(i))
	}
	return s, h
}

// plainEngine is what one writes first: an engine on container/heap with one item
// an event.
type plainEngine struct {
	now     time.Duration
	items   itemHeap
	seq     uint64
	stopped bool
}

type plainHandler interface {
	handle(e *plainEngine, tag uint64)
}

type item struct {
	at      time.Duration
	seq     uint64
	handler plainHandler
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

func (e *plainEngine) after(d time.Duration, h plainHandler, tag uint64) {
	e.seq++
	heap.Push(&e.items, &item{at: e.now + d, seq: e.seq, handler: h, tag: tag})
}

func (e *plainEngine) run() {
	e.stopped = false
	for !e.stopped && len(e.items) > 0 {
		next := heap.Pop(&e.items).(*item)
		e.now = next.at
		next.handler.handle(e, next.tag)
	}
}

func (h *hold) handle(e *plainEngine, tag uint64) {
	e.after(h.increment(), h, tag)
	h.left--
	if h.left == 0 {
		e.stopped = true
	}
}

func newPlainHold(n int) (*plainEngine, *hold) {
	e, h := &plainEngine{}, &hold{table: drawIncrements()}
	for i := range n {
		e.after(h.increment(), h, uint64(i))
	}
	return e, h
}

// TestHoldEnginesAgree makes sure that both sides of the benchmark do the same.
func TestHoldEnginesAgree(t *testing.T) {
	for _, n := range []int{1, 2, 100, 10_000} {
		s, h := newHold(n)
		e, g := newPlainHold(n)
		h.left, g.left = 30_000, 30_000
		s.Run(Never)
		e.run()
		require.Equal(t, e.now, s.Now())
		require.Equal(t, g.drawn, h.drawn)
		require.Equal(t, n, s.Len())
		require.Len(t, e.items, n)
	}
}

// BenchmarkHold measures one event: scheduled, waited for, dispatched.
func BenchmarkHold(b *testing.B) {
	sizes := []int{1, 100, 10_000, 1_000_000}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("queue=des/N=%d", n), func(b *testing.B) {
			s, h := newHold(n)
			b.ReportAllocs()
			b.ResetTimer()
			h.left = b.N
			s.Run(Never)
		})
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("queue=container-heap/N=%d", n), func(b *testing.B) {
			e, h := newPlainHold(n)
			b.ReportAllocs()
			b.ResetTimer()
			h.left = b.N
			e.run()
		})
	}
}
