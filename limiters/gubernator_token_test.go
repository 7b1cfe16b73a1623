package limiters_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestGubernatorTokenWindowStillCountsAtItsEnd(t *testing.T) {
	l := parse(t, "gubernator-token:limit=2,duration=1s").New(1, nil)
	assert.Equal(t, "yyn", verdicts(t, l, ones(3, today)...))
	end := today + time.Second
	d := l.Take(end, 1, 1)
	assert.False(t, d.Admitted)
	assert.Zero(t, d.Reset, "who waits for reset is refused")
	assert.Equal(t, "n", verdicts(t, l, spent{end + ms - 1, 1}), "the same ms")
	assert.Equal(t, "y", verdicts(t, l, spent{end + ms, 1}))
	assert.Equal(t, time.Second, l.Ask(end+ms, 1, 1).Reset)
}

func TestGubernatorTokenRefusedFirstRequestOpensTheWindow(t *testing.T) {
	l := parse(t, "gubernator-token:limit=2,duration=1s").New(1, nil)
	d := l.Take(today, 1, 3)
	assert.False(t, d.Admitted)
	assert.EqualValues(t, 2, d.Remaining)
	assert.Equal(t, "yyn", verdicts(t, l, spent{today + time.Second, 1}, spent{today + time.Second, 1}, spent{today + time.Second, 1}))
}

func TestGubernatorTokenClockBackStaysInTheWindow(t *testing.T) {
	l := parse(t, "gubernator-token:limit=2,duration=1s").New(1, nil)
	assert.Equal(t, "yyn", verdicts(t, l, spent{today, 1}, spent{today - time.Hour, 1}, spent{today - time.Hour, 1}))
	assert.Equal(t, time.Hour+time.Second, l.Ask(today-time.Hour, 1, 1).Reset)
}
