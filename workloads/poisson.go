package workloads

import (
	"math"

	"ratelab/internal/random"
	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name:   "poisson",
			Doc:    "independent users: exponential gaps with mean 1/rate",
			Params: []spec.Param{{Name: "rate", Unit: "rate", Doc: "requests per time, on average"}},
			More:   "The count in any interval has the Poisson law, whatever came before. The index of dispersion is 1 at every scale.",
		},
		MeanRate: func(v *spec.Values) float64 { return v.Rate("rate").PerSecond() },
		Law: func(v *spec.Values) Law {
			law := memoryless(1, "the definition of a Poisson process")
			law.Gap = func(q float64) float64 { return -math.Log1p(-q) / v.Rate("rate").PerSecond() }
			return law
		},
		Build: func(v *spec.Values, env Env) (Workload, error) {
			r := v.Rate("rate")
			if err := v.Err(); err != nil {
				return nil, err
			}
			return &poisson{random.NewExpGaps(env.Stream("gaps"), r.N, int64(r.P))}, nil
		},
		Examples: []string{"poisson:rate=100/s", "poisson:rate=1/d", "poisson:rate=2/us"},
	})
}

type poisson struct{ gaps *random.ExpGaps }

func (p *poisson) Next() (Arrival, bool) {
	at := p.gaps.Next()
	return Arrival{At: at, Cost: 1}, at < math.MaxInt64
}
