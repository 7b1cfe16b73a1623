package theory

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBucketBudgetAgreesWithSimulation(t *testing.T) {
	for _, at := range []struct {
		p                    float64
		deposit, cost, limit int
	}{{0.1, 1, 10, 50}, {0.2, 1, 10, 50}, {0.05, 1, 10, 20}, {0.3, 2, 3, 7}, {1, 1, 10, 50}} {
		rng := rand.New(rand.NewPCG(81, 0))
		var attempts, success []float64
		level := at.limit
		for batch := range 201 {
			made, ok := 0, 0
			const calls = 2000
			for range calls {
				level = min(level+at.deposit, at.limit)
				for made++; ; made++ {
					if rng.Float64() >= at.p {
						ok++
						break
					}
					if level <= at.cost {
						break
					}
					level -= at.cost
				}
			}
			if batch > 0 {
				attempts, success = append(attempts, float64(made)/calls), append(success, float64(ok)/calls)
			}
		}
		want := BucketBudget(at.p, at.deposit, at.cost, at.limit)
		if at.p == 1 {
			assert.InDelta(t, 1.1, want.Attempts, 1e-12)
			assert.Zero(t, want.Success)
			assert.InDelta(t, 1.1, attempts[100], 1e-9)
			continue
		}
		assertMean(t, want.Attempts, attempts, at)
		assertMean(t, want.Success, success, at)
	}
}

func TestGRPCBudgetAgreesWithSimulation(t *testing.T) {
	for _, p := range []float64{0.05, 0.1, 0.12} {
		rng := rand.New(rand.NewPCG(82, 0))
		const limit, cost, deposit, most, calls = 100, 10, 1, 4, 20_000
		var attempts, success []float64
		level := limit
		for batch := range 101 {
			made, ok := 0, 0
			for range calls {
				for i := 1; ; i++ {
					made++
					if rng.Float64() >= p {
						ok++
						level = min(level+deposit, limit)
						break
					}
					level = max(level-cost, 0)
					if 2*level <= limit || i == most {
						break
					}
				}
			}
			if batch > 0 {
				attempts, success = append(attempts, float64(made)/calls), append(success, float64(ok)/calls)
			}
		}
		want := GRPCBudget(p, deposit, cost, limit, most)
		assertMean(t, want.Attempts, attempts, p)
		assertMean(t, want.Success, success, p)
	}
}

// What is published for p = .05, .1 and .2 (1.0520, 1.0205, 1.00004) is simulated, of unstated length and error, from a full bucket. It
// differs from the long run by 9e-5, 1.5e-4 and 4e-5; the simulation above has its error, and no start.
func TestGRPCBudgetAsPublished(t *testing.T) {
	assert.InDelta(t, 1.0204, GRPCBudget(.02, 1, 10, 100, 4).Attempts, 5.1e-5)
	assert.InDelta(t, RetryAttempts(.02, 3), GRPCBudget(.02, 1, 10, 1000, 4).Attempts, 1e-9) // a bucket that is never short
}

func TestBudgetsApproachTheirFluid(t *testing.T) {
	assert.Equal(t, RetryLoad{1, 1}, BucketBudget(0, 1, 10, 50))
	assert.Equal(t, RetryLoad{1, 1}, GRPCBudget(0, 1, 10, 100, 4))
	for _, p := range []float64{0.01, 0.3, 0.7} {
		want := BudgetFluid(p, 0.1)
		got := BucketBudget(p, 1, 10, 200)
		assert.InEpsilon(t, want.Attempts, got.Attempts, 1e-6, p)
		assert.InEpsilon(t, want.Success, got.Success, 1e-6, p)
	}
	assert.Equal(t, RetryLoad{1.1, 0}, BudgetFluid(1, 0.1))
	knee := BudgetKnee(0.1)
	assert.InEpsilon(t, 1./11, knee, 1e-15)
	assert.InEpsilon(t, 1/(1-knee), BudgetFluid(knee, 0.1).Attempts, 1e-12)
	assert.Equal(t, 1.25, ActiveBudgetMost(0.2))
	assert.InDelta(t, 1.3, RatioBudgetMost(100, 0.2, 10), 1e-12)
}
