package des

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorder writes down what runs, and does what it is told to.
type recorder struct {
	ran []occurrence
	do  map[uint64]func(s *Sim) // by tag
}

type occurrence struct {
	at  time.Duration
	tag uint64
}

func (r *recorder) Handle(s *Sim, tag uint64) {
	r.ran = append(r.ran, occurrence{s.Now(), tag})
	if do := r.do[tag]; do != nil {
		do(s)
	}
}

func TestEventsRunInOrderOfTime(t *testing.T) {
	s, r := New(), &recorder{}
	for _, at := range []time.Duration{5, 3, 9, 0, 7, 1} {
		s.At(at, r, uint64(at))
	}
	s.Run(100)
	assert.Equal(t, []occurrence{{0, 0}, {1, 1}, {3, 3}, {5, 5}, {7, 7}, {9, 9}}, r.ran)
	assert.Equal(t, time.Duration(100), s.Now())
	assert.Zero(t, s.Len())
}

func TestEventsAtEqualTimesRunInTheOrderScheduled(t *testing.T) {
	const n = 1000
	s, r := New(), &recorder{}
	for tag := range uint64(n) {
		s.At(7, r, tag)
	}
	// What a handler schedules for the same instant runs after all of them.
	r.do = map[uint64]func(*Sim){0: func(s *Sim) { s.After(0, r, n) }}
	s.Run(8)
	require.Len(t, r.ran, n+1)
	for i, o := range r.ran {
		require.Equal(t, occurrence{7, uint64(i)}, o)
	}
}

func TestRescheduleCountsAsSchedulingAnew(t *testing.T) {
	s, r := New(), &recorder{}
	first := s.At(7, r, 1)
	s.At(7, r, 2)
	later := s.At(9, r, 3)
	assert.True(t, s.Reschedule(first, 7))
	assert.True(t, s.Reschedule(later, 7))
	assert.True(t, s.Reschedule(later, 5))
	assert.Equal(t, 3, s.Len())
	s.Run(Never)
	assert.Equal(t, []occurrence{{5, 3}, {7, 2}, {7, 1}}, r.ran)
}

func TestRunIsHalfOpen(t *testing.T) {
	s, r := New(), &recorder{}
	s.At(10, r, 1)
	s.Run(10)
	assert.Empty(t, r.ran)
	assert.Equal(t, time.Duration(10), s.Now())
	s.Run(10)
	assert.Empty(t, r.ran)
	s.Run(3)
	assert.Equal(t, time.Duration(10), s.Now(), "the clock does not go back")
	s.Run(11)
	assert.Equal(t, []occurrence{{10, 1}}, r.ran)
	assert.Equal(t, time.Duration(11), s.Now())
}

func TestRunForEverLeavesTheClockAtTheLastEvent(t *testing.T) {
	s, r := New(), &recorder{}
	s.At(10, r, 1)
	s.Run(Never)
	assert.Equal(t, time.Duration(10), s.Now())
}

func TestStepRunsOneEvent(t *testing.T) {
	s, r := New(), &recorder{}
	s.At(4, r, 1)
	dropped := s.At(5, r, 2)
	s.At(6, r, 3)
	s.Cancel(dropped)
	assert.True(t, s.Step())
	assert.Equal(t, time.Duration(4), s.Now())
	next, ok := s.Next()
	assert.True(t, ok)
	assert.Equal(t, time.Duration(6), next)
	assert.True(t, s.Step())
	assert.False(t, s.Step())
	_, ok = s.Next()
	assert.False(t, ok)
	assert.Equal(t, []occurrence{{4, 1}, {6, 3}}, r.ran)
}

func TestStopReturnsAfterTheHandlerAndRunResumes(t *testing.T) {
	s := New()
	r := &recorder{do: map[uint64]func(*Sim){2: func(s *Sim) { s.Stop() }}}
	for tag := range uint64(4) {
		s.At(time.Duration(tag), r, tag)
	}
	s.Run(10)
	assert.Equal(t, []occurrence{{0, 0}, {1, 1}, {2, 2}}, r.ran)
	assert.Equal(t, time.Duration(2), s.Now())
	assert.Equal(t, 1, s.Len())
	s.Run(10)
	assert.Equal(t, occurrence{3, 3}, r.ran[3])
	assert.Equal(t, time.Duration(10), s.Now())
}

func TestStopOutsideAHandlerDoesNothing(t *testing.T) {
	s, r := New(), &recorder{}
	s.At(1, r, 1)
	s.Stop()
	s.Run(2)
	assert.Len(t, r.ran, 1)
}

func TestHandlesAreValidOnlyWhilePending(t *testing.T) {
	s, r := New(), &recorder{}
	stale := func(e Event) {
		t.Helper()
		assert.False(t, s.Cancel(e))
		assert.False(t, s.Reschedule(e, 100))
	}
	stale(Event{})
	stale(Event{slot: 77, generation: 1})

	cancelled := s.At(1, r, 1)
	assert.True(t, s.Cancel(cancelled))
	stale(cancelled)

	reused := s.At(2, r, 2)
	require.Equal(t, cancelled.slot, reused.slot)
	stale(cancelled)

	r.do = map[uint64]func(*Sim){2: func(*Sim) { stale(reused) }}
	s.Run(3)
	stale(reused)
	assert.Equal(t, []occurrence{{2, 2}}, r.ran)

	moved := s.At(5, r, 3)
	assert.True(t, s.Reschedule(moved, 4))
	assert.True(t, s.Cancel(moved), "a handle survives Reschedule")
	stale(moved)
	s.Run(10)
	assert.Len(t, r.ran, 1)
}

func TestSlotIsRetiredWhenItsGenerationsAreUsedUp(t *testing.T) {
	s, r := New(), &recorder{}
	first := s.At(1, r, 1)
	s.slots.table[first.slot].generation = math.MaxUint32
	last := Event{slot: first.slot, generation: math.MaxUint32}
	assert.True(t, s.Cancel(last))
	for range 3 {
		e := s.At(1, r, 2)
		assert.NotEqual(t, first.slot, e.slot)
	}
	assert.False(t, s.Cancel(last))
	assert.False(t, s.Cancel(Event{slot: first.slot}))
	assert.Equal(t, 3, s.Len())
}

func TestTimesBeyondTheLargestSaturate(t *testing.T) {
	s, r := New(), &recorder{}
	s.At(10, r, 1)
	s.Run(11)
	s.After(Never, r, 2)
	e := s.After(Never-11, r, 3)
	s.After(Never-12, r, 4)
	assert.Equal(t, 3, s.Len())
	s.Run(Never)
	assert.Equal(t, []occurrence{{10, 1}, {Never - 1, 4}}, r.ran)
	assert.Equal(t, 2, s.Len(), "what stands at Never is pending and does not run")
	_, ok := s.Next()
	assert.False(t, ok)
	assert.False(t, s.Step())
	assert.True(t, s.Reschedule(e, Never-1))
	assert.True(t, s.Step())
	assert.Equal(t, occurrence{Never - 1, 3}, r.ran[2])
}

func TestCompactionDropsDeadKeysOnly(t *testing.T) {
	s, r := New(), &recorder{}
	timer := s.At(1, r, 1000)
	for i := range uint64(100) {
		s.At(time.Duration(i), r, i)
	}
	for i := range 10_000 {
		require.True(t, s.Reschedule(timer, time.Duration(200+i)))
		require.Equal(t, 101, s.Len())
		require.LessOrEqual(t, s.held(), 2*101+1)
	}
	s.Run(Never)
	assert.Len(t, r.ran, 101)
	assert.Equal(t, occurrence{200 + 9999, 1000}, r.ran[100])
	assert.Zero(t, s.dead)
}

func TestSequenceNumbersStartAnewWhenUsedUp(t *testing.T) {
	s, r := New(), &recorder{}
	s.seq = maxSeq - 50
	var handles []Event
	for tag := range uint64(100) {
		handles = append(handles, s.At(time.Duration(tag%3), r, tag))
		if tag%10 == 9 {
			s.Cancel(handles[tag-5])
		}
	}
	assert.Less(t, s.seq, uint64(200), "renumbered")
	assert.Equal(t, 90, s.Len())
	s.Run(10)
	require.Len(t, r.ran, 90)
	for i, o := range r.ran[1:] {
		before := r.ran[i]
		assert.True(t, before.at < o.at || before.at == o.at && before.tag < o.tag, "%v before %v", before, o)
	}
	for _, e := range handles {
		assert.False(t, s.Cancel(e))
	}
}

func TestTooManyPendingEventsPanic(t *testing.T) {
	s, r := New(), &recorder{}
	assert.Equal(t, 1<<24, s.slots.limit)
	s.slots.limit = 4
	for range 3 {
		s.At(1, r, 0)
	}
	assert.PanicsWithValue(t, "des: 3 events are pending, and the queue holds no more", func() { s.At(1, r, 0) })
	s.Step()
	assert.NotPanics(t, func() { s.At(1, r, 0) }, "a slot has become free")
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	s, h := newHold(100)
	timer := s.At(Never, h, 0)
	h.left = math.MaxInt
	run := func() {
		for range 100 {
			s.Cancel(s.After(50, h, 1))
			s.Reschedule(timer, s.Now()+time.Second)
			s.Step()
		}
		s.Run(s.Now() + time.Millisecond)
	}
	run()
	assert.Zero(t, testing.AllocsPerRun(100, run))
}

func TestStreamForwards(t *testing.T) {
	assert.Equal(t, Stream(1, "a", "b").Uint64(), Stream(1, "a", "b").Uint64())
	assert.NotEqual(t, Stream(1, "a", "b").Uint64(), Stream(1, "ab").Uint64())
}
