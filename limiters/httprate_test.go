package limiters_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestHTTPRateForgetsAllCountsWhenTheClockGoesBackAWindow(t *testing.T) {
	l := parse(t, "httprate:limit=2,window=10s").New(1, nil)
	start := 1700000000 * time.Second
	assert.True(t, l.Take(start, 0, 2).Admitted)
	assert.False(t, l.Take(start, 0, 1).Admitted)
	assert.True(t, l.Ask(start-1, 1, 1).Admitted)
	assert.False(t, l.Take(start, 0, 1).Admitted, "only an admission clears the counts")
	assert.True(t, l.Take(start-1, 1, 1).Admitted)
	assert.True(t, l.Take(start, 0, 2).Admitted, "of every key")
}

func TestHTTPRateShowsLessThanNothingLeft(t *testing.T) {
	l := parse(t, "httprate:limit=2,window=10s").New(1, nil)
	start := 1700000000 * time.Second
	l.Charge(start, 0, 5)
	assert.EqualValues(t, -3, l.Take(start, 0, 1).Remaining)
}
