package theory

import "math"

// Rule is how a sliding counter turns its estimate into a decision.
type Rule int

const (
	Fits  Rule = iota // admit iff P(1-f) + C + 1 <= L
	Below             // admit iff P(1-f) + C < L
)

// Count is what a sliding counter counts.
type Count int

const (
	CountAdmitted Count = iota // P and C are admitted requests
	CountAll                   // P and C are all requests, refused ones too
)

// Bounds of SlidingCounterAdmitShare, which costs up to O(L³): milliseconds at L = 100, seconds at 1000.
const (
	SlidingCounterMaxLimit = 1000   // largest limit L
	SlidingCounterMaxMean  = 10_000 // largest mean count a
)

// SlidingCounterAdmitShare returns the share of requests that a sliding counter admits under Poisson arrivals.
//
// Model: unit costs, windows aligned to a clock, 1 <= L <= SlidingCounterMaxLimit, 0 < a = λT <= SlidingCounterMaxMean arrivals
// per window on average, long run.
//
// CountAdmitted: within a window that follows one with P admitted, C may rise to the barrier L-P+j (Fits) or L-P+j+1
// (Below) while f is in (j/P, (j+1)/P), and the Poisson births saturate there; for P = 0 the barrier is L. That gives the chain of P on
// 0..L, and the share is E[P]/a in its stationary law.
//
// CountAll: a request is admitted iff it is among the first barrier(f) of its window, so that the share is
// Σ_p P(P = p) Σ_j (E[min(N(f), B_j)] between the ends of stage j) / a, with N(f) ~ Poisson(af) and B_j the same barriers.
//
// Source: direct argument; both agree with independent simulations of the limiter.
func SlidingCounterAdmitShare(rule Rule, count Count, limit int, a float64) float64 {
	if !rule.known() || limit < 1 || limit > SlidingCounterMaxLimit || !positive(a) || a > SlidingCounterMaxMean {
		return math.NaN()
	}
	switch count {
	case CountAdmitted:
		return counterAdmitted(rule, limit, a) / a
	case CountAll:
		return counterAll(rule, limit, a) / a
	}
	return math.NaN()
}

// known reports whether r is one of the rules.
func (r Rule) known() bool { return r == Fits || r == Below }

// barrier returns how many of the current window a counter may have admitted by the end of stage j, after previous > 0.
func (r Rule) barrier(limit, previous, j int) int {
	if r == Below {
		j++
	}
	return limit - previous + j
}

// counterAdmitted returns the mean number admitted per window of a counter of admitted requests.
func counterAdmitted(rule Rule, limit int, a float64) float64 {
	p := make([][]float64, limit+1)
	for previous := range p {
		c := births{law: make([]float64, limit+1)}
		c.law[0] = 1
		if previous == 0 {
			c.rise(poissonStep(a, limit), limit)
		}
		step := poissonStep(a/float64(max(previous, 1)), limit)
		for j := 0; j < previous; j++ {
			c.rise(step, rule.barrier(limit, previous, j))
		}
		p[previous] = c.law
	}
	mean := 0.0
	for n, share := range stationary(p) {
		mean += float64(n) * share
	}
	return mean
}

// step holds P(N = n) and P(N >= n) for n from 0 until both are negligible or n is top.
type step struct{ pmf, tail []float64 }

// poissonStep returns the step of N ~ Poisson(mean).
func poissonStep(mean float64, top int) step {
	s := step{tail: poissonTails(mean, top)}
	for n, t := range s.tail {
		if t < negligible {
			s.tail = s.tail[:n]
			break
		}
		s.pmf = append(s.pmf, poissonPMF(mean, n))
	}
	return s
}

// births is the law of a count that only rises; law[n] is 0 for n < from and for n > to.
type births struct {
	law      []float64
	from, to int
}

// rise lets the count rise by one step, but not above barrier, which is at least the largest count so far.
func (b *births) rise(s step, barrier int) {
	top := min(barrier, b.to+len(s.pmf)-1)
	if barrier <= b.to+len(s.tail)-1 {
		sum := 0.0
		for n := max(b.from, barrier-len(s.tail)+1); n <= b.to; n++ {
			sum += b.law[n] * s.tail[barrier-n]
		}
		b.setDownTo(s, barrier-1)
		b.law[barrier] = sum
	} else {
		b.setDownTo(s, top)
	}
	b.to = top
	for b.from < b.to && b.law[b.from] < negligible {
		b.law[b.from] = 0
		b.from++
	}
	for b.to > b.from && b.law[b.to] < negligible {
		b.law[b.to] = 0
		b.to--
	}
}

// setDownTo convolves the law with the step, from count top downwards, in place.
func (b *births) setDownTo(s step, top int) {
	for n := top; n >= b.from; n-- {
		sum := 0.0
		for m := max(b.from, n-len(s.pmf)+1); m <= min(n, b.to); m++ {
			sum += b.law[m] * s.pmf[n-m]
		}
		b.law[n] = sum
	}
}

// counterAll returns the mean number admitted per window of a counter of all requests.
func counterAll(rule Rule, limit int, a float64) float64 {
	lo, pmf := poissonBulk(a)
	mean := 0.0
	for i, share := range pmf {
		previous := lo + i
		if previous == 0 {
			mean += share * poissonMin(a, limit)
			continue
		}
		admitted := 0.0
		stage := a / float64(previous)
		for j := 0; j < previous; j++ {
			barrier := rule.barrier(limit, previous, j)
			if barrier <= 0 {
				continue
			}
			admitted += poissonMin(stage*float64(j+1), barrier) - poissonMin(stage*float64(j), barrier)
		}
		mean += share * admitted
	}
	return mean
}
