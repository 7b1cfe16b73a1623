package limiters_test

import (
	"testing"
	"time"

	"ratelab/limiters"
)

// benchmarked are the limiters of BenchmarkDecide: each canonical one, and its
// variants that run other code.
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
}

// BenchmarkDecide is one decision: arrivals twice as fast as the limit, spread
// over 64 keys, so that half of them are refused.
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
