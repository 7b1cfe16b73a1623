package theory

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestASlotOfOneServiceIsABucketRefilledAtTicks(t *testing.T) {
	for _, load := range []float64{0.5, 0.8, 1, 1.5} {
		for burst := 1; burst < 8; burst++ {
			loss, _ := SlottedQueue(load, 1, burst-1)
			assert.InEpsilon(t, TickBucketLoss(load, 1, burst), loss, 1e-12, "load %v, burst %d", load, burst)
		}
	}
}

func TestAFineClockIsNone(t *testing.T) {
	for _, load := range []float64{0.8, 1, 1.5} {
		for _, places := range []int{1, 2, 6} {
			errors, waits := [2]float64{}, [2]float64{}
			for i, slots := range []int{100, 400} {
				loss, wait := SlottedQueue(load/float64(slots), slots, (places-1)*slots)
				errors[i], waits[i] = loss-TokenBucketLoss(load, places), wait/float64(slots)-MD1KWait(load, places)
			}
			assert.InDelta(t, 0, errors[1], 2e-3, "load %v, %d places", load, places)
			assert.InEpsilon(t, 4, errors[0]/errors[1], 0.1, "the error is of the order of a slot: load %v, %d places", load, places)
			assert.InDelta(t, 0, waits[1], 5e-3, "load %v, %d places", load, places)
		}
	}
}

func TestTheClockMovesTheLossNoFurtherThanItsBounds(t *testing.T) {
	for _, load := range []float64{0.8, 1, 1.5} {
		for _, slots := range []int{1, 10, 100} {
			for _, places := range []int{1, 2, 6} {
				loss, _ := SlottedQueue(load/float64(slots), slots, (places-1)*slots)
				low, high := SlottedLossBounds(load/float64(slots), slots, (places-1)*slots)
				exact := TokenBucketLoss(load, places)
				assert.LessOrEqual(t, low, loss)
				assert.LessOrEqual(t, loss, high)
				assert.LessOrEqual(t, low, exact)
				assert.LessOrEqual(t, exact, high, "load %v, %d slots, %d places", load, slots, places)
			}
		}
	}
}

func TestNginxByHand(t *testing.T) {
	assert.Equal(t, AtOnce{4, 3, 3 * time.Second}, NginxAtOnce(5, 1000, 3, 0), "0, 1, 2 and 3 s: seen at nginx 1.22.1")
	assert.Equal(t, AtOnce{4, 1, time.Second}, NginxAtOnce(5, 1000, 3, 2))
	assert.Equal(t, AtOnce{4, 0, 0}, NginxAtOnce(5, 1000, 3, 3))
	assert.Equal(t, AtOnce{1, 0, 0}, NginxAtOnce(5, 1000, 0, 0))
	assert.Equal(t, AtOnce{2, 1, 62500 * time.Millisecond}, NginxAtOnce(2, 16, 5, 0), "1r/m")
	assert.Equal(t, AtOnce{-1, -1, -1}, NginxAtOnce(2, 0, 5, 0))
	assert.Equal(t, 62500*time.Millisecond, NginxSpacing(16), "seen at nginx 1.22.1, as the next")
	assert.Equal(t, 334*time.Millisecond, NginxSpacing(3000))
	assert.Equal(t, 100*time.Millisecond, NginxSpacing(10_000))
	assert.Equal(t, time.Millisecond, NginxSpacing(2_000_000))
	assert.Negative(t, NginxSpacing(0))
	for _, bad := range []func() (float64, float64){
		func() (float64, float64) { return SlottedQueue(0, 1, 1) }, func() (float64, float64) { return SlottedQueue(1, 0, 1) },
		func() (float64, float64) { return SlottedQueue(1, 1, -1) },
	} {
		a, b := bad()
		assert.True(t, a != a && b != b)
	}
}
