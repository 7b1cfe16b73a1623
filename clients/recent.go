package clients

import "time"

// recent is a sum of what was added in the last while. Time is cut into slices
// from the epoch on; the sum is over the present slice and those before it, as
// many as there are, so that it reaches back between (n-1)/n of the whole and
// the whole.
type recent struct {
	width time.Duration // of a slice, > 0
	last  int64         // the latest slice, counted from the epoch
	parts []int64       // slice k is at k mod len
	total int64         // of the parts
}

// newRecent returns an empty sum over n slices of length whole/n. whole must
// be at least n nanoseconds.
func newRecent(whole time.Duration, n int) recent {
	return recent{width: whole / time.Duration(n), parts: make([]int64, n)}
}

// add adds x at now, which must not lie before the latest time.
func (a *recent) add(now time.Duration, x int64) {
	a.forget(now)
	a.parts[a.last%int64(len(a.parts))] += x
	a.total += x
}

// sum returns the sum at now, which must not lie before the latest time.
func (a *recent) sum(now time.Duration) int64 {
	a.forget(now)
	return a.total
}

// forget drops the slices that are too old at now.
func (a *recent) forget(now time.Duration) {
	slice, n := int64(now/a.width), int64(len(a.parts))
	for k := max(a.last+1, slice-n+1); k <= slice; k++ {
		a.total -= a.parts[k%n]
		a.parts[k%n] = 0
	}
	a.last = slice
}
