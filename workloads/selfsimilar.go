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
			Name: "self-similar",
			Doc:  "many sources that are on and off for times with heavy tails: bursts at every time scale",
			Params: []spec.Param{
				{Name: "rate", Unit: "rate", Doc: "requests per time of all sources together, on average"},
				{Name: "sources", Unit: "sources", Doc: "number of sources, 1 to 65536"},
				{Name: "on", Unit: "duration", Doc: "mean of the on times, >= 1us"},
				{Name: "off", Unit: "duration", Doc: "mean of the off times, >= 1us"},
				{Name: "tail", Unit: "tail", Default: "1.4", Doc: "both times exceed x times the shortest with chance x^-tail; from 1.05 to 100"},
			},
			More: "A source that is on sends a Poisson process. Each starts in its stationary state. With tail below 2 the sum depends on itself\n" +
				"over all ranges of time: the variance of its counts grows as t^(3-tail), the index of dispersion as t^(2-tail), that is with the\n" +
				"Hurst parameter (3-tail)/2 (Willinger, Taqqu, Sherman and Wilson, IEEE/ACM ToN 5, 1997).",
		},
		MeanRate: func(v *spec.Values) float64 { return v.Rate("rate").PerSecond() },
		Law: func(v *spec.Values) Law {
			law := Law{Source: "measured; Willinger and others (1997) for long times", AtOnce: 1, Limit: math.Inf(1), Correlation: math.Inf(1)}
			if v.Number("tail") > 2 {
				law.Limit, law.Correlation = math.NaN(), math.NaN()
			}
			return law
		},
		Build: func(v *spec.Values, env Env) (Workload, error) {
			r, sources, on, off, tail := v.Rate("rate"), v.Count("sources"), v.Duration("on"), v.Duration("off"), v.Number("tail")
			if sources < 1 || sources > 1<<16 {
				v.Fail("sources", "must lie in 1..65536, got %s", v.Text("sources"))
			}
			if on < time.Microsecond {
				v.Fail("on", "must be >= 1us, got %s", v.Text("on"))
			}
			if off < time.Microsecond {
				v.Fail("off", "must be >= 1us, got %s", v.Text("off"))
			}
			checkTail(v, tail)
			if v.Err() == nil && perNS(r)*(float64(on)+float64(off))*maxSilent < float64(sources) {
				v.Fail("rate", "must bring a request for a million times that a source turns on, got %s", v.Text("rate"))
			}
			if err := v.Err(); err != nil {
				return nil, err
			}
			return newSelfSimilar(r, int(sources), on, off, tail, env), nil
		},
		Examples: []string{
			"self-similar:rate=100/s,sources=20,on=200ms,off=800ms",
			"self-similar:rate=50/s,sources=1,on=100ms,off=300ms,tail=1.8",
			"self-similar:rate=1000/s,sources=500,on=10ms,off=1s,tail=2.5",
		},
	})
}

// selfSimilar keeps when each source turns on or off. Between two turns the
// sources that are on send one Poisson process together.
type selfSimilar struct {
	gaps, turns *rand.Rand
	lengths     [2]pareto // off, on
	on          []bool
	sending     float64 // how many are on
	rate        float64 // of one that is on, requests per ns
	agenda      agenda  // the next turn of each source
	now         clock   // of the last arrival or turn
}

func newSelfSimilar(r spec.Rate, sources int, on, off time.Duration, tail float64, env Env) *selfSimilar {
	share := float64(on) / (float64(on) + float64(off))
	w := &selfSimilar{
		gaps: env.Stream("gaps"), turns: env.Stream("turns"),
		lengths: [2]pareto{newPareto(float64(off), tail), newPareto(float64(on), tail)},
		on:      make([]bool, sources),
		rate:    perNS(r) / share / float64(sources),
		agenda:  make(agenda, sources),
	}
	for i := range w.on {
		law := w.lengths[0]
		if w.turns.Float64() < share {
			w.on[i] = true
			w.sending++
			law = w.lengths[1]
		}
		w.agenda[i] = due{nearest(law.rest(w.turns)), uint32(i)}
	}
	w.agenda.arrange()
	return w
}

func (w *selfSimilar) Next() (Arrival, bool) {
	for need := random.Exponential(w.gaps); ; {
		next := w.agenda[0]
		left := max(0, float64(next.at-w.now.whole)-w.now.fraction)
		if expected := float64(float64(w.sending*w.rate) * left); need >= expected || w.sending == 0 {
			if next.at == math.MaxInt64 {
				w.now.whole = math.MaxInt64
				return Arrival{}, false
			}
			need = max(0, need-expected)
			w.now = clock{whole: next.at}
			w.turn(next)
			continue
		}
		at, ok := w.now.advance(need / float64(w.sending*w.rate))
		return Arrival{At: min(at, next.at), Cost: 1}, ok
	}
}

// turn switches the source whose time has come.
func (w *selfSimilar) turn(d due) {
	law := w.lengths[0]
	if w.on[d.index] = !w.on[d.index]; w.on[d.index] {
		w.sending++
		law = w.lengths[1]
	} else {
		w.sending--
	}
	w.agenda.postpone(later(d.at, nearest(longest(law.draw(w.turns)))))
}
