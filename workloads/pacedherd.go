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
			Name: "paced-herd",
			Doc:  "clients with a timer each that all fire on the minute, as cron does",
			Params: []spec.Param{
				{Name: "clients", Unit: "requests", Doc: "clients, one request each a time"},
				{Name: "every", Unit: "duration", Default: "1m", Doc: "they fire at 0, every, 2·every, …"},
				{Name: "jitter", Unit: "duration or 0", Default: "0", Doc: "each client waits a while, uniform from 0 to this, drawn anew each time; at most every"},
			},
			More: "With jitter=every the clients are spread over the whole period: the counts of parts of it are binomial.",
		},
		MeanRate: func(v *spec.Values) float64 { return float64(v.Count("clients")) / v.Duration("every").Seconds() },
		Law: func(v *spec.Values) Law {
			return herdCycle(v.Count("clients"), v.Duration("every"), v.DurationOrZero("jitter"))
		},
		Build: func(v *spec.Values, env Env) (Workload, error) {
			n, every, jitter := v.Count("clients"), v.Duration("every"), v.DurationOrZero("jitter")
			if n < 1 {
				v.Fail("clients", "must be > 0, got %s", v.Text("clients"))
			}
			if jitter > every {
				v.Fail("jitter", "must be at most every, %s, got %s", spec.FormatDuration(every), v.Text("jitter"))
			}
			if err := v.Err(); err != nil {
				return nil, err
			}
			w := &herd{n: n, left: n, rest: 1, every: every, jitter: float64(jitter)}
			if jitter > 0 {
				w.r = env.Stream("jitter")
			}
			return w, nil
		},
		Examples: []string{"paced-herd:clients=50", "paced-herd:clients=20,every=10s,jitter=3s", "paced-herd:clients=5,every=1s,jitter=1s"},
	})
}

// herd draws the waits of one time in order: the earliest of k that are uniform
// on what is left leaves of it the largest of k uniform numbers.
type herd struct {
	r      *rand.Rand // nil without jitter
	n      int64
	left   int64   // clients still to fire this time
	rest   float64 // of the jitter, from the last that fired on
	start  time.Duration
	every  time.Duration
	jitter float64 // ns
}

func (w *herd) Next() (Arrival, bool) {
	if w.start == math.MaxInt64 {
		return Arrival{}, false
	}
	at := w.start
	if w.r != nil {
		w.rest = float64(w.rest * random.LargestOf(w.r, w.left))
		at = later(at, time.Duration(float64((1-w.rest)*w.jitter)))
	}
	if at == math.MaxInt64 {
		w.start = at
		return Arrival{}, false
	}
	if w.left--; w.left == 0 {
		w.start, w.left, w.rest = later(w.start, w.every), w.n, 1
	}
	return Arrival{At: at, Cost: 1}, true
}

// herdCycle: at a given phase each client's request of each time falls into the
// interval with the chance that is the share of its jitter there.
func herdCycle(n int64, every, jitter time.Duration) Law {
	if jitter == 0 {
		return train(every, []time.Duration{0}, []int64{n}).law(float64(n), 0, "the average over the phase, exactly")
	}
	period, width, clients := float64(every), float64(jitter), float64(n)
	c := cycle{period: every, rate: clients / period, bends: []float64{0, math.Mod(width, period)}}
	c.count = func(phase, t float64) (mean, variance float64) {
		by := func(x float64) (whole, share float64) { // whole times by x, and the share of the present one
			whole = math.Floor(x / period)
			return whole, min(1, (x-whole*period)/width)
		}
		first, before := by(phase)
		last, after := by(phase + t)
		mean = clients * (last + after - first - before)
		if first == last {
			p := after - before
			return mean, clients * p * (1 - p)
		}
		return mean, clients * (before*(1-before) + after*(1-after))
	}
	return c.law(1, 0, "binomial at each phase, averaged over the phase exactly")
}
