package advise

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/limiters"
	"ratelab/logs"
	"ratelab/logs/fit"
)

// advice is what New says of a log under goals; limits are candidates RATE BURST, or specs.
func advice(t testing.TB, in *Input, w World, g Goals, limits ...string) *Report {
	t.Helper()
	if g.Tolerate == nil {
		g.Tolerate = rat(t, "0.01")
	}
	shares, err := fit.ParseShares("0.99,1")
	require.NoError(t, err)
	o := Options{World: w, Goals: g, Window: time.Minute, Fit: fit.Options{Shares: shares, Grain: 0, Seed: 1}}
	for _, text := range limits {
		if strings.Contains(text, ":") {
			o.Limiters = append(o.Limiters, limiter(t, text))
			continue
		}
		var burst int64
		var rate string
		_, err := fmt.Sscan(text, &rate, &burst)
		require.NoError(t, err)
		o.Candidates = append(o.Candidates, Candidate{fit.Rate{Text: rate, Rate: rateOfText(t, rate)}, burst, "given"})
	}
	if o.Candidates == nil && o.Limiters != nil {
		o.Candidates = []Candidate{}
	}
	r, err := New(t.Context(), in, o)
	require.NoError(t, err)
	return r
}

// every10s is so many requests at once of each of so many keys, every ten seconds for ten minutes.
func every10s(keys, atOnce int) string {
	var b strings.Builder
	b.WriteString("t,key\n")
	for at := 0; at < 600; at += 10 {
		for key := range keys {
			b.WriteString(strings.Repeat(fmt.Sprintf("%d,k%d\n", at, key), atOnce))
		}
	}
	return b.String()
}

func TestTheRightLimiterIsChosenWhereItIsKnown(t *testing.T) {
	alone := func(t testing.TB) World { return world(t, "none", 1, "local") }
	protect := func(text string) *Protected {
		p, err := ParseProtected(text)
		require.NoError(t, err)
		return p
	}
	promise := func(text string) *Promise {
		p, err := ParsePromise(text)
		require.NoError(t, err)
		return p
	}
	steady := "t\n" + strings.Join(strings.Fields(fmt.Sprint(numbers(600))), "\n") + "\n"
	edges := "t,key\n" // 30 at once before an edge of a minute, 30 behind it, every second minute
	for at := 60; at < 1200; at += 120 {
		edges += strings.Repeat(fmt.Sprintf("%d.9,k\n", at-1), 30) + strings.Repeat(fmt.Sprintf("%d,k\n", at), 30)
	}
	flood := "t,key\n" // b asks for ten times as much as a, who keeps to one in two seconds
	for at := range 600 {
		if at%2 == 0 {
			flood += fmt.Sprintf("%d,a\n", at)
		}
		flood += strings.Repeat(fmt.Sprintf("%d.5,b\n", at), 5)
	}
	for name, c := range map[string]struct {
		log    string
		goals  Goals
		limits []string
		want   string
		says   string // in the reasons
	}{
		"a steady stream needs no burst": {steady, Goals{}, []string{"1/s 5"}, "leaky-queue:rate=1/s,queue=4",
			"as good by every rule: leaky-meter:rate=1/s"},
		"bursts that may not wait need a bucket": {every10s(1, 5), Goals{}, []string{"1/2s 5"}, "token-bucket:rate=1/2s,burst=5",
			"no request waits; 1 would let them wait longer than 0s in the mean"},
		"bursts that may wait need a queue": {every10s(1, 5), Goals{Wait: 4 * time.Second}, []string{"1/2s 5"}, "leaky-queue:rate=1/2s,queue=4",
			"requests that succeed wait 4s in the mean, 8s at most"},
		"a queue keeps what stands behind where a bucket does not": {every10s(10, 5), Goals{Protect: protect("20/s"), Wait: 4 * time.Second}, []string{"1/2s 5"},
			"leaky-queue:rate=1/2s,queue=4", "it admits 10 at most in any 1s of all keys together, and what stands behind takes 20; 5 of 7 limiters would have admitted more than that"},
		"nothing keeps it": {every10s(10, 5), Goals{Protect: protect("8/s")}, []string{"token-bucket:rate=1/2s,burst=5", "token-bucket:rate=1/2s,burst=2"},
			"token-bucket:rate=1/2s,burst=5", "no limiter here keeps all keys together at 8/s: this one comes to 50 in any 1s, 42 above (525.00 %), and the least of all to 20"},
		"nothing keeps it, and all lose too much": {every10s(10, 5), Goals{Protect: protect("8/s")}, []string{"token-bucket:rate=1/5s,burst=3", "leaky-queue:rate=1/5s,queue=1", "sliding-log:limit=2,window=10s"},
			"token-bucket:rate=1/5s,burst=3", "and the least of all to 10"},
		"of those that serve as well it comes least above": {every10s(10, 5), Goals{Protect: protect("8/s"), Wait: time.Minute}, []string{"token-bucket:rate=1/2s,burst=5", "leaky-queue:rate=1/2s,queue=4"},
			"leaky-queue:rate=1/2s,queue=4", "of the 2 left, it comes least above what stands behind takes"},
		"a window that forgets at its edge lets twice as much through": {edges, Goals{Protect: protect("40/m"), Tolerate: big.NewRat(1, 2)},
			[]string{"fixed-window:limit=30,window=1m", "sliding-log:limit=30,window=1m"}, "sliding-log:limit=30,window=1m", "1 of 2 limiters"},
		"and is taken where that does no harm": {edges, Goals{}, []string{"fixed-window:limit=30,window=1m", "sliding-log:limit=30,window=1m"},
			"fixed-window:limit=30,window=1m", "1 other would leave more"},
		"a promise is kept, whatever a flood makes of it": {flood, Goals{Promise: promise("1/2s,burst=1"), Tolerate: big.NewRat(1, 1)},
			[]string{"leaky-meter:rate=1/3s", "leaky-meter:rate=1/2s", "leaky-meter:rate=2/s"}, "leaky-meter:rate=1/2s",
			"nobody is refused within the promise of 1/2s,burst=1: 1 key kept to it"},
		"the least of two that lose as much": {flood, Goals{Tolerate: big.NewRat(1, 1)}, []string{"token-bucket:rate=1/s,burst=9", "token-bucket:rate=1/s,burst=8"},
			"token-bucket:rate=1/s,burst=8", "of the 2 left, it lets one key take least: 1/s of rate times 8 at once"},
	} {
		t.Run(name, func(t *testing.T) {
			r := advice(t, fromText(t, c.log), alone(t), c.goals, c.limits...)
			assert.Equal(t, c.want, r.Best().Limiter.String())
			assert.Contains(t, strings.Join(r.Reasons(r.Demands[0]), "\n"), c.says)
		})
	}
}

func numbers(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// A bucket at least as large as a promise keeps it, whatever the keys do: for one server that is a theorem.
func TestABucketAsLargeAsAPromiseKeepsIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteString("t,key\n")
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			fmt.Fprintf(&b, "%d.%d,k%d\n", rapid.IntRange(0, 20).Draw(t, "s"), rapid.IntRange(0, 9).Draw(t, "tenths"), rapid.IntRange(0, 3).Draw(t, "key"))
		}
		in, err := Read([]string{"-"}, logs.Options{Stdin: strings.NewReader(b.String())}, time.Minute)
		require.NoError(t, err)
		burst := rapid.Int64Range(1, 5).Draw(t, "burst")
		more := burst + rapid.Int64Range(0, 3).Draw(t, "more")
		name := rapid.SampledFrom([]string{"token-bucket", "gcra"}).Draw(t, "limiter")
		s, err := limiters.Parse(fmt.Sprintf("%s:rate=1/s,burst=%d", name, more))
		require.NoError(t, err)
		p, err := ParsePromise(fmt.Sprintf("1/s,burst=%d", burst))
		require.NoError(t, err)
		o, err := World{Servers: 1}.Run(t.Context(), in.Raw, in.Keys, s, Meter{Key: time.Second, Total: time.Second, Promise: p})
		require.NoError(t, err)
		assert.Zero(t, o.Promise.Broken)
		assert.Zero(t, o.Promise.Refused)
		assert.Zero(t, o.Promise.Short)
	})
}

// What is said to change the choice does, and nothing nearer does.
func TestChangesAreExact(t *testing.T) {
	specs := []limiters.Spec{}
	for _, text := range []string{"token-bucket:rate=1/s,burst=5", "token-bucket:rate=2/s,burst=2", "leaky-queue:rate=1/s,queue=4", "sliding-log:limit=3,window=2s", "leaky-meter:rate=3/s"} {
		specs = append(specs, limiter(t, text))
	}
	seen := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		var list []*Outcome
		for range rapid.IntRange(1, 6).Draw(t, "outcomes") {
			o := &Outcome{Limiter: rapid.SampledFrom(specs).Draw(t, "limiter"), Requests: 20, Bytes: 32}
			o.Lost, o.Total = rapid.Int64Range(0, 20).Draw(t, "lost"), rapid.Int64Range(1, 12).Draw(t, "total")
			o.MeanWait = time.Duration(rapid.Int64Range(0, 9).Draw(t, "wait"))
			list = append(list, o)
		}
		g := Goals{Tolerate: big.NewRat(rapid.Int64Range(0, 20).Draw(t, "tolerate"), 20), Wait: time.Duration(rapid.Int64Range(0, 9).Draw(t, "waits"))}
		if rapid.Bool().Draw(t, "protected") {
			g.Protect = &Protected{Most: rapid.Int64Range(1, 12).Draw(t, "protect"), Every: time.Second}
		}
		best := g.Choose(list)
		with := func(goal string, at int64) Goals {
			h := g
			switch goal {
			case "protect":
				h.Protect = &Protected{Most: at}
			case "tolerate":
				h.Tolerate = big.NewRat(at, 20)
			case "wait":
				h.Wait = time.Duration(at)
			}
			return h
		}
		other := func(goal string, at int64) bool {
			h := with(goal, at)
			i := h.Choose(list)
			return i != best && !h.twins(h.order(list), list[i], list[best])
		}
		told := map[string]Change{}
		for _, c := range g.Changes(list) {
			told[c.Goal+fmt.Sprint(c.Below)] = c
			seen[c.Goal+fmt.Sprint(c.Below)] = true
			at := c.At
			if c.Below {
				at--
			}
			assert.Equal(t, c.Other, with(c.Goal, at).Choose(list), "%+v", c)
			assert.NotEqual(t, best, c.Other)
		}
		now := map[string]int64{"tolerate": new(big.Int).Div(new(big.Int).Mul(g.Tolerate.Num(), big.NewInt(20)), g.Tolerate.Denom()).Int64(), "wait": int64(g.Wait)}
		if g.Protect != nil {
			now["protect"] = g.Protect.Most
		}
		for goal, at := range now {
			first := int64(-1) // the nearest looser value with another choice
			for v := at + 1; v <= 25 && first < 0; v++ {
				if other(goal, v) {
					first = v
				}
			}
			c, ok := told[goal+"false"]
			assert.Equal(t, first >= 0, ok, "%s above %d: %+v", goal, at, c)
			if ok {
				assert.Equal(t, first, c.At, goal)
			}
		}
	})
	for _, goal := range []string{"protect", "tolerate", "wait"} {
		assert.True(t, seen[goal+"true"], goal)
		assert.True(t, seen[goal+"false"], goal)
	}
}

func TestALogBehindALimitHasTwoDemands(t *testing.T) {
	var b strings.Builder
	b.WriteString("t,key,status\n")
	for at := range 300 {
		fmt.Fprintf(&b, "%d,a,200\n%d.1,b,429\n%d.2,b,429\n%d.3,b,200\n", at, at, at, at)
	}
	in := fromText(t, b.String())
	require.Equal(t, 600, in.Refused)
	require.Equal(t, 600, in.Fit.Retries)
	r := advice(t, in, world(t, "none", 1, "local"), Goals{}, "1/s 2")
	require.Len(t, r.Demands, 2)
	assert.Equal(t, "all requests", r.Demands[0].Name)
	assert.Len(t, r.Demands[0].Records, 1200)
	assert.Len(t, r.Demands[1].Records, 600)
	assert.Positive(t, r.Demands[0].Outcomes[0].Refused)
	assert.Zero(t, r.Demands[1].Outcomes[0].Refused, "a and b ask once a second")

	r = advice(t, in, world(t, "retry-after", 1, "local"), Goals{}, "1/s 2")
	assert.Equal(t, "without retries", r.Demands[0].Name, "the clients that are simulated make their own retries")
	assert.Len(t, r.Demands[0].Records, 600)
}

func TestALimiterThatDoesNotSuitIsLeftOutAndNamed(t *testing.T) {
	in := fromText(t, every10s(2, 3))
	r := advice(t, in, world(t, "none", 2, "synced:period=1s,delay=10ms"), Goals{}, "1/2s 3")
	require.NotEmpty(t, r.Demands[0].Unsuited)
	assert.Equal(t, "leaky-queue:rate=1/2s,queue=2", r.Demands[0].Unsuited[0].Limiter)
	assert.Contains(t, r.Demands[0].Unsuited[0].Why, "a queue has an order")
	assert.Equal(t, "token-bucket:rate=1/2s,burst=3", r.Best().Limiter.String())

	_, err := New(t.Context(), in, Options{
		World: world(t, "none", 2, "sharded:shards=2,pick=random"), Candidates: []Candidate{}, Limiters: []limiters.Spec{limiter(t, "kong:limit=3,window=minute")},
		Goals: Goals{Tolerate: new(big.Rat)}, Window: time.Second, Fit: fit.Options{Shares: []fit.Share{shareOf(t, "1")}},
	})
	var fault *logs.InputError
	require.ErrorAs(t, err, &fault)
	assert.ErrorContains(t, err, "kong")
}

func shareOf(t testing.TB, text string) fit.Share {
	s, err := fit.ParseShare(text)
	require.NoError(t, err)
	return s
}

func TestWhatTheGoalsAskForIsACandidate(t *testing.T) {
	protected, err := ParseProtected("12/s")
	require.NoError(t, err)
	promised, err := ParsePromise("1/s,burst=3")
	require.NoError(t, err)
	in := fromText(t, every10s(10, 5)) // 50 at once
	r := advice(t, in, world(t, "none", 1, "local"), Goals{Protect: protected, Promise: promised})
	last := len(r.Candidates) - 1
	assert.Equal(t, "the promise", r.Candidates[last-1].From)
	assert.Equal(t, "rate=1/s,burst=3", r.Candidates[last-1].String())
	assert.Equal(t, "rate=1/s,burst=1", r.Candidates[last].String(), "ten keys with a burst of 1 each are 10 at once; nothing faster was a candidate")
	assert.LessOrEqual(t, r.Best().Total, int64(12))
}

func TestEqualLimitsAreLookedAtOnce(t *testing.T) {
	in := fromText(t, every10s(1, 2))
	r := advice(t, in, world(t, "none", 1, "local"), Goals{}, "1/s 2", "1/s 3")
	assert.Len(t, r.Demands[0].Outcomes, 13, "one meter of 1/s")
}
