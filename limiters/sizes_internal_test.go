package limiters

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

func TestBytesOfAKeyAreWhatTheDocumentationSays(t *testing.T) {
	for name, size := range map[string]uintptr{
		"fixed-window": unsafe.Sizeof(countedWindow{}),
		"token-bucket": unsafe.Sizeof(bucketLevel{}),
		"gcra":         unsafe.Sizeof(arrival{}),
		"leaky-meter":  unsafe.Sizeof(meterContent{}),
		"leaky-queue":  unsafe.Sizeof(departure{}),
	} {
		assert.EqualValues(t, 32, size, name)
	}
	assert.EqualValues(t, 40, unsafe.Sizeof(twoWindows{}))
	assert.EqualValues(t, 40, unsafe.Sizeof(intervalLevel{}))
	assert.EqualValues(t, 64, unsafe.Sizeof(logged{}))
	assert.EqualValues(t, 16, unsafe.Sizeof(logEntry{}))
	for name, size := range map[string]uintptr{
		"bucket4j": unsafe.Sizeof(bandwidthState{}), "envoy-local": unsafe.Sizeof(envoyBucket{}),
		"envoy-ratelimit, kong": unsafe.Sizeof(unitCounts{}), "go-limiter": unsafe.Sizeof(ticking{}),
		"gubernator-leaky": unsafe.Sizeof(leakyItem{}), "gubernator-token": unsafe.Sizeof(gubernatorItem{}),
		"haproxy": unsafe.Sizeof(freqCounter{}), "httprate": unsafe.Sizeof(httprateKey{}), "nginx": unsafe.Sizeof(nginxNode{}),
		"redis-cell": unsafe.Sizeof(redisCellKey{}), "redis-rate": unsafe.Sizeof(redisRateKey{}),
		"resilience4j": unsafe.Sizeof(permissions{}), "throttled": unsafe.Sizeof(throttledKey{}), "uber": unsafe.Sizeof(uberKey{}),
		"ulule": unsafe.Sizeof(ululeCounter{}), "upstash-sliding": unsafe.Sizeof(upstashKey{}), "x-time-rate": unsafe.Sizeof(xTimeBucket{}),
	} {
		assert.GreaterOrEqual(t, size, uintptr(16), name)
		assert.LessOrEqual(t, size, uintptr(72), name)
	}
	assert.EqualValues(t, 24, unsafe.Sizeof(place{}), "what a held key takes beside its state and its index")
}
