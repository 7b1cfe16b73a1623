package scenario

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"ratelab/limiters"
	"ratelab/workloads"
)

// BenchmarkOpenLoop compares one Poisson stream through a token bucket, with
// the metrics of a scenario, with a bare loop of the same draws and the same
// decisions. One operation is one request: -benchtime 1000000000x sends a
// thousand million of them, in the memory that the peak tells.
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
		if peak, ok := peakMemory(); ok {
			b.ReportMetric(peak, "peak-MB")
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

// peakMemory returns the most memory that the process has held at once, in MB of
// 10⁶ bytes; ok is false where the system does not tell.
func peakMemory() (mb float64, ok bool) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	_, rest, ok := strings.Cut(string(status), "VmHWM:")
	kb, err := strconv.ParseFloat(strings.TrimSpace(strings.SplitN(rest, " kB", 2)[0]), 64)
	return kb * 1024 / 1e6, ok && err == nil
}
