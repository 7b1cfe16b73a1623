package limiters_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"ratelab/limiters"
)

func TestEnvoyRatelimitChargesWhatItRefuses(t *testing.T) {
	l := parse(t, "envoy-ratelimit:limit=10,unit=minute").New(1, nil)
	assert.Equal(t, "ynn", verdicts(t, l, spent{today, 8}, spent{today, 5}, spent{today, 1}))
	assert.Zero(t, l.Ask(today, 1, 1).Remaining)
	assert.Equal(t, "y", verdicts(t, l, spent{today + 40*time.Second, 10}), "the next minute of the clock")
}

func TestEnvoyRatelimitResetIsInWholeSecondsToTheEndOfTheUnit(t *testing.T) {
	l := parse(t, "envoy-ratelimit:limit=1,unit=minute").New(1, nil)
	assert.Equal(t, 40*time.Second, l.Take(today+1, 1, 1).Reset, "from the second, whatever has passed of it")
	assert.Equal(t, time.Minute, l.Take(today+40*time.Second, 1, 1).Reset)
	month := parse(t, "envoy-ratelimit:limit=1,unit=month").New(1, nil)
	assert.Equal(t, 30*24*time.Hour, month.Take(30*24*time.Hour*600, 1, 1).Reset)
}

func TestEnvoyRatelimitClockBackFindsTheOlderWindow(t *testing.T) {
	l := parse(t, "envoy-ratelimit:limit=1,unit=second").New(1, nil)
	assert.Equal(t, "yynn", verdicts(t, l, spent{today, 1}, spent{today + time.Second, 1}, spent{today, 1}, spent{today + time.Second, 1}))
}

func TestEnvoyRatelimitUnitsAndLimitsOfItsConfiguration(t *testing.T) {
	_, err := limiters.Parse("envoy-ratelimit:limit=1,unit=fortnight")
	assert.ErrorContains(t, err, "unit must be second or minute or hour")
	_, err = limiters.Parse("envoy-ratelimit:limit=4294967296,unit=day")
	assert.ErrorContains(t, err, "limit must be at most 4294967295")
}
