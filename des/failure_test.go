package des

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// server is a handler with words of its own.
type server struct{ do func(s *Sim) }

func (v *server) Handle(s *Sim, tag uint64) { v.do(s) }
func (v *server) String() string            { return "server 3" }

// failure runs f and returns what it panics with.
func failure(t *testing.T, f func()) (value any) {
	t.Helper()
	defer func() { value = recover() }()
	f()
	require.Fail(t, "did not panic")
	return nil
}

func TestSchedulingInThePastPanics(t *testing.T) {
	s, r, v := New(), &recorder{}, &server{}
	s.Run(2 * time.Second)
	pending := s.At(3*time.Second, v, 9)
	for _, test := range []struct {
		name string
		do   func()
		want string
	}{
		{"at", func() { s.At(time.Second, r, 7) },
			"des: event of *des.recorder, tag 7, scheduled at 1s, which is before the simulated time 2s"},
		{"at a negative time", func() { s.At(-1, r, 7) },
			"des: event of *des.recorder, tag 7, scheduled at -1ns, which is before the simulated time 2s"},
		{"after", func() { s.After(-1, v, 8) },
			"des: event of *des.server (server 3), tag 8, scheduled at 1.999999999s, which is before the simulated time 2s"},
		{"reschedule", func() { s.Reschedule(pending, 0) },
			"des: event of *des.server (server 3), tag 9, scheduled at 0s, which is before the simulated time 2s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			past, ok := failure(t, test.do).(*PastError)
			require.True(t, ok)
			assert.EqualError(t, past, test.want)
			assert.Equal(t, 1, s.Len(), "nothing changed")
		})
	}
	v.do = func(*Sim) {}
	s.Run(Never)
	assert.Equal(t, 3*time.Second, s.Now())
}

func TestNilHandlerPanicsWhereItIsScheduled(t *testing.T) {
	assert.PanicsWithValue(t, "des: the handler of an event must not be nil", func() { New().At(1, nil, 0) })
}

func TestPanicInAHandlerSaysWhereInTheSimulation(t *testing.T) {
	cause := errors.New("no tokens left")
	run := map[string]func(*Sim){
		"run":  func(s *Sim) { s.Run(Never) },
		"step": func(s *Sim) { s.Step() },
	}
	for name, run := range run {
		t.Run(name, func(t *testing.T) {
			s, r := New(), &recorder{}
			v := &server{do: func(s *Sim) {
				s.After(0, r, 0) // takes the slot of the event that fails
				panic(cause)
			}}
			s.At(1500*time.Millisecond, v, 42)
			s.At(2*time.Second, r, 1)
			f, ok := failure(t, func() { run(s) }).(*Failure)
			require.True(t, ok)
			assert.Equal(t, &Failure{At: 1500 * time.Millisecond, Handler: v, Tag: 42, Err: cause}, f)
			assert.EqualError(t, f, "des: at 1.5s, *des.server (server 3), tag 42: no tokens left")
			assert.ErrorIs(t, f, cause)

			s.Run(Never) // the simulation is whole: what was pending runs
			assert.Equal(t, []occurrence{{1500 * time.Millisecond, 0}, {2 * time.Second, 1}}, r.ran)
		})
	}
}

func TestPanicValueThatIsNoErrorIsKept(t *testing.T) {
	s := New()
	s.At(0, &server{do: func(*Sim) { panic("odd") }}, 1)
	f, ok := failure(t, func() { s.Run(1) }).(*Failure)
	require.True(t, ok)
	assert.Equal(t, "odd", f.Err)
	assert.NoError(t, f.Unwrap())
}

func TestSchedulingInThePastFromAHandlerNamesBoth(t *testing.T) {
	s, r := New(), &recorder{}
	s.At(time.Second, &server{do: func(s *Sim) { s.At(0, r, 5) }}, 4)
	f, ok := failure(t, func() { s.Run(Never) }).(*Failure)
	require.True(t, ok)
	var past *PastError
	require.ErrorAs(t, f, &past)
	assert.Equal(t, &PastError{Now: time.Second, At: 0, Handler: r, Tag: 5}, past)
	assert.EqualError(t, f, "des: at 1s, *des.server (server 3), tag 4: "+
		"des: event of *des.recorder, tag 5, scheduled at 0s, which is before the simulated time 1s")
}

func TestRunInsideAHandlerPanics(t *testing.T) {
	for name, do := range map[string]func(*Sim){
		"Run":  func(s *Sim) { s.Run(Never) },
		"Step": func(s *Sim) { s.Step() },
	} {
		s := New()
		s.At(0, &server{do: do}, 1)
		f, ok := failure(t, func() { s.Run(1) }).(*Failure)
		require.True(t, ok)
		assert.Equal(t, "des: "+name+" called from inside a handler", f.Err)
	}
}
