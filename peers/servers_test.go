package peers

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/limiters"
)

// need skips a test for want of a program; not where everything must run.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		_, err := exec.LookPath(p)
		switch {
		case err != nil && os.Getenv("CI") == "true":
			t.Fatal(err)
		case err != nil:
			t.Skip(err)
		}
	}
}

// atEpochSecond is a whole second, as the windows of the tests are.
const atEpochSecond = 1_700_000_000 * time.Second

// redisAt starts a Redis for a test.
func redisAt(t *testing.T, now time.Duration) *redisServer {
	t.Helper()
	need(t, "redis-server", "gcc")
	r, err := startRedis(now)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, r.close()) })
	return r
}

// pttl is a key's time to live in ms, -1 if it lives for ever, -2 if there is
// no such key.
func (r *redisServer) pttl(t *testing.T, key string) int64 {
	t.Helper()
	ms, err := r.client.Do(context.Background(), "PTTL", key).Int64()
	require.NoError(t, err)
	return ms
}

// take asks at a time.
func (d decider) take(t *testing.T, at time.Duration, key string, cost int64) limiters.Decision {
	t.Helper()
	answer, err := d(&at, key, cost)
	require.NoError(t, err)
	return answer
}

func parsed(t *testing.T, text string) limiters.Spec {
	t.Helper()
	s, err := limiters.Parse(text)
	require.NoError(t, err)
	return s
}

// GET, then INCR, with the key's end between them: haraka/Haraka#1757,
// etcinit/speedbump#7, dust-tt/dust#16066; INCR without its EXPIRE:
// redis/redis#4548, alisaifee/limits#14, Tabcorp/redis-rate-limiter#1,
// veryfront/veryfront-code#2256, marcosbarbero/spring-cloud-zuul-ratelimit#162.
func TestAKeyThatDiesBetweenGetAndIncrLivesForEverAfterwards(t *testing.T) {
	r, ctx := redisAt(t, atEpochSecond), context.Background()
	require.NoError(t, r.client.Do(ctx, "SET", "k", 7, "PX", 1000).Err())
	r.at(atEpochSecond + 999*time.Millisecond)
	require.Equal(t, "7", r.client.Get(ctx, "k").Val())
	r.at(atEpochSecond + 1001*time.Millisecond)
	require.EqualValues(t, 1, r.client.Incr(ctx, "k").Val())
	assert.EqualValues(t, -1, r.pttl(t, "k"), "a counter without an end")

	ours := r.fixedWindow(parsed(t, "fixed-window:limit=5,window=1s"))
	ours.take(t, atEpochSecond+2*time.Second, "ours", 1)
	assert.EqualValues(t, 1000, r.pttl(t, "ours"), "count and time to live are set at once")
	at := atEpochSecond + 3*time.Second + time.Millisecond
	assert.Equal(t, int64(4), ours.take(t, at, "ours", 1).Remaining)
	assert.EqualValues(t, 999, r.pttl(t, "ours"))
}

// A time to live that is never set, because a number is compared with a string.
func TestUpstashCachedFixedWindowNeverSetsATimeToLive(t *testing.T) {
	need(t, "npm")
	r, ctx := redisAt(t, atEpochSecond), context.Background()
	u, err := fetchedUpstash()
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	require.NoError(t, err)
	for _, count := range []int64{1, 2, 3} {
		got, err := r.client.Eval(ctx, u.cachedFixedWindow, []string{"k"}, 10_000, 1).Int64()
		require.NoError(t, err)
		require.Equal(t, count, got)
	}
	assert.EqualValues(t, -1, r.pttl(t, "k"))
}

func TestOurFixedWindowSetsTheTimeToLiveOfItsWindow(t *testing.T) {
	r := redisAt(t, atEpochSecond)
	ours := r.fixedWindow(parsed(t, "fixed-window:limit=10,window=10s"))
	for i := range int64(3) {
		require.Equal(t, 9-i, ours.take(t, atEpochSecond, "k", 1).Remaining)
		assert.EqualValues(t, 10_000, r.pttl(t, "k"))
	}
	// A window that ends between two milliseconds: the key lives to the end.
	odd := r.fixedWindow(parsed(t, "fixed-window:limit=1,window=1500us"))
	start := atEpochSecond - atEpochSecond%(1500*time.Microsecond)
	require.True(t, odd.take(t, start, "odd", 1).Admitted)
	assert.EqualValues(t, 2, r.pttl(t, "odd"))
	assert.False(t, odd.take(t, start+1499*time.Microsecond, "odd", 1).Admitted)
	assert.True(t, odd.take(t, start+1500*time.Microsecond, "odd", 1).Admitted)
}

// A time to live cut down to whole milliseconds, or in the wrong unit:
// redis/redis#15093, Losant/redis-gcra#6, Kong/kong#14995.
func TestAKeyOutlivesATATThatIsLessThanAMillisecondAhead(t *testing.T) {
	r, ctx := redisAt(t, atEpochSecond), context.Background()
	ours := r.gcra(parsed(t, "gcra:rate=2000/s,burst=1"))
	require.True(t, ours.take(t, atEpochSecond, "k", 1).Admitted)
	assert.EqualValues(t, 1, r.pttl(t, "k"), "500 us, rounded up")
	refused := ours.take(t, atEpochSecond+499*time.Microsecond, "k", 1)
	assert.False(t, refused.Admitted)
	assert.Equal(t, time.Microsecond, refused.RetryAfter)

	require.NoError(t, r.client.Do(ctx, "PEXPIRE", "k", 0).Err()) // as 500 us come out when they are cut down
	assert.True(t, ours.take(t, atEpochSecond+499*time.Microsecond, "k", 1).Admitted, "forgotten with its debt")
	assert.False(t, ours.take(t, atEpochSecond+998*time.Microsecond, "k", 1).Admitted)
	assert.True(t, ours.take(t, atEpochSecond+999*time.Microsecond, "k", 1).Admitted)
}

// What a key's last instant is.
func TestAKeyIsReadableAtTheMillisecondAtWhichItExpires(t *testing.T) {
	r, ctx := redisAt(t, atEpochSecond), context.Background()
	require.NoError(t, r.client.Do(ctx, "SET", "k", "v", "PX", 1000).Err())
	for ms, readable := range map[time.Duration]int64{999: 1, 1000: 1} {
		r.at(atEpochSecond + ms*time.Millisecond)
		assert.Equal(t, readable, r.client.Exists(ctx, "k").Val(), "at %d ms", ms)
	}
	assert.Equal(t, "v", r.client.Get(ctx, "k").Val())
	r.at(atEpochSecond + 1000*time.Millisecond)
	assert.EqualValues(t, 0, r.pttl(t, "k"))
	r.at(atEpochSecond + 1001*time.Millisecond)
	assert.EqualValues(t, 0, r.client.Exists(ctx, "k").Val())
}

// Emission intervals that are not whole microseconds: the script keeps the
// fraction, and tells its hints in microseconds, never too early.
func TestTheGCRAScriptLosesNoFractionOfAMicrosecond(t *testing.T) {
	r := redisAt(t, firstStart)
	for i, text := range []string{
		"gcra:rate=3/s,burst=1", "gcra:rate=7/s,burst=4", "gcra:rate=999983/s,burst=3", "gcra:rate=1000/7s,burst=10", "gcra:rate=7/3us,burst=5", "gcra:rate=11/13h,burst=2",
	} {
		s := parsed(t, text)
		ours, l := r.gcra(s), s.New(1, nil)
		w := Ways{Resolution: time.Microsecond, Keys: 3}
		for n, a := range w.arrivals(s, firstStart, 1000, rand.New(rand.NewPCG(uint64(i), 2))) {
			a.At = a.At.Truncate(time.Microsecond)
			want := l.Take(a.At, a.Key, a.Cost)
			for _, hint := range []*time.Duration{&want.RetryAfter, &want.Reset} {
				if *hint != limiters.Never {
					*hint = (*hint + time.Microsecond - 1).Truncate(time.Microsecond)
				}
			}
			got := ours.take(t, a.At, fmt.Sprintf("%d-%d", i, a.Key), a.Cost)
			require.Equal(t, want, got, "%s, arrival %d: %+v", text, n, a)
		}
	}
}

func TestOurScriptsRefuseArgumentsThatTheyCannotCountWith(t *testing.T) {
	r := redisAt(t, firstStart)
	for name, d := range map[string]decider{
		"P of 0":                r.ownScript(gcraScript, 1, 0, 5),
		"a P that is no number": r.ownScript(gcraScript, 1, "x", 5),
		"products above 2^53":   r.ownScript(gcraScript, 1, 1<<40, 1<<20),
		"a window of 0":         r.ownScript(fixedWindowScript, 5, 0),
	} {
		at := firstStart
		_, err := d(&at, "k", 1)
		assert.ErrorContains(t, err, "must be at least 1", name)
	}
	assert.EqualValues(t, -2, r.pttl(t, "k"), "nothing is stored")
}

// Why the keys of a case have zones of their own at low rates.
func TestNginxForgetsIdleKeysWhenANewOneArrives(t *testing.T) {
	need(t, "nginx", "gcc")
	n, err := startNginx(firstStart, "nginx:rate=1r/m")
	require.NoError(t, err)
	defer func() { assert.NoError(t, n.close()) }()
	s := parsed(t, "nginx:rate=1r/m")
	ask := func(after time.Duration, key string) bool {
		d, err := n.take(0, 0, firstStart+after, key)
		require.NoError(t, err)
		return d.Admitted
	}
	require.True(t, ask(0, "a"))
	assert.False(t, ask(60001*time.Millisecond, "a"), "960 of 1000 have leaked")
	require.True(t, ask(60001*time.Millisecond, "b"), "a new key")
	assert.True(t, ask(60001*time.Millisecond, "a"), "was forgotten")
	l := s.New(1, nil)
	l.Take(firstStart, 0, 1)
	assert.False(t, l.Take(firstStart+60001*time.Millisecond, 0, 1).Admitted, "the dialect does not forget")
}

// What the note on HAProxy says of its drift guard.
func TestHAProxyDoesNotFollowALongJumpOfTheClock(t *testing.T) {
	need(t, "haproxy", "gcc")
	const text = "haproxy:limit=1,period=1s"
	h, err := startHAProxy(firstStart, text)
	require.NoError(t, err)
	defer func() { assert.NoError(t, h.close()) }()
	ask := func(after time.Duration) bool {
		d, err := h.take(0, firstStart+after, "k")
		require.NoError(t, err)
		return d.Admitted
	}
	require.True(t, ask(0))
	require.Eventually(t, func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", h.command.Process.Pid))
		return err == nil && strings.HasPrefix(string(stat[bytes.LastIndexByte(stat, ')'):]), ") S ")
	}, longest, time.Millisecond, "it never waits")
	h.now = firstStart + time.Hour
	h.set(h.now, h.now)
	assert.False(t, ask(time.Hour), "an hour's jump is no time to it")
	assert.True(t, ask(time.Hour+3*time.Second), "from then on it follows")
}

func TestAServerThatIsClosedLeavesNothing(t *testing.T) {
	r := redisAt(t, firstStart)
	pid, dir := r.command.Process.Pid, r.dir
	require.NoError(t, syscall.Kill(-pid, 0))
	require.NoError(t, r.close())
	assert.ErrorIs(t, syscall.Kill(-pid, 0), syscall.ESRCH)
	assert.NoDirExists(t, dir)
	r.client = nil
}

func TestAServerThatDoesNotStartSaysWhy(t *testing.T) {
	need(t, "redis-server", "gcc")
	start := func(program string, args ...string) error {
		s, err := newServer(firstStart)
		require.NoError(t, err)
		defer func() { assert.NoError(t, s.close()) }()
		return s.start(nil, program, args...)
	}
	assert.ErrorContains(t, start("redis-server", "--no-such-option", "1"), "no-such-option")
	assert.ErrorIs(t, start("no-such-program"), exec.ErrNotFound)
}

// A dialect that is off by the least amount must be seen: each server's answer
// is taken for that of a spec that differs from its own by one.
func TestEveryServerTellsSpecsApart(t *testing.T) {
	for program, specs := range map[string][2]string{
		"nginx":                              {"nginx:rate=10r/s,burst=5", "nginx:rate=10r/s,burst=5,delay=1"},
		"HAProxy":                            {"haproxy:limit=5,period=1s", "haproxy:limit=5,period=1001ms"},
		"github.com/go-redis/redis_rate/v10": {"redis-rate:rate=20/s,burst=4", "redis-rate:rate=21/s,burst=4"},
	} {
		for _, p := range servers() {
			if p.Program != program {
				continue
			}
			t.Run(program, func(t *testing.T) {
				if _, err := p.Version(); err != nil && os.Getenv("CI") != "true" {
					t.Skip(err)
				}
				start := p.Start
				p.Specs, p.Decisions = specs[:1], 2000
				p.Start = func([]string) (Program, error) { return start(specs[1:]) }
				c, err := p.Compare(nil)
				require.NoError(t, err)
				require.Empty(t, c.NotRun)
				assert.Positive(t, c.Differences)
				assert.Contains(t, c.First, "decide --limiter")
			})
		}
	}
}
