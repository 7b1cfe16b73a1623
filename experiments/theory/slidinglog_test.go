package theory

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestErlangBEqualsTheRatioOfSums(t *testing.T) {
	for _, a := range []float64{0.1, 1, 5, 12.5, 40} {
		for _, limit := range []int{0, 1, 2, 10, 40} {
			term, sum := bigFloat(1), bigFloat(1)
			for n := 1; n <= limit; n++ {
				term.Mul(term, bigFloat(a))
				term.Quo(term, bigFloat(float64(n)))
				sum.Add(sum, term)
			}
			want, _ := new(big.Float).Quo(term, sum).Float64()
			assert.InEpsilon(t, want, ErlangB(a, limit), 1e-13, "a=%v L=%d", a, limit)
		}
	}
}

func TestWindowLimitersAdmitAShareThatFallsWithLoadAndRisesWithLimit(t *testing.T) {
	models := map[string]func(a float64, limit int) float64{
		"fixed window": FixedWindowAdmitShare,
		"log":          SlidingLogAdmitShare,
		"log, all":     SlidingLogAllAdmitShare,
		"counter, fits": func(a float64, limit int) float64 {
			return SlidingCounterAdmitShare(Fits, CountAdmitted, limit, a)
		},
		"counter, below": func(a float64, limit int) float64 {
			return SlidingCounterAdmitShare(Below, CountAdmitted, limit, a)
		},
		"counter, fits, all": func(a float64, limit int) float64 {
			return SlidingCounterAdmitShare(Fits, CountAll, limit, a)
		},
		"counter, below, all": func(a float64, limit int) float64 {
			return SlidingCounterAdmitShare(Below, CountAll, limit, a)
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(0.01, 60).Draw(t, "a")
		more := a * rapid.Float64Range(1.01, 3).Draw(t, "factor")
		limit := rapid.IntRange(1, 30).Draw(t, "L")
		for name, share := range models {
			base := share(a, limit)
			if !(base >= 0 && base <= 1+1e-14) {
				t.Fatalf("%s: %v is no share", name, base)
			}
			if busier := share(more, limit); busier > base+1e-13 {
				t.Fatalf("%s: share rises from %v to %v as the load rises to %v", name, base, busier, more)
			}
			if wider := share(a, limit+1); wider < base-1e-13 {
				t.Fatalf("%s: share falls from %v to %v with the limit", name, base, wider)
			}
		}
		for _, count := range []Count{CountAdmitted, CountAll} {
			if fits, below := SlidingCounterAdmitShare(Fits, count, limit, a), SlidingCounterAdmitShare(Below, count, limit, a); fits > below+1e-13 {
				t.Fatalf("fits admits %v, below only %v", fits, below)
			}
		}
	})
}

func TestSpecialCasesOfWindowLimiters(t *testing.T) {
	for _, a := range []float64{0.5, 1, 3} {
		assert.InDelta(t, math.Exp(-a), SlidingLogAllAdmitShare(a, 1), 1e-15, "paralyzable detector")
		assert.InDelta(t, OneTokenAdmitShare(a), SlidingLogAdmitShare(a, 1), 1e-15)
		// With limit 1 the rule below admits the first request of every window but the time before it: a fixed window.
		assert.InDelta(t, FixedWindowAdmitShare(a, 1), SlidingCounterAdmitShare(Below, CountAdmitted, 1, a), 1e-14)
		// With limit 1 the rule fits refuses for the whole window after an admission: E per window is q/(1+q).
		q := -math.Expm1(-a)
		assert.InDelta(t, q/(1+q)/a, SlidingCounterAdmitShare(Fits, CountAdmitted, 1, a), 1e-14)
	}
	assert.Equal(t, 1.0, ErlangB(3, 0))
	assert.Zero(t, FixedWindowAdmitted(3, 0))
}

func TestSlidingCounterApproachesItsFloodUnderOverload(t *testing.T) {
	for _, limit := range []int{1, 2, 10, 50} {
		const a = 10_000
		for _, rule := range []Rule{Fits, Below} {
			assert.InDelta(t, FloodCounter(rule, int64(limit)), a*SlidingCounterAdmitShare(rule, CountAdmitted, limit, a), 0.02*float64(limit))
		}
		assert.Zero(t, SlidingCounterAdmitShare(Below, CountAll, limit, a))
	}
}
