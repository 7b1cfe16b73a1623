package fit

import (
	"cmp"
	"math"
	"time"
)

// Options say what is fitted.
type Options struct {
	Rates  []Rate  // nil: those of the usual ones that say something of the log
	Shares []Share // never empty; the first is the one of the knee
	Seed   uint64  // of the resamples
	// Grain is what the times are cut to, in ns: 0 for exact ones, a negative one to find out (see [Arrivals.Grain];
	// [NewReport] knows the stamps, too).
	Grain int64
	// Misfits is how many of the keys that the knee refuses are named.
	Misfits int
}

// Analysis is what a log says about limits.
type Analysis struct {
	Requests, Keys int
	Work           int64
	UnitCosts      bool
	First, Last    int64 // when the first request came, and the last: ns since the Unix epoch
	Grain          int64 // what the times are cut to; 0: they are exact
	Clock          Clock
	Frontier       *Frontier
	Windows        []WindowPoint // of the usual lengths that the log is as long as
	// RequestKnee is the knee of the first share of the requests; nil if there is none.
	RequestKnee *Point
	// Knee is the knee of the first share of the keys; nil if there is none, and then so is what follows.
	Knee      *Point
	Refusals  *Refusals   // what it refuses
	Stability []Stability // of the bursts at its rate
	// HalfKnees are the knees of the first half of the time and of the second; nil where there is none.
	HalfKnees [2]*Point
}

// Analyze fits all limits to a log. It needs a request at least.
func Analyze(a *Arrivals, opts Options) *Analysis {
	n := &Analysis{Requests: a.requests, Keys: a.keys, Work: a.work, UnitCosts: a.UnitCosts(), Grain: opts.Grain, Clock: a.Clock()}
	n.First, n.Last = a.Ends()
	if n.Grain < 0 {
		n.Grain = a.Grain()
	}
	if opts.Rates == nil {
		n.Frontier = usefulFrontier(a, opts.Shares, n.Grain)
	} else {
		n.Frontier = FitFrontier(a, opts.Rates, opts.Shares, n.Grain)
	}
	n.Windows = FitWindows(a, n.windows(), opts.Shares, n.Grain)
	if knee, ok := n.Frontier.Knee(Requests, opts.Shares[0]); ok {
		n.RequestKnee = &knee
	}
	if knee, ok := n.Frontier.Knee(Keys, opts.Shares[0]); ok {
		n.Knee = &knee
		n.Refusals = RefusalsOf(a, knee.Rate, knee.Burst, cmp.Or(opts.Misfits, 20))
		n.Stability = Stabilities(a, knee.Rate, opts.Shares, opts.Seed)
		for i, half := range a.Halves() {
			f := fitFrontier(half, n.Frontier.Rates, opts.Shares[:1], 0, false)
			if knee, ok := f.Knee(Keys, opts.Shares[0]); ok && half.requests > 0 {
				n.HalfKnees[i] = &knee
			}
		}
	}
	return n
}

// Span returns the time from the first request to the last, and the longest duration for a longer one.
func (n *Analysis) Span() time.Duration {
	return time.Duration(min(uint64(n.Last)-uint64(n.First), math.MaxInt64))
}

// windows returns the usual lengths of windows that are no longer than the log: of longer ones it does not say more than
// how much a key sent in all.
func (n *Analysis) windows() []time.Duration {
	var lengths []time.Duration
	for _, length := range Windows {
		if length <= n.Span() {
			lengths = append(lengths, length)
		}
	}
	return lengths
}
