package metrics

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/internal/random"
)

// recount returns estimate − truth at t from a list of everything counted so far.
func recount(list []admission, t, window time.Duration) float64 {
	start := time.Duration(math.Floor(float64(t)/float64(window))) * window
	f := big.NewRat(int64(t-start), int64(window))
	prev := big.NewRat(costIn(list, 0, start-window, start), 1)
	cur := big.NewRat(costIn(list, 0, start, t+1), 1)
	truth := big.NewRat(costIn(list, 0, t-window+1, t+1), 1)
	estimate := new(big.Rat).Sub(big.NewRat(1, 1), f)
	estimate.Mul(estimate, prev).Add(estimate, cur)
	x, _ := estimate.Sub(estimate, truth).Float64()
	return x
}

func TestCounterErrorsAgreeWithRecount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := admissions(1).Draw(t, "arrivals")
		window := time.Duration(rapid.Int64Range(1, 60).Draw(t, "window"))
		start := time.Duration(rapid.Int64Range(-60, 100).Draw(t, "start"))
		span := Span{start, start + time.Duration(rapid.Int64Range(0, 400).Draw(t, "length"))}
		gap := time.Duration(rapid.Int64Range(1, 20).Draw(t, "gap"))
		seed := rapid.Uint64().Draw(t, "seed")

		open := NewOpenErrors(window, span, gap, random.Stream(seed, "look"))
		closed := NewClosedErrors(window, span)
		var atArrivals, atInstants, ofOwn Errors
		var own []admission
		for i, a := range list {
			admitted := rapid.Bool().Draw(t, "admitted")
			open.Arrive(a.at, a.cost)
			closed.Decide(a.at, a.cost, admitted)
			if span.Contains(a.at) {
				atArrivals.Add(recount(list[:i], a.at, window))
				ofOwn.Add(recount(own, a.at, window))
			}
			if admitted {
				own = append(own, a)
			}
		}
		open.Finish()
		instants := random.NewExpGaps(random.Stream(seed, "look"), 1, int64(gap))
		for {
			at := span.Start + instants.Next()
			if at >= span.End {
				break
			}
			atInstants.Add(recount(list, at, window))
		}
		// Small counts: every error is rounded once, so all is equal to the last bit.
		assert.Equal(t, atArrivals, open.Arrivals)
		assert.Equal(t, atInstants, open.Time)
		assert.Equal(t, ofOwn, closed.Errors)
	})
}

func TestCounterErrorOfLargeCountsIsRoundedTwiceAtMost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := 24 * time.Hour
		list := []admission{
			{time.Duration(rapid.Int64Range(0, int64(window)-1).Draw(t, "first")), 0, rapid.Int64Range(1, 1<<52).Draw(t, "cost")},
			{window, 0, rapid.Int64Range(1, 1<<40).Draw(t, "later")},
		}
		at := window + time.Duration(rapid.Int64Range(0, int64(window)-1).Draw(t, "at"))
		c := newCounter(window)
		for _, a := range list {
			c.move(a.at)
			c.add(a.at, a.cost)
		}
		c.move(at)
		exact := recount(list, at, window)
		assert.InDelta(t, exact, c.deviation(at), 0x1p-52*math.Abs(exact)+0x1p-53)
	})
}

// TestCounterErrorOfOneBurst is the closed form: P requests at x·T, averaged
// over the window after, are estimated (½−x)·P too high.
func TestCounterErrorOfOneBurst(t *testing.T) {
	const window, burst = 1000, 7
	for _, x := range []time.Duration{0, 1, 250, 500, 999} {
		c := newCounter(window)
		c.move(x)
		c.add(x, burst)
		var sum total
		for at := x; at < 3*window; at++ {
			c.move(at)
			e := c.deviation(at)
			late := float64(burst*(at%window)) / window
			early := float64(burst*(window-at%window)) / window
			require.True(t, -late <= e && e <= early, "outside [-Pf, P(1-f)] at %d", at)
			sum.add(e)
		}
		assert.InDelta(t, burst*(0.5-float64(x)/window+0.5/window), sum.value()/window, 1e-12)
	}
}

func TestOpenErrorsLookOftenEnough(t *testing.T) {
	e := NewOpenErrors(time.Second, Span{0, 1000 * time.Second}, time.Second/10, random.Stream(1, "look"))
	e.Arrive(500*time.Second, 1)
	e.Finish()
	n := e.Time.N()
	e.Finish()
	assert.Equal(t, n, e.Time.N(), "finished twice")
	assert.InDelta(t, 10_000, n, 400) // four standard deviations of a Poisson count
}

func BenchmarkOpenErrors(b *testing.B) {
	const gap = 10 * time.Millisecond
	e := NewOpenErrors(time.Second, Span{0, math.MaxInt64}, gap, random.Stream(1, "look"))
	b.ReportAllocs()
	for i := range b.N {
		e.Arrive(time.Duration(i)*gap, 1)
	}
}

func BenchmarkClosedErrors(b *testing.B) {
	e := NewClosedErrors(time.Second, Span{0, math.MaxInt64})
	b.ReportAllocs()
	for i := range b.N {
		e.Decide(time.Duration(i)*10*time.Millisecond, 1, i&3 != 0)
	}
}
