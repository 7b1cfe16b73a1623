package fleet

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"ratelab/des"
	"ratelab/internal/random"
	"ratelab/limiters/contract"
)

// arrivals sends Poisson requests of uniform keys to a fleet, each an event.
type arrivals struct {
	fleet *Fleet
	gaps  *random.ExpGaps
	pick  *rand.Rand
	keys  uint64
	left  int
}

func (a *arrivals) Handle(s *des.Sim, _ uint64) {
	if a.left--; a.left > 0 {
		s.At(a.gaps.Next(), a, 0)
	}
	a.fleet.Send(s, contract.Request{At: s.Now(), Key: uint32(a.pick.Uint64N(a.keys)), Cost: 1})
}

// BenchmarkManyServersAndKeys compares the rate of requests of a large fleet
// with many keys, of which each server meets one in a hundred, with that of eight
// servers with ten keys. One operation is ten million Poisson arrivals through
// the event queue; MB is the heap afterwards, with nothing collected but what is no
// longer used, and its peak as the runtime took it from the system.
func BenchmarkManyServersAndKeys(b *testing.B) {
	const requests = 10_000_000
	for _, c := range []struct {
		coordination  string
		servers, keys int
	}{
		{"local", 8, 10}, {"local", 1000, 1_000_000},
		{"quota", 8, 10}, {"quota", 1000, 1_000_000},
		{"leased:batch=5", 8, 10}, {"leased:batch=5", 1000, 1_000_000},
	} {
		b.Run(fmt.Sprintf("%s/servers=%d/keys=%d", c.coordination, c.servers, c.keys), func(b *testing.B) {
			for range b.N {
				f, err := New(config(b, "token-bucket:rate=1000/s,burst=20000", "random", c.coordination, c.servers, 0), quiet{})
				if err != nil {
					b.Fatal(err)
				}
				sim := des.New()
				a := &arrivals{
					fleet: f, left: requests, keys: uint64(c.keys), pick: random.Stream(1, "keys"),
					gaps: random.NewExpGaps(random.Stream(1, "gaps"), 1, 1000),
				}
				sim.At(a.gaps.Next(), a, 0)
				sim.Run(des.Never)
				b.StopTimer()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				sys := m.HeapSys - m.HeapReleased
				runtime.GC()
				runtime.ReadMemStats(&m)
				b.ReportMetric(float64(m.HeapAlloc)/1e6, "MB")
				b.ReportMetric(float64(sys)/1e6, "MB-taken")
				runtime.KeepAlive(f)
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/requests, "ns/request")
		})
	}
}
