package clients

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/des"
	"ratelab/internal/random"
	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/workloads"
)

// Clients A and B are refused together and told to come back in 30 s. A tries
// again five times in two seconds, and the refused count reaches 7. B waits,
// sends one, and gets 200 with 99 of 100 left.
func TestPoliteAndRude(t *testing.T) {
	// A limit of 100 in windows of a minute for each of the two, spent before
	// the story begins at 0:30.
	spec, err := limiters.Parse("fixed-window:limit=100,window=1m")
	require.NoError(t, err)
	limiter := spec.New(1, nil)
	const begin = 30 * time.Second
	for key := range uint32(2) {
		for range 100 {
			require.True(t, limiter.Take(begin, key, 1).Admitted)
		}
	}
	w := &listed{arrivals: []workloads.Arrival{{At: begin, Key: 0, Cost: 1}, {At: begin, Key: 1, Cost: 1}}}
	var seen events
	v, p := start(t, Config{
		Mix: mustMix(t, "rude:every=400ms,attempts=6 * 0.5", "retry-after * 0.5"), Clients: 2, Workload: w, Observer: &seen,
	}, 1)
	v.decide = limit(func() *Population { return p }, limiter)

	v.sim.Run(begin + 2*time.Second + 1)
	assert.EqualValues(t, 7, p.Total().Refused)
	assert.EqualValues(t, 6, p.Tally(0).Refused)
	for _, r := range seen.heard {
		assert.Equal(t, contract.Throttled, r.reply.Outcome)
		assert.Equal(t, begin+30*time.Second, r.at+r.reply.Decision.RetryAfter, "told the same instant each time")
	}
	assert.EqualValues(t, 1, p.Tally(0).Ended[Exhausted])
	assert.Zero(t, p.Tally(0).Obeyed, "who comes too early has not obeyed")

	v.sim.Run(begin + time.Minute)
	b := p.Tally(1)
	assert.EqualValues(t, 2, b.Attempts)
	assert.EqualValues(t, 1, b.Ended[Succeeded])
	assert.EqualValues(t, 1, b.Obeyed)
	assert.EqualValues(t, 1, b.Honest)
	last := seen.heard[len(seen.heard)-1]
	assert.Equal(t, begin+30*time.Second, last.at)
	assert.Equal(t, contract.OK, last.reply.Outcome)
	assert.EqualValues(t, 100, last.reply.Decision.Limit)
	assert.EqualValues(t, 99, last.reply.Decision.Remaining)
	assert.EqualValues(t, 0, p.Tally(0).Charged)
	assert.EqualValues(t, 1, b.Charged)
}

// firstOf is the first arrivals of a workload.
type firstOf struct {
	w    workloads.Workload
	left int
}

func (f *firstOf) Next() (workloads.Arrival, bool) {
	if f.left == 0 {
		return workloads.Arrival{}, false
	}
	f.left--
	return f.w.Next()
}

type listed struct{ arrivals []workloads.Arrival }

func (l *listed) Next() (workloads.Arrival, bool) {
	if len(l.arrivals) == 0 {
		return workloads.Arrival{}, false
	}
	a := l.arrivals[0]
	l.arrivals = l.arrivals[1:]
	return a, true
}

// bySecond counts how many of times fall into each second.
func bySecond(times []time.Duration, seconds int) []int {
	n := make([]int, seconds)
	for _, at := range times {
		if at < time.Duration(seconds)*time.Second {
			n[at/time.Second]++
		}
	}
	return n
}

func TestFiftyWhoObeyReturnInOneSecond(t *testing.T) {
	v, _ := start(t, Config{Mix: mustMix(t, "retry-after:attempts=2"), Clients: 50, Sender: InTurn, Workload: &together{n: 50, at: []time.Duration{0}}}, 1)
	v.decide = refuse(30 * time.Second)
	v.sim.Run(100 * time.Second)
	n := bySecond(v.sends, 100)
	assert.Equal(t, 50, n[0])
	assert.Equal(t, 50, n[30])
	assert.Len(t, v.sends, 100)
}

func TestJitterSpreadsTheFifty(t *testing.T) {
	var peaks []float64
	for seed := range uint64(400) {
		v, _ := start(t, Config{Mix: mustMix(t, "retry-after:jitter=30s,attempts=2"), Clients: 50, Sender: InTurn, Workload: &together{n: 50, at: []time.Duration{0}}}, seed)
		v.decide = refuse(30 * time.Second)
		v.sim.Run(100 * time.Second)
		require.Len(t, v.sends, 100)
		peak := 0
		for second, n := range bySecond(v.sends[50:], 100) {
			require.True(t, n == 0 || 30 <= second && second < 60, "%d in second %d", n, second)
			peak = max(peak, n)
		}
		peaks = append(peaks, float64(peak))
	}
	within(t, 4.771175823132996, peaks, 0, "mean peak of 50 balls in 30 seconds")
}

// Without jitter, fifty clients that back off come together in every round.
func TestBackoffWithoutJitterKeepsTheHerdTogether(t *testing.T) {
	v, _ := start(t, Config{
		Mix: mustMix(t, "backoff:base=1s,cap=1m,jitter=none,attempts=6"), Clients: 50, Sender: InTurn, Workload: &together{n: 50, at: []time.Duration{0}},
	}, 1)
	v.decide = refuse(time.Second)
	v.sim.Run(time.Hour)
	for round, at := range []time.Duration{0, 1, 3, 7, 15, 31} {
		for _, sent := range v.sends[50*round : 50*round+50] {
			require.Equal(t, at*time.Second, sent)
		}
	}
	require.Len(t, v.sends, 300)
}

// within checks that the mean of a sample lies within 4 standard errors of
// what theory says, and within the theory's own tolerance beyond that.
func within(t *testing.T, want float64, sample []float64, tolerance float64, what string) {
	t.Helper()
	mean, square := 0.0, 0.0
	for _, x := range sample {
		mean += x / float64(len(sample))
	}
	for _, x := range sample {
		square += (x - mean) * (x - mean)
	}
	se := math.Sqrt(square / float64(len(sample)-1) / float64(len(sample)))
	require.Positive(t, se, what)
	assert.LessOrEqual(t, math.Abs(mean-want), 4*se+tolerance, "%s: %v ± %v, theory %v", what, mean, se, want)
	t.Logf("%s: %.6f ± %.6f, theory %.6f", what, mean, se, want)
}

// Fifty clients who are refused for ever, full jitter from one second: the
// retries that fall into the first second.
func TestFullJitterInTheFirstSecond(t *testing.T) {
	for first, want := range map[string]float64{"double": 28.257255587349885, "base": 63.574627775053074} {
		var sample []float64
		for seed := range uint64(300) {
			v, _ := start(t, Config{
				Mix: mustMix(t, "backoff:base=1s,cap=30s,attempts=unlimited,first="+first), Clients: 50, Sender: InTurn,
				Workload: &together{n: 50, at: []time.Duration{0}},
			}, seed)
			v.decide = refuse(time.Second)
			v.sim.Run(time.Second)
			sample = append(sample, float64(len(v.sends)-50))
		}
		within(t, want, sample, 0, "first="+first)
	}
}

// Attempts are geometric where each fails with the same chance from outside.
func TestAttemptsUnderAFailureFromOutside(t *testing.T) {
	const p = 0.3
	for _, attempts := range []int{1, 2, 4, 8} {
		mix := fmt.Sprintf("fixed:wait=1s,attempts=%d", attempts)
		var load, success []float64
		for seed := range uint64(40) {
			v, q := start(t, Config{Mix: mustMix(t, mix), Clients: 1, Workload: &firstOf{workload(t, "steady:rate=100/s", seed), 2000}}, seed)
			v.decide = failing(p, random.Stream(seed, "failures"))
			v.quiet = true
			v.sim.Run(des.Never)
			require.Zero(t, q.Total().Unfinished())
			load = append(load, q.Total().Amplification())
			success = append(success, q.Total().SuccessShare())
		}
		k := math.Pow(p, float64(attempts))
		if attempts > 1 {
			within(t, (1-k)/(1-p), load, 0, mix)
		}
		within(t, 1-k, success, 0, mix)
	}
}

// A reply that is lost after the charge costs a unit each time, unless the
// server knows the request again.
func TestLostRepliesAreChargedAgain(t *testing.T) {
	const q = 0.25
	for _, idempotent := range []bool{false, true} {
		var sample []float64
		for seed := range uint64(40) {
			v, p := start(t, Config{
				Mix: mustMix(t, "fixed:wait=1s,timeout=500ms,attempts=unlimited"), Clients: 1, Loss: q, Idempotent: idempotent,
				Workload: &firstOf{workload(t, "steady:rate=50/s", seed), 3000},
			}, seed)
			v.limited(t, "token-bucket:rate=1000/s,burst=1000")
			v.sim.Run(des.Never)
			require.Zero(t, p.Total().Unfinished())
			total := p.Total()
			require.Zero(t, total.Refused)
			require.EqualValues(t, total.Attempts, total.Ended[Succeeded]+total.Lost)
			if idempotent {
				require.Equal(t, total.Requests, total.Charged, "once each")
			} else {
				require.Equal(t, total.Attempts, total.Charged)
			}
			sample = append(sample, float64(total.Attempts)/float64(total.Ended[Succeeded]))
		}
		within(t, 1/(1-q), sample, 0, "attempts per success")
	}
}

// Behind a limiter of capacity c, at λ = 2c and with m retries that spread out,
// an attempt fails with chance p = (1−c/λ)^(1/(m+1)), λ·(c/λ)/(1−p) attempts are
// made, and no more succeed than without retries.
func TestSpreadOutRetriesBehindALimiter(t *testing.T) {
	for _, m := range []int{1, 3} {
		var load, success []float64
		for seed := range uint64(6) {
			v, p := start(t, Config{
				Mix:     mustMix(t, fmt.Sprintf("backoff:base=4s,cap=4s,attempts=%d", m+1)),
				Clients: 1, Workload: workload(t, "poisson:rate=200/s", seed),
			}, seed)
			v.quiet = true
			v.limited(t, "token-bucket:rate=100/s,burst=10")
			v.sim.Run(30 * time.Second)
			before := p.Total()
			v.sim.Run(90 * time.Second)
			after := p.Total()
			requests := float64(after.Requests - before.Requests)
			load = append(load, float64(after.Attempts-before.Attempts)/requests)
			success = append(success, float64(after.Ended[Succeeded]-before.Ended[Succeeded])/requests)
		}
		fails := math.Pow(0.5, 1/float64(m+1))
		within(t, 0.5/(1-fails), load, 0, fmt.Sprintf("%d retries", m))
		within(t, 0.5, success, 0, "success")
	}
}
