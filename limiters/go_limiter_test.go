package limiters_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestGoLimiterRefillsWindowOverLimitNanoseconds(t *testing.T) {
	l := parse(t, "go-limiter:limit=100000,window=300ms").New(1, nil)
	drain := func(at time.Duration) (n int) {
		for {
			if admitted, _ := l.Admit(at, 1, 1); !admitted {
				return n
			}
			n++
		}
	}
	assert.Equal(t, 100000, drain(today))
	assert.Equal(t, 3000, drain(today+310*ms))
	assert.Equal(t, 6000, drain(today+920*ms), "two ticks later")
}

func TestGoLimiterTicksFromTheFirstRequest(t *testing.T) {
	l := parse(t, "go-limiter:limit=2,window=1s").New(1, nil)
	first := today + 700*ms
	assert.Equal(t, "yyn", verdicts(t, l, ones(3, first)...))
	assert.Equal(t, "n", verdicts(t, l, spent{first + time.Second - 1, 1}))
	d := l.Take(first+time.Second, 1, 1)
	assert.True(t, d.Admitted)
	assert.Equal(t, time.Second, d.Reset)
}

func TestGoLimiterBeforeItsFirstRequestFillsOnceAndNeverAgain(t *testing.T) {
	l := parse(t, "go-limiter:limit=2,window=1s").New(1, nil)
	assert.Equal(t, "yyn", verdicts(t, l, ones(3, today)...))
	assert.Equal(t, "yyn", verdicts(t, l, ones(3, today-1)...))
	assert.Equal(t, "n", verdicts(t, l, spent{today + 24*time.Hour, 1}))
}

func TestGoLimiterLimitZeroStandsForOne(t *testing.T) {
	l := parse(t, "go-limiter:limit=0,window=1s").New(1, nil)
	assert.EqualValues(t, 1, l.Ask(today, 1, 1).Limit)
	assert.Equal(t, "yn", verdicts(t, l, ones(2, today)...))
}
