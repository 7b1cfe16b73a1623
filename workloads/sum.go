package workloads

import (
	"math"
	"strconv"
	"time"

	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name:   "sum",
			Doc:    "several workloads together",
			Params: []spec.Param{{Name: "of", Unit: "(workload)+(workload)", Doc: "the workloads, each in parentheses, joined by +; up to 64"}},
			More: "Each draws from streams of its own, so that two of the same spec differ. Of arrivals at one instant those of the first come first.\n" +
				"Keys are the parts' own; a part that sets none has key 0 for all, if another sets some.",
		},
		MaySetKeys: func(v *spec.Values) bool {
			for _, s := range nested(v, "of") {
				if s.SetsKeys() {
					return true
				}
			}
			return false
		},
		MeanRate: func(v *spec.Values) float64 {
			sum := 0.0
			for _, s := range nested(v, "of") {
				rate, ok := s.MeanRate()
				if !ok {
					return 0
				}
				sum += rate
			}
			return sum
		},
		Law: sumLaw,
		Build: func(v *spec.Values, env Env) (Workload, error) {
			parts := nested(v, "of")
			if len(parts) > 64 {
				v.Fail("of", "must be at most 64 workloads, got %d", len(parts))
			}
			if err := v.Err(); err != nil {
				return nil, err
			}
			w := &sum{parts: make([]Workload, len(parts)), next: make([]Arrival, len(parts)), agenda: make(agenda, len(parts))}
			for i, s := range parts {
				var err error
				if w.parts[i], err = s.New(apart(env, strconv.Itoa(i+1))); err != nil {
					return nil, err
				}
				w.agenda[i] = due{w.pull(uint32(i)), uint32(i)}
			}
			w.agenda.arrange()
			return w, nil
		},
		Examples: []string{
			"sum:(poisson:rate=50/s)+(steady:rate=20/s)",
			"sum:(on-off:rate=100/s,on=1s,off=3s)+(poisson:rate=75/s)+(batch:rate=10/s,size=4)",
			"sum:(tenants:rate=10/s,keys=4)+(shift:(burst-train:size=20,period=2s),by=500ms)",
			"sum:(steady:rate=10/s)+(steady:rate=4/s)",
		},
	})
}

// sum keeps the next arrival of each part.
type sum struct {
	parts  []Workload
	next   []Arrival
	agenda agenda
}

// ended is when a part has no more arrivals.
const ended = time.Duration(math.MaxInt64)

// pull takes the next arrival of a part.
func (w *sum) pull(part uint32) time.Duration {
	a, ok := w.parts[part].Next()
	if !ok || a.At == ended {
		return ended
	}
	w.next[part] = a
	return a.At
}

func (w *sum) Next() (Arrival, bool) {
	first := w.agenda[0]
	if first.at == ended {
		return Arrival{}, false
	}
	a := w.next[first.index]
	w.agenda.postpone(w.pull(first.index))
	return a, true
}

// sumLaw adds variances. Parts with periods hang together, by the phase that they
// share: more than one has no formula here.
func sumLaw(v *spec.Values) Law {
	var laws []Law
	var shares []float64
	total, periodic, known := 0.0, 0, true
	law := Law{Source: "variances of independent parts, added"}
	for _, s := range nested(v, "of") {
		l, ok := s.Law()
		if !ok {
			return unknown("measured")
		}
		rate, _ := s.MeanRate()
		total += rate
		laws, shares = append(laws, l), append(shares, rate)
		known = known && !l.Measured()
		law.From = max(law.From, l.From)
		if l.Period > 0 {
			periodic++
			law.Period = common(law.Period, l.Period)
		}
	}
	covariance := 0.0
	for i, l := range laws {
		shares[i] /= total
		law.AtOnce += shares[i] * l.AtOnce
		law.Limit += shares[i] * l.Limit
		if part := shares[i] * (l.Limit - l.AtOnce); part != 0 {
			law.Correlation += float64(part * l.Correlation)
			covariance += part
		}
	}
	if periodic > 1 {
		from, period := law.From, law.Period
		law = unknown("measured: parts with periods depend on each other")
		law.From, law.Period = from, period
		return law
	}
	if covariance != 0 {
		law.Correlation /= covariance
	}
	if periodic > 0 {
		law.Correlation = math.Inf(1)
	}
	if !known {
		law.Source = "measured; what is known of the parts, added, for long times"
		return law
	}
	law.Dispersion = func(t time.Duration) float64 {
		sum := 0.0
		for i, l := range laws {
			sum += shares[i] * l.Dispersion(t)
		}
		return sum
	}
	return law
}

// common returns the least common multiple of two periods, or the longer one if
// it does not fit; of 0 and a period, the period.
func common(a, b time.Duration) time.Duration {
	if a == 0 {
		return b
	}
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	if b/x > math.MaxInt64/a {
		return max(a, b)
	}
	return a * (b / x)
}
