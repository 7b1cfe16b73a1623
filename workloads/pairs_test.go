package workloads

import (
	"math"

	"ratelab/internal/random"
	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name:   "pairs",
			Doc:    "two requests at once, at the times of a Poisson process",
			Params: []spec.Param{{Name: "rate", Unit: "rate", Doc: "requests per time, on average"}},
			More:   "The index of dispersion is 2 at every scale.",
		},
		MeanRate: func(v *spec.Values) float64 { return v.Rate("rate").PerSecond() },
		Law:      func(*spec.Values) Law { return memoryless(2, "compound Poisson counts") },
		Build: func(v *spec.Values, env Env) (Workload, error) {
			r := v.Rate("rate")
			if err := v.Err(); err != nil {
				return nil, err
			}
			// One pair every two gaps: N requests per P are N pairs per 2·P.
			return &pairs{gaps: random.NewExpGaps(env.Stream("gaps"), r.N, 2*int64(r.P))}, nil
		},
		Examples: []string{"pairs:rate=100/s"},
	})
}

type pairs struct {
	gaps *random.ExpGaps
	last Arrival
	owed bool // the second of the pair is still to come
}

func (p *pairs) Next() (Arrival, bool) {
	if p.owed = !p.owed; p.owed {
		p.last = Arrival{At: p.gaps.Next(), Cost: 1}
	}
	return p.last, p.last.At < math.MaxInt64
}
