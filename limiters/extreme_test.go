package limiters_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/internal/spec"
	"ratelab/limiters"
)

// Whatever the numbers, answers stay within their ranges and nothing panics.
func TestNoNumberPanics(t *testing.T) {
	for _, name := range limiters.Canonical() {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			s := drawSpec(t, name, extreme)
			l := s.New(1, nil)
			for range rapid.IntRange(1, 40).Draw(t, "requests") {
				now := time.Duration(rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64})).Draw(t, "now"))
				cost := rapid.OneOf(rapid.Int64Min(1), rapid.Int64Range(1, spec.MaxCount), rapid.SampledFrom([]int64{1, math.MaxInt64})).Draw(t, "cost")
				var d limiters.Decision
				switch rapid.IntRange(0, 3).Draw(t, "verb") {
				case 0:
					d = l.Take(now, 0, cost)
				case 1:
					d = l.Ask(now, 0, cost)
				case 2:
					l.Charge(now, 0, cost)
					continue
				case 3:
					_, delay := l.Admit(now, 0, cost)
					require.GreaterOrEqual(t, delay, time.Duration(0))
					continue
				}
				require.GreaterOrEqual(t, d.Remaining, int64(0))
				require.LessOrEqual(t, d.Remaining, d.Limit)
				require.GreaterOrEqual(t, d.Delay, time.Duration(0))
				require.GreaterOrEqual(t, d.Reset, time.Duration(0))
				require.Equal(t, d.Admitted, d.RetryAfter == 0)
				require.GreaterOrEqual(t, d.RetryAfter, time.Duration(0))
				require.False(t, d.Admitted && cost > s.Capacity())
			}
		}))
	}
}

func TestChargesPileUpWithoutWrappingAround(t *testing.T) {
	const full = int64(spec.MaxCount)
	for _, text := range []string{
		"fixed-window:limit=MAX,window=106580d", "sliding-log:limit=MAX,window=106580d", "sliding-counter:limit=MAX,window=106580d",
		"token-bucket:rate=1/9007199254740991ns,burst=MAX", "gcra:rate=1/9007199254740991ns,burst=MAX",
		"leaky-queue:rate=1/9007199254740991ns,queue=MAX", "leaky-meter:rate=1/9007199254740991ns",
		"token-bucket:rate=1/d,burst=MAX,refill=interval", "fixed-window:limit=MAX,window=106580d,origin=first",
	} {
		text = strings.ReplaceAll(text, "MAX", fmt.Sprint(full))
		l := parse(t, text).New(1, nil)
		for range 5000 {
			l.Charge(0, 0, math.MaxInt64)
			d := l.Ask(0, 0, 1)
			require.False(t, d.Admitted, text)
			require.Zero(t, d.Remaining, text)
			require.Positive(t, d.RetryAfter, text)
		}
	}
}

func TestWindowsAtTheEndsOfTime(t *testing.T) {
	const first, last = time.Duration(math.MinInt64), time.Duration(math.MaxInt64)
	for _, text := range []string{
		"fixed-window:limit=2,window=10s", "fixed-window:limit=2,window=10s,origin=first",
		"sliding-log:limit=2,window=10s", "sliding-counter:limit=2,window=10s",
		"token-bucket:rate=2/10s,burst=2,refill=interval", "token-bucket:rate=2/10s,burst=2", "gcra:rate=2/10s,burst=2",
	} {
		s := parse(t, text)
		l := s.New(1, nil)
		for _, now := range []time.Duration{first, -1, last - time.Minute} {
			assert.True(t, l.Take(now, 0, 2).Admitted, "%s at %d", text, now)
			assert.False(t, l.Take(now, 0, 1).Admitted, "%s at %d", text, now)
		}
		assert.True(t, l.Take(last, 0, 2).Admitted, text)
		d := l.Take(last, 0, 1)
		assert.False(t, d.Admitted, text)
		assert.LessOrEqual(t, d.RetryAfter, 20*time.Second, "beyond the end of time: %s", text)
		d = l.Take(first, 0, 1)
		assert.False(t, d.Admitted, text)
		assert.Equal(t, limiters.Never, d.RetryAfter, "counted from the beginning of time: %s", text)
		assert.Equal(t, limiters.Never, d.Reset, text)
	}
}

func TestNegativeTimesFallIntoTheWindowBelow(t *testing.T) {
	l := parse(t, "fixed-window:limit=1,window=10s").New(1, nil)
	assert.Equal(t, time.Second, l.Take(-time.Second, 0, 1).Reset)
	assert.False(t, l.Take(-1, 0, 1).Admitted)
	assert.True(t, l.Take(0, 0, 1).Admitted)
	l = parse(t, "token-bucket:rate=1/10s,burst=1,refill=interval").New(1, nil)
	assert.True(t, l.Take(-11*time.Second, 0, 1).Admitted)
	assert.Equal(t, 1*time.Second, l.Take(-11*time.Second, 0, 1).RetryAfter)
	assert.True(t, l.Take(-10*time.Second, 0, 1).Admitted)
}
