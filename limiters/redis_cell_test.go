package limiters_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"ratelab/limiters"
)

// The sequence that redis-cell tests itself with.
func TestRedisCellAnswersItsOwnTestCases(t *testing.T) {
	const s = time.Second
	l := parse(t, "redis-cell:rate=1/s,burst=4").New(1, nil)
	start := 1700000000 * s
	for i, c := range []struct {
		at              time.Duration
		cost, remaining int64
		reset, retry    time.Duration // to the full second, upwards
		admitted        bool
	}{
		{0, 6, 5, 0, limiters.Never, false},
		{0, 1, 4, 1 * s, 0, true},
		{0, 1, 3, 2 * s, 0, true},
		{0, 1, 2, 3 * s, 0, true},
		{0, 1, 1, 4 * s, 0, true},
		{0, 1, 0, 5 * s, 0, true},
		{0, 1, 0, 5 * s, 1 * s, false},
		{3 * s, 1, 2, 3 * s, 0, true},
		{3100 * time.Millisecond, 1, 1, 4 * s, 0, true},
		{4 * s, 1, 1, 4 * s, 0, true},
		{8 * s, 1, 4, 1 * s, 0, true},
		{9500 * time.Millisecond, 1, 4, 1 * s, 0, true},
		{9500 * time.Millisecond, 2, 2, 3 * s, 0, true},
		{9500 * time.Millisecond, 5, 2, 3 * s, 3 * s, false},
	} {
		d := l.Take(start+c.at, 0, c.cost)
		assert.Equal(t, c.admitted, d.Admitted, i)
		assert.Equal(t, c.remaining, d.Remaining, i)
		assert.Equal(t, c.reset, d.Reset, i)
		assert.Equal(t, c.retry, d.RetryAfter, i)
		assert.EqualValues(t, 5, d.Limit, i)
	}
}

func TestRedisCellDropsWhatIsBelowAMillisecond(t *testing.T) {
	l := parse(t, "redis-cell:rate=1000/s,burst=0").New(1, nil)
	assert.True(t, l.Take(0, 0, 1).Admitted)
	d := l.Take(600*time.Microsecond, 0, 1)
	assert.False(t, d.Admitted)
	assert.Zero(t, d.RetryAfter, "0.4 ms are told as none")
	assert.Zero(t, d.Reset)
	assert.Equal(t, time.Second, l.Take(0, 0, 1).RetryAfter, "1 ms is told as 1 s")
}

func TestRedisCellKeyDiesBeforeItsDebt(t *testing.T) {
	l := parse(t, "redis-cell:rate=1/1900us,burst=0").New(1, nil)
	assert.True(t, l.Take(900*time.Microsecond, 0, 1).Admitted, "in debt until 2.8 ms")
	assert.False(t, l.Take(1999999, 0, 1).Admitted)
	assert.True(t, l.Take(2*time.Millisecond, 0, 1).Admitted, "the key lived for 1 ms, counted from 0 ms, and is gone in the ms after it")
}
