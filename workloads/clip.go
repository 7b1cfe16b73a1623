package workloads

import (
	"math"
	"time"

	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "clip",
			Doc:  "the part of a workload between two times",
			Params: []spec.Param{
				nestedParam("the workload"),
				{Name: "from", Unit: "duration or 0", Default: "0", Doc: "nothing comes before"},
				{Name: "to", Unit: "duration", Default: "never", Doc: "nothing comes at or after"},
			},
			More: "No arrival moves. With to there is an end, and no mean rate.",
		},
		MaySetKeys: solely,
		MeanRate: func(v *spec.Values) float64 {
			if v.Given("to") {
				return 0
			}
			return soleRate(v)
		},
		Law: func(v *spec.Values) Law {
			l := soleLaw(v)
			l.From = max(l.From, v.DurationOrZero("from"))
			return l
		},
		Build: func(v *spec.Values, env Env) (Workload, error) {
			s, ok := sole(v)
			from, to := v.DurationOrZero("from"), time.Duration(math.MaxInt64)
			if v.Given("to") {
				to = v.Duration("to")
			}
			if from >= to {
				v.Fail("to", "must be > from, %s, got %s", v.Text("from"), v.Text("to"))
			}
			if err := v.Err(); err != nil || !ok {
				return nil, err
			}
			of, err := s.New(env)
			if err != nil {
				return nil, err
			}
			return &clip{of: of, from: from, to: to}, nil
		},
		Examples: []string{"clip:(poisson:rate=100/s),from=2s", "clip:(burst-train:size=20,period=1s),from=500ms,to=3s"},
	})
}

type clip struct {
	of       Workload
	from, to time.Duration
	over     bool
}

func (w *clip) Next() (Arrival, bool) {
	for !w.over {
		a, ok := w.of.Next()
		if !ok || a.At >= w.to {
			break
		}
		if a.At >= w.from {
			return a, true
		}
	}
	w.over = true
	return Arrival{}, false
}
