package limiters_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"ratelab/limiters"
)

func TestResilience4jReservesPermissionsOfLaterCycles(t *testing.T) {
	l := parse(t, "resilience4j:limit=5,period=1s").New(1, nil)
	at := 500 * ms
	delays := func(costs ...int64) (out []time.Duration) {
		for _, cost := range costs {
			d := l.Take(at, 1, cost)
			assert.True(t, d.Admitted)
			out = append(out, d.Delay)
		}
		return out
	}
	assert.Equal(t, []time.Duration{0, 500 * ms, 1500 * ms, 2500 * ms}, delays(5, 1, 9, 1))
	at = 5 * time.Second
	assert.Equal(t, []time.Duration{0}, delays(1))
}

func TestResilience4jRefusesAWaitAboveTheTimeoutAndReservesNothing(t *testing.T) {
	l := parse(t, "resilience4j:limit=2,period=1s,timeout=1s").New(1, nil)
	assert.Equal(t, "yyn", verdicts(t, l, spent{0, 2}, spent{0, 2}, spent{0, 1}))
	d := l.Take(ms, 1, 1)
	assert.Equal(t, 1999*ms, d.RetryAfter)
	assert.Equal(t, time.Second-ms, d.RetryAfter-time.Second, "it could have come back a timeout earlier")
	assert.True(t, l.Take(time.Second, 1, 1).Admitted)
}

func TestResilience4jCyclesAreCountedFromTheEpoch(t *testing.T) {
	l := parse(t, "resilience4j:limit=2,period=1s,timeout=0s").New(1, nil)
	assert.Equal(t, "ynyn", verdicts(t, l, spent{today + time.Second - 1, 2}, spent{today + time.Second - 1, 1},
		spent{today + time.Second, 2}, spent{today + time.Second, 1}), "twice the limit within a nanosecond")
}

func TestResilience4jHasOneClockThatNeverGoesBack(t *testing.T) {
	l := parse(t, "resilience4j:limit=1,period=1s,timeout=0s").New(1, nil)
	assert.Equal(t, "yn", verdicts(t, l, spent{today, 1}, spent{today - time.Hour, 1}))
}

func TestResilience4jCountsIn32Bits(t *testing.T) {
	for _, text := range []string{"resilience4j:limit=0,period=1s", "resilience4j:limit=2147483648,period=1s"} {
		_, err := limiters.Parse(text)
		assert.ErrorContains(t, err, "limit must be 1 to 2147483647", text)
	}
	l := parse(t, "resilience4j:limit=5,period=1s").New(1, nil)
	assert.Equal(t, limiters.Never, l.Take(0, 1, 1<<31).RetryAfter)
	assert.EqualValues(t, 0, l.Take(0, 1, 5).Delay, "it reserved nothing")
}
