package limiters

import (
	"math/bits"
	"time"
)

// windowed is the state of a key whose time is cut into windows [end-T, end)
// of one length T. While a request falls into the current window nothing is
// divided.
//
// The window's end is kept modulo 2⁶⁴; if it lies beyond the last int64
// nanosecond, endless is set and the window is never left.
type windowed struct {
	mark
	end time.Duration
}

// phase returns how far t lies into its window of the given length, when
// windows begin at offset and at every whole length before and after it.
func phase(t, length, offset time.Duration) time.Duration {
	p := t % length
	if p < 0 {
		p += length
	}
	if p -= offset; p < 0 {
		p += length
	}
	return p
}

// open makes the window end at t+rest.
func (w *windowed) open(t, rest time.Duration) {
	w.end = t + rest
	w.endless = w.end < t
}

// over reports whether the window has ended at t.
func (w *windowed) over(t time.Duration) bool { return t >= w.end && !w.endless }

// roll moves on to the window that t lies in, which must not be the current
// one, and returns how many edges were passed.
func (w *windowed) roll(t, length time.Duration) uint64 {
	gap := uint64(t) - uint64(w.end)
	if gap < uint64(length) {
		w.open(t, length-time.Duration(gap))
		return 1
	}
	w.open(t, length-time.Duration(gap%uint64(length)))
	return gap/uint64(length) + 1
}

// left returns the time from t, which lies in the window, to its end.
func (w *windowed) left(t time.Duration) uint64 { return uint64(w.end) - uint64(t) }

// pile adds a cost to a count. What forced charges and counted refusals pile
// up is cut at 2⁶², far above every limit, so that products stay in 128 bits.
func pile(count, cost int64) int64 {
	const most = 1 << 62
	if cost > most-count {
		return most
	}
	return count + cost
}

// narrower reports whether a·b < c·d.
func narrower(a, b, c, d uint64) bool {
	h1, l1 := bits.Mul64(a, b)
	h2, l2 := bits.Mul64(c, d)
	return h1 < h2 || h1 == h2 && l1 < l2
}
