package clients

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/internal/random"
	"ratelab/limiters/contract"
)

func waits(t *testing.T, text string, n int) []time.Duration {
	t.Helper()
	s, err := Parse(text)
	require.NoError(t, err)
	var got []time.Duration
	f := failure{}
	r := random.Stream(1)
	for i := range n {
		f.attempt = int64(i + 1)
		w, ok := s.policy.wait(f, r)
		require.True(t, ok)
		got = append(got, w)
		f.waited = w
	}
	return got
}

func TestBackoffWithoutChance(t *testing.T) {
	ms := func(n ...int) []time.Duration {
		var d []time.Duration
		for _, x := range n {
			d = append(d, time.Duration(x)*time.Millisecond)
		}
		return d
	}
	for text, want := range map[string][]time.Duration{
		"backoff:base=5ms,cap=100ms,jitter=none":                       ms(5, 10, 20, 40, 80, 100, 100),
		"backoff:base=5ms,cap=100ms,jitter=none,first=double":          ms(10, 20, 40, 80, 100, 100),
		"backoff:base=5ms,cap=100ms,factor=3,jitter=none":              ms(5, 15, 45, 100, 100),
		"backoff:base=5ms,cap=100ms,factor=3,jitter=none,first=double": ms(15, 45, 100),
		"backoff:base=5ms,cap=5ms,jitter=none":                         ms(5, 5, 5),
		"backoff:base=5ms,cap=80ms,jitter=none":                        ms(5, 10, 20, 40, 80, 80),
		"backoff:base=5ms,cap=80ms,factor=1,jitter=none":               ms(5, 5, 5),
	} {
		assert.Equal(t, want, waits(t, text, len(want)), text)
	}
	long := waits(t, "backoff:base=1ns,cap=106751d,jitter=none", 1000)
	for i, w := range long[:53] {
		require.Equal(t, time.Duration(1)<<i, w)
	}
	assert.Equal(t, 106751*24*time.Hour, long[999])
	for _, w := range waits(t, "backoff:base=106751d,cap=106751d,jitter=decorrelated", 5) {
		assert.Equal(t, 106751*24*time.Hour, w)
	}
}

// Each jitter against the mean and the ends of its law.
func TestBackoffLaws(t *testing.T) {
	const n = 20_000
	for _, c := range []struct {
		text              string
		failure           failure
		least, most, mean time.Duration // mean: of the law
	}{
		{"backoff:base=10ms,cap=1s,jitter=full", failure{attempt: 3}, 0, 40 * time.Millisecond, 20 * time.Millisecond},
		{"backoff:base=10ms,cap=1s,jitter=full,first=double", failure{attempt: 3}, 0, 80 * time.Millisecond, 40 * time.Millisecond},
		{"backoff:base=10ms,cap=1s,jitter=full", failure{attempt: 300}, 0, time.Second, 500 * time.Millisecond},
		{"backoff:base=10ms,cap=1s,jitter=equal", failure{attempt: 3}, 20 * time.Millisecond, 40 * time.Millisecond, 30 * time.Millisecond},
		{"backoff:base=10ms,cap=1s,jitter=decorrelated", failure{attempt: 1}, 10 * time.Millisecond, 30 * time.Millisecond, 20 * time.Millisecond},
		{"backoff:base=10ms,cap=1s,jitter=decorrelated", failure{attempt: 2, waited: 50 * time.Millisecond}, 10 * time.Millisecond, 150 * time.Millisecond, 80 * time.Millisecond},
		{"retry-after:jitter=6s", failure{attempt: 2, reply: refuse(4*time.Second)(0, contract.Request{})}, 4 * time.Second, 10 * time.Second, 7 * time.Second},
		{"backoff:base=1ns,cap=1s,jitter=full", failure{attempt: 1}, 0, 1, 0}, // mean ½ ns
	} {
		s, err := Parse(c.text)
		require.NoError(t, err)
		r := random.Stream(1)
		least, most, sum := time.Duration(math.MaxInt64), time.Duration(0), 0.0
		for range n {
			w, ok := s.policy.wait(c.failure, r)
			require.True(t, ok)
			least, most, sum = min(least, w), max(most, w), sum+float64(w)
		}
		width := float64(c.most - c.least)
		require.GreaterOrEqual(t, least, c.least, c.text)
		require.LessOrEqual(t, most, c.most, c.text)
		assert.InDelta(t, float64(c.least), float64(least), width*0.001+0.5, c.text)
		assert.InDelta(t, float64(c.most), float64(most), width*0.001+0.5, c.text)
		assert.InDelta(t, float64(c.mean), sum/n, 4*width/math.Sqrt(12*n)+0.51, c.text)
	}
	// Capped decorrelated jitter: half of U(10, 190) lies above a cap of 100.
	s, err := Parse("backoff:base=10ms,cap=100ms,jitter=decorrelated")
	require.NoError(t, err)
	r, capped := random.Stream(2), 0
	for range n {
		f := failure{attempt: 2, waited: time.Second * 190 / 3000}
		if w, _ := s.policy.wait(f, r); w == 100*time.Millisecond {
			capped++
		}
	}
	assert.InDelta(t, 0.5, float64(capped)/n, 4*0.5/math.Sqrt(n))
}

func TestRetryAfterReadsHints(t *testing.T) {
	s, err := Parse("retry-after:else=7s")
	require.NoError(t, err)
	with := func(wait time.Duration, has contract.Hints) failure {
		return failure{attempt: 1, reply: contract.Reply{Outcome: contract.Throttled, Decision: contract.Decision{RetryAfter: wait, Has: has}}}
	}
	for _, c := range []struct {
		f    failure
		wait time.Duration
		ok   bool
	}{
		{with(30*time.Second, contract.AllHints), 30 * time.Second, true},
		{with(30*time.Second, contract.HintReset), 7 * time.Second, true},
		{with(0, contract.AllHints), 7 * time.Second, true},
		{with(-time.Second, contract.AllHints), 7 * time.Second, true},
		{with(contract.Never, contract.AllHints), 0, false},
		{failure{attempt: 1, reply: contract.Reply{Outcome: contract.Timeout}}, 7 * time.Second, true},
	} {
		w, ok := s.policy.wait(c.f, random.Stream(1))
		assert.Equal(t, c.ok, ok)
		assert.Equal(t, c.wait, w)
	}
	far, err := Parse("retry-after:jitter=106751d")
	require.NoError(t, err)
	for range 100 {
		w, _ := far.policy.wait(with(contract.Never-1, contract.AllHints), random.Stream(1))
		assert.Positive(t, w, "a sum beyond the clock stops at Never")
	}
}
