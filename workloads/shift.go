package workloads

import (
	"math"
	"time"

	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "shift",
			Doc:  "a workload that begins later",
			Params: []spec.Param{
				nestedParam("the workload"),
				{Name: "by", Unit: "duration or 0", Doc: "how much later each arrival comes"},
			},
		},
		MaySetKeys: solely,
		MeanRate:   soleRate,
		Law: func(v *spec.Values) Law {
			l := soleLaw(v)
			l.From = later(l.From, v.DurationOrZero("by"))
			return l
		},
		Build: func(v *spec.Values, env Env) (Workload, error) {
			s, ok := sole(v)
			by := v.DurationOrZero("by")
			if err := v.Err(); err != nil || !ok {
				return nil, err
			}
			of, err := s.New(env)
			if err != nil {
				return nil, err
			}
			return &shift{of, by}, nil
		},
		Examples: []string{"shift:(poisson:rate=100/s),by=3s", "shift:(burst-train:size=5,period=1s),by=250ms"},
	})
}

type shift struct {
	of Workload
	by time.Duration
}

func (w *shift) Next() (Arrival, bool) {
	a, ok := w.of.Next()
	if !ok || a.At >= math.MaxInt64-w.by {
		return Arrival{}, false
	}
	a.At += w.by
	return a, true
}
