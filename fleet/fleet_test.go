package fleet

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/des"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

// observer records what a fleet tells its caller.
type observer struct {
	decided []time.Duration
	ended   map[Call]time.Duration
	replies map[Call]contract.Reply
}

func newObserver() *observer {
	return &observer{ended: map[Call]time.Duration{}, replies: map[Call]contract.Reply{}}
}

func (o *observer) Decided(now time.Duration, _ int, _ contract.Request, _ contract.Decision) {
	o.decided = append(o.decided, now)
}

func (o *observer) Done(s *des.Sim, call Call, _ contract.Request, r contract.Reply) {
	if _, twice := o.ended[call]; twice {
		panic("a call ended twice")
	}
	o.ended[call] = s.Now()
	o.replies[call] = r
}

type built struct {
	*Fleet
	*observer
	sim *des.Sim
}

func config(t require.TestingT, limiter, balancer, coordination string, servers int, rtt time.Duration) Config {
	l, err := limiters.Parse(limiter)
	require.NoError(t, err)
	b, err := ParseBalancer(balancer)
	require.NoError(t, err)
	c, err := ParseCoordination(coordination)
	require.NoError(t, err)
	return Config{Servers: servers, Balancer: b, Coordination: c, RTT: rtt, Limiter: l, Seed: 1, Stream: streams(1)}
}

func newBuilt(t require.TestingT, c Config) built {
	o := newObserver()
	f, err := New(c, o)
	require.NoError(t, err)
	return built{f, o, des.New()}
}

// burst sends n requests at once and returns how many are admitted.
func (b built) burst(n int) int {
	var calls []Call
	for range n {
		calls = append(calls, b.Send(b.sim, contract.Request{At: b.sim.Now(), Cost: 1}))
	}
	b.sim.Run(des.Never)
	admitted := 0
	for _, c := range calls {
		if b.replies[c].Decision.Admitted {
			admitted++
		}
	}
	return admitted
}

func TestThreeInstancesOfABucketOfTwenty(t *testing.T) {
	for _, c := range []struct {
		coordination string
		admitted     int
		why          string
	}{
		{"local", 60, "separate buckets allow three times the burst"},
		{"central", 20, "one bucket keeps the promise"},
		{"quota", 20, "7 + 7 + 6 tokens"},
		{"quota:remainder=drop", 18, "6 + 6 + 6 tokens"},
	} {
		t.Run(c.coordination, func(t *testing.T) {
			b := newBuilt(t, config(t, "token-bucket:rate=2/s,burst=20", "round-robin", c.coordination, 3, 0))
			assert.Equal(t, c.admitted, b.burst(100), c.why)
			assert.Zero(t, b.InFlight())
		})
	}
}

func TestQuotaSharesAreExactAndEmptyOnesAreReported(t *testing.T) {
	b := newBuilt(t, config(t, "token-bucket:rate=2/s,burst=5", "round-robin", "quota", 8, 0))
	var capacities []int64
	for _, s := range b.Shares() {
		capacities = append(capacities, s.Capacity())
		r, ok := s.Rate()
		require.True(t, ok)
		assert.Equal(t, int64(1), r.N)
		assert.Equal(t, 4*time.Second, r.P, "an eighth of 2/s, exactly")
	}
	assert.Equal(t, []int64{1, 1, 1, 1, 1, 0, 0, 0}, capacities)
}

func TestCentralDecidesHalfARoundTripLaterAndAnswersAfterAWhole(t *testing.T) {
	b := newBuilt(t, config(t, "token-bucket:rate=1/s,burst=1", "round-robin", "central", 2, 3))
	call := b.Send(b.sim, contract.Request{Cost: 1})
	late := b.Send(b.sim, contract.Request{Cost: 1})
	b.sim.Run(des.Never)
	assert.Equal(t, []time.Duration{1, 1}, b.decided)
	assert.Equal(t, time.Duration(3), b.ended[call])
	assert.Equal(t, contract.OK, b.replies[call].Outcome)
	assert.Equal(t, contract.Throttled, b.replies[late].Outcome)
	assert.Equal(t, 1, b.replies[late].Server)
	assert.False(t, b.AtOnce())
}

func TestAQueueingLimiterHoldsWhatItAdmits(t *testing.T) {
	b := newBuilt(t, config(t, "leaky-queue:rate=1/s,queue=2", "round-robin", "local", 1, 0))
	first := b.Send(b.sim, contract.Request{Cost: 1})
	second := b.Send(b.sim, contract.Request{Cost: 1})
	assert.Contains(t, b.ended, first)
	assert.Equal(t, 1, b.InFlight())
	b.sim.Run(des.Never)
	assert.Equal(t, time.Second, b.ended[second])
}

func TestACallGivenUpIsChargedAndNotHeard(t *testing.T) {
	b := newBuilt(t, config(t, "token-bucket:rate=1/d,burst=2", "round-robin", "central", 1, 10))
	call := b.Send(b.sim, contract.Request{Cost: 1})
	assert.True(t, b.Cancel(call))
	assert.False(t, b.Cancel(call), "a second time")
	b.sim.Run(des.Never)
	assert.Empty(t, b.ended)
	assert.EqualValues(t, 1, b.Wasted())
	assert.Zero(t, b.InFlight())
	next := b.Send(b.sim, contract.Request{Cost: 1})
	assert.NotEqual(t, call, next, "its slot is used again under another generation")
	b.sim.Run(des.Never)
	assert.False(t, b.Cancel(next), "it has ended")
	assert.EqualValues(t, 0, b.replies[next].Decision.Remaining, "the call given up took a token")
}

func TestEveryCallEndsExactlyOnceAndBothPathsAgree(t *testing.T) {
	specs := []string{"token-bucket:rate=3/s,burst=4", "leaky-queue:rate=2/s,queue=3", "sliding-log:limit=5,window=1s", "fixed-window:limit=4,window=1s"}
	rapid.Check(t, func(t *rapid.T) {
		limiter := rapid.SampledFrom(specs).Draw(t, "limiter")
		balancer := rapid.SampledFrom([]string{"round-robin", "random", "hash", "weighted:zipf=1"}).Draw(t, "balancer")
		coordination := rapid.SampledFrom([]string{"local", "quota", "quota:remainder=drop", "central"}).Draw(t, "coordination")
		c := config(t, limiter, balancer, coordination, rapid.IntRange(1, 5).Draw(t, "servers"), 0)
		events, direct := newBuilt(t, c), newBuilt(t, c)
		require.True(t, events.AtOnce())
		sent := 0
		for _, gap := range rapid.SliceOfN(rapid.Int64Range(0, int64(time.Second)), 1, 60).Draw(t, "gaps") {
			events.sim.Run(events.sim.Now() + time.Duration(gap))
			key := rapid.Uint32Range(0, 2).Draw(t, "key")
			call := events.Send(events.sim, contract.Request{Key: key, Cost: 1})
			sent++
			server, admitted, delay := direct.Decide(events.sim.Now(), key, 1)
			if delay > 0 {
				continue // still held; its end is checked below
			}
			r := events.replies[call]
			assert.Equal(t, r.Server, server)
			assert.Equal(t, r.Decision.Admitted, admitted)
		}
		events.sim.Run(des.Never)
		assert.Len(t, events.ended, sent)
		assert.Zero(t, events.InFlight())
	})
}

func TestFleetsRefuseWithAReason(t *testing.T) {
	c := config(t, "token-bucket:rate=1/s,burst=1", "round-robin", "local", 0, 0)
	_, err := New(c, nil)
	assert.EqualError(t, err, "servers must lie in 1..65536, got 0")
	c.Servers, c.RTT = 1, -1
	_, err = New(c, nil)
	assert.EqualError(t, err, "rtt must be >= 0, got -1ns")
	for _, coordination := range []string{"local", "quota:remainder=drop"} {
		_, err = New(config(t, "token-bucket:rate=2/s,burst=2", "round-robin", coordination, 2, 3*time.Millisecond), nil)
		assert.EqualError(t, err, fmt.Sprintf("coordination %q asks no store, so rtt must be 0, got 3ms; central makes a round trip a check", coordination))
	}
	_, err = ParseCoordination("centrall")
	assert.ErrorContains(t, err, `did you mean "central"?`)
	_, err = ParseCoordination("quota:remainder=keep")
	assert.EqualError(t, err, `coordination "quota": remainder must be spread or drop, got "keep"`)
}

func TestNothingAllocatesPerRequest(t *testing.T) {
	for coordination, rtt := range map[string]time.Duration{"local": 0, "central": 2 * time.Millisecond} {
		c := config(t, "leaky-queue:rate=1000/s,queue=5", "random", coordination, 4, rtt)
		f, err := New(c, quiet{})
		require.NoError(t, err)
		sim := des.New()
		step := func() {
			f.Send(sim, contract.Request{At: sim.Now(), Key: 1, Cost: 1})
			sim.Run(sim.Now() + 100*time.Microsecond)
		}
		for range 2000 {
			step()
		}
		assert.Zero(t, testing.AllocsPerRun(1000, step), coordination)
	}
}

type quiet struct{}

func (quiet) Decided(time.Duration, int, contract.Request, contract.Decision) {}
func (quiet) Done(*des.Sim, Call, contract.Request, contract.Reply)           {}
