package metrics

import (
	"math"
	"math/big"
)

// ratio returns a·b/(c·d) rounded once, and NaN if c·d is 0. It is for the end
// of a run: it allocates.
func ratio(a, b, c, d int64) float64 {
	under := new(big.Int).Mul(big.NewInt(c), big.NewInt(d))
	if under.Sign() == 0 {
		return math.NaN()
	}
	over := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
	f, _ := new(big.Rat).SetFrac(over, under).Float64()
	return f
}

// share returns a/b rounded once, and NaN if b is 0.
func share(a, b int64) float64 { return ratio(a, 1, b, 1) }
