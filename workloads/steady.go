package workloads

import (
	"math"
	"time"

	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name:   "steady",
			Doc:    "one request every 1/rate, like a metronome",
			Params: []spec.Param{{Name: "rate", Unit: "rate", Doc: "requests per time"}},
			More: "Arrival k, counted from 0, comes at k/rate, rounded down to the nanosecond: the first at 0, and rounding never adds up.\n" +
				"The index of dispersion tends to 0: there is no smoother traffic.",
		},
		MeanRate: func(v *spec.Values) float64 { return v.Rate("rate").PerSecond() },
		Law: func(v *spec.Values) Law {
			r := v.Rate("rate")
			return Law{
				Source: "a count is ⌊rate·t⌋ or one more: f(1-f)/(rate·t), f the fraction of rate·t",
				Dispersion: func(t time.Duration) float64 {
					n := float64(r.N) / float64(r.P)
					f := float64(int64(t)%int64(r.P)) * n
					f -= math.Floor(f)
					return f * (1 - f) / (n * float64(t))
				},
				AtOnce:      1,
				Limit:       0,
				Correlation: math.Inf(1),
				Period:      r.P,
			}
		},
		Build: func(v *spec.Values, _ Env) (Workload, error) {
			r := v.Rate("rate")
			if err := v.Err(); err != nil {
				return nil, err
			}
			return &steady{gap: r.P / time.Duration(r.N), part: int64(r.P) % r.N, n: r.N}, nil
		},
		Examples: []string{"steady:rate=10/s", "steady:rate=7/13s", "steady:rate=3/ns"},
	})
}

// steady counts in nanoseconds and n-ths of a nanosecond: the gap between two
// arrivals is gap + part/n. All fit in 64 bits, because n lies below 2⁵³.
type steady struct {
	at   time.Duration // the next arrival, < 0 after the last
	rest int64         // n-ths of a nanosecond beyond at, in 0..n-1
	gap  time.Duration
	part int64 // in 0..n-1
	n    int64
}

func (s *steady) Next() (Arrival, bool) {
	at := s.at
	if at < 0 {
		return Arrival{}, false
	}
	s.at += s.gap // beyond the clock it wraps below 0, and stays there
	s.rest += s.part
	if s.rest >= s.n {
		s.rest -= s.n
		if s.at == math.MaxInt64 {
			s.at = -1
		} else if s.at >= 0 {
			s.at++
		}
	}
	return Arrival{At: at, Cost: 1}, true
}
