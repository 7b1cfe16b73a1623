package fleet

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/des"
	"ratelab/experiments/theory"
	"ratelab/internal/random"
	"ratelab/limiters/contract"
)

func TestServersAdmitFromBatchesAndStrandWhatTheyDoNotUse(t *testing.T) {
	b := newBuilt(t, config(t, "fixed-window:limit=10,window=1s", "round-robin", "leased:batch=4", 3, 0))
	var got []bool
	for i := range 11 {
		got = append(got, b.admits(b.send(time.Duration(i), 0, 1)))
	}
	// Servers 0 and 1 have 4 each, server 2 has the last 2.
	assert.Equal(t, []bool{true, true, true, true, true, true, true, true, false, true, true}, got)
	a := b.Account(b.sim.Now())
	a.Messages, a.HotShard = 0, 0
	assert.Equal(t, Account{StoreOps: 4, Grants: 3, Issued: 10, Spent: 10, Exhaustions: 1, Stranded: 2, IdleSibling: 1}, a,
		"at the ninth request server 2 has none, the others one each")
	b.send(500*ms, 0, 1)
	assert.EqualValues(t, 4, b.Account(b.sim.Now()).StoreOps, "server 2 knows that it will be refused until the window ends")
	assert.True(t, b.admits(b.send(1000*ms, 0, 1)))
	a = b.Account(1999 * ms)
	assert.EqualValues(t, 3, a.Left)
	a = b.Account(2000 * ms)
	assert.EqualValues(t, 3, a.Expired, "with the window")
	assert.Zero(t, a.Left)
}

func TestWithoutACacheEveryRefusalIsACall(t *testing.T) {
	// Three of server 0's eight are admitted; it asks, and server 1 does.
	for cache, ops := range map[string]int64{"yes": 1 + 2, "no": 1 + 5 + 8} {
		b := newBuilt(t, config(t, "fixed-window:limit=3,window=1s", "round-robin", "leased:batch=3,cache="+cache, 2, 0))
		assert.Equal(t, 3, b.burst(16))
		assert.EqualValues(t, ops, b.Account(0).StoreOps)
	}
}

func TestHintsAreWhatTheServerKnows(t *testing.T) {
	b := newBuilt(t, config(t, "fixed-window:limit=5,window=1s", "round-robin", "leased:batch=3", 1, 0))
	d := b.replies[b.send(0, 0, 1)].Decision
	assert.Equal(t, contract.Decision{Admitted: true, Limit: 5, Remaining: 2, Has: contract.HintLimit | contract.HintRemaining}, d)
	for range 4 {
		b.send(0, 0, 1)
	}
	refused := b.replies[b.send(300*ms, 0, 1)].Decision
	assert.Equal(t, 700*ms, refused.RetryAfter)
	cached := b.replies[b.send(400*ms, 0, 1)].Decision
	assert.Equal(t, 600*ms, cached.RetryAfter)
	assert.True(t, b.admits(b.send(1000*ms, 0, 1)), "an exact hint")
}

func TestRequestsWaitForTheSameGrant(t *testing.T) {
	b := newBuilt(t, config(t, "gcra:rate=1/d,burst=5", "round-robin", "leased:batch=3", 1, 10*ms))
	var calls []Call
	for i := range 7 {
		calls = append(calls, b.send(time.Duration(i), 0, 1))
	}
	b.sim.Run(des.Never)
	for i, call := range calls {
		assert.Equal(t, i < 5, b.admits(call), i)
	}
	assert.Equal(t, 10*ms, b.ended[calls[2]], "three from the first grant")
	assert.Equal(t, 20*ms, b.ended[calls[4]], "two from the second, which is all that is left")
	assert.Equal(t, 30*ms, b.ended[calls[6]])
	a := b.Account(b.sim.Now())
	assert.EqualValues(t, 3, a.StoreOps)
	assert.EqualValues(t, 2, a.Grants)
}

func TestACostlyRequestAsksForAllThatItLacks(t *testing.T) {
	b := newBuilt(t, config(t, "gcra:rate=1/d,burst=10", "round-robin", "leased:batch=3", 1, 0))
	assert.True(t, b.admits(b.send(0, 0, 1)))
	assert.True(t, b.admits(b.send(0, 0, 6)), "two and four more")
	assert.EqualValues(t, 7, b.Account(0).Issued)
	assert.False(t, b.admits(b.send(0, 0, 4)), "three are left: nothing is granted")
	assert.EqualValues(t, 7, b.Account(0).Issued)
	assert.True(t, b.admits(b.send(0, 0, 3)), "for less it asks again")
	assert.False(t, b.admits(b.send(0, 0, 11)))
}

func TestUnusedTokensExpireWithTheirTimeToLive(t *testing.T) {
	b := newBuilt(t, config(t, "fixed-window:limit=10,window=1s", "round-robin", "leased:batch=5,ttl=300ms", 1, 0))
	b.send(900*ms, 0, 1)
	assert.True(t, b.admits(b.send(1100*ms, 0, 1)), "of the window before")
	assert.EqualValues(t, 1, b.Account(1100*ms).Grants)
	assert.True(t, b.admits(b.send(1200*ms, 0, 1)), "a new grant")
	a := b.Account(1200 * ms)
	assert.EqualValues(t, 2, a.Grants)
	assert.EqualValues(t, 3, a.Expired)
	assert.EqualValues(t, 4, a.Left)
}

// A grant on a long way is made before, and comes after, one on a short way:
// it expires first all the same.
func TestTokensOfAGrantThatWasOvertakenExpireInTheirTurn(t *testing.T) {
	b := newBuilt(t, config(t, "gcra:rate=1/d,burst=10", "round-robin", "leased:batch=5,ttl=150ms", 2, 0))
	to := &chosen{choice: allServe(2)}
	b.balancer = to
	trips := []time.Duration{100 * ms, 20 * ms, 2 * ms}
	b.store.rtt = RTT{draw: func(*rand.Rand) (trip time.Duration) {
		trip, trips = trips[0], trips[1:]
		return trip
	}}
	b.send(0, 0, 1) // granted at 50 ms, there at 100, worth nothing from 200 on
	to.server = 1
	b.send(60*ms, 0, 1) // granted at 70 ms, there at 80, worth nothing from 220 on
	refused := b.send(205*ms, 0, 5)
	b.sim.Run(des.Never)
	assert.False(t, b.admits(refused), "it has four, and the store none")
	a := b.Account(b.sim.Now())
	assert.EqualValues(t, 4, a.Expired, "what server 0 had")
	assert.Zero(t, a.IdleSibling, "server 0 has nothing that is worth anything")
	assert.Zero(t, a.Stranded)
}

func TestAGrantThatExpiresOnTheWayServesWhoWaitsForIt(t *testing.T) {
	b := newBuilt(t, config(t, "fixed-window:limit=10,window=1s", "round-robin", "leased:batch=5", 1, 20*ms))
	first, second := b.send(985*ms, 0, 1), b.send(986*ms, 0, 1) // granted at 995 ms, there at 1005
	third := b.send(1006*ms, 0, 1)
	b.sim.Run(des.Never)
	assert.True(t, b.admits(first) && b.admits(second) && b.admits(third))
	a := b.Account(b.sim.Now())
	assert.EqualValues(t, 2, a.Grants)
	assert.EqualValues(t, 3, a.Expired)
}

func TestAServerThatGaveUpUsesTheGrantThatComesLate(t *testing.T) {
	b := newBuilt(t, config(t, "gcra:rate=1/d,burst=5", "round-robin", "leased:batch=5,timeout=5ms,fail=closed", 1, 20*ms))
	late := b.send(0, 0, 1)
	b.sim.Run(30 * ms)
	next := b.send(30*ms, 0, 1)
	b.sim.Run(des.Never)
	assert.Equal(t, contract.StoreDown, b.replies[late].Outcome)
	assert.True(t, b.admits(next))
	assert.Equal(t, 30*ms, b.ended[next], "at once")
	assert.Equal(t, int64(4), b.Account(b.sim.Now()).Left)
}

func TestAWindowTakesAsManyGrantsAsBatchesFitIn(t *testing.T) {
	for _, c := range []struct{ limit, batch int }{{100, 10}, {101, 10}, {7, 10}, {1000, 1}} {
		cfg := config(t, "fixed-window:limit=1,window=1s", "random", "leased:batch=1", 8, 0)
		var err error
		cfg.Limiter, err = cfg.Limiter.With("limit", itoa(c.limit))
		require.NoError(t, err)
		cfg.Coordination, err = ParseCoordination("leased:batch=" + itoa(c.batch))
		require.NoError(t, err)
		b := newBuilt(t, cfg)
		b.burst(3*c.limit + 200)
		assert.Equal(t, theory.LeaseGrantCalls(c.limit, c.batch), float64(b.Account(0).Grants))
	}
}

// Tokens on the other servers at the first refusal, by the exact mean.
func TestStrandedTokensAreThoseOfTheory(t *testing.T) {
	for _, c := range []struct{ servers, batch, limit int }{{4, 10, 400}, {8, 20, 1000}, {3, 5, 62}} {
		cfg := config(t, "fixed-window:limit=1,window=1h", "random", "leased:batch="+itoa(c.batch), c.servers, 0)
		var err error
		cfg.Limiter, err = cfg.Limiter.With("limit", itoa(c.limit))
		require.NoError(t, err)
		b := newBuilt(t, cfg)
		var stranded []float64
		for key := range uint32(400) { // a key a window
			before := b.account
			for before.Exhaustions == b.account.Exhaustions {
				b.Decide(0, key, 1)
			}
			stranded = append(stranded, float64(b.account.Stranded-before.Stranded))
		}
		within4Sigma(t, theory.LeaseStranded(c.servers, c.batch, c.limit), stranded)
	}
}

// What is granted never exceeds the limit's envelope, whatever the round trip
// and the queue; and what leases of a window add to the next is bounded.
func TestGrantsKeepTheEnvelope(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limiter := rapid.SampledFrom([]string{"fixed-window:limit=12,window=1s", "token-bucket:rate=12/s,burst=12", "sliding-log:limit=12,window=1s"}).Draw(t, "limiter")
		batch := rapid.IntRange(1, 6).Draw(t, "batch")
		ttl := rapid.SampledFrom([]string{"", ",ttl=70ms", ",capacity=200/s,timeout=20ms,fail=closed"}).Draw(t, "store")
		c := config(t, limiter, "random", "leased:batch="+itoa(batch)+ttl, rapid.IntRange(1, 4).Draw(t, "servers"), 0)
		var err error
		c.RTT, err = ParseRTT(rapid.SampledFrom([]string{"0s", "8ms", "exp:mean=5ms"}).Draw(t, "rtt"))
		require.NoError(t, err)
		b := newBuilt(t, c)
		gaps := random.NewExpGaps(random.Stream(rapid.Uint64().Draw(t, "seed"), "leases"), 60, int64(time.Second))
		type grant struct {
			at     time.Duration
			tokens int64
		}
		var grants []grant
		issued := int64(0)
		look := func() {
			if now := b.account.Issued; now > issued {
				grants = append(grants, grant{b.sim.Now(), now - issued})
				issued = now
			}
		}
		for range 150 {
			at := gaps.Next()
			for next, ok := b.sim.Next(); ok && next <= at; next, ok = b.sim.Next() {
				b.sim.Step()
				look()
			}
			b.send(at, 0, 1)
			look()
		}
		for b.sim.Step() {
			look()
		}
		for i := range grants {
			sum := int64(0)
			for _, g := range grants[i:] {
				length := g.at - grants[i].at
				sum += g.tokens
				switch c.Limiter.Name() {
				case "fixed-window":
					if g.at/time.Second == grants[i].at/time.Second {
						require.LessOrEqual(t, sum, int64(12))
					}
				case "sliding-log":
					if length < time.Second {
						require.LessOrEqual(t, sum, int64(12))
					}
				default:
					require.LessOrEqual(t, sum, c.Limiter.Promise(length))
				}
			}
		}
		a := b.Account(b.sim.Now())
		require.Equal(t, a.Issued, a.Spent+a.Expired+a.Left)
		require.LessOrEqual(t, a.Stranded, a.Exhaustions*int64((c.Servers-1)*(2*batch-1)))
	})
}

// A grant may come late where round trips differ and its call has given up, when
// the server has another of the next window already.
func TestTokensThatExpiredOnTheWayDoNotMixWithOthers(t *testing.T) {
	b := newBuilt(t, config(t, "fixed-window:limit=10,window=1s", "round-robin", "leased:batch=5", 1, 0))
	l := b.coordination.(*leased)
	i := l.leaseOf(0, 0)
	l.receive(1005*ms, i, 3, 2000*ms)
	l.receive(1005*ms, i, 5, 1000*ms)
	assert.EqualValues(t, 3, l.lease(i).tokens)
	assert.Equal(t, 2000*ms, l.lease(i).expires)
	assert.EqualValues(t, 5, b.account.Expired)
	l.restart(1100*ms, 0)
	assert.EqualValues(t, 8, b.account.Expired)
	assert.Zero(t, l.keyOf(0).tokens, "nobody holds any")
}
