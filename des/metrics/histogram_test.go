package metrics

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestHistogramBucketsAreInOrderAndLeaveNoGap(t *testing.T) {
	for v := uint64(1); v < 1<<16; v++ {
		step := bucketOf(v) - bucketOf(v-1)
		assert.True(t, step == 0 || step == 1, "between %d and %d: %d", v-1, v, step)
	}
	assert.Equal(t, 58*octave-1, bucketOf(math.MaxUint64))
}

func TestHistogramValueStandsForItsBucket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Uint64().Draw(t, "bits") >> rapid.IntRange(0, 63).Draw(t, "shift")
		stand := valueOf(bucketOf(v))
		assert.Equal(t, bucketOf(v), bucketOf(stand))
		difference := max(stand, v) - min(stand, v)
		assert.LessOrEqual(t, difference, v/256)
	})
}

func TestRankIsExact(t *testing.T) {
	assert.EqualValues(t, 1, rankOf(500, 0))
	assert.EqualValues(t, 1, rankOf(500, 1))
	assert.EqualValues(t, 1, rankOf(500, 2))
	assert.EqualValues(t, 9, rankOf(900, 10))
	assert.EqualValues(t, 10, rankOf(901, 10))
	assert.EqualValues(t, 999, rankOf(999, 1000))
	assert.EqualValues(t, 1000, rankOf(999, 1001))
	assert.EqualValues(t, 7, rankOf(1000, 7))
}
