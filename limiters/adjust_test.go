package limiters

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/internal/spec"
)

func made(t require.TestingT, text string) Limiter {
	s, err := Parse(text)
	require.NoError(t, err)
	return s.New(1, nil)
}

var adjustableRates = rapid.Custom(func(t *rapid.T) spec.Rate {
	q := big.NewRat(rapid.Int64Range(1, 1000).Draw(t, "requests"), rapid.Int64Range(1, int64(time.Minute)).Draw(t, "period"))
	return spec.Rate{N: q.Num().Int64(), P: time.Duration(q.Denom().Int64())}
})

// A bucket and gcra stay the same limiter however their rate and burst change,
// and together with a bucket in exact fractions, which they never exceed and
// fall behind by less than a part of a token a change.
func TestAdjustedBucketsDecideAlikeAndAsExactFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bucket, cells := made(t, "token-bucket:rate=10/s,burst=5").(Adjustable), made(t, "gcra:rate=10/s,burst=5").(Adjustable)
		rate, burst := spec.Rate{N: 1, P: 100 * time.Millisecond}, int64(5)
		exact := map[uint32]*big.Rat{}
		var now, last time.Duration
		slack := new(big.Rat)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "gap"))
			for _, level := range exact {
				level.Add(level, new(big.Rat).Mul(big.NewRat(int64(now-last), 1), big.NewRat(rate.N, int64(rate.P))))
				cutAt(level, burst)
			}
			last = now
			if rapid.IntRange(0, 4).Draw(t, "adjust") == 0 {
				rate, burst = adjustableRates.Draw(t, "rate"), rapid.Int64Range(0, 9).Draw(t, "burst")
				bucket.Adjust(now, rate, burst)
				cells.Adjust(now, rate, burst)
				for _, level := range exact {
					cutAt(level, burst)
				}
				slack.Add(slack, big.NewRat(1, int64(rate.P)))
				continue
			}
			key := rapid.Uint32Range(0, 2).Draw(t, "key")
			cost := rapid.Int64Range(1, 4).Draw(t, "cost")
			level, known := exact[key]
			if !known {
				level = big.NewRat(burst, 1)
				exact[key] = level
			}
			a, b := bucket.Take(now, key, cost), cells.Take(now, key, cost)
			require.Equal(t, a, b)
			spent := new(big.Rat).Sub(level, big.NewRat(cost, 1))
			if a.Admitted {
				require.GreaterOrEqual(t, spent.Sign(), 0, "never more than the exact bucket has")
				level.Set(spent)
			} else {
				require.Negative(t, spent.Cmp(slack), "it falls behind by less than the slack")
			}
		}
	})
}

func cutAt(level *big.Rat, burst int64) {
	if full := big.NewRat(burst, 1); level.Cmp(full) > 0 {
		level.Set(full)
	}
}

func TestAnAdjustedBucketKeepsDebtsAndInitialLevels(t *testing.T) {
	for _, text := range []string{"token-bucket:rate=1/s,burst=4", "gcra:rate=1/s,burst=4"} {
		l := made(t, text).(Adjustable)
		l.Charge(0, 1, 6)
		l.Adjust(0, spec.Rate{N: 1, P: 3 * time.Second}, 2)
		assert.Equal(t, 9*time.Second, l.Ask(0, 1, 1).RetryAfter, "%s: two are owed", text)
		assert.EqualValues(t, 2, l.Ask(0, 2, 1).Remaining, "a new key has the new burst")
	}
	l := made(t, "token-bucket:rate=1/s,burst=4,initial=1").(Adjustable)
	l.Adjust(0, spec.Rate{N: 1, P: 7 * time.Second}, 3)
	assert.EqualValues(t, 1, l.Ask(0, 0, 1).Remaining)
}

func TestAdjustedWindowsKeepTheirCounts(t *testing.T) {
	for _, text := range []string{"fixed-window:limit=4,window=1s", "fixed-window:limit=4,window=1s,origin=first", "sliding-counter:limit=4,window=1s"} {
		l := made(t, text).(Adjustable)
		for range 4 {
			l.Take(0, 0, 1)
		}
		l.Adjust(0, spec.Rate{N: 1, P: 1}, 2)
		assert.False(t, l.Take(0, 0, 1).Admitted, text)
		l.Adjust(0, spec.Rate{N: 1, P: 1}, 5)
		assert.True(t, l.Take(0, 0, 1).Admitted, text)
		assert.False(t, l.Take(0, 0, 1).Admitted, text)
	}
}

func TestConvertedLevelsAreRoundedDown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Int64().Draw(t, "x")
		from, to := rapid.Int64Range(1, spec.MaxCount).Draw(t, "from"), rapid.Int64Range(1, spec.MaxCount).Draw(t, "to")
		got := scaled(time.Duration(x), 1).converted(uint64(from), uint64(to))
		want := new(big.Int).Mul(big.NewInt(x), big.NewInt(to))
		want.Div(want, big.NewInt(from)) // Euclidean, which for from > 0 is rounded down
		have := new(big.Int).Lsh(big.NewInt(int64(got.hi)), 64)
		have.Add(have, new(big.Int).SetUint64(got.lo))
		require.Equal(t, want.String(), have.String())
	})
}

func TestADebtOfAWindowCountsInThoseThatFollow(t *testing.T) {
	l := made(t, "fixed-window:limit=10,window=1s").(Indebted)
	l.CarryDebt()
	l.Charge(0, 0, 37)
	for at, want := range map[time.Duration]int64{0: 0, time.Second: 0, 2 * time.Second: 0, 3 * time.Second: 3, 4 * time.Second: 10} {
		fresh := made(t, "fixed-window:limit=10,window=1s").(Indebted)
		fresh.CarryDebt()
		fresh.Charge(0, 0, 37)
		assert.Equal(t, want, fresh.Ask(at, 0, 1).Remaining, "after %s", at)
	}
	for at := time.Duration(0); at <= 4*time.Second; at += 500 * time.Millisecond { // looked at on the way
		l.Ask(at, 0, 1)
	}
	assert.EqualValues(t, 10, l.Ask(4*time.Second, 0, 1).Remaining)
	l.Charge(4*time.Second, 0, 5)
	assert.EqualValues(t, 10, l.Ask(5*time.Second, 0, 1).Remaining, "what is below the limit is no debt")
	zero := made(t, "fixed-window:limit=0,window=1s").(Indebted)
	zero.CarryDebt()
	zero.Charge(0, 0, 3)
	assert.False(t, zero.Ask(9*time.Second, 0, 1).Admitted)
}

func TestACountIsReadAndWritten(t *testing.T) {
	l := made(t, "fixed-window:limit=10,window=1s").(Counted)
	l.Take(0, 0, 3)
	count, end := l.Count(500*time.Millisecond, 0)
	assert.EqualValues(t, 3, count)
	assert.Equal(t, time.Second, end)
	l.SetCount(600*time.Millisecond, 0, 9, end)
	assert.EqualValues(t, 1, l.Ask(700*time.Millisecond, 0, 1).Remaining)
	l.SetCount(1100*time.Millisecond, 0, 9, end)
	assert.EqualValues(t, 10, l.Ask(1200*time.Millisecond, 0, 1).Remaining, "its window is over")
	_, counted := made(t, "gcra:rate=1/s,burst=1").(Counted)
	assert.False(t, counted)
}
