package limiters_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/limiters"
)

// spent is one request of one key: when, and what it costs.
type spent struct {
	at   time.Duration
	cost int64
}

// verdicts lets one key spend, and writes y or n for each request. Ask and
// Admit must say the same.
func verdicts(t *testing.T, l limiters.Limiter, requests ...spent) string {
	t.Helper()
	text := ""
	for _, r := range requests {
		asked := l.Ask(r.at, 1, r.cost).Admitted
		taken := l.Take(r.at, 1, r.cost).Admitted
		require.Equal(t, asked, taken, "asked and taken at %v", r.at)
		if taken {
			text += "y"
		} else {
			text += "n"
		}
	}
	return text
}

// ones are n requests of cost 1 at an instant.
func ones(n int, at time.Duration) []spent {
	requests := make([]spent, n)
	for i := range requests {
		requests[i] = spent{at, 1}
	}
	return requests
}

// today is a whole multiple of 100 s, and lies 20 s after a whole minute.
const today = 1_700_000_000 * time.Second

func TestHintsOfInstantsBeyondInt64(t *testing.T) {
	late := 292 * 365 * 24 * time.Hour
	l := parse(t, "gubernator-token:limit=1,duration=100000d").New(1, nil)
	assert.Equal(t, 100000*24*time.Hour, l.Take(late, 1, 1).Reset, "the instant lies beyond, the hint does not")
	assert.Equal(t, limiters.Never, l.Ask(-late, 1, 1).Reset)
}

func TestProgramsThatCountMillisecondsTakeNoFractions(t *testing.T) {
	for _, text := range []string{
		"upstash-sliding:limit=1,window=1500us", "haproxy:limit=1,period=100us",
		"gubernator-token:limit=1,duration=1ns", "gubernator-leaky:limit=1,duration=1s1us",
	} {
		_, err := limiters.Parse(text)
		assert.ErrorContains(t, err, "must be whole milliseconds", text)
	}
}
