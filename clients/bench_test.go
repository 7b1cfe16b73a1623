package clients

import (
	"testing"
	"time"

	"ratelab/des"
	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/workloads"
)

// BenchmarkRequest is the cost of one attempt: polite and rude clients under a
// token bucket at 1.5 times its rate, beside the same arrivals decided without
// clients. Both run on the event queue.
func BenchmarkRequest(b *testing.B) {
	spec, err := limiters.Parse("token-bucket:rate=1000/s,burst=10")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("arrivals alone", func(b *testing.B) {
		b.ReportAllocs()
		bare := &bare{w: workload(b, "poisson:rate=1500/s", 1), l: spec.New(1, nil)}
		s := des.New()
		bare.Handle(s, 0)
		for b.Loop() {
			s.Step()
		}
	})
	for _, mix := range []string{"none", "fixed:wait=10ms", "backoff:base=10ms,cap=1s,budget=ratio", "retry-after:attempts=2,timeout=1s"} {
		b.Run(mix, func(b *testing.B) {
			b.ReportAllocs()
			v, p := start(b, Config{Mix: mustMix(b, mix), Clients: 10, Sender: InTurn, Workload: workload(b, "poisson:rate=1500/s", 1)}, 1)
			v.quiet = true
			v.decide = limit(func() *Population { return p }, spec.New(1, nil))
			until := p.Total().Attempts
			for b.Loop() {
				for until++; p.Total().Attempts < until; {
					v.sim.Step()
				}
			}
		})
	}
}

// bare decides arrivals without any client.
type bare struct {
	w    workloads.Workload
	l    limiters.Limiter
	last contract.Decision
}

func (x *bare) Handle(s *des.Sim, _ uint64) {
	if s.Now() > 0 {
		x.last = x.l.Take(s.Now(), 0, 1)
	}
	a, _ := x.w.Next()
	s.At(max(a.At, s.Now()+time.Nanosecond), x, 0)
}
