package workloads

import (
	"math/rand/v2"
	"time"

	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "thin",
			Doc:  "a workload of which each arrival is kept or dropped by chance",
			Params: []spec.Param{
				nestedParam("the workload"),
				{Name: "keep", Unit: "share", Doc: "the chance to be kept, > 0 and <= 1"},
			},
			More: "With I the workload's index of dispersion, that of what is kept is 1 + keep·(I-1): thinning makes anything more like Poisson.",
		},
		MaySetKeys: solely,
		MeanRate:   func(v *spec.Values) float64 { return soleRate(v) * v.Number("keep") },
		Law: func(v *spec.Values) Law {
			l, keep := soleLaw(v), v.Number("keep")
			if d := l.Dispersion; d != nil {
				l.Dispersion = func(t time.Duration) float64 { return 1 + keep*(d(t)-1) }
			}
			l.AtOnce, l.Limit, l.Gap = 1+keep*(l.AtOnce-1), 1+keep*(l.Limit-1), nil
			return l
		},
		Build: func(v *spec.Values, env Env) (Workload, error) {
			s, ok := sole(v)
			keep := v.Number("keep")
			if !(keep > 0 && keep <= 1) {
				v.Fail("keep", "must be > 0 and <= 1, got %s", v.Text("keep"))
			}
			if err := v.Err(); err != nil || !ok {
				return nil, err
			}
			of, err := s.New(besides(env, "thin"))
			if err != nil {
				return nil, err
			}
			return &thin{of, env.Stream("thin"), keep}, nil
		},
		Examples: []string{"thin:(batch:rate=100/s,size=5),keep=0.3", "thin:(thin:(steady:rate=100/s),keep=0.5),keep=0.4"},
	})
}

type thin struct {
	of   Workload
	draw *rand.Rand
	keep float64
}

func (w *thin) Next() (Arrival, bool) {
	for {
		a, ok := w.of.Next()
		if !ok {
			return Arrival{}, false
		}
		if w.draw.Float64() < w.keep {
			return a, true
		}
	}
}
