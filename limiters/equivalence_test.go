package limiters_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/limiters"
)

// sameAnswers gives two limiters the same requests and compares everything
// that they say but the delay.
func sameAnswers(t *rapid.T, a, b limiters.Spec, ops []op) {
	la, lb := a.New(1, nil), b.New(1, nil)
	for i, o := range ops {
		da, db := run(la, o), run(lb, o)
		da.Delay, db.Delay = 0, 0
		require.Equal(t, da, db, "op %d: %s and %s", i, a, b)
		level := la.(limiters.Leveled).Level(o.now, o.key)
		require.Equal(t, level, lb.(limiters.Leveled).Level(o.now, o.key), "op %d: level", i)
	}
}

// drawTwins draws a rate and a capacity, and requests for them.
func drawTwins(t *rapid.T, texts func(rate string, capacity int64) (a, b string)) (limiters.Spec, limiters.Spec, []op) {
	r := rapid.SampledFrom([]regime{tiny, tiny, usual, extreme}).Draw(t, "regime")
	rate, n := drawRate(t, r), drawCount(t, r)
	x, y := texts(rate, n)
	a, b := parse(t, x), parse(t, y)
	return a, b, drawOps(t, a, r, 25, true)
}

func TestTokenBucketAndGCRAAreTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, ops := drawTwins(t, func(rate string, n int64) (string, string) {
			return fmt.Sprintf("token-bucket:rate=%s,burst=%d", rate, n), fmt.Sprintf("gcra:rate=%s,burst=%d", rate, n)
		})
		sameAnswers(t, a, b, ops)
	})
}

func TestLeakyMeterIsATokenBucketOfOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, ops := drawTwins(t, func(rate string, _ int64) (string, string) {
			return "leaky-meter:rate=" + rate, "token-bucket:rate=" + rate + ",burst=1"
		})
		sameAnswers(t, a, b, ops)
	})
}

func TestLeakyQueueAdmitsWhatGCRAWithOneMoreAdmits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, ops := drawTwins(t, func(rate string, n int64) (string, string) {
			n = min(n, 1<<52)
			return fmt.Sprintf("leaky-queue:rate=%s,queue=%d", rate, n), fmt.Sprintf("gcra:rate=%s,burst=%d", rate, n+1)
		})
		sameAnswers(t, a, b, ops)
	})
}

func TestSlidingLogWithOneRequestAWindowIsALeakyMeter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDuration(t, rapid.SampledFrom([]regime{tiny, usual}).Draw(t, "regime"))
		a, b := parse(t, fmt.Sprintf("sliding-log:limit=1,window=%dns", d)), parse(t, fmt.Sprintf("leaky-meter:rate=1/%dns", d))
		la, lb := a.New(1, nil), b.New(1, nil)
		for _, o := range drawOps(t, a, tiny, 25, false) {
			require.Equal(t, run(la, o), run(lb, o))
		}
	})
}

func TestUnitsLeaveTheQueueInOrderOneEachInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom([]regime{tiny, usual}).Draw(t, "regime")
		s := parse(t, fmt.Sprintf("leaky-queue:rate=%s,queue=%d", drawRate(t, r), drawCount(t, r)))
		ops := drawOps(t, s, r, 30, false)
		rate, _ := s.Rate()
		l, last := s.New(1, nil), map[uint32]op{}
		for i, o := range ops {
			d := l.Take(o.now, o.key, o.cost)
			if !d.Admitted {
				require.Zero(t, d.Delay)
				continue
			}
			leaves := o.now + d.Delay
			require.GreaterOrEqual(t, d.Delay, time.Duration(0))
			if before, ok := last[o.key]; ok {
				// cost·I lies between the exact departures; each is shown
				// rounded up, so what is shown is less than 1 ns short of it.
				gap := rat(int64(leaves-before.now) + 1)
				exact := over(times(rat(before.cost), rat(int64(rate.P))), rat(rate.N))
				require.Positive(t, gap.Cmp(exact), "op %d leaves %d after one of cost %d", i, leaves-before.now, before.cost)
			}
			last[o.key] = op{now: leaves, cost: o.cost}
		}
	})
}

func TestQueueDelaysAFullQueueByTheWholeQueue(t *testing.T) {
	l := parse(t, "leaky-queue:rate=10/s,queue=5").New(1, nil)
	for i := range 6 {
		d := l.Take(0, 0, 1)
		require.True(t, d.Admitted)
		assert.Equal(t, time.Duration(i)*100*time.Millisecond, d.Delay)
	}
	assert.False(t, l.Take(0, 0, 1).Admitted)
}

func TestLevelCountsFractionsOfATokenAndChangesNothing(t *testing.T) {
	for _, text := range []string{
		"token-bucket:rate=1/s,burst=4", "gcra:rate=1/s,burst=4", "leaky-queue:rate=1/s,queue=3",
	} {
		l := parse(t, text).New(1, nil)
		level := l.(limiters.Leveled).Level
		assert.Equal(t, 4.0, level(-time.Hour, 0), "a key that has not begun")
		assert.Zero(t, l.Keys())
		l.Take(0, 0, 3)
		assert.Equal(t, 1.0, level(0, 0), text)
		assert.Equal(t, 2.25, level(1250*time.Millisecond, 0), text)
		assert.Equal(t, 4.0, level(time.Hour, 0), text)
		assert.Equal(t, 1.0, level(0, 0), "looking ahead has changed nothing")
		l.Charge(0, 0, 2)
		assert.Equal(t, -1.0, level(0, 0), "in debt: %s", text)
	}
	_, evenly := parse(t, "token-bucket:rate=1/s,burst=4,refill=interval").New(1, nil).(limiters.Leveled)
	assert.False(t, evenly, "a level that rises in steps is not even")
	m := parse(t, "leaky-meter:rate=1/s").New(1, nil)
	m.Take(0, 0, 1)
	assert.Equal(t, 0.25, m.(limiters.Leveled).Level(250*time.Millisecond, 0))
}
