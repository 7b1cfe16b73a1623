package theory

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBatchesOfOneAreLikeAnybody(t *testing.T) {
	for _, limit := range []int{1, 5, 20} {
		single, batched := FixedWindowBatchShares(7, 4, 1, limit)
		assert.InDelta(t, FixedWindowAdmitShare(11, limit), single, 1e-12)
		assert.InDelta(t, single, batched, 1e-12)
	}
}

func TestOnALimitOfOneABatchPassesItsFirst(t *testing.T) {
	single, batched := FixedWindowBatchShares(2, 1, 4, 1)
	assert.InDelta(t, (1-math.Exp(-3))/3, single, 1e-15, "nobody came before")
	assert.InDelta(t, single/4, batched, 1e-15)
}

func TestBatchSharesAgreeWithWindowsPlayedOut(t *testing.T) {
	for _, c := range []struct {
		a, batches  float64
		size, limit int
	}{{5, 1, 5, 10}, {10, 1, 10, 20}, {8, 2, 4, 20}, {3, 3, 7, 5}} {
		random := rand.New(rand.NewPCG(1, 2))
		const windows = 200_000
		var came, passed [2]float64
		for range windows {
			at, before := 0.0, 0
			for {
				if at += random.ExpFloat64() / (c.a + c.batches); at >= 1 {
					break
				}
				who, n := 0, 1
				if random.Float64() < c.batches/(c.a+c.batches) {
					who, n = 1, c.size
				}
				came[who] += float64(n)
				passed[who] += float64(min(n, max(0, c.limit-before)))
				before += n
			}
		}
		single, batched := FixedWindowBatchShares(c.a, c.batches, c.size, c.limit)
		assert.InDelta(t, passed[0]/came[0], single, 0.004, "%+v", c)
		assert.InDelta(t, passed[1]/came[1], batched, 0.004, "%+v", c)
		assert.Less(t, batched, single, "%+v", c)
	}
}

func TestARudeTenantIsServedMoreAndThePoliteLess(t *testing.T) {
	once := RudeTenant(80, 20, 50, 20, 0)
	assert.InDelta(t, TokenBucketLoss(2, 20), once.Refused, 1e-12)
	assert.Equal(t, 1.0, once.Attempts)
	assert.InDelta(t, once.Polite, once.Rude, 1e-12)

	before := once
	for retries := 1; retries < 20; retries++ {
		s := RudeTenant(80, 20, 50, 20, retries)
		assert.Greater(t, s.Rude, before.Rude)
		assert.Less(t, s.Polite, before.Polite)
		assert.InDelta(t, TokenBucketAdmittedRate(80+20*s.Attempts, 50, 20), 80*s.Polite+20*s.Rude, 1e-9, "what is admitted is served")
		before = s
	}
	assert.InDelta(t, 1, RudeTenant(80, 20, 50, 20, 1000).Rude, 1e-9, "in the end all of it")
	assert.InDelta(t, 30./80, RudeTenant(80, 20, 50, 20, 1000).Polite, 1e-6, "and the rest is theirs")
}

func TestSharesOfTenantsHaveADomain(t *testing.T) {
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		single, batched := FixedWindowBatchShares(bad, 1, 1, 1)
		assert.True(t, math.IsNaN(single) && math.IsNaN(batched))
		single, _ = FixedWindowBatchShares(1, bad, 1, 1)
		assert.True(t, math.IsNaN(single))
		for _, s := range []RudeShares{RudeTenant(bad, 1, 1, 1, 1), RudeTenant(1, bad, 1, 1, 1), RudeTenant(1, 1, bad, 1, 1)} {
			assert.True(t, math.IsNaN(s.Refused) && math.IsNaN(s.Attempts) && math.IsNaN(s.Polite) && math.IsNaN(s.Rude))
		}
	}
	single, _ := FixedWindowBatchShares(1, 1, 0, 1)
	assert.True(t, math.IsNaN(single))
	single, _ = FixedWindowBatchShares(1, 1, 1, 0)
	assert.True(t, math.IsNaN(single))
	assert.True(t, math.IsNaN(RudeTenant(1, 1, 1, 0, 1).Rude))
	assert.True(t, math.IsNaN(RudeTenant(1, 1, 1, 1, -1).Rude))
}
