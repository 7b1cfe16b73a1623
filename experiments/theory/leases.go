package theory

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"
)

// A store lends the L tokens of a window to N servers, k at a time, the last lease perhaps shorter. A server with an empty lease
// asks for the next one; the first refusal is when it gets none. Then all L are lent, and what the other servers hold of theirs
// is stranded: the balancer does not know of it. Unit costs; the window ends later.

// Bounds of LeaseStranded, which takes milliseconds, and seconds near the bounds if the batch does not divide the limit.
const (
	LeaseMaxServers = 128
	LeaseMaxBatch   = 1_000
	LeaseMaxLimit   = 10_000_000
)

// leaseMixed is the exponent above which the servers' places in their leases count as independent and uniform. The numbers of requests
// that N servers have received of L are, modulo k, off by e^(-(1-1/N)(L/N)(1-cos(2π/k))) at most; for large k and N that is
// e^(-2π²L/(Nk²)).
const leaseMixed = 37

// LeaseGrantCalls returns the calls to the store per window that are granted, for limit >= 0 and batch k >= 1: ⌈L/k⌉. Refused
// requests call too, unless a server remembers that nothing is left.
func LeaseGrantCalls(limit, batch int) float64 {
	if limit < 0 || batch < 1 {
		return math.NaN()
	}
	return float64(limit/batch) + float64(min(limit%batch, 1))
}

// LeaseStrandedLimit returns the mean number of tokens stranded at the first refusal if the limit is large and k divides
// it: (N-1)(k-1)/2, for servers >= 1 and batch >= 1. Uniform random routing. At L = Nk² it is off by 1e-4 for two servers, 1e-6 for
// three and less for more. Source: each of the other N-1 leases is uniformly full by then.
func LeaseStrandedLimit(servers, batch int) float64 { return LeaseStrandedMost(servers, batch) / 2 }

// LeaseStrandedMost returns the most tokens that can be stranded at the first refusal, (N-1)(k-1), for servers >= 1 and batch >= 1.
func LeaseStrandedMost(servers, batch int) float64 {
	if servers < 1 || batch < 1 {
		return math.NaN()
	}
	return float64(servers-1) * float64(batch-1)
}

// LeaseOutliving returns the most that leases which outlive their window add to the next one: N(k-1), for servers >= 1 and batch >= 1.
func LeaseOutliving(servers, batch int) float64 {
	if servers < 1 || batch < 1 {
		return math.NaN()
	}
	return float64(servers) * float64(batch-1)
}

// LeaseStranded returns the mean number of tokens stranded at the first refusal, exactly, under uniform random routing: for 1 to
// LeaseMaxServers servers, a batch of 1 to LeaseMaxBatch and a limit of 1 to LeaseMaxLimit.
//
// Let requests come as a Poisson stream of rate N, so that the numbers n_i which the servers have received by time t are
// independent Poisson(t), and there are ⌈n_i/k⌉ leases to server i. Let C = ⌈L/k⌉ and l = L - (C-1)k, the last lease. The mean
// number of requests up to the one that takes lease c+1 is
//
//	T(c) = N ∫ P(Σ⌈n_i/k⌉ <= c) dt.
//
// If k divides L, the first refusal asks for lease C+1, and L + 1 - T(C) are stranded. Otherwise the last lease may end first.
// It is taken at T(C-1), by a server with n = kg, and a time u later nobody was refused if its server got at most l - 1 since and
// each other at most its m_i = k⌈n_i/k⌉ - n_i; the mean number of requests from it to the first refusal is
//
//	A = N ∫ du Q(l-1; u) N ∫ dt P(n = 0 mod k, Σ⌈n_i/k⌉ = C-1, no other beyond m_i),  Q(m; u) = P(Pois(u) <= m),
//
// and L + 1 - T(C-1) - A are stranded. Where L/N is some 2k² to 4k² or more, the n_i mod k are uniform and independent to 16 digits, which leaves
// (N-1)(k-1)/2 + l - ∫ N Q(l-1; u) [(1/k) Σ_m Q(m; u)]^(N-1) du: LeaseStrandedLimit for l = k.
func LeaseStranded(servers, batch, limit int) float64 {
	if servers < 1 || servers > LeaseMaxServers || batch < 1 || batch > LeaseMaxBatch || limit < 1 || limit > LeaseMaxLimit {
		return math.NaN()
	}
	leases := (limit + batch - 1) / batch
	last := limit - (leases-1)*batch
	n := float64(servers)
	mixing := (1 - 1/n) * float64(limit) / n * (1 - math.Cos(2*math.Pi/float64(batch)))
	switch {
	case servers == 1 || batch == 1:
		return 0
	case mixing >= leaseMixed:
		if last == batch {
			return LeaseStrandedLimit(servers, batch)
		}
		return LeaseStrandedLimit(servers, batch) + float64(last) - leaseRaceMixed(servers, batch, last)
	case last == batch:
		return 1 - leaseTaken(servers, batch, leases)
	default:
		return float64(last) + 1 - leaseTaken(servers, batch, leases-1) - leaseRace(servers, batch, leases, last)
	}
}

// leaseTaken returns T(c) - ck, from where no more than c leases are certain.
func leaseTaken(servers, batch, c int) float64 {
	from, to := leaseSpan(servers, batch, c)
	sum := float64(from*from) - float64(c*batch)
	for _, at := range overRoots(from, to) {
		lo, pmf := poissonBulk(at.requests / float64(servers))
		sum += at.weight * newLeaseCounts(batch, lo, pmf, nil).power(servers).upTo(c)
	}
	return sum
}

// leaseRace returns A, the mean number of requests from the one that takes the last lease to the first refusal.
func leaseRace(servers, batch, leases, last int) float64 {
	n := float64(servers)
	empty := make([]float64, batch)
	empty[0] = 1
	type state struct {
		lo     int
		pmf    []float64
		taker  counts
		weight float64
	}
	taken := func(s state, alive []float64) float64 {
		others := newLeaseCounts(batch, s.lo, s.pmf, alive).power(servers - 1)
		return s.weight * s.taker.times(others).at(leases-1)
	}
	var states []state
	for _, at := range overRoots(leaseSpan(servers, batch, leases-1)) {
		lo, pmf := poissonBulk(at.requests / n)
		s := state{lo, pmf, newLeaseCounts(batch, lo, pmf, empty), at.weight}
		if taken(s, nil) > negligible { // these sum to 1
			states = append(states, s)
		}
	}
	return leaseSurvival(servers, batch, last, func(alive []float64) float64 {
		sum := 0.0
		for _, s := range states {
			sum += taken(s, alive)
		}
		return sum
	})
}

// leaseRaceMixed returns A for uniform and independent places in the leases.
func leaseRaceMixed(servers, batch, last int) float64 {
	return leaseSurvival(servers, batch, last, func(alive []float64) float64 {
		mean := 0.0
		for _, q := range alive {
			mean += q / float64(batch)
		}
		return math.Pow(mean, float64(servers-1))
	})
}

// leaseSurvival returns N ∫ Q(l-1; u) others(Q(0; u), ..., Q(k-1; u)) du, up to where it has become negligible.
func leaseSurvival(servers, batch, last int, others func(alive []float64) float64) float64 {
	n := float64(servers)
	sum := 0.0
	for _, at := range overRoots(0, math.Sqrt(n*float64(last))+7*math.Sqrt(n)) {
		alive := poissonCDFs(at.requests/n, batch)
		survive := alive[last-1] * others(alive)
		sum += at.weight * survive
		if at.weight*survive < negligible*sum {
			break
		}
	}
	return sum
}

// leaseSpan returns the square roots of the numbers of requests between which lease c+1 is taken, but for a probability of 1e-20.
func leaseSpan(servers, batch, c int) (from, to float64) {
	least := max(c*batch-(servers-1)*(batch-1), 0) // the first that can take it
	return max(math.Sqrt(float64(least))-7, 0), math.Sqrt(float64(c*batch+1)) + 7
}

// node is a point of an integral over the number of requests, with its weight.
type node struct{ requests, weight float64 }

// overRoots returns the points of an integral over the requests from low² to high², in order. It is taken over their root, in which
// a Poisson count has the same width everywhere, by Gauss and Legendre on panels no longer than 4.
func overRoots(low, high float64) []node {
	const points = 32
	var x, w [points]float64
	panels := math.Ceil((high - low) / 4)
	width := (high - low) / panels
	var nodes []node
	for i := range int(panels) {
		start := low + float64(i)*width
		quad.Legendre{}.FixedLocations(x[:], w[:], start, start+width)
		slices.Sort(x[:]) // the weights are symmetric
		for j := range x {
			nodes = append(nodes, node{x[j] * x[j], 2 * x[j] * w[j]})
		}
	}
	return nodes
}

// poissonCDFs returns P(Pois(a) <= m) for m = 0..size-1.
func poissonCDFs(a float64, size int) []float64 {
	q := make([]float64, size)
	sum := 0.0
	for m := range q {
		sum += poissonPMF(a, m)
		q[m] = min(sum, 1)
	}
	return q
}

// newLeaseCounts returns the law of ⌈n/k⌉ for n with the probabilities pmf from lo on, each weighed by weight[k⌈n/k⌉ - n] if there
// are weights.
func newLeaseCounts(batch, lo int, pmf, weight []float64) counts {
	law := counts{least: (lo + batch - 1) / batch}
	for i, p := range pmf {
		leases := (lo + i + batch - 1) / batch
		if leases-law.least == len(law.mass) {
			law.mass = append(law.mass, 0)
		}
		if weight != nil {
			p *= weight[leases*batch-lo-i]
		}
		law.mass[leases-law.least] += p
	}
	return law
}
