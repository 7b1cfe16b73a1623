package limiters_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestUpstashCutsTheWeightedCountDown(t *testing.T) {
	l := parse(t, "upstash-sliding:limit=10,window=10s").New(1, nil)
	assert.Equal(t, "yyyyyyyyyyn", verdicts(t, l, ones(11, today+9*time.Second)...))
	second := today + 10*time.Second
	assert.Equal(t, "nyn", verdicts(t, l, spent{second, 1}, spent{second + ms, 1}, spent{second + ms, 1}),
		"9.999 of 10 count as 9: an exact rule has no room for another 999 ms")
}

func TestUpstashChargesACostThatItRefuses(t *testing.T) {
	l := parse(t, "upstash-sliding:limit=10,window=10s").New(1, nil)
	assert.Equal(t, "ynn", verdicts(t, l, spent{today, 9}, spent{today, 5}, spent{today, 1}))
	assert.EqualValues(t, 0, l.Ask(today, 1, 1).Remaining, "not below 0")
}

func TestUpstashResetIsTheEndOfTheWindowAndNoPromise(t *testing.T) {
	l := parse(t, "upstash-sliding:limit=1,window=10s").New(1, nil)
	at := today + 3*time.Second + 1
	d := l.Take(at, 1, 1)
	assert.Equal(t, 7*time.Second-1, d.Reset)
	assert.False(t, l.Take(at+d.Reset, 1, 1).Admitted)
}

func TestUpstashFindsOlderCountersWhenTheClockGoesBack(t *testing.T) {
	l := parse(t, "upstash-sliding:limit=2,window=10s").New(1, nil)
	later := today + 20*time.Second
	assert.Equal(t, "yyyy", verdicts(t, l, spent{today, 1}, spent{today, 1}, spent{later, 1}, spent{later, 1}))
	assert.Equal(t, "nn", verdicts(t, l, spent{today, 1}, spent{later, 1}))
	assert.Equal(t, "yn", verdicts(t, l, spent{today + 40*time.Second, 2}, spent{today + 40*time.Second, 1}), "a place in use by a window long past")
}
