package fleet

import (
	"math/bits"
	"time"
)

// setServing says that a server stops or begins to serve, at now: a coordination
// whose shares are over the servers that serve makes them anew.
func (f *Fleet) setServing(now time.Duration, server int, serves bool) {
	if c, ok := f.coordination.(interface {
		serve(now time.Duration, server int, serves bool)
	}); ok {
		c.serve(now, server, serves)
	}
}

// HasTimeout reports whether servers do without a store that does not answer.
func (f *Fleet) HasTimeout() bool { return f.store != nil && f.store.config.timeout > 0 }

// portion returns ⌊n·num/den⌋, for 0 <= num <= den.
func portion(n, num, den int64) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(num))
	q, _ := bits.Div64(hi, lo, uint64(den))
	return int64(q)
}
