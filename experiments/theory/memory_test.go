package theory

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestRoomForStatesAndEntries(t *testing.T) {
	assert.EqualValues(t, 32, SlabBytes(32, 4096))
	assert.EqualValues(t, 33.554432, SlabBytes(32, 1_000_000))
	assert.EqualValues(t, 32*8/5.0, SlabBytes(32, 5))
	for _, test := range []struct{ entries, limit, room int64 }{{0, 9, 0}, {1, 1, 1}, {1, 100, 4}, {5, 100, 8}, {9, 10, 10}, {1000, 100, 100}} {
		assert.Equal(t, test.room, RingRoom(test.entries, test.limit), "%d of %d", test.entries, test.limit)
	}
}

func TestAMeterThatForgetsAgreesWithSimulation(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const interval = 10.0
	for _, lambda := range []float64{0.03, 0.3, 3, 30} {
		for _, idle := range []float64{0.05, 0.2, 1, 5, 10, 20} {
			const batches, size = 20, 5000
			var shares [batches]float64
			now, before, spent := 0.0, math.Inf(-1), math.Inf(-1)
			for b := range shares {
				for range size {
					now += r.ExpFloat64() / lambda
					if now-before >= idle || now-spent >= interval {
						shares[b]++
						spent = now
					}
					before = now
				}
			}
			mean, square := 0.0, 0.0
			for _, n := range shares {
				mean += n / size / batches
				square += n / size * n / size / batches
			}
			want := IdleMeterShare(lambda, interval*time.Second, time.Duration(idle*float64(time.Second)))
			assert.InDelta(t, want, mean, 4*math.Sqrt(max(0, square-mean*mean)/(batches-1))+2e-4, "λ %v, idle %v", lambda, idle)
		}
	}
}

func TestAMeterThatForgetsAtItsLimits(t *testing.T) {
	assert.Equal(t, OneTokenAdmitShare(30), IdleMeterShare(3, 10*time.Second, 10*time.Second))
	assert.InEpsilon(t, OneTokenAdmitShare(30), IdleMeterShare(3, 10*time.Second, 9*time.Second), 1e-9)
	assert.InEpsilon(t, math.Exp(-0.1), IdleMeterShare(1, 1000*time.Second, 100*time.Millisecond), 1e-9, "every gap that is long enough, and no other")
	assert.True(t, math.IsNaN(IdleMeterShare(0, 1, 1)+SlabBytes(0, 1)+LRUIdle(nil, 0)))
}

func TestALeastRecentlySeenKeyIsForgottenAfterTheTimeInWhichTheOthersCome(t *testing.T) {
	even := []float64{1, 1, 1, 1}
	assert.InEpsilon(t, math.Ln2, LRUIdle(even, 2), 1e-12)
	assert.InEpsilon(t, 2, DistinctKeys(even, math.Ln2), 1e-12)
	assert.True(t, math.IsInf(LRUIdle(even, 4), 1))
	assert.InEpsilon(t, 1.0/11, EvictedMeterShare(even, 10*time.Second, math.Inf(1)), 1e-12)
}
