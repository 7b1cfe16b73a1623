package des

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// relay passes an event on without letting time pass, n times.
type relay struct{ left int }

func (r *relay) Handle(s *Sim, tag uint64) {
	if r.left--; r.left > 0 {
		s.After(0, r, tag)
	}
}

func TestWhatIsScheduledForNowTakesNoMoreRoomThanIsPending(t *testing.T) {
	s, r := New(), &relay{left: 100_000}
	s.At(5, r, 1)
	s.At(5, r, 2)
	s.At(9, r, 3)
	s.Run(6)
	assert.Equal(t, -1, r.left, "the second relay ends with the first")
	assert.Len(t, s.instant.ring, 16)
	assert.Equal(t, 1, s.Len())
}

func TestWhatIsScheduledForNowWaitsForARunThatIncludesNow(t *testing.T) {
	s, r := New(), &recorder{}
	s.Run(5)
	s.At(5, r, 1)
	s.Run(5)
	assert.Empty(t, r.ran)
	next, ok := s.Next()
	assert.True(t, ok)
	assert.Equal(t, time.Duration(5), next)
	s.Run(6)
	assert.Equal(t, []occurrence{{5, 1}}, r.ran)
}

func TestWhatWasScheduledBeforeTheClockCameRunsFirst(t *testing.T) {
	s, r := New(), &recorder{}
	s.At(5, r, 1)
	s.At(5, r, 2)
	s.Run(5)
	s.At(5, r, 3)
	s.At(5, r, 4)
	s.Step()
	s.At(5, r, 5)
	s.Run(Never)
	assert.Equal(t, []occurrence{{5, 1}, {5, 2}, {5, 3}, {5, 4}, {5, 5}}, r.ran)
}

func TestDeadEventsOfThisInstantAreDropped(t *testing.T) {
	s, r := New(), &recorder{}
	e := s.At(0, r, 1)
	for range 100_000 {
		assert.True(t, s.Reschedule(e, 0))
	}
	assert.Equal(t, 1, s.Len())
	assert.LessOrEqual(t, len(s.instant.ring), 2*compactFrom)
	s.Run(1)
	assert.Equal(t, []occurrence{{0, 1}}, r.ran)
	assert.Zero(t, s.dead)
}
