package limiters

import (
	"math"
	"time"
)

// What the dialects share: numbers cut as the machines cut them that ran the
// real programs (amd64), and the same on every machine.

// cut converts to an integer as amd64 does: towards zero, and MinInt64 for
// what does not fit. Go leaves that to the machine.
func cut(f float64) int64 {
	if f >= -0x1p63 && f < 0x1p63 {
		return int64(f)
	}
	return math.MinInt64
}

// elapsed returns to - from, or the nearest duration there is.
func elapsed(from, to time.Duration) time.Duration {
	d := to - from
	switch {
	case to >= from && d < 0:
		return math.MaxInt64
	case to < from && d >= 0:
		return math.MinInt64
	}
	return d
}

// narrow returns x, or the nearest duration there is.
func (x wide) narrow() time.Duration {
	switch {
	case x.hi == 0 && x.lo <= math.MaxInt64, x.hi == math.MaxUint64 && x.lo > math.MaxInt64:
		return time.Duration(x.lo)
	case x.negative():
		return math.MinInt64
	}
	return math.MaxInt64
}

// touched heads the state of a key whose program keeps no latest time.
type touched struct{ begun bool }

func (s *touched) known() bool { return s.begun }
