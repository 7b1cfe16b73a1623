package limiters_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"ratelab/limiters"
)

func TestKongReadsBeforeItCounts(t *testing.T) {
	l := parse(t, "kong:limit=2,window=minute").New(1, nil)
	assert.EqualValues(t, 1, l.Take(today, 1, 1).Remaining)
	assert.EqualValues(t, 0, l.Take(today, 1, 1).Remaining)
	d := l.Take(today+1, 1, 1)
	assert.False(t, d.Admitted)
	assert.Equal(t, 40*time.Second, d.RetryAfter, "from the whole second to the end of the minute")
	assert.Equal(t, d.RetryAfter, d.Reset)
	assert.Equal(t, "yyn", verdicts(t, l, ones(3, today+40*time.Second)...), "what was refused is not counted")
}

func TestKongPeriodsAreThoseOfTheCalendar(t *testing.T) {
	l := parse(t, "kong:limit=1,window=second").New(1, nil)
	d := l.Take(today+time.Second-1, 1, 1)
	assert.Equal(t, time.Second, d.Reset, "at least 1 s")
	assert.Equal(t, "yn", verdicts(t, l, spent{today + time.Second, 1}, spent{today, 1}), "a clock that goes back finds the older count")
}

func TestKongNeedsALimitAndAPeriodItKnows(t *testing.T) {
	_, err := limiters.Parse("kong:limit=0,window=minute")
	assert.ErrorContains(t, err, "limit must be > 0")
	_, err = limiters.Parse("kong:limit=1,window=60s")
	assert.ErrorContains(t, err, "window must be second or minute or hour or day")
	assert.True(t, parse(t, "kong:limit=1,window=day").UnitCost())
}
