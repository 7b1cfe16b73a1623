package workloads

import (
	"time"

	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "scale",
			Doc:  "a workload played faster or slower",
			Params: []spec.Param{
				nestedParam("the workload"),
				{Name: "speed", Unit: "speed", Doc: "2 plays twice as fast, 0.5 half as fast; > 0"},
			},
			More: "An arrival at t comes at t/speed, rounded down to the nanosecond. The index of dispersion over t is the workload's over speed·t.",
		},
		MaySetKeys: solely,
		MeanRate: func(v *spec.Values) float64 {
			num, den := v.Ratio("speed")
			return soleRate(v) * float64(num) / float64(den)
		},
		Law: func(v *spec.Values) Law {
			l := soleLaw(v)
			num, den := v.Ratio("speed")
			slow := func(t time.Duration) time.Duration { return nearest(float64(t) / float64(num) * float64(den)) }
			if d := l.Dispersion; d != nil {
				l.Dispersion = func(t time.Duration) float64 { return d(nearest(float64(t) / float64(den) * float64(num))) }
			}
			if gap := l.Gap; gap != nil {
				l.Gap = func(q float64) float64 { return gap(q) / float64(num) * float64(den) }
			}
			l.Correlation = l.Correlation / float64(num) * float64(den)
			l.From, l.Period = slow(l.From), slow(l.Period)
			return l
		},
		Build: func(v *spec.Values, env Env) (Workload, error) {
			s, ok := sole(v)
			num, den := v.Ratio("speed")
			if err := v.Err(); err != nil || !ok {
				return nil, err
			}
			of, err := s.New(env)
			if err != nil {
				return nil, err
			}
			return &scale{of, num, den}, nil
		},
		Examples: []string{"scale:(on-off:rate=100/s,on=1s,off=3s),speed=2.5", "scale:(page-load:users=5,size=6,gap=50ms,think=1s),speed=0.1"},
	})
}

type scale struct {
	of       Workload
	num, den int64 // the speed
}

func (w *scale) Next() (Arrival, bool) {
	a, ok := w.of.Next()
	if ok {
		a.At, ok = stretched(a.At, w.den, w.num)
	}
	if !ok {
		return Arrival{}, false
	}
	return a, true
}
