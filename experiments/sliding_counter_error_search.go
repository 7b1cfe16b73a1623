package experiments

import (
	"math/rand/v2"
	"time"

	"ratelab/limiters"
)

// largestBlind is the largest limit at which the worst window is searched for
// among all schedules; above it only those that hold back and then flood are
// tried.
const largestBlind = 10

// patience returns how many tries in a row may get no more through before a
// climb over a schedule of n instants gives up. One climb in a few hundred then
// stops too early, so that the better of two is as good as sure.
func patience(n int) int { return 2000 + 60*n }

// worstWindow looks for the schedule of requests that gets the most through a
// limiter within a half-open interval as long as its window, and returns that
// number. It knows of the limiter what it answers, and of the answers only
// which were yes.
//
// A schedule says how many requests come at each of the instants ⌊i·T/n⌋ of
// two windows, n = 3·limit. Up to largestBlind the search starts at random and
// asks for none, some or limit requests at one instant, or all along a stretch
// of them, keeping what is no worse: on the plateaus between two numbers it must
// be free to walk. It gives up after many tries in a row that got no more through.
func worstWindow(l limiters.Limiter, window time.Duration, limit int64, r *rand.Rand) int64 {
	s := scheduleSearch{limiter: l, window: window, instants: int(3 * limit)}
	s.asked = make([]int64, 2*s.instants)
	s.admitted = make([]int64, 2*s.instants)
	if limit > largestBlind {
		return s.holdBackThenFlood(limit)
	}
	return max(s.climb(limit, r), s.climb(limit, r))
}

type scheduleSearch struct {
	limiter  limiters.Limiter
	window   time.Duration
	instants int     // in a window
	asked    []int64 // requests at each instant
	admitted []int64 // of them, in the last try
}

// climb is a random walk that never goes down.
func (s *scheduleSearch) climb(limit int64, r *rand.Rand) int64 {
	for i := range s.asked {
		s.asked[i] = r.Int64N(limit + 1)
	}
	best := s.try()
	was := make([]int64, len(s.asked))
	for idle := 0; idle < patience(len(s.asked)); idle++ {
		copy(was, s.asked)
		from := r.IntN(len(s.asked))
		to := from + 1
		if r.Uint64()&1 == 0 {
			to += r.IntN(len(s.asked) - from)
		}
		n := [...]int64{0, r.Int64N(limit + 1), limit}[r.IntN(3)]
		for i := from; i < to; i++ {
			s.asked[i] = n
		}
		got := s.try()
		if got < best {
			copy(s.asked, was)
		}
		if got > best {
			best, idle = got, 0
		}
	}
	return best
}

// holdBackThenFlood sends nothing until some instant and then as much as ever
// is admitted, and tries all instants of the first window.
func (s *scheduleSearch) holdBackThenFlood(limit int64) int64 {
	for i := range s.asked {
		s.asked[i] = limit
	}
	best := int64(0)
	for i := range s.instants {
		best = max(best, s.try())
		s.asked[i] = 0
	}
	return best
}

// try returns the most that the present schedule gets through in an interval
// as long as a window. A request that is refused ends the instant.
func (s *scheduleSearch) try() int64 {
	s.limiter.Forget(0)
	most, sum := int64(0), int64(0)
	for i, n := range s.asked {
		at := time.Duration(int64(i) * int64(s.window) / int64(s.instants))
		s.admitted[i] = 0
		for ; n > 0; n-- {
			if ok, _ := s.limiter.Admit(at, 0, 1); !ok {
				break
			}
			s.admitted[i]++
		}
		sum += s.admitted[i]
		if i >= s.instants {
			sum -= s.admitted[i-s.instants]
		}
		most = max(most, sum)
	}
	return most
}
