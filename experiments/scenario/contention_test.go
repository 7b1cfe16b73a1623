package scenario

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/clients"
)

func contention(t testing.TB, client string, n int) Contention {
	t.Helper()
	spec, err := clients.Parse(client)
	require.NoError(t, err)
	return Contention{Client: spec, Clients: n, Leg: 10 * time.Millisecond, Spread: 2 * time.Millisecond, Contests: 1, Seed: 1}
}

func TestOneClientWritesOnce(t *testing.T) {
	c := contention(t, "rude:every=0", 1)
	c.Spread = 0
	got, err := Contend(context.Background(), c)
	require.NoError(t, err)
	assert.Equal(t, Contended{Writes: 1, Time: 40 * time.Millisecond}, got)
	c.Service = 3 * time.Millisecond
	got, err = Contend(context.Background(), c)
	require.NoError(t, err)
	assert.Equal(t, Contended{Writes: 1, Time: 46 * time.Millisecond}, got, "a read and a write")
}

// Without chance, all that start over at once collide for ever but for one
// each round: n(n+1)/2 writes in n rounds of four ways.
func TestWithoutChanceEachRoundHasOneWinner(t *testing.T) {
	c := contention(t, "rude:every=0,attempts=100", 20)
	c.Spread = 0
	got, err := Contend(context.Background(), c)
	require.NoError(t, err)
	assert.Equal(t, Contended{Writes: 20 * 21 / 2, Time: 20 * 40 * time.Millisecond}, got)
}

// A server that takes its time serves in order: n clients, n reads and then n
// writes, of which the first succeeds.
func TestARowServesOneAfterTheOther(t *testing.T) {
	c := contention(t, "none", 3)
	c.Spread, c.Service = 0, time.Millisecond
	_, err := Contend(context.Background(), c)
	require.ErrorContains(t, err, `client "none": 2 of 3 gave up`)
	c = contention(t, "fixed:wait=1s,attempts=9", 2)
	c.Spread, c.Service = 0, time.Millisecond
	got, err := Contend(context.Background(), c)
	require.NoError(t, err)
	// Both read (at 11 and 12 ms), both write (32 and 33), the second hears of
	// its failure at 43 ms, comes back a second later and is alone: 42 ms.
	assert.Equal(t, Contended{Writes: 3, Time: 43*time.Millisecond + time.Second + 42*time.Millisecond}, got)
}

func TestContestsAreOfTheirOwn(t *testing.T) {
	c := contention(t, "backoff:base=5ms,cap=2s,attempts=unlimited", 10)
	one, err := Contend(context.Background(), c)
	require.NoError(t, err)
	c.Contests = 2
	two, err := Contend(context.Background(), c)
	require.NoError(t, err)
	assert.NotEqual(t, one, two)
	again, err := Contend(context.Background(), c)
	require.NoError(t, err)
	assert.Equal(t, two, again)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Contend(cancelled, c)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestContentionSaysWhatIsWrong(t *testing.T) {
	for want, change := range map[string]func(c *Contention){
		"needs a client":     func(c *Contention) { c.Client = clients.Spec{} },
		"times of a":         func(c *Contention) { c.Service = -1 },
		"contests must be":   func(c *Contention) { c.Contests = 0 },
		"clients must lie":   func(c *Contention) { c.Clients = 0 },
		"neither users nor ": func(c *Contention) { c.Client, _ = clients.Parse("rude:users=3,think=1s") },
	} {
		c := contention(t, "rude:attempts=1000", 3)
		change(&c)
		_, err := Contend(context.Background(), c)
		assert.ErrorContains(t, err, want)
	}
}

func BenchmarkContention(b *testing.B) {
	writes := 0.0
	for b.Loop() {
		r, err := Contend(context.Background(), contention(b, "backoff:base=5ms,cap=2s,first=double,attempts=unlimited", 100))
		require.NoError(b, err)
		writes += r.Writes
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/writes, "ns/write")
}
