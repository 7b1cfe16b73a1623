package fleet

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/des"
	"ratelab/experiments/theory"
	"ratelab/internal/random"
	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

// send sends a request of a key to the fleet at a time.
func (b built) send(at time.Duration, key uint32, cost int64) Call {
	b.sim.Run(at)
	return b.Send(b.sim, contract.Request{At: at, Key: key, Cost: cost})
}

// admitted reports whether a call was admitted.
func (b built) admits(c Call) bool { return b.replies[c].Decision.Admitted }

// waits is an observer that hears of waits too.
type waits struct {
	Caller
	waited []time.Duration
}

func (w *waits) StoreWaited(_, wait time.Duration) { w.waited = append(w.waited, wait) }

func TestTheStoreServesOneOperationAfterTheOther(t *testing.T) {
	c := config(t, "gcra:rate=1/d,burst=2", "round-robin", "central:capacity=1000/s", 2, 2*ms)
	heard := newObserver()
	o := &waits{Caller: heard}
	f, err := New(c, o)
	require.NoError(t, err)
	sim := des.New()
	var calls []Call
	for range 3 {
		calls = append(calls, f.Send(sim, contract.Request{Cost: 1}))
	}
	sim.Run(des.Never)
	assert.Equal(t, []time.Duration{2 * ms, 3 * ms, 4 * ms}, heard.decided, "half a round trip, then a millisecond each")
	assert.Equal(t, []time.Duration{0, ms, 2 * ms}, o.waited)
	for i, call := range calls {
		assert.Equal(t, time.Duration(3+i)*ms, heard.ended[call])
		assert.Equal(t, i < 2, heard.replies[call].Decision.Admitted)
	}
	assert.Equal(t, Account{StoreOps: 3, HotShard: 3, Messages: 6}, f.Account(sim.Now()))
}

func TestServiceTimesAreExactInTheLongRun(t *testing.T) {
	capacity, err := spec.ParseRate("3/10ns")
	require.NoError(t, err)
	var q shard
	for k := int64(1); k <= 1000; k++ {
		served, _ := q.turn(0, capacity)
		assert.Equal(t, time.Duration(k*10/3), served)
	}
	served, wait := q.turn(5000, capacity)
	assert.EqualValues(t, 5003, served, "after a rest it begins anew")
	assert.Zero(t, wait)
}

// Poisson arrivals make the store an M/D/1 queue.
func TestWaitsInTheStoreAreThoseOfMD1(t *testing.T) {
	for _, load := range []float64{0.5, 0.8} {
		var means []float64
		for rep := range uint64(20) {
			c := config(t, "gcra:rate=1/d,burst=2", "random", "central:capacity=1000/s", 4, 0)
			c.RTT = FixedRTT(ms)
			o := &waits{Caller: quiet{}}
			f, err := New(c, o)
			require.NoError(t, err)
			sim, gaps := des.New(), random.NewExpGaps(random.Stream(rep, "md1"), int64(load*1000), int64(time.Second))
			for range 10_000 {
				sim.Run(gaps.Next())
				f.Send(sim, contract.Request{At: sim.Now(), Cost: 1})
			}
			sim.Run(des.Never)
			sum := 0.0
			for _, w := range o.waited[2000:] {
				sum += w.Seconds() * 1000 / 8000
			}
			means = append(means, sum)
		}
		within4Sigma(t, theory.MD1Wait(load), means)
	}
}

// within4Sigma checks a mean by its own standard error.
func within4Sigma(t *testing.T, want float64, sample []float64) {
	t.Helper()
	n, sum, squares := float64(len(sample)), 0.0, 0.0
	for _, x := range sample {
		sum += x
	}
	for _, x := range sample {
		squares += (x - sum/n) * (x - sum/n)
	}
	sigma := math.Sqrt(squares / (n - 1) / n)
	assert.LessOrEqual(t, math.Abs(sum/n-want), 4*sigma, "mean %g ± %g, want %g", sum/n, sigma, want)
	assert.Less(t, sigma, 0.1*want, "the sample says something")
}

func TestAnAnswerThatComesTooLateIsWasted(t *testing.T) {
	for _, c := range []struct {
		fail     string
		outcomes []contract.Outcome
		account  Account
	}{
		// Three tokens. The store needs 10 ms each and the timeout is 15 ms: the
		// first is answered after 10 ms, the others do without it.
		{"open", []contract.Outcome{contract.OK, contract.OK, contract.OK, contract.OK}, Account{Late: 3, FailedOpen: 3, Wasted: 2}},
		{"closed", []contract.Outcome{contract.OK, contract.StoreDown, contract.StoreDown, contract.StoreDown}, Account{Late: 3, FailedClosed: 3, Wasted: 2}},
		{"local", []contract.Outcome{contract.OK, contract.OK, contract.OK, contract.OK}, Account{Late: 3, FailedLocal: 3, Wasted: 2}},
	} {
		b := newBuilt(t, config(t, "gcra:rate=1/d,burst=3", "round-robin", "central:capacity=100/s,timeout=15ms,fail="+c.fail, 2, 0))
		var calls []Call
		for range 4 {
			calls = append(calls, b.send(0, 0, 1))
		}
		b.sim.Run(des.Never)
		for i, call := range calls {
			assert.Equal(t, c.outcomes[i], b.replies[call].Outcome, "%s: %d", c.fail, i)
			assert.Equal(t, time.Duration(min(15, 10+10*i))*ms, b.ended[call])
		}
		got := b.Account(b.sim.Now())
		assert.EqualValues(t, 4, got.StoreOps, "late or not")
		got.StoreOps, got.HotShard, got.Messages = 0, 0, 0
		assert.Equal(t, c.account, got, c.fail)
		next := b.send(time.Second, 0, 1)
		b.sim.Run(des.Never)
		assert.False(t, b.admits(next), "%s: the store has charged all three", c.fail)
	}
}

func TestACallGivenUpIsWastedAsOftenAsItWasCharged(t *testing.T) {
	// The store charges after 10 ms, which is too late. A limiter of the
	// server's own charges too; to fail open charges nothing.
	for fail, want := range map[string]int64{"open": 1, "closed": 1, "local": 2} {
		b := newBuilt(t, config(t, "gcra:rate=1/d,burst=3", "round-robin", "central:timeout=5ms,fail="+fail, 1, 20*ms))
		assert.True(t, b.Cancel(b.send(0, 0, 1)))
		b.sim.Run(des.Never)
		assert.Equal(t, want, b.Wasted(), fail)
	}
}

func TestAnAnswerAtTheInstantOfTheTimeoutIsTooLate(t *testing.T) {
	for timeout, want := range map[string]bool{"10ms": false, "10.000001ms": true} {
		b := newBuilt(t, config(t, "gcra:rate=1/d,burst=3", "round-robin", "central:timeout="+timeout+",fail=closed", 1, 10*ms))
		call := b.send(0, 0, 1)
		b.sim.Run(des.Never)
		assert.Equal(t, want, b.admits(call))
		assert.Equal(t, 10*ms, b.ended[call])
	}
}

func TestFailingToALimiterOfItsOwnGivesEachServerTheWholeLimit(t *testing.T) {
	b := newBuilt(t, config(t, "gcra:rate=1/d,burst=3", "round-robin", "central:timeout=5ms,fail=local", 2, 10*ms))
	assert.Equal(t, 6, b.burst(10))
	assert.EqualValues(t, 3, b.Wasted(), "and the store charges its three")
}

func TestAStoreThatIsDownLosesWhatReachesItAndKeepsItsCounts(t *testing.T) {
	b := newBuilt(t, config(t, "gcra:rate=1/d,burst=3", "round-robin", "central:capacity=1000/s,timeout=20ms,fail=closed", 2, 2*ms))
	first := b.send(0, 0, 1) // served at 2 ms
	b.sim.Run(10 * ms)
	under := b.send(10*ms, 0, 1) // would be served at 12 ms
	b.sim.Run(11*ms + 1)
	b.store.setDown(b.sim.Now(), true)
	later := b.send(15*ms, 0, 1)
	b.sim.Run(16*ms + 1)
	b.store.setDown(b.sim.Now(), false)
	again := []Call{b.send(20*ms, 0, 1), b.send(20*ms, 0, 1), b.send(20*ms, 0, 1)}
	b.sim.Run(des.Never)
	assert.Equal(t, contract.OK, b.replies[first].Outcome)
	assert.Equal(t, contract.StoreDown, b.replies[under].Outcome)
	assert.Equal(t, 30*ms, b.ended[under])
	assert.Equal(t, contract.StoreDown, b.replies[later].Outcome)
	assert.Equal(t, []bool{true, true, false}, []bool{b.admits(again[0]), b.admits(again[1]), b.admits(again[2])}, "two tokens are left")
	assert.EqualValues(t, 4, b.Account(b.sim.Now()).StoreOps)
	assert.EqualValues(t, 0, b.Wasted())
}

func TestRandomRoundTripsMayOvertakeEachOtherAndAnswersComeAfterWholeOnes(t *testing.T) {
	c := config(t, "gcra:rate=1/d,burst=1", "round-robin", "central", 1, 0)
	var err error
	c.RTT, err = ParseRTT("uniform:min=2ms,max=9ms")
	require.NoError(t, err)
	b := newBuilt(t, c)
	winners := map[int]int{}
	for range 200 {
		key := uint32(len(b.ended))
		start := b.sim.Now()
		calls := []Call{b.send(start, key, 1), b.send(start, key, 1)}
		b.sim.Run(start + time.Second)
		assert.NotEqual(t, b.admits(calls[0]), b.admits(calls[1]), "one token")
		for i, call := range calls {
			trip := b.ended[call] - start
			assert.True(t, 2*ms <= trip && trip <= 9*ms)
			if b.admits(call) {
				winners[i]++
				other := b.ended[calls[1-i]] - start
				assert.LessOrEqual(t, trip/2, other/2, "the first to reach the store")
			}
		}
	}
	assert.InDelta(t, 100, winners[0], 4*math.Sqrt(50), "either may be first")
}

func TestLayersAskTheSameStore(t *testing.T) {
	c := layeredConfig(t, "", "round-robin", "central:capacity=100/s,timeout=15ms,fail=closed", 2, 0, "user=gcra:rate=1/d,burst=3")
	b := newBuilt(t, c)
	assert.Equal(t, 1, b.burst(4))
	a := b.Account(b.sim.Now())
	assert.EqualValues(t, 4, a.StoreOps)
	assert.EqualValues(t, 3, a.FailedClosed)
	assert.EqualValues(t, 2, a.Wasted)
	c = layeredConfig(t, "", "round-robin", "central:timeout=15ms,fail=local", 2, 0, "user=gcra:rate=1/d,burst=3")
	_, err := New(c, nil)
	assert.EqualError(t, err, `coordination "central:timeout=15ms,fail=local": fail must be open or closed where there are layers, got "local"`)
}
