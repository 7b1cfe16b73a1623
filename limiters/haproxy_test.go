package limiters_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"ratelab/limiters"
)

func TestHAProxyCountsWhatItDenies(t *testing.T) {
	l := parse(t, "haproxy:limit=2,period=1s").New(1, nil)
	var at time.Duration
	out := ""
	for i := range 12 {
		at = today + time.Duration(i)*300*ms
		out += verdicts(t, l, spent{at, 1})
	}
	assert.Equal(t, "yynnnnnnnnnn", out, "who goes on at 3.3/s is kept out for good")
}

func TestHAProxyTurnsThePeriodAtItsEndAndForgetsAfterTwo(t *testing.T) {
	l := parse(t, "haproxy:limit=10,period=10s").New(1, nil)
	verdicts(t, l, ones(10, today)...)
	assert.Equal(t, "n", verdicts(t, l, spent{today + 10*time.Second, 1}), "10 old ones and 1 new")
	assert.Equal(t, "y", verdicts(t, l, spent{today + 30*time.Second, 1}))
	assert.Equal(t, "yyyyyyyyyn", verdicts(t, l, ones(10, today+30*time.Second)...), "the old count is gone")
}

func TestHAProxyPeriodsBeginAtEvenMilliseconds(t *testing.T) {
	l := parse(t, "haproxy:limit=1,period=10s").New(1, nil)
	assert.Equal(t, "y", verdicts(t, l, spent{today + 1*ms, 1}))
	assert.Equal(t, "n", verdicts(t, l, spent{today + 10*time.Second, 1}), "10 s after the even ms before, 9.999 s after the request")
}

func TestHAProxyStartsItsFirstPeriodAtZero(t *testing.T) {
	l := parse(t, "haproxy:limit=1,period=1h").New(1, nil)
	assert.Equal(t, "y", verdicts(t, l, spent{1000 * time.Second, 1}), "in the period from 0 to 1 h")
	assert.Equal(t, "n", verdicts(t, l, spent{3600 * time.Second, 1}), "the next one, though not an hour has passed")
	assert.Equal(t, "y", verdicts(t, l, spent{2*3600*time.Second + 1800*time.Second, 1}), "half of one")

	// The same where milliseconds come round to 0 modulo 2^32.
	turn := (1 << 32) * 100 * ms
	l = parse(t, "haproxy:limit=3,period=1h").New(1, nil)
	assert.Equal(t, "yyyn", verdicts(t, l, ones(4, turn+1000*time.Second)...))
	assert.Equal(t, "yn", verdicts(t, l, spent{turn + 5400*time.Second, 1}, spent{turn + 5400*time.Second, 1}), "half of the 4, and 1")
}

func TestHAProxyHasOneClockThatNeverGoesBack(t *testing.T) {
	l := parse(t, "haproxy:limit=1,period=1s").New(1, nil)
	l.Take(today+time.Minute, 2, 1)
	assert.Equal(t, "yn", verdicts(t, l, spent{today, 1}, spent{today + time.Minute, 1}), "both at the latest time of key 2")
}

func TestHAProxyKnowsNoHintsAndNoCosts(t *testing.T) {
	s := parse(t, "haproxy:limit=1,period=1s")
	assert.Equal(t, limiters.Decision{Admitted: true}, s.New(1, nil).Take(today, 1, 1))
	assert.True(t, s.UnitCost())
	_, err := limiters.Parse("haproxy:limit=1,period=25d")
	assert.ErrorContains(t, err, "at most 2147483647ms")
}
