// Package workloads says when requests arrive, and who sends them.
//
// A [Workload] is an arrival process: its Next gives one [Arrival] after the
// other, in time order, on the clock of integer nanoseconds. It is named by a
// spec such as on-off:rate=100/s,on=1s,off=3s, which [Parse] reads; [Spec.New]
// makes it from the random streams of a replication:
//
//	s, err := workloads.Parse("poisson:rate=100/s")
//	…
//	w, err := s.New(workloads.Env{Stream: workloads.Streams(seed, rep, "")})
//	…
//	for a, ok := w.Next(); ok; a, ok = w.Next() {
//
// Most processes last as long as the clock does, 292 years; the reader stops
// at its horizon. Gaps, keys and costs are drawn from streams of their own, so
// that [Keyed] gives the same arrivals other keys without moving one in time.
//
// # Burstiness
//
// How bursty a process is, and at which time scale, is told by its index of
// dispersion for counts: with N(t) the number of arrivals in an interval of
// length t,
//
//	I(t) = Var N(t) / E N(t)
//
// for a process in its stationary state. It is 1 at every t for "poisson",
// below 1 for traffic smoother than that ("steady": towards 0), above 1 for
// burstier. For "on-off", with p = on/(on+off) and g = 1/on + 1/off,
//
//	I(t) = 1 + 2·rate·(1−p)·(1/g − (1−exp(−g·t))/(g²·t))
//
// which rises from 1 at times far below 1/g to 1 + 2·rate·(1−p)/g at times far
// above. Equal mean rate and equal I at one t do not make equal traffic: the
// time 1/g over which bursts are remembered counts as well. [Spec.Law] says all
// this of any process, by formulas where they are known; [Spec.Measure] measures
// it.
//
// # Workloads of workloads
//
// "sum", "scale", "shift", "thin" and "clip" take others in parentheses, which
// may nest:
//
//	sum:(poisson:rate=50/s)+(shift:(burst-train:size=20,period=1m),by=30s)
//
// The parts of a sum have streams of their own; the other four leave those of
// their workload alone, so that it sends the same arrivals in them as outside.
//
// # How to add a workload
//
// Write one file, workloads/NAME.go, that registers the process in an init.
// Nothing else is edited: from then on it is listed, shown, run and swept, and
// the conformance suite runs over its examples: times in order, the same seed
// gives the same arrivals and another replication others, mean rate and index of
// dispersion are as declared, nothing allocates per arrival, every bad parameter
// is refused by name. This is such a file, and the tests run it:
//
//	package workloads
//
//	import (
//		"math"
//
//		"ratelab/internal/random"
//		"ratelab/internal/spec"
//	)
//
//	func init() {
//		register(Entry{
//			Entry: spec.Entry{
//				Name:   "pairs",
//				Doc:    "two requests at once, at the times of a Poisson process",
//				Params: []spec.Param{{Name: "rate", Unit: "rate", Doc: "requests per time, on average"}},
//				More:   "The index of dispersion is 2 at every scale.",
//			},
//			MeanRate: func(v *spec.Values) float64 { return v.Rate("rate").PerSecond() },
//			Law:      func(*spec.Values) Law { return memoryless(2, "compound Poisson counts") },
//			Build: func(v *spec.Values, env Env) (Workload, error) {
//				r := v.Rate("rate")
//				if err := v.Err(); err != nil {
//					return nil, err
//				}
//				// One pair every two gaps: N requests per P are N pairs per 2·P.
//				return &pairs{gaps: random.NewExpGaps(env.Stream("gaps"), r.N, 2*int64(r.P))}, nil
//			},
//			Examples: []string{"pairs:rate=100/s"},
//		})
//	}
//
//	type pairs struct {
//		gaps *random.ExpGaps
//		last Arrival
//		owed bool // the second of the pair is still to come
//	}
//
//	func (p *pairs) Next() (Arrival, bool) {
//		if p.owed = !p.owed; p.owed {
//			p.last = Arrival{At: p.gaps.Next(), Cost: 1}
//		}
//		return p.last, p.last.At < math.MaxInt64
//	}
//
// Rules that the suite can not see: times are whole nanoseconds and rounding
// must not add up ([ratelab/internal/random.ExpGaps] takes care of that); what
// does not fit into the clock ends the process; every purpose draws from its
// own stream, named by what is drawn ("gaps", "keys", "costs"); no math.Exp,
// Log, Pow or Sin, whose last bits differ between machines. Write a test of
// your own for the law of the process, against a closed form that shares no
// code with it.
package workloads
