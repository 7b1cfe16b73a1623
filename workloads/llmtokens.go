package workloads

import (
	"math"
	"math/rand/v2"

	"ratelab/internal/random"
	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "llm-tokens",
			Doc:  "requests to a language model: Poisson, each costs its tokens, most few and some very many",
			Params: []spec.Param{
				{Name: "rate", Unit: "rate", Doc: "requests per time, on average"},
				{Name: "tokens", Unit: "requests", Default: "1000", Doc: "tokens of a request, on average: its cost"},
			},
			More: "The cost is one of 1024 quantiles of a log-normal law with σ = 1 from a table, scaled to the mean and at least 1: half of the requests\n" +
				"cost less than 0.61 of the mean, 1 % more than 6.2 times, none more than 17 times. A limit on tokens per minute is a limiter of this\n" +
				"workload as it is; a limit on requests per minute counts 1 for each and is tried with poisson at the same rate and seed, whose times\n" +
				"are the same: layers charge each layer the same cost.",
		},
		MeanRate: func(v *spec.Values) float64 { return v.Rate("rate").PerSecond() },
		Law: func(v *spec.Values) Law {
			law := memoryless(1, "a Poisson process; costs do not move it")
			law.Gap = func(q float64) float64 { return -math.Log1p(-q) / v.Rate("rate").PerSecond() }
			return law
		},
		Build: func(v *spec.Values, env Env) (Workload, error) {
			r, tokens := v.Rate("rate"), v.Count("tokens")
			if tokens < 1 || tokens > 1<<30 {
				v.Fail("tokens", "must lie in 1..%d, got %s", 1<<30, v.Text("tokens"))
			}
			if err := v.Err(); err != nil {
				return nil, err
			}
			w := &llmTokens{poisson: poisson{random.NewExpGaps(env.Stream("gaps"), r.N, int64(r.P))}, draw: env.Stream("costs")}
			sum := int64(0)
			for _, q := range tokenQuantiles {
				sum += q
			}
			for i, q := range tokenQuantiles {
				w.costs[i] = max(1, (tokens*q*int64(len(tokenQuantiles))+sum/2)/sum)
			}
			return w, nil
		},
		Examples: []string{"llm-tokens:rate=60/m", "llm-tokens:rate=10/s,tokens=300"},
	})
}

type llmTokens struct {
	poisson
	draw  *rand.Rand
	costs [len(tokenQuantiles)]int64
}

func (w *llmTokens) Next() (Arrival, bool) {
	a, ok := w.poisson.Next()
	a.Cost = w.costs[w.draw.Uint64N(uint64(len(w.costs)))]
	return a, ok
}
