package advise

import (
	"context"
	"fmt"
	"math/big"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/clients"
	"ratelab/experiments/scenario"
	"ratelab/fleet"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/logs"
	"ratelab/logs/fit"
	"ratelab/logs/replay"
	"ratelab/workloads"
)

var tour = filepath.Join("..", "testdata", "tour.log")

func readLog(t testing.TB, opts logs.Options, paths ...string) *Input {
	t.Helper()
	in, err := Read(paths, opts, time.Minute)
	require.NoError(t, err)
	return in
}

// fromText reads a CSV that is written in the test.
func fromText(t testing.TB, text string) *Input {
	return readLog(t, logs.Options{Stdin: strings.NewReader(text)}, "-")
}

func limiter(t testing.TB, text string) limiters.Spec {
	t.Helper()
	s, err := limiters.Parse(text)
	require.NoError(t, err)
	return s
}

// world is one server and nobody who comes back, but for what the texts say: clients, servers, coordination.
func world(t testing.TB, who string, servers int, coordination string) World {
	t.Helper()
	mix, err := clients.ParseMix(who)
	require.NoError(t, err)
	balancer, err := fleet.ParseBalancer("round-robin")
	require.NoError(t, err)
	c, err := fleet.ParseCoordination(coordination)
	require.NoError(t, err)
	return World{Clients: mix, Servers: servers, Balancer: balancer, Coordination: c, Seed: 1}
}

func run(t testing.TB, w World, in *Input, text string) *Outcome {
	t.Helper()
	o, err := w.Run(t.Context(), in.Raw, in.Keys, limiter(t, text), Meter{Key: time.Minute, Total: time.Second})
	require.NoError(t, err, text)
	return o
}

// every is one limiter of each kind, tight enough to refuse something of the logs below.
var every = []string{
	"fixed-window:limit=3,window=7s",
	"fixed-window:limit=3,window=10s,origin=first",
	"fixed-window:limit=3,window=10s,jitter=10s",
	"sliding-log:limit=3,window=10s",
	"sliding-counter:limit=3,window=11s,rule=below,count=all",
	"token-bucket:rate=1/5s,burst=3",
	"token-bucket:rate=7/13s,burst=3,refill=interval",
	"gcra:rate=1/5s,burst=3",
	"leaky-meter:rate=1/s",
	"leaky-queue:rate=1/5s,queue=2",
	"httprate:limit=3,window=10s",
	"haproxy:limit=3,period=10s",
	"x-time-rate:rate=1/5s,burst=3",
}

// costly is bursts of several keys with costs, some out of order and some before 1970.
func costly() string {
	var text strings.Builder
	text.WriteString("t,key,cost\n")
	for i := range 2000 {
		fmt.Fprintf(&text, "%d.%d,k%d,%d\n", i/9*(1+i%2)-300, i%10, i*i%11, 1+i%5/4)
	}
	return text.String()
}

func TestRefusesWhatReplayRefusesKeyByKey(t *testing.T) {
	for name, in := range map[string]*Input{
		"tour": readLog(t, logs.Options{}, tour), "costs": fromText(t, costly()),
	} {
		for _, text := range every {
			s := limiter(t, text)
			if name == "costs" && s.UnitCost() {
				continue
			}
			o := run(t, world(t, "none", 1, "local"), in, text)
			report, err := replay.Run(in.Fit.Log, replay.Options{Limiters: []string{text}, Seed: 1})
			require.NoError(t, err)
			want := report.Limiters[0]
			require.Positive(t, want.Refused, text)
			assert.Equal(t, want.Refused, o.Refused, text)
			assert.Equal(t, want.Requests, o.Requests, text)
			assert.Equal(t, want.KeysRefused, o.KeysRefused, text)
			assert.Equal(t, want.Worst[0], o.Worst, text)
			assert.Equal(t, o.Refused, o.Lost, text)
			assert.Zero(t, o.Waiting, text)
		}
	}
}

// A central store without a round trip decides as one server; it is simulated on the event queue, near time 0.
func TestTheSimulationRefusesWhatTheLimiterAloneRefuses(t *testing.T) {
	for name, in := range map[string]*Input{"tour": readLog(t, logs.Options{}, tour), "costs": fromText(t, costly())} {
		for _, text := range every {
			s := limiter(t, text)
			if _, dialect := limiters.DialectOf(s.Name()); dialect && name == "costs" {
				continue // no time before 1970
			}
			alone := run(t, world(t, "none", 1, "local"), in, text)
			simulated := run(t, world(t, "none", 1, "central"), in, text)
			alone.Limiter, simulated.Limiter = limiters.Spec{}, limiters.Spec{}
			assert.Equal(t, alone, simulated, "%s %s", name, text)
		}
	}
}

func TestADialectIsNotSimulatedBefore1970(t *testing.T) {
	in := fromText(t, "t\n-5\n")
	_, err := world(t, "none", 1, "central").Run(t.Context(), in.Raw, in.Keys, limiter(t, "throttled:rate=1/s,burst=1"), Meter{Key: 1, Total: 1})
	assert.ErrorContains(t, err, "throttled:rate=1/s,burst=1 can not be simulated before 1970, and the log begins at 1969-12-31T23:59:55Z")
}

// What the world counts is what a scenario measures that reads the same file by itself.
func TestCountsWhatAScenarioMeasures(t *testing.T) {
	in := readLog(t, logs.Options{}, tour)
	for _, c := range []struct {
		who, coordination, limiter string
		servers                    int
	}{
		{"retry-after:jitter=1s", "local", "token-bucket:rate=1/s,burst=5", 3},
		{"backoff:base=1s,cap=30s,attempts=unlimited", "quota", "sliding-counter:limit=30,window=1m", 2},
		{"rude:every=400ms,attempts=6", "synced:period=1s,delay=10ms", "fixed-window:limit=20,window=1m", 4},
		{"none", "leased:batch=2,ttl=10s", "gcra:rate=1/s,burst=8", 3},
	} {
		w := world(t, c.who, c.servers, c.coordination)
		o := run(t, w, in, c.limiter)
		trace, err := workloads.Parse("trace:file=" + tour)
		require.NoError(t, err)
		result, err := scenario.Run(context.Background(), scenario.Config{
			Limiter: limiter(t, c.limiter), Workload: trace, Keys: 1, Servers: c.servers, Balancer: w.Balancer, Coordination: w.Coordination,
			Clients: w.Clients, Population: len(in.Keys), Horizon: 2 * time.Hour, Seed: 1, Measure: scenario.Measure{Clients: true},
		})
		require.NoError(t, err)
		assert.EqualValues(t, result.Get("requests"), o.Requests, c.who)
		assert.EqualValues(t, result.Get("attempts"), o.Attempts, c.who)
		assert.EqualValues(t, result.Get("refused"), o.Refused, c.who)
		assert.EqualValues(t, result.Get("succeeded"), o.Succeeded, c.who)
		assert.EqualValues(t, result.Get("gave_up"), o.Lost, c.who)
		assert.EqualValues(t, result.Get("unfinished"), o.Waiting, c.who)
		assert.InDelta(t, result.Get("time_to_success_mean"), o.MeanWait.Seconds(), 2e-9, c.who)
		assert.Positive(t, o.Refused, c.who)
		assert.Equal(t, o.Requests, o.Succeeded+o.Lost+o.Waiting)
		if o.Waiting == 0 {
			assert.Equal(t, o.Attempts, o.Succeeded+o.Refused, c.who)
		}
	}
}

func TestTheWorstWindowsAreThoseOfWhatIsAdmitted(t *testing.T) {
	in := fromText(t, "t,key\n0,a\n0,a\n0.5,a\n0.9,b\n1,a\n1.2,b\n61,a\n")
	w := world(t, "none", 1, "local")
	o := run(t, w, in, "token-bucket:rate=1/s,burst=2") // of a at 0.5 s one is refused
	assert.EqualValues(t, 1, o.Refused)
	assert.EqualValues(t, 3, o.OneKey)
	assert.EqualValues(t, 3, o.Total, "0, 0, 0.9 and 0.9, 1, 1.2")
	queue := run(t, w, in, "leaky-queue:rate=1/s,queue=9")
	assert.Zero(t, queue.Refused)
	assert.Equal(t, 2*time.Second, queue.MaxWait, "a leaves at 0, 1, 2, 3 s, b at 0.9 and 1.9 s")
	assert.EqualValues(t, 2, queue.Total)
	assert.Equal(t, time.Duration((0+1000+1500+0+2000+700+0)*int64(time.Millisecond)/7), queue.MeanWait)
}

func TestTheBusiestMinuteIsTheFirstOfTheBusiest(t *testing.T) {
	s := int64(time.Second)
	for name, c := range map[string]struct {
		times []int64
		at, n int64
	}{
		"none":        {nil, 0, 0},
		"one":         {[]int64{119 * s}, 60, 1},
		"ties":        {[]int64{60 * s, 61 * s, 10 * s, 0}, 0, 2},
		"before 1970": {[]int64{-1, 0, -60 * s}, -60, 2},
	} {
		at, n := busiestMinute(c.times)
		assert.Equal(t, [2]int64{c.at, c.n}, [2]int64{at, n}, name)
	}
}

func TestClocksAreSetBackByWholeWindowsAndDays(t *testing.T) {
	day := int64(24 * time.Hour)
	for text, want := range map[string]int64{
		"gcra:rate=1/s,burst=1":                           19 * day,
		"fixed-window:limit=1,window=1m":                  19 * day,
		"fixed-window:limit=1,window=7s":                  14 * day,
		"sliding-log:limit=1,window=5d":                   15 * day,
		"token-bucket:rate=7/11s,burst=3,refill=interval": 11 * day,
		"haproxy:limit=1,period=1s":                       0,
	} {
		shift, err := shiftOf(19*day+5, limiter(t, text))
		require.NoError(t, err)
		assert.Equal(t, want, shift, text)
	}
	shift, err := shiftOf(-1, limiter(t, "gcra:rate=1/s,burst=1"))
	require.NoError(t, err)
	assert.Equal(t, -day, shift)
}

func TestGoalsThatMakeNoSenseAreRefused(t *testing.T) {
	for _, text := range []string{"", "2/s", "2/s,20", "2/s,burst=0", "2/s,burst=20,initial=3", "fast,burst=2", "2/s,burst=", "2/s, burst=2"} {
		_, err := ParsePromise(text)
		assert.EqualError(t, err, fmt.Sprintf("must be RATE,burst=B like 2/s,burst=20 with a burst >= 1, got %q", text))
	}
	p, err := ParsePromise("100/1m30s,burst=7")
	require.NoError(t, err)
	assert.Equal(t, "100/1m30s,burst=7", p.String())
	for text, want := range map[string]string{
		"0.5/s": "must allow one request in its period at least, got 0.5/s; a longer period says the same, as 1/2s does for 0.5/s",
		"fast":  `must be <number>/<duration> like 10/s, 0.5/m or 100/1m30s, got "fast"`,
		"0/s":   "must be > 0, got 0/s",
	} {
		_, err := ParseProtected(text)
		assert.EqualError(t, err, want)
	}
	protected, err := ParseProtected("1.5/2s")
	require.NoError(t, err)
	assert.Equal(t, Protected{"1.5/2s", 1, 2 * time.Second}, *protected)
}

func TestUsersOfTheirOwnAreRefused(t *testing.T) {
	in := fromText(t, "t\n0\n")
	_, err := world(t, "rude:users=3,think=1s", 1, "local").Run(t.Context(), in.Raw, in.Keys, limiter(t, "leaky-meter:rate=1/s"), Meter{Key: 1, Total: 1})
	assert.ErrorContains(t, err, "brings its own users")
}

func rat(t testing.TB, text string) *big.Rat {
	q, ok := new(big.Rat).SetString(text)
	require.True(t, ok)
	return q
}

func rateOfText(t testing.TB, text string) spec.Rate {
	r, err := spec.ParseRate(text)
	require.NoError(t, err)
	return r
}

func FuzzParseGoals(f *testing.F) {
	for _, text := range []string{"2/s,burst=20", "0.5/m", "100/1m30s,burst=9007199254740991", ",burst=", "1/s,burst=1,burst=2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := ParsePromise(text); err == nil {
			again, err := ParsePromise(p.String())
			require.NoError(t, err)
			assert.Equal(t, p, again)
			assert.Positive(t, p.Burst)
		}
		if p, err := ParseProtected(text); err == nil {
			assert.Positive(t, p.Most)
			assert.Positive(t, p.Every)
		}
	})
}

// Whatever the log, the clients and the fleet: each request ends once or waits, each attempt is admitted, refused or on its
// way, nobody is served who did not ask, and no window holds more than was admitted.
func TestNothingIsLostOrMadeUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteString("t,key\n")
		n := rapid.IntRange(1, 40).Draw(t, "requests")
		for range n {
			fmt.Fprintf(&b, "%d.%d,k%d\n", rapid.IntRange(0, 30).Draw(t, "s"), rapid.IntRange(0, 9).Draw(t, "tenths"), rapid.IntRange(0, 3).Draw(t, "key"))
		}
		in, err := Read([]string{"-"}, logs.Options{Stdin: strings.NewReader(b.String())}, time.Minute)
		require.NoError(t, err)
		w := World{Servers: rapid.IntRange(1, 3).Draw(t, "servers"), Rounded: rapid.Bool().Draw(t, "rounded"), Seed: 1}
		w.Clients, err = clients.ParseMix(rapid.SampledFrom([]string{"none", "retry-after:jitter=1s", "rude:attempts=3,timeout=1s", "backoff:base=1s,cap=9s,attempts=unlimited", "paced"}).Draw(t, "clients"))
		require.NoError(t, err)
		w.Balancer, err = fleet.ParseBalancer(rapid.SampledFrom([]string{"round-robin", "random", "hash"}).Draw(t, "balancer"))
		require.NoError(t, err)
		coordination := rapid.SampledFrom([]string{"local", "central", "quota", "leased:batch=2,ttl=10s"}).Draw(t, "coordination")
		w.Coordination, err = fleet.ParseCoordination(coordination)
		require.NoError(t, err)
		if coordination == "central" && rapid.Bool().Draw(t, "far") {
			w.RTT, err = fleet.ParseRTT("3s") // so that a timeout may come before the answer
			require.NoError(t, err)
		}
		s, err := limiters.Parse(rapid.SampledFrom([]string{"token-bucket:rate=1/s,burst=3", "fixed-window:limit=4,window=7s", "sliding-log:limit=4,window=7s", "gcra:rate=1/3s,burst=4"}).Draw(t, "limiter"))
		require.NoError(t, err)
		promise := Promise{Rate: mustRate("1/s"), Burst: 2}
		o, err := w.Run(t.Context(), in.Raw, in.Keys, s, Meter{Key: 5 * time.Second, Total: time.Second, Promise: &promise})
		require.NoError(t, err)
		assert.EqualValues(t, n, o.Requests)
		assert.Equal(t, o.Requests, o.Succeeded+o.Lost+o.Waiting)
		assert.GreaterOrEqual(t, o.Waiting, int64(0))
		underWay := o.Attempts - o.Succeeded - o.Refused - o.TimedOut
		assert.GreaterOrEqual(t, underWay, int64(0))
		assert.LessOrEqual(t, underWay, o.Waiting)
		assert.LessOrEqual(t, o.OneKey, o.Succeeded)
		assert.LessOrEqual(t, o.Total, o.Succeeded)
		assert.LessOrEqual(t, o.MeanWait, o.MaxWait)
		assert.LessOrEqual(t, o.KeysRefused, len(in.Keys))
		assert.Equal(t, o.Refused > 0, o.KeysRefused > 0)
		assert.LessOrEqual(t, o.InMinute, o.Refused)
		assert.LessOrEqual(t, o.Worst.Refused, o.Worst.Requests)
		assert.LessOrEqual(t, o.Promise.Broken, o.Promise.Keys)
		assert.LessOrEqual(t, o.Promise.Keys+o.Promise.Short, len(in.Keys))
		assert.LessOrEqual(t, o.Promise.Refused, o.Refused)
		again, err := w.Run(t.Context(), in.Raw, in.Keys, s, Meter{Key: 5 * time.Second, Total: time.Second, Promise: &promise})
		require.NoError(t, err)
		o.Limiter, again.Limiter = limiters.Spec{}, limiters.Spec{}
		assert.Equal(t, o, again, "the same seed, the same figures")
	})
}

func mustRate(text string) fit.Rate {
	r, err := fit.ParseRate(text)
	if err != nil {
		panic(err)
	}
	return r
}
