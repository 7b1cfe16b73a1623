package fleet

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/des"
	"ratelab/internal/random"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

func capacities(specs []limiters.Spec) (c []int64) {
	for _, s := range specs {
		c = append(c, s.Capacity())
	}
	return c
}

func TestQuotasFollowGivenProportions(t *testing.T) {
	for coordination, want := range map[string][]int64{
		"quota:shares=4/2/1":                {13, 6, 3}, // of 22: 12.57, 6.29, 3.14
		"quota:shares=4/2/1,remainder=drop": {12, 6, 3},
	} {
		b := newBuilt(t, config(t, "token-bucket:rate=7/s,burst=22", "round-robin", coordination, 3, 0))
		assert.Equal(t, want, capacities(b.Shares()))
		for i, rate := range []string{"4/s", "2/s", "1/s"} {
			r, _ := b.Shares()[i].Rate()
			assert.Equal(t, rate, r.String(), "the rate is cut exactly")
		}
	}
}

func TestServersWithoutAShareAreReported(t *testing.T) {
	b := newBuilt(t, config(t, "fixed-window:limit=5,window=1s", "round-robin", "quota", 8, 0))
	assert.Equal(t, 3, b.ZeroShareServers())
	assert.Equal(t, 3, b.Account(0).ZeroShares)
	b = newBuilt(t, config(t, "fixed-window:limit=5,window=1s", "round-robin", "quota:remainder=drop", 8, 0))
	assert.Equal(t, 8, b.ZeroShareServers())
	assert.Zero(t, b.burst(8), "nobody has one")
}

func TestSharesOfServersThatStopGoToThoseThatServe(t *testing.T) {
	b := newBuilt(t, config(t, "fixed-window:limit=10,window=1s", "round-robin", "quota:over=serving", 4, 0))
	assert.Equal(t, 10, b.burst(40))
	b.sim.Run(time.Second)
	for server := range 2 {
		b.setServing(b.sim.Now(), server, false)
	}
	q := b.coordination.(*quota)
	assert.Equal(t, []int64{0, 0, 5, 5}, q.now)
	admitted := [4]int{}
	for i := range 40 {
		if d := b.coordination.decide(time.Second, i%4, 0, 1); d.Admitted && i%4 >= 2 {
			admitted[i%4]++
		}
	}
	assert.Equal(t, [4]int{0, 0, 5, 5}, admitted)
	b.setServing(2*time.Second, 0, true)
	assert.Equal(t, []int64{4, 0, 3, 3}, q.now)
	assert.Zero(t, b.ZeroShareServers())
	b.setServing(2*time.Second, 0, true)
	assert.Equal(t, []int64{4, 0, 3, 3}, q.now, "nothing changes")
	for server := range 4 {
		b.setServing(3*time.Second, server, false)
	}
	assert.Zero(t, b.ZeroShareServers(), "nobody serves")
}

func TestABucketKeepsWhatItHasWhenItsShareChanges(t *testing.T) {
	b := newBuilt(t, config(t, "token-bucket:rate=4/s,burst=40", "round-robin", "quota:over=serving", 4, 0))
	for range 10 {
		assert.True(t, b.coordination.decide(0, 0, 0, 1).Admitted)
	}
	// Empty at 0, at 1/s; from 3 s on at 2/s with a burst of 20.
	b.setServing(3*time.Second, 1, false)
	b.setServing(3*time.Second, 2, false)
	bucket := b.coordination.copies()[0].(limiters.Leveled)
	assert.Equal(t, 3.0, bucket.Level(3*time.Second, 0))
	assert.Equal(t, 7.0, bucket.Level(5*time.Second, 0))
	b.coordination.decide(30*time.Second, 0, 0, 1)
	assert.Equal(t, 19.0, bucket.Level(30*time.Second, 0))
	b.setServing(30*time.Second, 1, true)
	b.setServing(30*time.Second, 2, true)
	assert.Equal(t, 10.0, bucket.Level(30*time.Second, 0), "what does not fit is lost")
}

// Guérin, "When two is worse than one" (arXiv 1909.08969): a token bucket
// behind which requests wait, split into buckets with the same rate and burst
// in all, never lowers the total wait. Unit costs. The rates are such that all
// waits are whole nanoseconds.
func TestSplittingABucketBehindWhichRequestsWaitNeverLowersTheTotalWait(t *testing.T) {
	worse, splits := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		splits++
		servers := rapid.IntRange(2, 5).Draw(t, "servers")
		limiter := rapid.SampledFrom([]string{"token-bucket", "gcra"}).Draw(t, "limiter")
		burst := servers + rapid.IntRange(0, 12).Draw(t, "burst")
		spec := limiter + ":rate=1/1000ns,burst=" + itoa(burst)
		balancer := rapid.SampledFrom([]string{"round-robin", "random", "weighted:zipf=1"}).Draw(t, "balancer")
		split := newBuilt(t, config(t, spec, balancer, "quota", servers, 0))
		whole := newBuilt(t, config(t, spec, balancer, "central", servers, 0))
		var at, splitWait, wholeWait time.Duration
		for range rapid.IntRange(1, 80).Draw(t, "n") {
			at += time.Duration(rapid.IntRange(0, 2500).Draw(t, "gap"))
			server := split.balancer.Pick(0)
			splitWait += waitBehind(split.coordination.limiterOf(server), at)
			wholeWait += waitBehind(whole.coordination.limiterOf(server), at)
		}
		require.GreaterOrEqual(t, splitWait, wholeWait)
		if splitWait > wholeWait {
			worse++
		}
	})
	assert.Greater(t, worse, splits/5, "it is often worse")
}

// waitBehind lets a request wait for its token behind those that wait.
func waitBehind(l limiters.Limiter, now time.Duration) time.Duration {
	d := l.Ask(now, 0, 1)
	l.Charge(now, 0, 1)
	return d.RetryAfter
}

// A sharded limit behind one server admits what quotas admit behind a random
// balancer: the same draws, the same decisions.
func TestShardsPickedAtRandomAreQuotasBehindARandomBalancer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limiter := rapid.SampledFrom([]string{"fixed-window:limit=17,window=1s", "token-bucket:rate=17/s,burst=17", "sliding-log:limit=17,window=1s", "leaky-queue:rate=17/s,queue=16"}).Draw(t, "limiter")
		n := rapid.IntRange(1, 6).Draw(t, "n")
		one := config(t, limiter, "round-robin", "sharded:shards="+itoa(n), 1, 0)
		many := config(t, limiter, "random", "quota", n, 0)
		for _, c := range []*Config{&one, &many} {
			c.Stream = func(string) *rand.Rand { return random.Stream(1, "picks") }
		}
		shards, quotas := newBuilt(t, one), newBuilt(t, many)
		gaps := random.NewExpGaps(random.Stream(rapid.Uint64().Draw(t, "seed"), "gaps"), 20, int64(time.Second))
		for range 200 {
			at := gaps.Next()
			_, a, d := shards.Decide(at, 0, 1)
			_, b, e := quotas.Decide(at, 0, 1)
			require.Equal(t, b, a)
			require.Equal(t, e, d)
		}
	})
}

func TestAKeyHashedToAShardHasTheShardsLimit(t *testing.T) {
	b := newBuilt(t, config(t, "fixed-window:limit=12,window=1s", "random", "sharded:shards=4,pick=hash", 3, 0))
	for key := range uint32(20) {
		admitted := 0
		for range 12 {
			if _, ok, _ := b.Decide(0, key, 1); ok {
				admitted++
			}
		}
		assert.Equal(t, 3, admitted)
	}
	a := b.Account(0)
	assert.EqualValues(t, 240, a.StoreOps)
	assert.Less(t, a.HotShard, int64(240))
	assert.GreaterOrEqual(t, a.HotShard, int64(60))
	assert.Equal(t, 4, b.Shards())
}

func TestEachShardIsAMachineOfItsOwn(t *testing.T) {
	ended := func(shards int) time.Duration {
		b := newBuilt(t, config(t, "gcra:rate=1/d,burst=900", "random", "sharded:shards="+itoa(shards)+",capacity=1000/s", 2, 0))
		b.burst(400)
		return b.sim.Now()
	}
	assert.Equal(t, 400*ms, ended(1))
	assert.Less(t, ended(8), 80*ms, "50 each, or somewhat more")
	assert.GreaterOrEqual(t, ended(8), 50*ms)
}

// The central limit keeps its envelope at the store, however long its queue and
// the round trips.
func TestCentralKeepsTheEnvelope(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limiter := rapid.SampledFrom([]string{"token-bucket:rate=30/s,burst=5", "gcra:rate=30/s,burst=5", "sliding-log:limit=5,window=100ms"}).Draw(t, "limiter")
		c := config(t, limiter, "random", rapid.SampledFrom([]string{"central", "central:capacity=100/s", "central:capacity=60/s,timeout=40ms,fail=closed"}).Draw(t, "coordination"), 3, 0)
		var err error
		c.RTT, err = ParseRTT(rapid.SampledFrom([]string{"0s", "7ms", "exp:mean=9ms"}).Draw(t, "rtt"))
		require.NoError(t, err)
		var log envelope
		f, err := New(c, &log)
		require.NoError(t, err)
		sim, gaps := des.New(), random.NewExpGaps(random.Stream(rapid.Uint64().Draw(t, "seed"), "gaps"), 80, int64(time.Second))
		for range 120 {
			sim.Run(gaps.Next())
			f.Send(sim, contract.Request{Cost: 1})
		}
		sim.Run(des.Never)
		for i := range log.admitted {
			for j := i; j < len(log.admitted); j++ {
				length := log.admitted[j] - log.admitted[i]
				if _, windowed := c.Limiter.Window(); windowed && length >= 100*ms {
					break
				}
				require.LessOrEqual(t, int64(j-i+1), c.Limiter.Promise(length))
			}
		}
	})
}

// envelope notes when requests are admitted.
type envelope struct {
	quiet
	admitted []time.Duration
}

func (e *envelope) Decided(now time.Duration, _ int, _ contract.Request, d contract.Decision) {
	if d.Admitted {
		e.admitted = append(e.admitted, now)
	}
}
