package workloads

import (
	"math"
	"slices"
	"time"
)

// Law says how the counts of an arrival process vary. With N(t) the number of
// arrivals in an interval of length t that begins at a random place,
//
//	I(t) = Var N(t) / E N(t)
//
// is its index of dispersion. The conformance suite holds every law against the
// arrivals.
type Law struct {
	// Source is the formula's origin, or says that there is none.
	Source string
	// Dispersion returns I(t) for t > 0. Nil if no formula is known: see
	// [Measure].
	Dispersion func(t time.Duration) float64
	// AtOnce is I(0+), the mean number of arrivals that one finds with it at
	// its instant, itself included: 1 if no two come together.
	AtOnce float64
	// Limit is I(∞): +Inf if it grows without bound, NaN if it is not known.
	Limit float64
	// Correlation is how long the process remembers, in seconds: ∫s·c(s)ds /
	// ∫c(s)ds over the covariance c of the arrivals at two instants s apart, so
	// that I(t) ≈ Limit - (Limit - AtOnce)·Correlation/t for long t. It is 0 where nothing is
	// remembered, 1/γ where covariance decays as e^(-γs), +Inf where it never
	// ends (a period, long-range dependence), NaN if it is not known.
	Correlation float64
	// From is when the process is in its long run: 0 if from the start.
	From time.Duration
	// Period is that of a process with a clock of its own, 0 for others. Then
	// the random place is uniform on one period.
	Period time.Duration
	// Gap returns quantiles of the gaps between arrivals in seconds, 0 < q < 1;
	// nil if they are not known.
	Gap func(q float64) float64
}

// Measured reports whether the index of dispersion has no formula.
func (l Law) Measured() bool { return l.Dispersion == nil }

// memoryless is the law of independent groups of arrivals at the times of a
// Poisson process: dispersion is E S²/E S for groups of size S.
func memoryless(dispersion float64, source string) Law {
	return Law{
		Source:     source,
		Dispersion: func(time.Duration) float64 { return dispersion },
		AtOnce:     dispersion,
		Limit:      dispersion,
	}
}

// Law returns how the counts vary, and false if the process does not say, or is
// not the same at all times: a story that ends, a file.
func (s Spec) Law() (Law, bool) {
	if s.entry.Law == nil {
		return Law{}, false
	}
	if _, ok := s.MeanRate(); !ok {
		return Law{}, false
	}
	return s.entry.Law(s.values), true
}

// cycle is what a period does to counts: given that an interval of length t
// begins at a phase, both in ns, the mean and the variance of its count.
type cycle struct {
	period time.Duration
	rate   float64   // requests per ns, on average
	bends  []float64 // times in the period where what has come by then bends or jumps
	count  func(phase, t float64) (mean, variance float64)
}

// law averages over the phase. Between bends mean² and variance are polynomials
// of degree 5 at most, which three points of Gauss and Legendre integrate
// exactly.
func (c cycle) law(atOnce, limit float64, source string) Law {
	dispersion := func(d time.Duration) float64 {
		t, period := float64(d), float64(c.period)
		edges := []float64{0, period}
		for _, b := range c.bends {
			edges = append(edges, b, math.Mod(b+period-float64(d%c.period), period))
		}
		slices.Sort(edges)
		center := c.rate * t
		var mean, square, variance float64
		for i, high := range edges[1:] {
			half := (high - edges[i]) / 2
			for _, point := range gauss3 {
				m, v := c.count(edges[i]+half+half*point.at, t)
				m -= center
				w := half * point.weight / period
				mean += w * m
				square += w * m * m
				variance += w * v
			}
		}
		return (square - mean*mean + variance) / center
	}
	return Law{Source: source, Dispersion: dispersion, AtOnce: atOnce, Limit: limit, Correlation: math.Inf(1), Period: c.period}
}

var gauss3 = [3]struct{ at, weight float64 }{{-math.Sqrt(0.6), 5. / 9}, {0, 8. / 9}, {math.Sqrt(0.6), 5. / 9}}

// train is the cycle of sizes[i] requests that come at the times at[i] of each
// period.
func train(period time.Duration, at []time.Duration, sizes []int64) cycle {
	c := cycle{period: period}
	for i, size := range sizes {
		c.rate += float64(size) / float64(period)
		c.bends = append(c.bends, float64(at[i]))
	}
	c.count = func(phase, t float64) (mean, variance float64) {
		for i, size := range sizes {
			first := math.Ceil((phase - c.bends[i]) / float64(period))
			end := math.Ceil((phase + t - c.bends[i]) / float64(period))
			mean += float64(size) * (end - first)
		}
		return mean, 0
	}
	return c
}
