package fleet

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/des"
	"ratelab/limiters/contract"
)

// serving gives a fleet behind a limit that admits all servers that take their
// time.
func serving(t require.TestingT, servers int, c Capacity, service string) Config {
	config := config(t, "gcra:rate=1000000/s,burst=1000000", "round-robin", "local", servers, 0)
	var err error
	c.Service, err = ParseService(service)
	require.NoError(t, err)
	config.Capacity = c
	return config
}

func shedBy(t require.TestingT, text string) ShedSpec {
	s, err := ParseShed(text)
	require.NoError(t, err)
	return s
}

// at sends requests of keys at their times; it returns their calls in order.
func (b built) at(times []time.Duration, keys ...uint32) []Call {
	calls := make([]Call, len(times))
	for i, t := range times {
		req := contract.Request{At: t, Cost: 1}
		if len(keys) > 0 {
			req.Key = keys[i]
		}
		b.sim.At(t, sender(func(s *des.Sim) { calls[i] = b.Send(s, req) }), 0)
	}
	b.sim.Run(des.Never)
	return calls
}

func (b built) outcomes(calls []Call) (all []contract.Outcome) {
	for _, c := range calls {
		all = append(all, b.replies[c].Outcome)
	}
	return all
}

func (b built) ends(calls []Call) (all []time.Duration) {
	for _, c := range calls {
		all = append(all, b.ended[c])
	}
	return all
}

func TestCallsWaitForAWorkerInTheOrderInWhichTheyCame(t *testing.T) {
	b := newBuilt(t, serving(t, 1, Capacity{Workers: 2, Queue: Unlimited}, "const:mean=10ms"))
	calls := b.at([]time.Duration{0, 0, 0, 1 * ms, 25 * ms})
	assert.Equal(t, []time.Duration{10 * ms, 10 * ms, 20 * ms, 20 * ms, 35 * ms}, b.ends(calls))
	load := b.Load(40 * ms)
	assert.Equal(t, int64(5), load.Useful[0])
	assert.Equal(t, 0.050, load.Busy.Seconds())
	assert.Equal(t, 0.010+0.009, load.Waiting.Seconds())
	assert.Zero(t, b.InFlight())
}

func TestWhatFindsTheQueueFullIsShed(t *testing.T) {
	b := newBuilt(t, serving(t, 1, Capacity{Workers: 1, Queue: 1}, "const:mean=10ms"))
	calls := b.at([]time.Duration{0, 0, 0, 11 * ms})
	assert.Equal(t, []contract.Outcome{contract.OK, contract.OK, contract.Shed, contract.OK}, b.outcomes(calls))
	assert.False(t, b.replies[calls[2]].Decision.Admitted)
	assert.Equal(t, time.Duration(0), b.ended[calls[2]], "and told at once")
	assert.Len(t, b.decided, 4, "the limit had admitted it")
}

func TestWorkForThoseWhoGaveUpIsDoneAndWasted(t *testing.T) {
	for _, drop := range []bool{false, true} {
		b := newBuilt(t, serving(t, 1, Capacity{Workers: 1, Queue: Unlimited, DropAbandoned: drop}, "const:mean=10ms"))
		var second Call
		b.sim.At(0, sender(func(s *des.Sim) {
			b.Send(s, contract.Request{Cost: 1})
			second = b.Send(s, contract.Request{Cost: 1})
			b.Send(s, contract.Request{Cost: 1})
		}), 0)
		b.sim.At(5*ms, sender(func(*des.Sim) { assert.True(t, b.Cancel(second)) }), 0)
		b.sim.Run(des.Never)
		load := b.Load(b.sim.Now())
		assert.Len(t, b.ended, 2)
		assert.Equal(t, int64(2), load.Useful[0])
		assert.EqualValues(t, 1, b.Wasted(), "it was charged")
		if drop {
			assert.Equal(t, 20*ms, b.sim.Now())
			assert.Equal(t, int64(1), load.Dropped)
			assert.Equal(t, 0.0, load.Wasted.Seconds())
		} else {
			assert.Equal(t, 30*ms, b.sim.Now())
			assert.Equal(t, 0.010, load.Wasted.Seconds())
		}
	}
}

func TestServicesTakeLongerUnderLoad(t *testing.T) {
	a, err := ParseSlowdown("0.5")
	require.NoError(t, err)
	b := newBuilt(t, serving(t, 1, Capacity{Slowdown: a}, "const:mean=10ms"))
	calls := b.at([]time.Duration{0, 0, 40 * ms})
	assert.Equal(t, []time.Duration{15 * ms, 20 * ms, 55 * ms}, b.ends(calls), "1 + 0.5 n of n = 1, 2 and 1")
	assert.Equal(t, "0.5", a.String())
	assert.Equal(t, MaxService, Slowdown(maxSlowdown*billion).of(MaxService, 1<<40))
	assert.Equal(t, time.Duration(3), Slowdown(333_333_333).of(2, 2), "rounded down")
	for _, text := range []string{"-1", "0.0000000001", "x", "1001"} {
		_, err := ParseSlowdown(text)
		assert.ErrorContains(t, err, "slowdown must be a decimal in 0..1000 with at most nine digits", text)
	}
}

// keyOf returns a key of a tier.
func keyOf(tiers Tiers, tier int) uint32 {
	for key := uint32(0); ; key++ {
		if tiers.Of(key) == tier {
			return key
		}
	}
}

func TestUpperTiersGoFirstAndTakeTheRoomOfLowerOnes(t *testing.T) {
	tiers, err := ParseTiers("1/6/3")
	require.NoError(t, err)
	b := newBuilt(t, serving(t, 1, Capacity{Workers: 1, Queue: 2, Tiers: tiers}, "const:mean=10ms"))
	first, second, third := keyOf(tiers, 0), keyOf(tiers, 1), keyOf(tiers, 2)
	calls := b.at([]time.Duration{0, 1 * ms, 2 * ms, 3 * ms, 4 * ms, 5 * ms}, third, third, third, first, third, second)
	assert.Equal(t, []contract.Outcome{contract.OK, contract.Shed, contract.Shed, contract.OK, contract.Shed, contract.OK}, b.outcomes(calls))
	assert.Equal(t, []time.Duration{10 * ms, 5 * ms, 3 * ms, 20 * ms, 4 * ms, 30 * ms}, b.ends(calls),
		"the latest of the lowest tier gives way: the third call to the fourth, the second to the last")

	counts := [MaxTiers]int{}
	for key := range uint32(100_000) {
		counts[tiers.Of(key)]++
	}
	for tier, share := range []float64{0.1, 0.6, 0.3} {
		assert.InDelta(t, share, float64(counts[tier])/100_000, 0.007)
	}
	for _, text := range []string{"1", "1/0", "1/2/3/4", "", "a/b"} {
		_, err := ParseTiers(text)
		assert.ErrorContains(t, err, "two or three whole proportions", text)
	}
}

func TestSheddingByLengthAndByConcurrency(t *testing.T) {
	for text, served := range map[string]int{"none": 10, "length:most=3": 5, "concurrency:most=3": 3, "concurrency:most=1": 1} {
		b := newBuilt(t, serving(t, 1, Capacity{Workers: 2, Queue: Unlimited, Shed: shedBy(t, text)}, "const:mean=10ms"))
		b.at(make([]time.Duration, 10))
		assert.Equal(t, int64(served), b.Load(b.sim.Now()).Served, text)
	}
	tiers, err := ParseTiers("1/1")
	require.NoError(t, err)
	b := newBuilt(t, serving(t, 1, Capacity{Workers: 1, Queue: Unlimited, Tiers: tiers, Shed: shedBy(t, "length:most=1")}, "const:mean=10ms"))
	first, second := keyOf(tiers, 0), keyOf(tiers, 1)
	calls := b.at(make([]time.Duration, 4), second, second, second, first)
	assert.Equal(t, []contract.Outcome{contract.OK, contract.OK, contract.Shed, contract.OK}, b.outcomes(calls), "who waits behind does not count")
}

// TestDelayShedsALineThatStands: while the queue was empty within the last
// interval a call may wait for the interval, otherwise for target.
func TestDelayShedsALineThatStands(t *testing.T) {
	c := Capacity{Workers: 1, Queue: Unlimited, Shed: shedBy(t, "delay:target=5ms,interval=100ms")}
	b := newBuilt(t, serving(t, 1, c, "const:mean=10ms"))
	burst := b.at(make([]time.Duration, 20))
	served := 0
	for i, o := range b.outcomes(burst) {
		if o == contract.OK {
			served++
			assert.LessOrEqual(t, i, 10)
		}
	}
	assert.Equal(t, 11, served, "one at once, and those who waited at most 100 ms")

	// A call every 5 ms, twice what can be served.
	b = newBuilt(t, serving(t, 1, c, "const:mean=10ms"))
	var times []time.Duration
	for i := range 400 {
		times = append(times, time.Duration(i)*5*ms)
	}
	calls := b.at(times)
	for i, call := range calls {
		if b.replies[call].Outcome == contract.OK && times[i] > 300*ms {
			assert.LessOrEqual(t, b.ended[call]-times[i], 15*ms, "the line has stood for long: target and service")
		}
	}
	assert.Equal(t, b.sim.Now().Seconds(), b.Load(b.sim.Now()).Busy.Seconds(), "and nobody is idle")
}

func TestARefusalAtTheDoorHoldsUpTheDoor(t *testing.T) {
	c := config(t, "token-bucket:rate=1/s,burst=2", "round-robin", "local", 1, 0)
	c.Capacity.RefusalCost = 10 * ms
	b := newBuilt(t, c)
	calls := b.at([]time.Duration{0, 0, 0, 0, 1 * ms, time.Second})
	assert.Equal(t, []time.Duration{0, 0, 10 * ms, 20 * ms, 30 * ms, time.Second}, b.ends(calls))
	assert.Equal(t, []time.Duration{0, 0, 0, 10 * ms, 20 * ms, time.Second}, b.decided, "whoever waits at the door has not been decided")
	assert.Equal(t, contract.OK, b.replies[calls[5]].Outcome)
	assert.False(t, b.AtOnce())
}

func TestARefusalByAWorkerGoesBeforeWhatWaits(t *testing.T) {
	c := serving(t, 1, Capacity{Workers: 1, Queue: Unlimited, RefusalCost: 1 * ms, RefusalAt: Desk}, "const:mean=10ms")
	c.Limiter = config(t, "token-bucket:rate=1/s,burst=2", "round-robin", "local", 1, 0).Limiter
	b := newBuilt(t, c)
	calls := b.at([]time.Duration{0, 0, 0, 0})
	assert.Equal(t, []time.Duration{10 * ms, 22 * ms, 11 * ms, 12 * ms}, b.ends(calls))
	load := b.Load(b.sim.Now())
	assert.Equal(t, 0.022, load.Busy.Seconds())
	assert.Equal(t, 0.020, load.Work.Seconds())
}

func TestARefusalAfterARoundTripComesBeforeThoseAtTheDoor(t *testing.T) {
	c := config(t, "token-bucket:rate=1/s,burst=1", "round-robin", "central", 1, 4*ms)
	c.Capacity.RefusalCost = 10 * ms
	b := newBuilt(t, c)
	calls := b.at([]time.Duration{0, 0, 0, 5 * ms})
	// All pass the door at 0; at 4 ms two are refused, and hold it up to 14 and
	// 24 ms; the last passes then, asks until 28 ms and is refused at 38 ms.
	assert.Equal(t, []time.Duration{4 * ms, 14 * ms, 24 * ms, 38 * ms}, b.ends(calls))
}

// TestEveryCallEndsOnceWhateverItsServerDoes: with queues, shedding, tiers,
// refusals that cost, callers that give up and faults, each call is heard of
// once or was given up, and what came to the workers was served, shed or
// dropped.
func TestEveryCallEndsOnceWhateverItsServerDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tiers, err := ParseTiers(rapid.SampledFrom([]string{"one", "1/1", "1/6/3"}).Draw(t, "tiers"))
		require.NoError(t, err)
		capacity := Capacity{
			Workers: rapid.IntRange(0, 3).Draw(t, "workers"), Queue: rapid.IntRange(Unlimited, 5).Draw(t, "queue"), Tiers: tiers,
			Slowdown:      Slowdown(rapid.SampledFrom([]int64{0, 100_000_000}).Draw(t, "slowdown")),
			Shed:          shedBy(t, rapid.SampledFrom([]string{"none", "length:most=3", "concurrency:most=4", "delay:target=2ms,interval=20ms"}).Draw(t, "shed")),
			DropAbandoned: rapid.Bool().Draw(t, "drop"),
			RefusalCost:   time.Duration(rapid.SampledFrom([]int{0, 3}).Draw(t, "refusal")) * ms,
			RefusalAt:     RefusalPlace(rapid.IntRange(0, 1).Draw(t, "place")),
		}
		c := serving(t, 2, capacity, rapid.SampledFrom([]string{"const:mean=10ms", "exp:mean=10ms", "uniform:min=0s,max=20ms"}).Draw(t, "service"))
		limit := config(t, "token-bucket:rate=100/s,burst=5", rapid.SampledFrom([]string{"random", "least", "two-choices"}).Draw(t, "balancer"),
			rapid.SampledFrom([]string{"local", "central:timeout=4ms", "central:timeout=4ms,fail=closed"}).Draw(t, "coordination"), 2, 0)
		c.Limiter, c.Balancer, c.Coordination = limit.Limiter, limit.Balancer, limit.Coordination
		if c.Coordination.name == "central" {
			c.RTT = FixedRTT(2 * ms)
			c.Faults, err = ParseFaults("lost=0.1,store-down=100ms..200ms,down=0@50ms..150ms")
			require.NoError(t, err)
		}
		b := newBuilt(t, c)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var calls []Call
		gaveUp := map[Call]bool{}
		for range 200 {
			at := time.Duration(r.Int64N(int64(400 * ms)))
			req := contract.Request{At: at, Key: r.Uint32N(50), Cost: 1}
			patience := time.Duration(r.Int64N(int64(60 * ms)))
			b.sim.At(at, sender(func(s *des.Sim) {
				call := b.Send(s, req)
				calls = append(calls, call)
				s.After(patience, sender(func(*des.Sim) {
					if b.Cancel(call) {
						gaveUp[call] = true
					}
				}), 0)
			}), 0)
		}
		b.sim.Run(des.Never)
		require.Zero(t, b.InFlight())
		require.Len(t, calls, 200)
		for _, call := range calls {
			_, heard := b.ended[call]
			assert.NotEqual(t, heard, gaveUp[call])
		}
		load := b.Load(b.sim.Now())
		came, useful := int64(0), int64(0)
		for tier := range load.Came {
			came += load.Came[tier]
			useful += load.Useful[tier]
		}
		assert.Equal(t, came, load.Served+load.Shed+load.Dropped)
		ok := int64(0)
		for _, reply := range b.replies {
			if reply.Outcome == contract.OK {
				ok++
			}
		}
		assert.Equal(t, useful, ok)
		assert.LessOrEqual(t, load.Work.Seconds(), load.Busy.Seconds()+1e-9)
		for i := range b.workers.stations {
			q := &b.workers.stations[i]
			assert.Zero(t, q.busy+q.serving+q.queued())
			assert.True(t, q.refusals.empty())
		}
	})
}

func TestCapacitiesAreRefusedWithAReason(t *testing.T) {
	for want, c := range map[string]Capacity{
		"refusal cost must lie in 0..":                               {RefusalCost: -1},
		"refusals written by the workers need a service":             {RefusalCost: 1, RefusalAt: Desk},
		"workers, a queue, slowdown, shedding, tiers and deadlines":  {Workers: 1},
		"workers of a server must lie in 0..1048576, 0 for no bound": serving(t, 1, Capacity{Workers: -1}, "const:mean=1s").Capacity,
		"queue must be >= 0, or unlimited, got -2":                   serving(t, 1, Capacity{Queue: -2}, "const:mean=1s").Capacity,
	} {
		config := config(t, "gcra:rate=1/s,burst=1", "random", "local", 1, 0)
		config.Capacity = c
		_, err := New(config, newObserver())
		assert.ErrorContains(t, err, want)
	}
	for text, want := range map[string]string{
		"exp:mean=0s":           `service "exp": mean must be > 0, got 0s`,
		"exp:mean=106000d":      `service "exp": mean must be at most `,
		"uniform:min=2s,max=1s": `service "uniform": max must be at least min, 2s, got 1s`,
		"lognormal:mean=1s":     `unknown service "lognormal"`,
		"uniform:max=700000h":   `service "uniform": max must be at most `,
	} {
		_, err := ParseService(text)
		assert.ErrorContains(t, err, want)
	}
	_, err := ParseShed("delay:target=2s,interval=1s")
	assert.EqualError(t, err, `shed "delay": interval must be at least target, 2s, got 1s`)
	_, err = ParseShed("length:most=0")
	assert.EqualError(t, err, `shed "length": most must be >= 1, got 0`)
	_, err = ParseRefusalPlace("cellar")
	assert.ErrorContains(t, err, "write door or workers")
}

func TestNothingAllocatesPerRequestThatIsServed(t *testing.T) {
	c := serving(t, 2, Capacity{Workers: 1, Queue: 10, RefusalCost: ms, Shed: shedBy(t, "delay")}, "exp:mean=10ms")
	f, err := New(c, quiet{})
	require.NoError(t, err)
	sim := des.New()
	send := func() {
		for range 100 {
			f.Send(sim, contract.Request{At: sim.Now(), Cost: 1})
			sim.Run(sim.Now() + 4*ms)
		}
	}
	send()
	assert.Zero(t, testing.AllocsPerRun(20, send))
}

func FuzzParseService(f *testing.F) {
	for _, text := range []string{"const:mean=1ms", "exp:mean=10ms", "uniform:min=1s,max=2s", "exp:mean=", "none"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseService(text)
		if err != nil {
			return
		}
		again, err := ParseService(s.String())
		require.NoError(t, err)
		assert.Equal(t, s.String(), again.String())
		d := s.draw(rand.New(rand.NewPCG(1, 2)))
		assert.True(t, 0 <= d && d <= MaxService)
	})
}
