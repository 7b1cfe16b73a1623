package scenario

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// BenchmarkManyServersAndKeys compares the rate of requests of a large world, a
// thousand servers that meet ten million pairs of a server and a key out of a
// thousand million, with that of eight servers and ten keys, metrics included:
// as worlds without feedback are run, and with every request an event. One
// operation is ten million requests.
func BenchmarkManyServersAndKeys(b *testing.B) {
	for _, path := range []string{"at-once", "events"} {
		for _, size := range []struct{ servers, keys int }{{8, 10}, {1000, 1_000_000}} {
			b.Run(fmt.Sprintf("path=%s/servers=%d/keys=%d", path, size.servers, size.keys), func(b *testing.B) {
				c := on(b, config(b, "token-bucket:rate=1000/s,burst=20", "poisson:rate=1000000/s"), size.servers, "random", "local")
				c.Keys, c.Horizon, c.Measure = size.keys, 10*time.Second, Measure{}
				for range b.N {
					r, err := run(context.Background(), c, path == "events")
					if err != nil || r.Get("offered") < 9.9e6 {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)*1e7/b.Elapsed().Seconds(), "requests/s")
			})
		}
	}
}
