package des

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// engine is what the kernel and the ledger have in common. Events are known by
// the numbers that the model gives them.
type engine interface {
	Now() time.Duration
	Len() int
	Next() (time.Duration, bool)
	Run(until time.Duration)
	Step() bool
	Stop()
	schedule(t time.Duration, id int)
	cancel(id int) bool
	reschedule(id int, t time.Duration) bool
}

// kernel is the engine under test.
type kernel struct {
	*Sim
	model   *model
	handles []Event
}

func (k *kernel) schedule(t time.Duration, id int) {
	k.handles = append(k.handles, k.At(t, k, uint64(id)))
}
func (k *kernel) cancel(id int) bool                      { return k.Cancel(k.handles[id]) }
func (k *kernel) reschedule(id int, t time.Duration) bool { return k.Reschedule(k.handles[id], t) }
func (k *kernel) Handle(_ *Sim, tag uint64)               { k.model.happen(int(tag)) }

// ledger is the slow and obviously right engine: a list from which the first
// event is searched for each time.
type ledger struct {
	model   *model
	now     time.Duration
	pending []entry
	seq     uint64
	rank    func(seq uint64) uint64 // the order of ties
	stopped bool
}

type entry struct {
	at   time.Duration
	rank uint64
	id   int
}

func (e entry) before(other entry) bool {
	return e.at < other.at || e.at == other.at && e.rank < other.rank
}

func (l *ledger) Now() time.Duration { return l.now }
func (l *ledger) Len() int           { return len(l.pending) }
func (l *ledger) Stop()              { l.stopped = true }

// renumber begins the sequence numbers anew when they are used up.
func (l *ledger) renumber() {
	if l.seq < maxSeq {
		return
	}
	slices.SortFunc(l.pending, func(a, b entry) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank)) })
	l.seq = 0
	for i := range l.pending {
		l.seq++
		l.pending[i].rank = l.rank(l.seq)
	}
}

func (l *ledger) schedule(t time.Duration, id int) {
	l.renumber()
	l.seq++
	l.pending = append(l.pending, entry{t, l.rank(l.seq), id})
}

func (l *ledger) cancel(id int) bool {
	for i, e := range l.pending {
		if e.id == id {
			l.pending = slices.Delete(l.pending, i, i+1)
			return true
		}
	}
	return false
}

func (l *ledger) reschedule(id int, t time.Duration) bool {
	if !slices.ContainsFunc(l.pending, func(e entry) bool { return e.id == id }) {
		return false
	}
	l.renumber()
	l.cancel(id)
	l.schedule(t, id)
	return true
}

func (l *ledger) first() (entry, bool) {
	first := entry{at: Never}
	for _, e := range l.pending {
		if e.at < Never && (first.at == Never || e.before(first)) {
			first = e
		}
	}
	return first, first.at < Never
}

func (l *ledger) Next() (time.Duration, bool) {
	e, ok := l.first()
	if !ok {
		return 0, false
	}
	return e.at, true
}

func (l *ledger) Step() bool {
	e, ok := l.first()
	if ok {
		l.cancel(e.id)
		l.now = e.at
		l.model.happen(e.id)
	}
	return ok
}

func (l *ledger) Run(until time.Duration) {
	l.stopped = false
	for !l.stopped {
		if e, ok := l.first(); !ok || e.at >= until {
			if until != Never && until > l.now {
				l.now = until
			}
			return
		}
		l.Step()
	}
}

// model does the same things on any engine: what happens at an event follows from
// its number alone.
type model struct {
	engine engine
	events int
	ran    []occurrence
	seen   []any // what the engine said while events ran
}

func (m *model) schedule(t time.Duration) {
	m.events++
	m.engine.schedule(t, m.events-1)
}

func (m *model) look() {
	at, ok := m.engine.Next()
	m.seen = append(m.seen, m.engine.Len(), at, ok)
}

func (m *model) happen(id int) {
	now := m.engine.Now()
	m.ran = append(m.ran, occurrence{now, uint64(id)})
	m.seen = append(m.seen, m.engine.Len(), m.engine.cancel(id), m.engine.reschedule(id, now))
	if id%4 == 3 {
		m.look()
	}
	if id%19 == 18 { // leads to a rebuild of the queue
		for other := range m.events {
			if other%8 != 0 {
				m.engine.cancel(other)
			}
		}
	}
	if id%5 < 2 {
		m.schedule(now + time.Duration(id%3))
	}
	if id%9 == 8 { // more than one, and the first of them is not the first to run
		m.schedule(now + 3)
		m.schedule(now)
	}
	if id%7 == 6 {
		m.engine.cancel(id - 3)
	}
	if id%8 == 7 {
		m.engine.cancel(m.events - 1)
	}
	if id%6 == 5 {
		m.look()
	}
	if id%11 == 10 {
		m.engine.Stop()
	}
	if id%13 == 12 {
		m.engine.reschedule(id-5, now+time.Duration(id%2))
	}
	if id%17 == 16 {
		panic(id)
	}
}

// attempt returns what do returns, or what a model panics with.
func attempt(do func(m *model) any, m *model) (outcome any) {
	defer func() {
		switch err := recover().(type) {
		case nil:
		case *Failure:
			outcome = err.Err
		case int:
			outcome = err
		default:
			panic(err)
		}
	}()
	return do(m)
}

// TestKernelAgreesWithTheLedger tells both engines the same random story, with
// many ties, stale handles, handlers that panic, sequence numbers that may run out
// on the way, and ties in the order of scheduling or shuffled.
func TestKernelAgreesWithTheLedger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := &kernel{Sim: New()}
		k.model = &model{engine: k}
		l := &ledger{rank: func(seq uint64) uint64 { return seq }}
		if rapid.Bool().Draw(t, "shuffled") {
			k.Sim = NewShuffled(rapid.Uint64().Draw(t, "seed"))
			l.rank = k.shuffle.rank
		}
		l.model = &model{engine: l}
		k.seq = rapid.SampledFrom([]uint64{0, maxSeq - 100, maxSeq - 20, maxSeq - 3}).Draw(t, "first sequence number")
		l.seq = k.seq

		both := func(do func(m *model) any) {
			t.Helper()
			require.Equal(t, attempt(do, l.model), attempt(do, k.model))
		}
		anyEvent := func(t *rapid.T) int {
			if l.model.events == 0 {
				t.Skip("no events yet")
			}
			return rapid.IntRange(0, l.model.events-1).Draw(t, "event")
		}
		anyTime := func(t *rapid.T) time.Duration {
			if rapid.IntRange(0, 30).Draw(t, "never") == 0 {
				return Never
			}
			return l.now + time.Duration(rapid.IntRange(0, 8).Draw(t, "in"))
		}
		schedule := func(t *rapid.T) {
			at := anyTime(t)
			for range rapid.IntRange(1, 20).Draw(t, "times") {
				both(func(m *model) any { m.schedule(at); return nil })
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"schedule":       schedule,
			"schedule again": schedule,
			"crowd": func(t *rapid.T) {
				for range 60 {
					at := anyTime(t)
					both(func(m *model) any { m.schedule(at); return nil })
				}
			},
			"cancel most": func(t *rapid.T) { // leads to a rebuild of the queue
				spared := rapid.IntRange(2, 9).Draw(t, "spared of ten")
				for id := range l.model.events {
					if id%10 != spared {
						both(func(m *model) any { return m.engine.cancel(id) })
					}
				}
			},
			"cancel": func(t *rapid.T) {
				for range rapid.IntRange(1, 10).Draw(t, "times") {
					id := anyEvent(t)
					both(func(m *model) any { return m.engine.cancel(id) })
				}
			},
			"reschedule": func(t *rapid.T) {
				for range rapid.IntRange(1, 10).Draw(t, "times") {
					id, at := anyEvent(t), anyTime(t)
					both(func(m *model) any { return m.engine.reschedule(id, at) })
				}
			},
			"step": func(t *rapid.T) {
				both(func(m *model) any { return m.engine.Step() })
			},
			"run": func(t *rapid.T) {
				until := l.now + time.Duration(rapid.IntRange(-1, 4).Draw(t, "for"))
				both(func(m *model) any { m.engine.Run(until); return nil })
			},
			"": func(t *rapid.T) {
				require.Equal(t, l.model.ran, k.model.ran)
				require.Equal(t, l.model.seen, k.model.seen)
				require.Equal(t, l.model.events, k.model.events)
				require.Equal(t, l.Now(), k.Now())
				require.Equal(t, l.Len(), k.Len())
				at, ok := l.Next()
				gotAt, gotOK := k.Next()
				require.Equal(t, at, gotAt)
				require.Equal(t, ok, gotOK)
			},
		})
		for l.Len() > 0 && attempt(func(m *model) any { return m.engine.Step() }, l.model) != false {
		}
		for k.Len() > 0 && attempt(func(m *model) any { return m.engine.Step() }, k.model) != false {
		}
		require.Equal(t, l.model.ran, k.model.ran)
		require.Equal(t, l.Len(), k.Len())
	})
}
