package experiments

import (
	"fmt"
	"math/rand/v2"
	"time"

	"ratelab/limiters"
)

// boundaryAdversary wants the most that a limiter admits in any half-open interval of length delta. It knocks at once
// whenever it might be let in: it comes, is admitted until it is refused, and comes back exactly when Retry-After says.
// It tries that from several starts, each with a fresh limiter:
//
//   - 0, and the last ns of a window that is aligned to 0;
//   - the last ns before the edge that a first refusal gave away, wherever the limiter hides it;
//   - random ones.
//
// And from each start twice: with nothing before, and after one request at 0, which opens a window that opens with its
// first request.
type boundaryAdversary struct {
	fresh  func() limiters.Limiter
	limit  int64
	window time.Duration
	delta  time.Duration
	random *rand.Rand
}

// boundaryRandomStarts is how many random starts the adversary tries.
const boundaryRandomStarts = 5

// most returns the most admitted, and the most let out by a limiter that delays what it admits, in any interval [t, t+delta).
func (a boundaryAdversary) most() (admitted, released int64, err error) {
	_, edge, err := a.flood(0, 0, 0)
	if err != nil {
		return 0, 0, err
	}
	starts := []time.Duration{0, a.window - 1, max(0, edge-1)}
	for range boundaryRandomStarts {
		starts = append(starts, time.Duration(a.random.Int64N(int64(a.window))))
	}
	for _, start := range starts {
		for opener := range int64(2) {
			// One window more than delta, so that an interval may begin after the flood.
			passed, _, err := a.flood(opener, start, start+a.delta+a.window)
			if err != nil {
				return 0, 0, err
			}
			admitted = max(admitted, mostWithin(passed.admitted, a.delta))
			released = max(released, mostWithin(passed.released, a.delta))
		}
	}
	return admitted, released, nil
}

// boundaryPassed is when requests were admitted, and when they were let out, both in order.
type boundaryPassed struct{ admitted, released []time.Duration }

// flood sends opener requests at 0 and takes all it gets from start to until, both included. It returns when it was let
// in, and when it would come back.
func (a boundaryAdversary) flood(opener int64, start, until time.Duration) (passed boundaryPassed, back time.Duration, err error) {
	l := a.fresh()
	take := func(now time.Duration) limiters.Decision {
		d := l.Take(now, 0, 1)
		if d.Admitted {
			passed.admitted = append(passed.admitted, now)
			passed.released = append(passed.released, now+d.Delay)
		}
		return d
	}
	for range opener {
		take(0)
	}
	// No canonical limiter admits more than twice its limit a window in the long run, and as much again at its start.
	enough := 8 * (a.limit + 1) * int64(2+until/a.window)
	for now := start; now <= until; {
		d := take(now)
		switch {
		case int64(len(passed.admitted)) > enough:
			return passed, 0, fmt.Errorf("the adversary was admitted %d times by %s, and is not refused", enough, until)
		case d.Admitted:
			continue
		case d.RetryAfter == limiters.Never:
			return passed, limiters.Never, nil
		case d.RetryAfter <= 0:
			return passed, 0, fmt.Errorf("the adversary was refused at %s and told to come back after %s", now, d.RetryAfter)
		}
		now += d.RetryAfter
		back = now
	}
	return passed, back, nil
}

// mostWithin returns the most of times, which are in order, that lie in one interval [t, t+length).
func mostWithin(times []time.Duration, length time.Duration) (most int64) {
	first := 0
	for i, t := range times {
		for t-times[first] >= length {
			first++
		}
		most = max(most, int64(i-first+1))
	}
	return most
}
