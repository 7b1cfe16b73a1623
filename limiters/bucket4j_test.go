package limiters_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/limiters"
)

func TestBucket4jWaitIsOneNanosecondShort(t *testing.T) {
	l := parse(t, "bucket4j:rate=3/s,burst=1").New(1, nil)
	l.Take(0, 1, 1)
	d := l.Take(0, 1, 1)
	assert.Equal(t, 333333333*time.Nanosecond, d.RetryAfter)
	d = l.Take(d.RetryAfter, 1, 1)
	assert.False(t, d.Admitted)
	assert.Zero(t, d.RetryAfter)
	assert.True(t, l.Take(333333334, 1, 1).Admitted)
}

func TestBucket4jDecidesAsATokenBucket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		params := rapid.SampledFrom([]string{"rate=7/s,burst=5", "rate=10/13s,burst=3", "rate=0.3/s,burst=1", "rate=1/ns,burst=4", "rate=100/m,burst=20"}).Draw(t, "params")
		a, err := limiters.Parse("bucket4j:" + params)
		require.NoError(t, err)
		b, err := limiters.Parse("token-bucket:" + params)
		require.NoError(t, err)
		x, y := a.New(1, nil), b.New(1, nil)
		now := time.Duration(0)
		for range 60 {
			now += rapid.SampledFrom([]time.Duration{0, 1, 142857142, 142857143, 600 * ms, 1300 * ms, 1300*ms - 1, 10 * time.Second, time.Hour}).Draw(t, "step")
			cost := rapid.Int64Range(1, 6).Draw(t, "cost")
			got, want := x.Take(now, 1, cost), y.Take(now, 1, cost)
			require.Equal(t, want.Admitted, got.Admitted)
			require.Equal(t, want.Remaining, got.Remaining)
			require.InDelta(t, float64(want.Reset), float64(got.Reset), 1)
		}
	})
}

func TestBucket4jClockBackEarnsAndLosesNothing(t *testing.T) {
	l := parse(t, "bucket4j:rate=1/s,burst=2").New(1, nil)
	assert.Equal(t, "yynnny", verdicts(t, l, spent{today, 1}, spent{today, 1}, spent{today - time.Hour, 1}, spent{today, 1},
		spent{today + time.Second - 1, 1}, spent{today + time.Second, 1}))
}

func TestBucket4jGoesOnInFloatsWhereProductsOverflow(t *testing.T) {
	l := parse(t, "bucket4j:rate=1000000/1000d,burst=1000000000").New(1, nil)
	assert.True(t, l.Take(0, 1, 1000000000).Admitted)
	period := 1000 * 24 * time.Hour
	assert.EqualValues(t, 1000000, l.Ask(period-1, 1, 1).Remaining, "float64 rounds the time to the period: the last token 1 ns early")
	assert.EqualValues(t, 500000, l.Ask(period/2, 1, 1).Remaining)
	assert.Equal(t, limiters.Never, l.Ask(0, 1, 1000000000).RetryAfter, "a wait beyond int64")
	assert.Less(t, l.Ask(0, 1, 1000000).RetryAfter, time.Duration(math.MaxInt64))
}

func TestBucket4jRefusesWhatTheProgramRefuses(t *testing.T) {
	_, err := limiters.Parse("bucket4j:rate=1/s,burst=0")
	assert.ErrorContains(t, err, "burst must be > 0")
	_, err = limiters.Parse("bucket4j:rate=2/ns,burst=1")
	assert.ErrorContains(t, err, "rate must be at most one token a nanosecond")
	assert.Equal(t, limiters.Never, parse(t, "bucket4j:rate=1/s,burst=5").New(1, nil).Take(0, 1, 6).RetryAfter)
}
