package scenario

import (
	"context"
	"fmt"
	"testing"
	"time"

	"ratelab/limiters"
	"ratelab/workloads"
)

// BenchmarkOpenLoop compares one Poisson stream through a token bucket, with
// the metrics of a scenario, with a bare loop of the same draws and the same
// decisions. One operation is one request.
func BenchmarkOpenLoop(b *testing.B) {
	l, err := limiters.Parse("token-bucket:rate=1000/s,burst=20")
	if err != nil {
		b.Fatal(err)
	}
	w, err := workloads.Parse("poisson:rate=1000/s")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("path=sim", func(b *testing.B) {
		b.ReportAllocs()
		c := Default(l, w)
		c.Horizon = time.Duration(b.N) * time.Millisecond // one request a millisecond
		if _, err := Run(context.Background(), c); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("path=raw", func(b *testing.B) {
		b.ReportAllocs()
		arrivals, err := Arrivals(w, 1, workloads.Streams(1, 0, ""))
		if err != nil {
			b.Fatal(err)
		}
		limiter := l.New(1, nil)
		admitted := 0
		for range b.N {
			a, _ := arrivals.Next()
			if ok, _ := limiter.Admit(a.At, a.Key, a.Cost); ok {
				admitted++
			}
		}
		if b.N > 1000 && admitted == 0 {
			b.Fatal("nothing was admitted")
		}
	})
}

// BenchmarkManyServersAndKeys compares the event rate of a large world, a
// thousand servers that meet ten million pairs of a server and a key out of a
// thousand million, with that of eight servers and ten keys. One operation is
// ten million requests, each an event, metrics included.
func BenchmarkManyServersAndKeys(b *testing.B) {
	for _, size := range []struct{ servers, keys int }{{8, 10}, {1000, 1_000_000}} {
		b.Run(fmt.Sprintf("servers=%d/keys=%d", size.servers, size.keys), func(b *testing.B) {
			c := on(b, config(b, "token-bucket:rate=1000/s,burst=20", "poisson:rate=1000000/s"), size.servers, "random", "local")
			c.Keys, c.Horizon, c.Measure = size.keys, 10*time.Second, Measure{}
			for range b.N {
				r, err := run(context.Background(), c, true)
				if err != nil || r.Get("offered") < 9.9e6 {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*1e7/b.Elapsed().Seconds(), "requests/s")
		})
	}
}
