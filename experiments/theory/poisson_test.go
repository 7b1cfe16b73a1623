package theory

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

const precision = 600 // bits

func bigFloat(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// bigExp returns e^x by its series, x >= 0.
func bigExp(x *big.Float) *big.Float {
	sum, term := bigFloat(1), bigFloat(1)
	for k := 1; term.Sign() != 0 && term.MantExp(nil)-sum.MantExp(nil) > -precision; k++ {
		term.Mul(term, x)
		term.Quo(term, bigFloat(float64(k)))
		sum.Add(sum, term)
	}
	return sum
}

// bigPoisson returns P(N = n) for N ~ Poisson(a).
func bigPoisson(a float64, n int) *big.Float {
	p := new(big.Float).SetPrec(precision).Quo(bigFloat(1), bigExp(bigFloat(a)))
	for k := 1; k <= n; k++ {
		p.Mul(p, bigFloat(a))
		p.Quo(p, bigFloat(float64(k)))
	}
	return p
}

func TestPoissonProbabilitiesKeepThirteenDigitsFarFromTheMean(t *testing.T) {
	for _, a := range []float64{0.01, 0.5, 1, 7.3, 100, 250} {
		for _, n := range []int{0, 1, 2, 5, 15, 16, 40, 100, 130, 300} {
			want, _ := bigPoisson(a, n).Float64()
			if want > 1e-300 {
				assert.InEpsilon(t, want, poissonPMF(a, n), 1e-13, "a=%v n=%d", a, n)
			}
		}
	}
}

func TestPoissonTailsAndExcessesKeepTwelveDigitsFarFromTheMean(t *testing.T) {
	for _, a := range []float64{0.01, 0.5, 1, 7.3, 60} {
		for _, m := range []int{0, 1, 3, 8, 20, 61, 120} {
			tail, lower, excess := bigFloat(0), bigFloat(0), bigFloat(0)
			p := bigPoisson(a, 0)
			for n := 0; n <= m+400; n++ {
				if n >= m {
					tail.Add(tail, p)
					over := bigFloat(float64(n - m))
					excess.Add(excess, over.Mul(over, p))
				} else {
					lower.Add(lower, p)
				}
				p.Mul(p, bigFloat(a))
				p.Quo(p, bigFloat(float64(n+1)))
			}
			want, _ := tail.Float64()
			if want > 1e-290 {
				assert.InEpsilon(t, want, poissonUpper(a, m), 1e-12, "P(N >= %d), a=%v", m, a)
				assert.InEpsilon(t, want, poissonTails(a, m+3)[m], 1e-12, "tail %d, a=%v", m, a)
				want, _ = excess.Float64()
				assert.InEpsilon(t, want, poissonExcess(a, m), 1e-12, "excess over %d, a=%v", m, a)
			}
			want, _ = lower.Float64()
			assert.InDelta(t, want, poissonLower(a, m-1), 1e-15, "P(N < %d), a=%v", m, a)
		}
	}
}

func TestPoissonSumsFarBelowAndAboveTheMean(t *testing.T) {
	assert.Equal(t, 1.0, poissonUpper(5000, 3))
	assert.Equal(t, 4997.0, poissonExcess(5000, 3))
	assert.Equal(t, 3.0, poissonMin(5000, 3))
	assert.Equal(t, 3.0, poissonMin(3, 5000))
	assert.Zero(t, poissonUpper(3, 5000))
	assert.Zero(t, poissonExcess(3, 5000))
}

func TestPoissonBulkHoldsAllTheMass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(1e-6, 3000).Draw(t, "a")
		lo, pmf := poissonBulk(a)
		mass, mean := 0.0, 0.0
		for i, p := range pmf {
			mass += p
			mean += float64(lo+i) * p
		}
		if math.Abs(mass-1) > 1e-12 || math.Abs(mean-a) > 1e-11*(1+a) {
			t.Fatalf("a=%v: mass %v, mean %v", a, mass, mean)
		}
	})
}
