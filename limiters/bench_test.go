package limiters_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"ratelab/limiters"
)

// benchmarked has every limiter that is registered, at 1000 requests a second,
// and variants that run other code.
var benchmarked = []struct{ name, spec string }{
	{"fixed-window", "fixed-window:limit=1000,window=1s"},
	{"fixed-window-first", "fixed-window:limit=1000,window=1s,origin=first"},
	{"sliding-log", "sliding-log:limit=1000,window=1s"},
	{"sliding-log-all", "sliding-log:limit=1000,window=1s,count=all"},
	{"sliding-counter", "sliding-counter:limit=1000,window=1s"},
	{"sliding-counter-below", "sliding-counter:limit=1000,window=1s,rule=below"},
	{"token-bucket", "token-bucket:rate=1000/s,burst=100"},
	{"token-bucket-interval", "token-bucket:rate=1000/s,burst=1000,refill=interval"},
	{"gcra", "gcra:rate=1000/s,burst=100"},
	{"leaky-meter", "leaky-meter:rate=1000/s"},
	{"leaky-queue", "leaky-queue:rate=1000/s,queue=100"},

	{"bucket4j", "bucket4j:rate=1000/s,burst=100"},
	{"envoy-local", "envoy-local:rate=1000/s,burst=100"},
	{"envoy-ratelimit", "envoy-ratelimit:limit=1000,unit=second"},
	{"go-limiter", "go-limiter:limit=1000,window=1s"},
	{"gubernator-leaky", "gubernator-leaky:limit=1000,duration=1s"},
	{"gubernator-token", "gubernator-token:limit=1000,duration=1s"},
	{"haproxy", "haproxy:limit=1000,period=1s"},
	{"httprate", "httprate:limit=1000,window=1s"},
	{"kong", "kong:limit=1000,window=second"},
	{"nginx", "nginx:rate=1000r/s,burst=100"},
	{"redis-cell", "redis-cell:rate=1000/s,burst=99"},
	{"redis-rate", "redis-rate:rate=1000/s,burst=100"},
	{"resilience4j", "resilience4j:limit=1000,period=1s,timeout=100ms"},
	{"throttled", "throttled:rate=1000/s,burst=99"},
	{"uber", "uber:rate=1000/s"},
	{"ulule", "ulule:limit=1000,window=1s"},
	{"upstash-sliding", "upstash-sliding:limit=1000,window=1s"},
	{"x-time-rate", "x-time-rate:rate=1000/s,burst=100"},
}

func TestEveryLimiterIsBenchmarked(t *testing.T) {
	there := make(map[string]bool)
	for _, c := range benchmarked {
		there[parse(t, c.spec).Name()] = true
	}
	for _, e := range limiters.Entries() {
		assert.True(t, there[e.Name], "benchmarked has no %s", e.Name)
	}
}

// BenchmarkDecide is one decision: arrivals twice as fast as the limit, spread
// over 64 keys, so that most limiters refuse half of them.
func BenchmarkDecide(b *testing.B) {
	const keys, step = 64, 500 * time.Microsecond / 64
	for _, c := range benchmarked {
		s, err := limiters.Parse(c.spec)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name+"/admit", func(b *testing.B) {
			l := s.New(1, nil)
			b.ReportAllocs()
			var now time.Duration
			var key uint32
			for b.Loop() {
				l.Admit(now, key, 1)
				now += step
				key = (key + 1) % keys
			}
		})
		b.Run(c.name+"/take", func(b *testing.B) {
			l := s.New(1, nil)
			b.ReportAllocs()
			var now time.Duration
			var key uint32
			for b.Loop() {
				l.Take(now, key, 1)
				now += step
				key = (key + 1) % keys
			}
		})
	}
}

// BenchmarkHeld is one decision of a limiter that holds its keys: of a key that
// is held, of a new one that pushes another out, and of one that nginx's zone
// takes in. The keys, a million, come in an order that no cache foresees.
func BenchmarkHeld(b *testing.B) {
	const keys = 1_000_000
	for _, c := range []struct{ name, eviction string }{
		{"hit", "lru:capacity=1000000"}, {"miss", "lru:capacity=50000"}, {"miss-zone", "nginx-zone:size=10m"},
	} {
		b.Run(c.name, func(b *testing.B) {
			l := held(b, c.eviction, "gcra:rate=1/s,burst=5")
			for i := range uint32(keys) {
				l.Admit(0, i, 1)
			}
			b.ReportAllocs()
			var now time.Duration
			var i uint32
			for b.Loop() {
				l.Admit(now, i*769_231%keys, 1) // a step with no factor of a million
				now += time.Microsecond
				i++
			}
			b.ReportMetric(float64(l.Bytes())/float64(l.Keys()), "B/key")
		})
	}
}
