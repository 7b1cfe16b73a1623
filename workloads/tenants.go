package workloads

import (
	"math"
	"math/rand/v2"
	"time"

	"ratelab/internal/random"
	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "tenants",
			Doc:  "many keys of unequal size, Poisson each, and at will a greedy one",
			Params: []spec.Param{
				{Name: "rate", Unit: "rate", Doc: "requests per time of all tenants together, without the greedy one"},
				{Name: "keys", Unit: "keys", Doc: "number of tenants, at most 1048576: keys 0 to keys-1"},
				{Name: "zipf", Unit: "exponent", Default: "1", Doc: "shares of the rate 1, 1/2^s, 1/3^s, …; s a multiple of 0.5 up to 8, 0 for equal shares"},
				{Name: "greedy", Unit: "factor", Default: "0", Doc: "one tenant more, whose key is keys, at this many times rate/keys"},
			},
			More: "Each tenant's requests are a Poisson process, independent of the others': key k has the share (k+1)^-s / (1 + 2^-s + … + keys^-s)\n" +
				"of the rate. The greedy tenant comes on top, by a stream of its own: however greedy it is, the others send the same requests\n" +
				"at the same times. The mean rate of all is rate·(1 + greedy/keys).",
		},
		SetsKeys: true,
		MeanRate: func(v *spec.Values) float64 {
			return v.Rate("rate").PerSecond() * (1 + float64(v.Count("greedy"))/float64(v.Count("keys")))
		},
		Law: func(*spec.Values) Law { return memoryless(1, "Poisson processes together are one") },
		Build: func(v *spec.Values, env Env) (Workload, error) {
			r, keys, halves, greedy := v.Rate("rate"), v.Count("keys"), v.Halves("zipf", 8), v.Count("greedy")
			if keys < 1 || keys > random.MaxTable {
				v.Fail("keys", "must lie in 1..%d, got %s", random.MaxTable, v.Text("keys"))
			}
			if err := v.Err(); err != nil {
				return nil, err
			}
			w := &tenants{
				gaps:     random.NewExpGaps(env.Stream("gaps"), r.N, int64(r.P)),
				keys:     random.NewTable(random.Zipf(int(keys), halves)),
				draw:     env.Stream("keys"),
				greedy:   uint32(keys),
				greedyAt: math.MaxInt64,
			}
			w.at = w.gaps.Next()
			if greedy > 0 {
				w.greedyGaps = random.NewExpGapsOfMean(env.Stream("greedy"), float64(r.P)/float64(r.N)*(float64(keys)/float64(greedy)))
				w.greedyAt = w.greedyGaps.Next()
			}
			return w, nil
		},
		Examples: []string{
			"tenants:rate=100/s,keys=20",
			"tenants:rate=100/s,keys=10,zipf=0,greedy=5",
			"tenants:rate=1/d,keys=1,greedy=100",
			"tenants:rate=2/us,keys=10000,zipf=1.5,greedy=1",
		},
	})
}

type tenants struct {
	gaps *random.ExpGaps
	keys *random.Table
	draw *rand.Rand
	at   time.Duration // of the next that is not greedy

	greedy     uint32          // its key
	greedyGaps *random.ExpGaps // nil if there is none
	greedyAt   time.Duration   // of its next
}

func (w *tenants) Next() (Arrival, bool) {
	if w.greedyAt < w.at {
		a := Arrival{At: w.greedyAt, Key: w.greedy, Cost: 1}
		w.greedyAt = w.greedyGaps.Next()
		return a, true
	}
	if w.at == math.MaxInt64 {
		return Arrival{}, false
	}
	a := Arrival{At: w.at, Key: uint32(w.keys.Draw(w.draw)), Cost: 1}
	w.at = w.gaps.Next()
	return a, true
}
