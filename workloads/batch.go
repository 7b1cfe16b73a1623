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
			Name: "batch",
			Doc:  "batches of requests at one instant, at the times of a Poisson process",
			Params: []spec.Param{
				{Name: "rate", Unit: "rate", Doc: "requests per time, on average: batches come at rate / mean size"},
				{Name: "size", Unit: "requests", Doc: "requests in a batch: each (fixed), on average (geometric), at most (zipf)"},
				{Name: "law", Unit: "fixed|geometric|zipf", Default: "fixed", Doc: "law of the sizes"},
				{Name: "zipf", Unit: "exponent", Default: "2", Doc: "with law=zipf a batch has k requests with a chance in proportion to 1/k^s; s a multiple of 0.5 up to 8"},
			},
			More: "With S the size of a batch the index of dispersion is E S²/E S at every scale: size (fixed), 2·size - 1 (geometric);\n" +
				"for zipf with s = 2 it is size/(1 + 1/2 + … + 1/size), and the mean size (1 + 1/2 + …)/(1 + 1/4 + 1/9 + …).\n" +
				"A zipf law is Pareto's in whole numbers, cut off at size: the chance of k or more falls as 1/k^(s-1).",
		},
		MeanRate: func(v *spec.Values) float64 { return v.Rate("rate").PerSecond() },
		Law: func(v *spec.Values) Law {
			size := float64(v.Count("size"))
			switch v.Text("law") {
			case "geometric":
				size = 2*size - 1
			case "zipf":
				sizes := random.NewTable(random.Zipf(int(v.Count("size")), v.Halves("zipf", 8)))
				size = sizes.Mean(func(i int) float64 { return float64(i+1) * float64(i+1) }) / sizes.Mean(func(i int) float64 { return float64(i + 1) })
			}
			return memoryless(size, "compound Poisson counts: E S²/E S of the sizes S")
		},
		Build: func(v *spec.Values, env Env) (Workload, error) {
			r, size, halves := v.Rate("rate"), v.Count("size"), v.Halves("zipf", 8)
			law := v.Choice("law", "fixed", "geometric", "zipf")
			if size < 1 {
				v.Fail("size", "must be > 0, got %s", v.Text("size"))
			}
			if law == "zipf" && size > random.MaxTable {
				v.Fail("size", "must be at most %d with law=zipf, got %s", random.MaxTable, v.Text("size"))
			}
			if law != "zipf" && v.Given("zipf") {
				v.Fail("zipf", "is for law=zipf, got %q with law=%s", v.Text("zipf"), law)
			}
			if err := v.Err(); err != nil {
				return nil, err
			}
			b, mean := &batch{size: size}, float64(size)
			switch law {
			case "geometric":
				b.draw = env.Stream("sizes")
			case "zipf":
				b.sizes, b.draw = random.NewTable(random.Zipf(int(size), halves)), env.Stream("sizes")
				mean = b.sizes.Mean(func(i int) float64 { return float64(i + 1) })
			}
			b.gaps = random.NewExpGapsOfMean(env.Stream("gaps"), float64(r.P)/float64(r.N)*mean)
			return b, nil
		},
		Examples: []string{
			"batch:rate=100/s,size=5",
			"batch:rate=100/s,size=4,law=geometric",
			"batch:rate=100/s,size=50,law=zipf",
			"batch:rate=10/us,size=1000,law=zipf,zipf=1.5",
		},
	})
}

// batch sends the requests of one batch after the other. A geometric size is
// not drawn ahead: the batch ends after each request with chance 1/size, which
// needs whole numbers only.
type batch struct {
	gaps  *random.ExpGaps
	draw  *rand.Rand    // of sizes; nil if they are fixed
	sizes *random.Table // of size-1; nil unless the law is zipf
	size  int64
	at    time.Duration
	left  int64 // of the present batch; of a geometric one it may become more
}

func (b *batch) Next() (Arrival, bool) {
	if b.left == 0 {
		b.at = b.gaps.Next()
		switch {
		case b.draw == nil:
			b.left = b.size
		case b.sizes != nil:
			b.left = 1 + int64(b.sizes.Draw(b.draw))
		default:
			b.left = 1
		}
	}
	b.left--
	if b.left == 0 && b.draw != nil && b.sizes == nil && b.draw.Int64N(b.size) > 0 {
		b.left = 1
	}
	return Arrival{At: b.at, Cost: 1}, b.at < math.MaxInt64
}
