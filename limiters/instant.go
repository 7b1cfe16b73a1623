package limiters

import (
	"time"

	"ratelab/internal/spec"
)

// wholeUnits returns ⌊t/unit⌋: a time cut down to a program's resolution, or
// the number of the window that it falls into.
func wholeUnits(t, unit time.Duration) int64 {
	n := t / unit
	if t%unit < 0 {
		n--
	}
	return int64(n)
}

// instantHint returns the time from now to an instant that a program gives as
// n units since the epoch: below 0 if it has passed, [Never] beyond int64.
func instantHint(n int64, unit, now time.Duration) time.Duration {
	return scaled(time.Duration(n), uint64(unit)).minus(scaled(now, 1)).narrow()
}

// wholeMillis reads a duration for a program that knows whole milliseconds
// only, and returns how many.
func wholeMillis(v *spec.Values, name string) int64 {
	d := v.Duration(name)
	if d%time.Millisecond != 0 {
		v.Fail(name, "must be whole milliseconds, as the program counts them, got %s", v.Text(name))
	}
	return int64(d / time.Millisecond)
}

// copyOf returns a copy of a key's state, for a question that must change
// nothing; the zero state if the key is not known.
func copyOf[S any, P interface {
	*S
	known() bool
}](b *slab[S, P], key uint32) (s S) {
	if p := b.find(key); p != nil {
		s = *p
	}
	return s
}
