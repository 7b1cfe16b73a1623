package limiters_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/limiters"
)

// Limiters in the field have decided wrongly in ways that their users
// reported. Each test here is one kind of those faults, for the limiters that
// could have it.

const ms = time.Millisecond

// every spec of a limit of 3 in a second, or 3 a second.
var threes = []string{
	"fixed-window:limit=3,window=1s", "fixed-window:limit=3,window=1s,origin=first", "sliding-log:limit=3,window=1s", "sliding-log:limit=3,window=1s,count=all",
	"sliding-counter:limit=3,window=1s", "sliding-counter:limit=3,window=1s,rule=below", "sliding-counter:limit=3,window=1s,count=all",
	"token-bucket:rate=3/s,burst=3", "token-bucket:rate=3/s,burst=3,refill=interval", "gcra:rate=3/s,burst=3", "leaky-queue:rate=3/s,queue=2",
}

func admitted(l limiters.Limiter, now time.Duration, cost int64) bool {
	ok, _ := l.Admit(now, 0, cost)
	return ok
}

// abersheeran/asgi-ratelimit#56, envoyproxy/gateway#9273, go-chi/httprate#25
func TestLimitZeroBlocksEverythingFromTheFirstRequestOn(t *testing.T) {
	for _, text := range []string{
		"fixed-window:limit=0,window=1s", "fixed-window:limit=0,window=1s,origin=first", "sliding-log:limit=0,window=1s,count=all",
		"sliding-counter:limit=0,window=1s", "sliding-counter:limit=0,window=1s,rule=below,count=all",
		"token-bucket:rate=1/s,burst=0", "token-bucket:rate=1/s,burst=0,refill=interval", "gcra:rate=1/s,burst=0",
	} {
		l := parse(t, text).New(1, nil)
		for i := range 5 {
			d := l.Take(time.Duration(i)*time.Second, 0, 1)
			assert.False(t, d.Admitted, text)
			assert.Equal(t, limiters.Never, d.RetryAfter, text)
			assert.Zero(t, d.Remaining, text)
		}
		l.Charge(10*time.Second, 0, 3)
		assert.False(t, admitted(l, 20*time.Second, 1), text)
	}
}

// bucket4j/bucket4j#220, rwz/redis-gcra#6, redis/redis#14826
func TestACostAboveTheCapacityNeverPassesAndTakesNothing(t *testing.T) {
	for _, text := range threes {
		l := parse(t, text).New(1, nil)
		for range 3 {
			assert.Equal(t, limiters.Never, l.Take(0, 0, 4).RetryAfter, text)
		}
		assert.True(t, l.Take(0, 0, 3).Admitted, text)
		d := l.Take(0, 0, 3)
		assert.False(t, d.Admitted, text)
		assert.LessOrEqual(t, d.RetryAfter, 2*time.Second, "a cost of the whole capacity can wait: %s", text)
	}
}

// brandur/redis-cell#56, tower-governor#65, hashicorp/boundary#4094,
// fastify-rate-limit#325, alisaifee/flask-limiter#62, antifuchs/ratelimit_meter#36
func TestAClientThatObeysIsAdmittedAndOneThatHurriesIsNot(t *testing.T) {
	for _, text := range threes {
		for _, start := range []time.Duration{0, 1, 333333333, 999999999, -time.Second / 3} {
			l := parse(t, text).New(1, nil)
			now := start
			for range 20 {
				d := l.Take(now, 0, 1)
				if d.Admitted {
					continue
				}
				require.False(t, l.Ask(now+d.RetryAfter-1, 0, 1).Admitted, text)
				now += d.RetryAfter
				require.True(t, l.Take(now, 0, 1).Admitted, text)
			}
		}
	}
}

// bucket4j/bucket4j#88
func TestTheWaitCountsWhatHasAlreadyBeenEarned(t *testing.T) {
	for _, text := range []string{"token-bucket:rate=1/s,burst=5", "gcra:rate=1/s,burst=5"} {
		l := parse(t, text).New(1, nil)
		l.Take(0, 0, 5)
		assert.Equal(t, 1300*ms, l.Take(700*ms, 0, 2).RetryAfter, text)
	}
}

// ded/express-limiter#16, upstash/ratelimit-js#61
func TestRemainingIsServed(t *testing.T) {
	for _, text := range threes {
		l := parse(t, text).New(1, nil)
		for _, now := range []time.Duration{0, 1400 * ms, 1500 * ms} {
			for d := l.Ask(now, 0, 1); d.Remaining > 0; {
				next := l.Take(now, 0, 1)
				require.True(t, next.Admitted, text)
				require.Equal(t, d.Remaining-1, next.Remaining, text)
				d = next
			}
			require.False(t, l.Take(now, 0, 1).Admitted, text)
		}
	}
}

// golang/go#34861, golang/go#46579, golang/time#19, gocryptotrader#2371
func TestTheRequestAtTheExactInstantOfARefillPasses(t *testing.T) {
	for _, rate := range []struct {
		text string
		n    time.Duration
		per  time.Duration
	}{{"10/13s", 10, 13 * time.Second}, {"1/h", 1, time.Hour}, {"3/s", 3, time.Second}, {"60/s", 60, time.Second}, {"7/s", 7, time.Second}} {
		for _, pattern := range []string{"token-bucket:rate=%s,burst=2", "gcra:rate=%s,burst=2", "leaky-queue:rate=%s,queue=1"} {
			text := fmt.Sprintf(pattern, rate.text)
			l := parse(t, text).New(1, nil)
			require.True(t, admitted(l, 0, 2))
			for k := time.Duration(1); k <= 500; k++ {
				due := (k*rate.per + rate.n - 1) / rate.n // token k comes at k·P/N
				require.False(t, admitted(l, due-1, 1), "%s: token %d, 1 ns early", text, k)
				require.True(t, admitted(l, due, 1), "%s: token %d", text, k)
			}
		}
	}
}

// golang/go#56287, sethvargo/go-limiter#41, MediaWiki-MCP-Server#557,
// SandeepVashishtha/Eventra#6488, sourcegraph#56826
func TestAClockThatStepsBackEarnsNothingAndCostsNothing(t *testing.T) {
	for _, text := range threes {
		l := parse(t, text).New(1, nil)
		require.True(t, admitted(l, 10*time.Second, 2), text)
		for range 10 {
			l.Ask(time.Second, 0, 1)
			l.Ask(10*time.Second, 0, 1)
		}
		require.True(t, admitted(l, 5*time.Second, 1), "the third is still there: %s", text)
		require.False(t, admitted(l, 10*time.Second, 1), "and no fourth: %s", text)
		require.True(t, admitted(l, 13*time.Second, 3), "it recovers as if nothing had been: %s", text)
	}
}

// bucket4j/bucket4j#51, udoprog/leaky-bucket#30, uber-go/ratelimit#106,
// juju/ratelimit#30, golang/time#20
func TestALongRestFillsTheBucketAndNoMore(t *testing.T) {
	for _, text := range threes {
		l := parse(t, text).New(1, nil)
		now := time.Duration(0)
		for _, rest := range []time.Duration{time.Hour, 24 * time.Hour, 250 * 365 * 24 * time.Hour} {
			now += rest
			require.True(t, admitted(l, now, 3), text)
			require.False(t, admitted(l, now, 1), text)
		}
	}
}

// symfony/symfony#47676, mofa-org/mofa#1191, replicate/go#198, zio/zio#7982,
// apache/polaris#3433, mailgun/gubernator (fraction loss), spring-cloud-gateway#1117
func TestFastPollingLosesNoFractionOfAToken(t *testing.T) {
	for _, text := range []string{"token-bucket:rate=3/s,burst=1", "gcra:rate=3/s,burst=1", "leaky-meter:rate=3/s", "leaky-queue:rate=3/s,queue=0"} {
		l := parse(t, text).New(1, nil)
		passed := 0
		for now := time.Duration(0); now < 100*time.Second; now += 7 * time.Millisecond / 3 {
			if admitted(l, now, 1) {
				passed++
			}
		}
		// Each waits for the first poll after it is due, at most 7/3 ms late.
		assert.GreaterOrEqual(t, passed, 298, text)
		assert.LessOrEqual(t, passed, 300, text)
	}
}

// discourse/discourse#11691, alisaifee/limits#250, and strict comparisons in
// several programs
func TestAWindowIsHalfOpen(t *testing.T) {
	for _, text := range []string{"fixed-window:limit=1,window=1s,origin=first", "sliding-log:limit=1,window=1s"} {
		l := parse(t, text).New(1, nil)
		require.True(t, admitted(l, 300*ms, 1))
		require.False(t, admitted(l, 1300*ms-1, 1), text)
		require.True(t, admitted(l, 1300*ms, 1), text)
	}
	l := parse(t, "fixed-window:limit=1,window=1s").New(1, nil)
	require.True(t, admitted(l, 300*ms, 1))
	require.False(t, admitted(l, 1000*ms-1, 1))
	require.True(t, admitted(l, 1000*ms, 1))
}

// plausible/analytics#6497, ELares/IronTraffic#212
func TestAnEdgeLetsTwiceTheLimitThroughOnlyInFixedWindows(t *testing.T) {
	for text, want := range map[string]int{
		"fixed-window:limit=100,window=1m":               200,
		"sliding-log:limit=100,window=1m":                100,
		"sliding-counter:limit=100,window=1m":            100,
		"sliding-counter:limit=100,window=1m,rule=below": 101,
		"token-bucket:rate=100/m,burst=100":              100,
	} {
		l := parse(t, text).New(1, nil)
		passed := 0
		for range 1000 {
			if admitted(l, time.Minute-1, 1) {
				passed++
			}
		}
		for range 1000 {
			if admitted(l, time.Minute+1, 1) {
				passed++
			}
		}
		assert.Equal(t, want, passed, text)
	}
}

// peterkhayes/rolling-rate-limiter#9, rcarmo/piclaw#105, upstash/ratelimit-js#161,
// Kong/docs.konghq.com#6586
func TestASteadyKnockerIsLetInUnlessRefusalsCount(t *testing.T) {
	for text, want := range map[string]int{
		"sliding-log:limit=1,window=1s":               50, // every second knock
		"sliding-log:limit=1,window=1s,count=all":     1,
		"sliding-counter:limit=1,window=1s":           30, // in every second window
		"sliding-counter:limit=1,window=1s,count=all": 1,
	} {
		l := parse(t, text).New(1, nil)
		passed := 0
		for i := range time.Duration(100) {
			if admitted(l, 100*ms+i*600*ms, 1) {
				passed++
			}
		}
		assert.Equal(t, want, passed, text)
	}
}

// upstash/ratelimit-js#39, tempesta-tech/xFW#79
func TestAWeightedCountIsNotRounded(t *testing.T) {
	l := parse(t, "sliding-counter:limit=1,window=1s").New(1, nil)
	require.True(t, admitted(l, 900*ms, 1))
	require.False(t, admitted(l, 1050*ms, 1), "0.95 is not 0")
	require.False(t, admitted(l, 2000*ms-1, 1), "a billionth is not 0")
	require.True(t, admitted(l, 2000*ms, 1))
	l = parse(t, "sliding-counter:limit=10,window=10s").New(1, nil)
	require.True(t, admitted(l, 9*time.Second, 10))
	require.False(t, admitted(l, 11*time.Second-1, 1))
	require.True(t, admitted(l, 11*time.Second, 1), "9 and 1 are 10")
}

// throttled (cost and burst overflow), redis/redis#14826, tylerbutler/beryl#434
func TestProductsDoNotOverflow(t *testing.T) {
	for _, text := range []string{"gcra:rate=1/d,burst=106752", "token-bucket:rate=1/d,burst=106752", "leaky-queue:rate=1/d,queue=106751"} {
		l := parse(t, text).New(1, nil)
		require.True(t, admitted(l, 0, 106752), "a burst of 292 years: %s", text)
		require.False(t, admitted(l, 0, 1), text)
		require.False(t, admitted(l, 24*time.Hour-1, 1), text)
		require.True(t, admitted(l, 24*time.Hour, 1), text)
		l.Forget(0)
		require.False(t, admitted(l, 0, 106753), text)
	}
	for _, text := range []string{"gcra:rate=2000000000/s,burst=1", "token-bucket:rate=2000000000/s,burst=1", "leaky-meter:rate=2000000000/s"} {
		l := parse(t, text).New(1, nil)
		require.True(t, admitted(l, 0, 1))
		require.False(t, admitted(l, 0, 1), "an interval of half a ns is not 0: %s", text)
		require.True(t, admitted(l, 1, 1))
	}
}

// bucket4j/bucket4j#128
func TestIntervalRefillComesAtWholePeriodsOfTheEpoch(t *testing.T) {
	l := parse(t, "token-bucket:rate=100/m,burst=100,refill=interval").New(1, nil)
	require.True(t, admitted(l, 90*time.Second, 100))
	require.False(t, admitted(l, 2*time.Minute-1, 1))
	require.True(t, admitted(l, 2*time.Minute, 100))
	l = parse(t, "token-bucket:rate=0.5/s,burst=2,refill=interval").New(1, nil)
	require.True(t, admitted(l, 300*ms, 2))
	require.Equal(t, 1700*ms, l.Take(300*ms, 0, 1).RetryAfter, "half a token a second")
	require.False(t, admitted(l, 2*time.Second-1, 1))
	require.True(t, admitted(l, 2*time.Second, 1))
	third := parse(t, "token-bucket:rate=1/3/s,burst=1,refill=interval").New(1, nil)
	require.True(t, admitted(third, 0, 1))
	require.False(t, admitted(third, 3*time.Second-1, 1))
	require.True(t, admitted(third, 3*time.Second, 1), "three thirds are one")
}

// throttled/throttled#29, openfoodfacts-infrastructure#304, symfony (limits
// per period): the burst is what passes at once, the rate what comes after
func TestBurstIsWhatPassesAtOnce(t *testing.T) {
	for _, text := range []string{"token-bucket:rate=6000/m,burst=10", "gcra:rate=6000/m,burst=10", "leaky-queue:rate=6000/m,queue=9"} {
		l := parse(t, text).New(1, nil)
		passed := 0
		for range 6000 {
			if admitted(l, 0, 1) {
				passed++
			}
		}
		assert.Equal(t, 10, passed, text)
		assert.Equal(t, 10*ms, l.Take(0, 0, 1).RetryAfter, text)
	}
}

// kent8192/reinhardt-web#368, chmonitor#2467, luisgamas/uxnan#101: state of
// keys can be dropped, and what it takes is known
func TestForgottenKeysGiveTheirMemoryBack(t *testing.T) {
	for _, text := range threes {
		l := parse(t, text).New(1, nil)
		for key := range uint32(1000) {
			l.Take(0, key, 1)
		}
		high := l.Bytes()
		for round := range 10 {
			for key := range uint32(1000) {
				l.Forget(key)
			}
			require.Zero(t, l.Keys())
			for key := range uint32(1000) {
				l.Take(time.Duration(round)*time.Hour, key, 1)
			}
		}
		assert.Equal(t, high, l.Bytes(), text)
		assert.Equal(t, 1000, l.Keys(), text)
	}
}

// brandur/redis-cell#42: a zero rate gave nonsense
func TestARateOfZeroIsNoRate(t *testing.T) {
	for _, text := range []string{"token-bucket:rate=0/s,burst=1", "gcra:rate=0/s,burst=1", "leaky-meter:rate=0/s", "leaky-queue:rate=0/s,queue=1", "redis-cell:rate=0/s,burst=1", "uber:rate=0/s"} {
		_, err := limiters.Parse(text)
		assert.ErrorContains(t, err, "rate must be", text)
	}
}

// dimagi/commcare-cloud#690: a burst that nobody chose refused ordinary browsers
func TestABurstMustBeChosen(t *testing.T) {
	for _, text := range []string{"token-bucket:rate=10/s", "gcra:rate=10/s", "x-time-rate:rate=10/s"} {
		_, err := limiters.Parse(text)
		assert.ErrorContains(t, err, "needs burst", text)
	}
}

// openfoodfacts/openfoodfacts-infrastructure#304: 6000r/m is one in 10 ms, not
// 6000 whenever in a minute
func TestARateAMinuteIsNoMinuteOfRequestsAtOnce(t *testing.T) {
	l := parse(t, "nginx:rate=6000r/m,nodelay").New(1, nil)
	assert.True(t, admitted(l, 0, 1))
	assert.False(t, admitted(l, 9*ms, 1))
	assert.True(t, admitted(l, 10*ms, 1))
}

// uber-go/ratelimit#121: the slack that nobody asked for is 10
func TestUberForgivesTenIntervalsUnlessToldOtherwise(t *testing.T) {
	for text, atOnce := range map[string]int{"uber:rate=10/s": 11, "uber:rate=10/s,slack=0": 1} {
		l := parse(t, text).New(1, nil)
		l.Take(time.Second, 0, 1)
		n := 0
		for l.Take(time.Hour, 0, 1).Delay == 0 {
			n++
		}
		assert.Equal(t, atOnce, n, text)
	}
}

// go-chi/httprate#47, go-chi/httprate#64: Retry-After is always the whole window
func TestHttprateSendsEveryoneAwayForAWholeWindow(t *testing.T) {
	l := parse(t, "httprate:limit=1,window=10s").New(1, nil)
	l.Take(0, 0, 1)
	d := l.Take(9999*ms, 0, 1)
	assert.False(t, d.Admitted)
	assert.Equal(t, 10*time.Second, d.RetryAfter)
}
