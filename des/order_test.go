package des

import (
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

// ledger is the slow and obviously right engine: a list in the order of
// scheduling, from which the first event is searched for each time.
type ledger struct {
	model   *model
	now     time.Duration
	pending []entry
	stopped bool
}

type entry struct {
	at time.Duration
	id int
}

func (l *ledger) Now() time.Duration { return l.now }
func (l *ledger) Len() int           { return len(l.pending) }
func (l *ledger) Stop()              { l.stopped = true }

func (l *ledger) schedule(t time.Duration, id int) { l.pending = append(l.pending, entry{t, id}) }

func (l *ledger) cancel(id int) bool {
	for i, e := range l.pending {
		if e.id == id {
			l.pending = append(l.pending[:i], l.pending[i+1:]...)
			return true
		}
	}
	return false
}

func (l *ledger) reschedule(id int, t time.Duration) bool {
	if !l.cancel(id) {
		return false
	}
	l.schedule(t, id)
	return true
}

func (l *ledger) first() (entry, bool) {
	first := entry{at: Never}
	for _, e := range l.pending {
		if e.at < first.at {
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
}

func (m *model) schedule(t time.Duration) {
	m.events++
	m.engine.schedule(t, m.events-1)
}

func (m *model) happen(id int) {
	now := m.engine.Now()
	m.ran = append(m.ran, occurrence{now, uint64(id)})
	if id%5 < 2 {
		m.schedule(now + time.Duration(id%3))
	}
	if id%7 == 6 {
		m.engine.cancel(id - 3)
	}
	if id%11 == 10 {
		m.engine.Stop()
	}
	if id%13 == 12 {
		m.engine.reschedule(id-5, now+time.Duration(id%2))
	}
}

// TestKernelAgreesWithTheLedger tells both engines the same random story, with
// many ties, stale handles, and sequence numbers that may run out on the way.
func TestKernelAgreesWithTheLedger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := &kernel{Sim: New()}
		k.model = &model{engine: k}
		l := &ledger{}
		l.model = &model{engine: l}
		k.seq = rapid.SampledFrom([]uint64{0, maxSeq - 100, maxSeq - 20, maxSeq - 3}).Draw(t, "first sequence number")

		both := func(do func(m *model) any) {
			t.Helper()
			require.Equal(t, do(l.model), do(k.model))
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
				require.Equal(t, l.model.events, k.model.events)
				require.Equal(t, l.Now(), k.Now())
				require.Equal(t, l.Len(), k.Len())
				at, ok := l.Next()
				gotAt, gotOK := k.Next()
				require.Equal(t, at, gotAt)
				require.Equal(t, ok, gotOK)
			},
		})
		both(func(m *model) any {
			for m.engine.Step() {
			}
			return nil
		})
		require.Equal(t, l.model.ran, k.model.ran)
		require.Equal(t, l.Len(), k.Len())
	})
}
