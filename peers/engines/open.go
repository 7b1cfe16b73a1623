package engines

import (
	"context"
	"time"

	"ratelab/experiments/scenario"
	"ratelab/limiters"
	"ratelab/workloads"
)

// open is one Poisson stream at the rate of a token bucket: a request a
// millisecond, on average, of the clock that is simulated.
func open(requests int) (scenario.Config, error) {
	l, err := limiters.Parse("token-bucket:rate=1000/s,burst=20")
	if err != nil {
		return scenario.Config{}, err
	}
	w, err := workloads.Parse("poisson:rate=1000/s")
	c := scenario.Default(l, w)
	c.Horizon = time.Duration(requests) * time.Millisecond
	return c, err
}

// RunOpen simulates requests, about so many, as a plain scenario with its metrics.
func RunOpen(requests int) (Outcome, error) {
	c, err := open(requests)
	if err != nil {
		return Outcome{}, err
	}
	var r scenario.Result
	cpu := cpuOf(func() { r, err = scenario.Run(context.Background(), c) })
	return Outcome{int64(r.Get("admitted")), cpu}, err
}

// RunOpenRaw makes the same draws and the same decisions in a bare loop, and
// counts only what is admitted.
func RunOpenRaw(requests int) (Outcome, error) {
	c, err := open(requests)
	if err != nil {
		return Outcome{}, err
	}
	arrivals, err := scenario.Arrivals(c.Workload, c.Keys, workloads.Streams(c.Seed, c.Rep, ""))
	if err != nil {
		return Outcome{}, err
	}
	limiter, admitted := c.Limiter.New(c.Seed, nil), int64(0)
	cpu := cpuOf(func() {
		for {
			a, ok := arrivals.Next()
			if !ok || a.At >= c.Horizon {
				return
			}
			if ok, _ := limiter.Admit(a.At, a.Key, a.Cost); ok {
				admitted++
			}
		}
	})
	return Outcome{admitted, cpu}, nil
}
