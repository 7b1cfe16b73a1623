package workloads

import (
	"math"
	"time"

	"ratelab/internal/random"
	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "flash-crowd",
			Doc:  "independent users, and for a while more of them",
			Params: []spec.Param{
				{Name: "rate", Unit: "rate", Doc: "requests per time, on average, before and after"},
				{Name: "peak", Unit: "rate", Doc: "requests per time while the crowd is there, more than rate"},
				{Name: "from", Unit: "duration", Default: "0s", Doc: "when the crowd comes"},
				{Name: "to", Unit: "duration", Doc: "when it leaves: half-open"},
			},
			More: "A Poisson process at rate, and from from to to a second one on top of it at peak - rate, from a stream of its own: the first sends\n" +
				"the same requests at the same times whatever the crowd.",
		},
		Build: func(v *spec.Values, env Env) (Workload, error) {
			r, peak, from, to := v.Rate("rate"), v.Rate("peak"), v.DurationOrZero("from"), v.Duration("to")
			more := perNanosecond(peak) - perNanosecond(r)
			switch {
			case v.Err() != nil:
				return nil, v.Err()
			case more <= 0:
				v.Fail("peak", "must be > rate, %s, got %s", v.Text("rate"), v.Text("peak"))
			case to <= from:
				v.Fail("to", "must be > from, %s, got %s", v.Text("from"), v.Text("to"))
			}
			if err := v.Err(); err != nil {
				return nil, err
			}
			w := &flashCrowd{
				usual: random.NewExpGaps(env.Stream("gaps"), r.N, int64(r.P)),
				crowd: random.NewExpGapsOfMean(env.Stream("crowd"), 1/more),
				from:  from, to: to,
			}
			w.nextUsual = w.usual.Next()
			w.advance()
			return w, nil
		},
		Examples: []string{"flash-crowd:rate=100/s,peak=1000/s,from=10s,to=15s", "flash-crowd:rate=1/d,peak=2/us,to=1ms"},
	})
}

func perNanosecond(r spec.Rate) float64 { return float64(r.N) / float64(r.P) }

// flashCrowd merges the usual users and the crowd.
type flashCrowd struct {
	usual, crowd         *random.ExpGaps
	nextUsual, nextCrowd time.Duration // math.MaxInt64 after the last
	from, to             time.Duration
}

// advance draws the crowd's next arrival.
func (w *flashCrowd) advance() {
	w.nextCrowd = math.MaxInt64
	if since := w.crowd.Next(); since < w.to-w.from {
		w.nextCrowd = w.from + since
	}
}

func (w *flashCrowd) Next() (Arrival, bool) {
	at := min(w.nextUsual, w.nextCrowd)
	switch {
	case at == math.MaxInt64:
		return Arrival{}, false
	case at == w.nextCrowd:
		w.advance()
	default:
		w.nextUsual = w.usual.Next()
	}
	return Arrival{At: at, Cost: 1}, true
}
