package fleet

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/experiments/theory"
	"ratelab/internal/random"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestServersLearnOfEachOtherAtExchanges(t *testing.T) {
	for _, c := range []struct {
		coordination string
		admitted     []bool
		why          string
	}{
		// Limit 3, two servers in turn, requests every 2 ms, from 0 on.
		{"synced:period=9ms", []bool{true, true, true, true, true, false, false, false}, "at 9 ms both know of five"},
		{"synced:period=9ms,delay=2ms", []bool{true, true, true, true, true, true, false, false}, "at 11 ms"},
		{"synced:period=4ms", []bool{true, true, true, true, false, false, false, false}, "at 4 ms both know of two: one more each"},
		{"synced:period=9ms,own=ignore", []bool{true, true, true, true, true, false, false, false}, "nothing but the exchange counts"},
		{"synced:period=13ms,own=ignore", []bool{true, true, true, true, true, true, true, false}, "where own are counted six are"},
		{"synced:period=13ms", []bool{true, true, true, true, true, true, false, false}, "three each"},
	} {
		b := newBuilt(t, config(t, "fixed-window:limit=3,window=1s", "round-robin", c.coordination, 2, 0))
		for i, want := range c.admitted {
			assert.Equal(t, want, b.admits(b.send(time.Duration(2*i)*ms, 0, 1)), "%s, request %d: %s", c.coordination, i, c.why)
		}
	}
}

func TestMessagesAreCountedForThoseWhoHaveSomethingToTell(t *testing.T) {
	b := newBuilt(t, config(t, "fixed-window:limit=9,window=1h", "round-robin", "synced:period=10ms", 4, 0))
	for range 2 { // by servers 0 and 1
		b.send(0, 0, 1)
	}
	b.send(500*ms, 7, 1) // server 2; nothing was said between
	b.send(time.Second, 0, 1)
	assert.EqualValues(t, 3*3, b.Account(b.sim.Now()).Messages)
}

func TestADebtIsCarriedOverTheWindowOrForgiven(t *testing.T) {
	for debt, want := range map[string]int{"forgive": 10, "carry": 2} {
		// Ten each in the first window, of ten; the exchange makes it 20, and
		// the next begins with 10 or with 0. Of a third's, 2 came too late.
		b := newBuilt(t, config(t, "fixed-window:limit=10,window=1s", "round-robin", "synced:period=100ms,debt="+debt, 2, 0))
		for range 20 {
			b.send(0, 0, 1)
		}
		admitted := 0
		for at := 1000 * ms; at < 2000*ms; at += 10 * ms {
			if b.admits(b.send(at, 0, 1)) {
				admitted++
			}
		}
		if debt == "carry" {
			assert.Zero(t, admitted)
			admitted = 0
			for at := 2000 * ms; at < 2100*ms; at += 50 * ms {
				if b.admits(b.send(at, 0, 1)) {
					admitted++
				}
			}
			assert.Equal(t, want, admitted, "the debt is paid")
			continue
		}
		assert.GreaterOrEqual(t, admitted, want)
	}
}

func TestWhatComesAfterItsWindowIsDroppedOrCounts(t *testing.T) {
	for debt, want := range map[string]bool{"forgive": true, "carry": false} {
		b := newBuilt(t, config(t, "fixed-window:limit=1,window=1s", "round-robin", "synced:period=900ms,delay=200ms,debt="+debt, 2, 0))
		b.send(850*ms, 0, 1) // by server 0; told at 900, there at 1100
		assert.Equal(t, want, b.admits(b.send(1150*ms, 0, 1)), debt)
	}
}

func TestABucketIsForgivenBelowZero(t *testing.T) {
	for debt, want := range map[string]bool{"forgive": true, "carry": false} {
		b := newBuilt(t, config(t, "token-bucket:rate=1/s,burst=4", "round-robin", "synced:period=10ms,debt="+debt, 2, 0))
		for range 8 { // four each: both levels are 0, then -4 if carried
			b.send(0, 0, 1)
		}
		assert.Equal(t, want, b.admits(b.send(1100*ms, 0, 1)), debt)
		for range 1 {
			b.send(1100*ms, 1, 1)
		}
		assert.True(t, b.admits(b.send(5*time.Second, 0, 1)), "4 s pay all")
	}
}

// Fluid: requests flow evenly, and a window opens at an exchange. The arrivals are
// whole, so that each server may be off by one.
func TestFluidOvershootOfSyncedServers(t *testing.T) {
	const servers, perPeriod = 4, 200.0
	for _, delay := range []float64{0, 40} { // requests in a delay
		for limit := 300; limit <= 500; limit += 20 {
			c := config(t, "fixed-window:limit="+itoa(limit)+",window=1h", "round-robin", "synced:period=200us,delay="+itoa(int(delay))+"us", servers, 0)
			b := newBuilt(t, c)
			admitted := 0
			for i := range 2000 {
				if _, ok, _ := b.Decide(time.Duration(i)*time.Microsecond+500, 0, 1); ok {
					admitted++
				}
			}
			want := theory.SyncedOvershootFluid(servers, float64(limit), perPeriod, delay)
			assert.InDelta(t, want, admitted-limit, servers, "limit %d, delay %g", limit, delay)
		}
	}
}

// Poisson arrivals, own hits counted, no delay: the exact mean.
func TestPoissonOvershootOfSyncedServers(t *testing.T) {
	for servers, own := range map[int]string{2: "count", 4: "count", 16: "count", 5: "ignore"} {
		const limit, periods = 100, 10 // 20 requests in a period
		b := newBuilt(t, config(t, "fixed-window:limit=100,window=200ms", "random", "synced:period=20ms,own="+own, servers, 0))
		gaps := random.NewExpGaps(random.Stream(1, "synced", own), 1000, int64(time.Second))
		over := make([]float64, 1200)
		admitted := make([]int, len(over))
		for at := gaps.Next(); at < time.Duration(len(over))*200*ms; at = gaps.Next() {
			if _, ok, _ := b.Decide(at, 0, 1); ok {
				admitted[at/(200*ms)]++
			}
		}
		for i, n := range admitted {
			over[i] = float64(max(0, n-limit))
		}
		want := theory.SyncedOvershoot(servers, limit, 20, periods)
		if own == "ignore" {
			want = theory.SyncedIgnoreOvershoot(limit, 20, 0, periods)
		}
		within4Sigma(t, want, over)
	}
}

func TestSyncedServersNeverAdmitMoreThanALimitEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limiter := rapid.SampledFrom([]string{"fixed-window:limit=5,window=100ms", "fixed-window:limit=5,window=100ms,jitter=100ms", "token-bucket:rate=50/s,burst=5", "gcra:rate=50/s,burst=5"}).Draw(t, "limiter")
		debt := rapid.SampledFrom([]string{"carry", "forgive"}).Draw(t, "debt")
		period := rapid.IntRange(1, 250).Draw(t, "period")
		delay := rapid.IntRange(0, 250).Draw(t, "delay")
		c := config(t, limiter, "random", "synced:period="+itoa(period)+"ms,delay="+itoa(delay)+"ms,debt="+debt, rapid.IntRange(1, 4).Draw(t, "servers"), 0)
		b := newBuilt(t, c)
		alone := newBuilt(t, config(t, limiter, "random", "local", c.Servers, 0)) // the same, if nobody told anything
		gaps := random.NewExpGaps(random.Stream(rapid.Uint64().Draw(t, "seed"), "synced"), 300, int64(time.Second))
		var total, silent int64
		type server = int
		sums := map[server]map[time.Duration]int{}
		for range 300 {
			at := gaps.Next()
			server, ok, _ := b.Decide(at, 0, 1)
			if ok {
				total++
				if sums[server] == nil {
					sums[server] = map[time.Duration]int{}
				}
				sums[server][at/(100*ms)]++
			}
			if _, ok, _ := alone.Decide(at, 0, 1); ok {
				silent++
			}
			require.LessOrEqual(t, total, silent, "what is told only takes away")
		}
		if limiter == "fixed-window:limit=5,window=100ms" {
			for _, windows := range sums {
				for _, n := range windows {
					require.LessOrEqual(t, n, 5)
				}
			}
		}
	})
}

func TestCarriedDebtsKeepTheRateInTheLongRunAndForgivenDoNot(t *testing.T) {
	for debt, holds := range map[string]bool{"carry": true, "forgive": false} {
		for _, limiter := range []string{"fixed-window:limit=20,window=1s", "token-bucket:rate=20/s,burst=20"} {
			b := newBuilt(t, config(t, limiter, "random", "synced:period=300ms,delay=100ms,debt="+debt, 8, 0))
			gaps := random.NewExpGaps(random.Stream(1, "debt"), 200, int64(time.Second))
			admitted := 0
			for at := gaps.Next(); at < 500*time.Second; at = gaps.Next() {
				if _, ok, _ := b.Decide(at, 0, 1); ok {
					admitted++
				}
			}
			// What has not been told yet, and the burst, come on top.
			assert.Equal(t, holds, admitted <= 500*20+8*20+20, "%s, %s: %d", debt, limiter, admitted)
		}
	}
}

func TestOnlyWhatCountsInTheWindowIsToldWhereDebtsAreForgiven(t *testing.T) {
	for debt, want := range map[string]int64{"forgive": 5, "carry": 0} {
		b := newBuilt(t, config(t, "fixed-window:limit=6,window=1s", "round-robin", "synced:period=1500ms,debt="+debt, 2, 0))
		y := b.coordination.(*synced)
		for range 5 {
			y.decide(900*ms, 0, 0, 1)
		}
		y.decide(1100*ms, 0, 0, 1)
		y.elapse(1600 * ms)
		assert.Equal(t, want, y.limiters[1].Ask(1600*ms, 0, 1).Remaining, debt)
	}
}
