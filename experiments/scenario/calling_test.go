package scenario

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/clients"
	"ratelab/limiters"
	"ratelab/workloads"
)

func calling(t testing.TB, client, workload string) Calling {
	t.Helper()
	c := Calling{Clients: 1, Horizon: 10 * time.Second, Seed: 1}
	var err error
	c.Client, err = clients.Parse(client)
	require.NoError(t, err)
	c.Workload, err = workloads.Parse(workload)
	require.NoError(t, err)
	return c
}

func TestCallsThatAllFailOrNone(t *testing.T) {
	c := calling(t, "rude:every=0,attempts=4", "steady:rate=10/s")
	c.Warmup = 2 * time.Second
	got, err := Call(context.Background(), c)
	require.NoError(t, err)
	assert.Equal(t, Called{Calls: 80, Attempts: 80, Succeeded: 80, Ended: 80}, got)
	c.Failure = 1
	got, err = Call(context.Background(), c)
	require.NoError(t, err)
	assert.Equal(t, Called{Calls: 80, Attempts: 320, Ended: 80}, got)
	c.Latency = 300 * time.Millisecond // a call takes 1.2 s, so that as many are under way at both ends
	got, err = Call(context.Background(), c)
	require.NoError(t, err)
	assert.Equal(t, Called{Calls: 80, Attempts: 320, Ended: 80}, got)
}

func TestCallsThroughALimiter(t *testing.T) {
	c := calling(t, "none", "steady:rate=10/s")
	var err error
	c.Limiter, err = limiters.Parse("token-bucket:rate=5/s,burst=1")
	require.NoError(t, err)
	got, err := Call(context.Background(), c)
	require.NoError(t, err)
	assert.Equal(t, Called{Calls: 100, Attempts: 100, Succeeded: 50, Ended: 100}, got)
	c.Failure = 1 // which the limiter does not see
	got, err = Call(context.Background(), c)
	require.NoError(t, err)
	assert.Zero(t, got.Succeeded)
}

func TestCallingSaysWhatIsWrong(t *testing.T) {
	for want, change := range map[string]func(c *Calling){
		"need a client":      func(c *Calling) { c.Client = clients.Spec{} },
		"neither users nor ": func(c *Calling) { c.Client, _ = clients.Parse("rude:timeout=1s") },
		"failure must lie":   func(c *Calling) { c.Failure = 1.5 },
		"latency must be":    func(c *Calling) { c.Latency = -1 },
		"warmup must lie":    func(c *Calling) { c.Warmup = c.Horizon },
		"clients must lie":   func(c *Calling) { c.Clients = 0 },
	} {
		c := calling(t, "rude", "steady:rate=10/s")
		change(&c)
		_, err := Call(context.Background(), c)
		assert.ErrorContains(t, err, want)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Call(cancelled, calling(t, "rude", "steady:rate=10/s"))
	assert.ErrorIs(t, err, context.Canceled)
}

func BenchmarkCalling(b *testing.B) {
	calls := int64(0)
	for b.Loop() {
		c := calling(b, "rude:every=0,attempts=1000,budget=tokens", "poisson:rate=1000/s")
		c.Failure = 0.1
		r, err := Call(context.Background(), c)
		require.NoError(b, err)
		calls += r.Calls
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(calls), "ns/call")
}
