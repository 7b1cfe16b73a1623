package workloads

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// falling sends arrivals whose times fall for ever.
type falling struct {
	at  time.Duration
	now time.Duration
}

func (f *falling) Next() (Arrival, bool) {
	a := Arrival{At: f.now, Cost: 1}
	f.now -= f.at
	return a, true
}

func TestAnArrivalOutOfOrderEndsAWorkload(t *testing.T) {
	const ms = time.Millisecond
	plain, asis := mustParse(t, "poisson:rate=1/s"), mustParse(t, "trace:file=f,start=asis")
	for _, c := range []struct {
		name string
		spec Spec
		at   []time.Duration
		read int
		want string
	}{
		{"time goes back", plain, []time.Duration{2 * ms, -3 * ms}, 1, "arrival 2 at -3ms is before arrival 1 at 2ms"},
		{"time goes back late", plain, []time.Duration{0, 0, 5 * ms, 5 * ms, 5*ms - 1}, 4, "arrival 5 at 4.999999ms is before arrival 4 at 5ms"},
		{"before the epoch", plain, []time.Duration{-3 * ms}, 0, "arrival 1 at -3ms is before 0s, where time begins"},
		{"as it is", asis, []time.Duration{-3 * ms, -3 * ms, 1}, 3, ""},
		{"from the first ns of the clock", asis, []time.Duration{math.MinInt64, math.MinInt64}, 2, ""},
		{"back as it is", asis, []time.Duration{-3 * ms, -4 * ms}, 1, "arrival 2 at -4ms is before arrival 1 at -3ms"},
		{"in order", plain, []time.Duration{0, 0, 1, 1, 2}, 5, ""},
	} {
		r := &recorded{}
		for _, at := range c.at {
			r.list = append(r.list, Arrival{At: at, Cost: 1})
		}
		w := c.spec.InOrder(r)
		assert.Len(t, read(w, 10), c.read, c.name)
		if c.want == "" {
			assert.NoError(t, w.Err(), c.name)
			continue
		}
		require.EqualError(t, w.Err(), c.want, c.name)
		_, ok := w.Next()
		assert.False(t, ok, "%s: an arrival after the end", c.name)
	}
}

func TestAWorkloadThatStandsStillEnds(t *testing.T) {
	w := mustParse(t, "poisson:rate=1/s").InOrder(&falling{now: time.Second})
	require.Len(t, read(w, 10), 10)
	w.n, w.order.many = MostAtOnce-10, MostAtOnce-10 // as if so many had come
	assert.Equal(t, 10.0, count(w, 0, time.Minute))
	assert.EqualError(t, w.Err(), "arrival 16777217 at 1s is the 16777217th at that instant: the workload stands still")

	var o Order // other instants are counted anew
	for n, at := range []time.Duration{0, 0, 1, 1, 2} {
		require.NoError(t, o.Check(int64(n+1), at, at))
	}
	assert.Equal(t, int64(2), o.many)
}

// What looks at arrivals before any test has seen them ends, and says why.
func TestALookEndsAtAnArrivalOutOfOrder(t *testing.T) {
	s := mustParse(t, "poisson:rate=1/s")
	w := s.InOrder(&falling{at: time.Millisecond})
	assert.Equal(t, int64(1), LookAt(w, 0, time.Second, 4).Arrivals)
	assert.EqualError(t, w.Err(), "arrival 2 at -1ms is before arrival 1 at 0s")

	_, err := s.Measure(func(int) (Workload, error) { return &falling{at: time.Millisecond}, nil }, 1, 3, []time.Duration{time.Second})
	assert.EqualError(t, err, "arrival 2 at -1ms is before arrival 1 at 0s")
}
