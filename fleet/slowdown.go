package fleet

import (
	"fmt"
	"math/big"
	"math/bits"
	"time"

	"ratelab/internal/spec"
)

// Slowdown makes services longer by the load: a call that is taken up while n
// calls, itself included, wait or are in service at its server takes 1 + a·n
// times as long, rounded down to a nanosecond and never more than MaxService.
// It is a, in billionths. (Each call in flight costs the others some time:
// M. Brooker's model of collapse has a = 0.01.)
type Slowdown int64

const (
	billion     = 1_000_000_000
	maxSlowdown = 1000
)

// ParseSlowdown reads a decimal in 0..1000 with at most nine digits after the
// point.
func ParseSlowdown(text string) (Slowdown, error) {
	if _, err := spec.ParseNumber(text); err == nil {
		a, _ := new(big.Rat).SetString(text)
		a.Mul(a, big.NewRat(billion, 1))
		if a.IsInt() && a.Sign() >= 0 && a.Cmp(big.NewRat(maxSlowdown*billion, 1)) <= 0 {
			return Slowdown(a.Num().Int64()), nil
		}
	}
	return 0, fmt.Errorf("slowdown must be a decimal in 0..%d with at most nine digits after the point, such as 0.01, got %q", maxSlowdown, text)
}

// String writes a as ParseSlowdown reads it.
func (a Slowdown) String() string {
	r := big.NewRat(int64(a), billion)
	digits, _ := r.FloatPrec()
	return r.FloatString(digits)
}

// of returns how long a service of d takes with n in flight.
func (a Slowdown) of(d time.Duration, n int) time.Duration {
	if a == 0 {
		return d
	}
	hi, factor := bits.Mul64(uint64(a), uint64(n))
	if hi > 0 {
		return MaxService
	}
	hi, lo := bits.Mul64(uint64(d), factor)
	if hi >= billion {
		return MaxService
	}
	more, _ := bits.Div64(hi, lo, billion)
	if more > uint64(MaxService-d) {
		return MaxService
	}
	return d + time.Duration(more)
}
