package theory

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestBucketLossIsAShareThatRisesWithLoadAndFallsWithBurst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rho := rapid.Float64Range(0.01, 50).Draw(t, "rho")
		more := rho * rapid.Float64Range(1.01, 3).Draw(t, "factor")
		b := rapid.IntRange(1, 60).Draw(t, "b")
		tokens := rapid.IntRange(1, 10).Draw(t, "tokens")
		losses := map[string]func(rho float64, b int) float64{
			"continuous": TokenBucketLoss,
			"ticks":      func(rho float64, b int) float64 { return TickBucketLoss(rho*float64(tokens), tokens, b) },
		}
		for name, loss := range losses {
			base := loss(rho, b)
			if !(base >= 0 && base <= 1) {
				t.Fatalf("%s: loss %v is no share", name, base)
			}
			if higher := loss(more, b); higher < base-1e-13 {
				t.Fatalf("%s: loss falls from %v to %v as the load rises to %v", name, base, higher, more)
			}
			if larger := loss(rho, b+1); larger > base+1e-13 {
				t.Fatalf("%s: loss rises from %v to %v with one token more", name, base, larger)
			}
		}
		if ticks, continuous := TickBucketLoss(rho, 1, b), TokenBucketLoss(rho, b); ticks > continuous+1e-13 {
			t.Fatalf("refill at ticks loses %v, continuous refill only %v", ticks, continuous)
		}
	})
}

func TestAdmittedRateIsTheRefillRateLessWhatSpillsWhileFull(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lambda := rapid.Float64Range(0.1, 500).Draw(t, "lambda")
		r := rapid.Float64Range(0.5, 200).Draw(t, "r")
		b := rapid.IntRange(1, 50).Draw(t, "b")
		admitted := TokenBucketAdmittedRate(lambda, r, b)
		if spilled := 1 - TokenBucketFullShare(lambda/r, b); admitted/r-spilled > 1e-12 || spilled-admitted/r > 1e-12 {
			t.Fatalf("admitted/r = %v, 1 - share full = %v", admitted/r, spilled)
		}
	})
}

func TestBurstOfOneIsTheOneTokenMeter(t *testing.T) {
	for _, rho := range []float64{0.2, 1, 3, 1000} {
		assert.InDelta(t, OneTokenAdmitShare(rho), 1-TokenBucketLoss(rho, 1), 1e-15)
		assert.InDelta(t, OneTokenAdmitShare(rho), 1-newMD1K(min(rho, 250), 1).loss, 0.005)
		assert.InDelta(t, OneTokenAdmitShare(rho), TokenBucketFullShare(rho, 1), 1e-15)
		assert.InDelta(t, OneTokenAdmitShare(rho), 1-ErlangB(rho, 1), 1e-15)
	}
}

// A tick that fills the bucket whatever is left makes it a fixed window of limit b.
func TestTicksThatRefillTheWholeBucketAreAFixedWindow(t *testing.T) {
	for _, a := range []float64{0.3, 4, 10, 25, 900} {
		for _, b := range []int{1, 5, 10} {
			want := 1 - FixedWindowAdmitShare(a, b)
			assert.InDelta(t, want, TickBucketLoss(a, b, b), 1e-14, "a=%v b=%d", a, b)
			assert.InDelta(t, want, TickBucketLoss(a, 3*b, b), 1e-14, "a=%v b=%d", a, b)
		}
	}
}

func TestTickBucketWithSeveralTokensAgreesWithSimulation(t *testing.T) {
	const ticks, replications = 2000, 100
	for _, c := range []struct {
		perTick       float64
		tokens, burst int
	}{{2, 2, 5}, {3.5, 4, 6}, {2.2, 2, 20}} {
		var lost []float64
		for rep := range replications {
			rng := rand.New(rand.NewPCG(1, uint64(rep)))
			level, refused := c.burst, 0
			for tick := range 2 * ticks {
				arrivals := poissonDraw(rng, c.perTick)
				admitted := min(arrivals, level)
				level = min(c.burst, level-admitted+c.tokens)
				if tick >= ticks {
					refused += arrivals - admitted
				}
			}
			lost = append(lost, float64(refused)/(ticks*c.perTick))
		}
		assertMean(t, TickBucketLoss(c.perTick, c.tokens, c.burst), lost)
	}
}
