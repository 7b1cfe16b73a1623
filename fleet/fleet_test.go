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
	return Config{Servers: servers, Balancer: b, Coordination: c, RTT: FixedRTT(rtt), Limiter: l, Seed: 1, Stream: streams(1)}
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

// drawn is a fleet that suits itself, and what is sent to it.
type drawn struct {
	config Config
	gaps   []int64
	keys   []uint32
	costs  []int64
}

// draw draws a fleet of any coordination, limiter, balancer and round trip.
func draw(t *rapid.T, rtts []string) (d drawn) {
	kind := rapid.SampledFrom(kinds).Draw(t, "kind")
	limiter := rapid.SampledFrom(ofEachKind[kind]).Draw(t, "limiter")
	balancer := rapid.SampledFrom([]string{"round-robin", "random", "hash", "weighted:zipf=1"}).Draw(t, "balancer")
	coordination := rapid.SampledFrom(everyCoordination).Draw(t, "coordination")
	d.config = config(t, limiter, balancer, coordination, rapid.IntRange(1, 5).Draw(t, "servers"), 0)
	if d.config.Coordination.store.fail != "" {
		var err error
		d.config.RTT, err = ParseRTT(rapid.SampledFrom(rtts).Draw(t, "rtt"))
		require.NoError(t, err)
	}
	if d.config.Coordination.Suits(d.config.Limiter) != nil {
		t.Skip("the table refuses it")
	}
	n := rapid.IntRange(1, 80).Draw(t, "n")
	longest := rapid.Int64Range(0, int64(100*time.Millisecond)).Draw(t, "longest gap")
	for range n {
		d.gaps = append(d.gaps, rapid.Int64Range(0, longest).Draw(t, "gap"))
		d.keys = append(d.keys, rapid.Uint32Range(0, 2).Draw(t, "key"))
		cost := int64(1)
		if !d.config.Limiter.UnitCost() {
			cost = rapid.SampledFrom([]int64{1, 1, 1, 2, 5, 13}).Draw(t, "cost")
		}
		d.costs = append(d.costs, cost)
	}
	return d
}

func TestEveryCallEndsExactlyOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t, []string{"0s", "1ns", "3ms", "20ms", "exp:mean=4ms", "uniform:max=10ms"})
		b := newBuilt(t, d.config)
		failing := d.config.Coordination.store.timeout > 0 && rapid.Bool().Draw(t, "the store fails")
		cancelled := 0
		for i, gap := range d.gaps {
			if failing {
				b.store.setDown(b.sim.Now(), rapid.Bool().Draw(t, "down"))
			}
			b.sim.Run(b.sim.Now() + time.Duration(gap))
			call := b.Send(b.sim, contract.Request{At: b.sim.Now(), Key: d.keys[i], Cost: d.costs[i]})
			if rapid.IntRange(0, 9).Draw(t, "gives up") == 0 && b.Cancel(call) {
				cancelled++
			}
		}
		b.sim.Run(des.Never)
		assert.Len(t, b.ended, len(d.gaps)-cancelled, "the observer panics if one ends twice")
		assert.Len(t, b.decided, len(d.gaps), "each is decided once")
		assert.Zero(t, b.InFlight())
		assert.Len(t, b.calls.free, len(b.calls.slots), "no slot is held for ever")
		a := b.Account(b.sim.Now())
		assert.Equal(t, a.Issued, a.Spent+a.Expired+a.Left)
		assert.Equal(t, a.Late, a.FailedOpen+a.FailedClosed+a.FailedLocal)
		if l, ok := b.coordination.(*leased); ok {
			var held int64
			for i := range l.index.n {
				le := l.lease(i)
				held += le.tokens
				assert.GreaterOrEqual(t, le.tokens, int64(0))
			}
			assert.Equal(t, a.Issued, b.account.Spent+b.account.Expired+held)
		}
	})
}

func TestBothPathsAgree(t *testing.T) {
	atOnce := 0
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t, []string{"0s"})
		events, direct := newBuilt(t, d.config), newBuilt(t, d.config)
		if !events.AtOnce() {
			return
		}
		atOnce++
		for i, gap := range d.gaps {
			events.sim.Run(events.sim.Now() + time.Duration(gap))
			call := events.Send(events.sim, contract.Request{Key: d.keys[i], Cost: d.costs[i]})
			server, admitted, delay := direct.Decide(events.sim.Now(), d.keys[i], d.costs[i])
			if delay > 0 {
				continue // still held
			}
			r := events.replies[call]
			assert.Equal(t, r.Server, server)
			assert.Equal(t, r.Decision.Admitted, admitted)
		}
		events.sim.Run(des.Never)
		assert.Equal(t, events.Account(events.sim.Now()), direct.Account(events.sim.Now()))
	})
	assert.Positive(t, atOnce)
}

func TestFleetsRefuseWithAReason(t *testing.T) {
	c := config(t, "token-bucket:rate=1/s,burst=1", "round-robin", "local", 0, 0)
	_, err := New(c, nil)
	assert.EqualError(t, err, "servers must lie in 1..65536, got 0")
	c.Servers, c.RTT = 1, FixedRTT(-1)
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
	for _, coordination := range everyCoordination {
		for _, rtt := range []time.Duration{0, 2 * time.Millisecond} {
			c := config(t, "fixed-window:limit=50,window=10ms", "random", coordination, 4, rtt)
			if rtt > 0 && c.Coordination.store.fail == "" {
				continue
			}
			f, err := New(c, quiet{})
			require.NoError(t, err)
			sim := des.New()
			step := func() {
				f.Send(sim, contract.Request{At: sim.Now(), Key: uint32(sim.Now() % 3), Cost: 1})
				sim.Run(sim.Now() + 100_001)
			}
			for range 20_000 {
				step()
			}
			assert.Zero(t, testing.AllocsPerRun(3000, step), "%s, %s", coordination, rtt)
		}
	}
}

type quiet struct{}

func (quiet) Decided(time.Duration, int, contract.Request, contract.Decision) {}
func (quiet) Done(*des.Sim, Call, contract.Request, contract.Reply)           {}
