package limiters_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestEnvoyLocalEarnsUpToItsBurst(t *testing.T) {
	l := parse(t, "envoy-local:rate=1/s,burst=3").New(1, nil)
	start := 1700000000 * time.Second
	assert.False(t, l.Take(start, 0, 4).Admitted, "more than it holds")
	d := l.Take(start, 0, 2)
	assert.True(t, d.Admitted)
	assert.EqualValues(t, 3, d.Limit)
	assert.EqualValues(t, 1, d.Remaining)
	assert.True(t, l.Take(start, 0, 1).Admitted)
	d = l.Take(start+time.Second-1, 0, 1)
	assert.False(t, d.Admitted)
	assert.Zero(t, d.Remaining)
	assert.True(t, l.Take(start+time.Second, 0, 1).Admitted)
	assert.EqualValues(t, 3, l.Ask(start+time.Hour, 0, 1).Remaining)
	assert.True(t, l.Take(start+time.Hour, 0, 3).Admitted)
	assert.False(t, l.Take(start+time.Hour, 0, 1).Admitted)
}

// Doubles: the instant of a refill may come out just below it.
func TestEnvoyLocalMayRefuseAtTheInstantOfARefill(t *testing.T) {
	refused := 0
	l := parse(t, "envoy-local:rate=10/s,burst=1").New(1, nil)
	for k := range time.Duration(200) {
		if !l.Take(k*100*time.Millisecond, 0, 1).Admitted {
			refused++
		}
	}
	assert.Equal(t, 77, refused, "of 200, by the same formula in another language")
}

func TestEnvoyLocalEarnsNothingTwiceWhenTheClockGoesBack(t *testing.T) {
	l := parse(t, "envoy-local:rate=1/s,burst=10").New(1, nil)
	assert.True(t, l.Take(10*time.Second, 0, 5).Admitted)
	assert.False(t, l.Take(4*time.Second, 0, 1).Admitted, "nothing is earned before")
	assert.True(t, l.Take(10*time.Second, 0, 5).Admitted)
	assert.False(t, l.Take(10*time.Second, 0, 1).Admitted)
}
