package limiters

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEveryLimiterCanBeLookedAtWithoutATrace(t *testing.T) {
	for _, text := range []string{
		"fixed-window:limit=1,window=1s", "fixed-window:limit=1,window=1s,origin=first", "sliding-log:limit=1,window=1s", "sliding-counter:limit=1,window=1s",
		"token-bucket:rate=1/s,burst=1", "token-bucket:rate=1/s,burst=1,refill=interval", "gcra:rate=1/s,burst=1", "leaky-meter:rate=1/s", "leaky-queue:rate=1/s,queue=1",
		"x-time-rate:rate=1/s,burst=1", "nginx:rate=1r/s,burst=1", "throttled:rate=1/s,burst=1", "redis-cell:rate=1/s,burst=1", "redis-rate:rate=1/s,burst=1",
		"uber:rate=1/s", "httprate:limit=1,window=1s", "go-limiter:limit=1,window=1s", "ulule:limit=1,window=1s", "upstash-sliding:limit=1,window=1s",
		"envoy-local:rate=1/s,burst=1", "envoy-ratelimit:limit=1,unit=minute", "kong:limit=1,window=minute", "bucket4j:rate=1/s,burst=1",
		"resilience4j:limit=1,period=1s", "gubernator-token:limit=1,duration=1s", "gubernator-leaky:limit=1,duration=1s", "haproxy:limit=1,period=1s",
	} {
		s, err := Parse(text)
		if assert.NoError(t, err) {
			_, ok := s.New(1, nil).(holder)
			assert.True(t, ok, text)
		}
	}
}
