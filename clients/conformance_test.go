package clients

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/workloads"
)

// The conformance suite: what every registered policy, and every budget,
// promises, tried on each of its examples.

func forEachExample(t *testing.T, test func(t *testing.T, e Entry, example string)) {
	for _, e := range Entries() {
		for _, example := range e.Examples {
			t.Run(example, func(t *testing.T) { test(t, e, example) })
		}
	}
	for _, b := range Budgets() {
		for _, example := range b.Examples {
			fixed := entries[slices.IndexFunc(entries, func(e Entry) bool { return e.Name == "fixed" })]
			text := "fixed:wait=200ms,timeout=1s,budget=" + slashes(example)
			t.Run(text, func(t *testing.T) { test(t, fixed, text) })
		}
	}
}

// circumstances are servers that answer at once and later, too late for some,
// and one whose replies get lost.
var circumstances = []struct {
	name  string
	delay time.Duration
	loss  float64
}{{"at once", 0, 0}, {"later", 70 * time.Millisecond, 0}, {"very late", 3 * time.Second, 0}, {"lost", 70 * time.Millisecond, 0.3}}

func world(t *testing.T, example string, loss float64, delay time.Duration, seed uint64, o Observer) (*server, *Population) {
	c := Config{Mix: mustMix(t, example), Loss: loss, Idempotent: true, Observer: o}
	if c.Mix.Open() {
		c.Clients, c.Sender = 7, Drawn
		c.Workload = workloads.Keyed(workload(t, "poisson:rate=20/s", seed), 3, workloads.Streams(seed, 0, "")("keys"))
	} else {
		c.Keys = 3
	}
	v, _ := start(t, c, seed)
	v.delay = delay
	return v.limited(t, "sliding-counter:limit=4,window=1s"), v.p
}

func TestEveryRequestEndsOnceWithinItsAttempts(t *testing.T) {
	forEachExample(t, func(t *testing.T, _ Entry, example string) {
		for _, c := range circumstances {
			s := mustMix(t, example).Specs()[0]
			if c.loss > 0 && s.Timeout() == 0 {
				continue
			}
			o := &once{t: t, limit: []int64{s.Attempts()}, made: map[uint64]int64{}}
			v, p := world(t, example, c.loss, c.delay, 1, o)
			v.sim.Run(30 * time.Second)
			total := p.Total()
			ended := int64(0)
			for _, n := range total.Ended {
				ended += n
			}
			assert.Equal(t, ended, o.n, c.name)
			assert.Equal(t, total.Attempts, o.sent, c.name)
			assert.Equal(t, int64(len(v.sends)), o.sent, c.name)
			assert.Positive(t, ended, c.name)
			held := int64(len(p.requests.slots))
			for i := p.requests.free; i != 0; i = p.requests.slots[i-1].next {
				held--
			}
			assert.Equal(t, held, total.Unfinished(), "%s: the slab holds the unfinished, and no others", c.name)
			assert.GreaterOrEqual(t, total.Obeyed, total.Honest)
		}
	})
}

// One seed gives the same events; another gives others.
func TestPopulationsAreReproducible(t *testing.T) {
	forEachExample(t, func(t *testing.T, _ Entry, example string) {
		var seen [3]events
		for i, seed := range []uint64{1, 1, 2} {
			v, _ := world(t, example, 0, 10*time.Millisecond, seed, &seen[i])
			v.sim.Run(20 * time.Second)
		}
		assert.Equal(t, seen[0], seen[1])
		assert.NotEqual(t, seen[0].sent, seen[2].sent)
	})
}

func TestNothingAllocatesPerRequest(t *testing.T) {
	forEachExample(t, func(t *testing.T, _ Entry, example string) {
		for _, delay := range []time.Duration{0, 70 * time.Millisecond} {
			c := Config{Mix: mustMix(t, example)}
			if c.Mix.Open() {
				c.Clients, c.Sender, c.Workload = 7, Drawn, workload(t, "poisson:rate=20/s", 1)
			}
			v, p := start(t, c, 1)
			v.quiet, v.delay = true, delay
			v.limited(t, "token-bucket:rate=100/s,burst=100") // nothing piles up
			var until time.Duration
			minute := func() {
				until += time.Minute
				v.sim.Run(until)
			}
			for range 5 {
				minute()
			}
			before := p.Total().Attempts
			assert.Zero(t, testing.AllocsPerRun(3, minute))
			assert.Greater(t, p.Total().Attempts, before)
		}
	})
}

func TestSpecsAreReadBack(t *testing.T) {
	forEachExample(t, func(t *testing.T, e Entry, example string) {
		s, err := Parse(example)
		require.NoError(t, err)
		assert.Equal(t, e.Name, s.Name())
		again, err := Parse(s.String())
		require.NoError(t, err)
		assert.Equal(t, s.String(), again.String())
		for _, p := range e.Params {
			if s.values.Given(p.Name) {
				same, err := s.With(p.Name, s.values.Text(p.Name))
				require.NoError(t, err)
				assert.Equal(t, s.String(), same.String())
			}
		}
		assert.Equal(t, s.String(), mustMix(t, example).String())
	})
}

// badValues are texts that no parameter of a unit may take.
var badValues = map[string][]string{
	"duration": {"", "-1s", "1", "1w", "soon", "0.5ns", "999999d"},
	"count":    {"", "-1", "1.5", "many", "9007199254740992"},
	"decimal":  {"", "-1", "1e3", "much", "0.0001"},
	"rate":     {"", "0/s", "-1/s", "10"},
	"budget":   {"", "nonsense", "ratio/ttl", "tokens/cap=-1", "tokens/of=both"},
}

func TestBadParametersAreRefused(t *testing.T) {
	check := func(t *testing.T, unit, start string, set func(value string) error) {
		bad := badValues[unit]
		if strings.Contains(unit, "|") {
			bad = []string{"", "nonsense"}
		}
		require.NotEmpty(t, bad, "the suite knows no bad value for the unit %q", unit)
		for _, value := range bad {
			err := set(value)
			require.Error(t, err, value)
			assert.Contains(t, err.Error(), start)
			if unit != "budget" {
				assert.Regexp(t, `got "?`+regexp.QuoteMeta(value)+`"?($|;|,| )`, err.Error())
			}
		}
	}
	for _, e := range Entries() {
		require.NotEmpty(t, e.Doc)
		for _, p := range e.Params {
			require.NotEmpty(t, p.Doc, p.Name)
			text := e.Examples[0]
			if p.Name == "think" || p.Name == "users" { // which need each other
				separator := ":"
				if strings.Contains(text, ":") {
					separator = ","
				}
				text += separator + "users=3,think=1s"
			}
			s, err := Parse(text)
			require.NoError(t, err)
			check(t, p.Unit, fmt.Sprintf("client %q: %s ", e.Name, p.Name), func(value string) error {
				_, err := s.With(p.Name, value)
				return err
			})
		}
	}
	for _, b := range Budgets() {
		for _, p := range b.Params {
			require.NotEmpty(t, p.Doc, p.Name)
			check(t, p.Unit, fmt.Sprintf("budget %q: %s ", b.Name, p.Name), func(value string) error {
				_, err := ParseBudget(b.Name + ":" + p.Name + "=" + value)
				return err
			})
		}
	}
	for _, h := range HintsEntries() {
		for _, p := range h.Params {
			require.NotEmpty(t, p.Doc, p.Name)
			given := h.Name + ":"
			if p.Name == "window" && h.Name == "place-in-line" {
				given += "limit=3,"
			} else if p.Name == "limit" {
				given += "window=3s,"
			}
			check(t, p.Unit, fmt.Sprintf("hint %q: %s ", h.Name, p.Name), func(value string) error {
				_, err := ParseHints(given + p.Name + "=" + value)
				return err
			})
		}
	}
}

// What is none can be said, as a sweep does.
func TestNoneCanBeSaid(t *testing.T) {
	s, err := Parse("fixed:wait=1s,timeout=none,budget=none,users=none,think=none")
	require.NoError(t, err)
	assert.Zero(t, s.Timeout())
	assert.Zero(t, s.Users())
	assert.Equal(t, "none", s.Budget().String())
	s, err = s.With("timeout", "3s")
	require.NoError(t, err)
	assert.Equal(t, 3*time.Second, s.Timeout())
}

func TestWhatDoesNotGoTogetherIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"rude:every=0,attempts=unlimited": `client "rude": attempts must have a limit with every=0`,
		"rude:attempts=0":                 `client "rude": attempts must be >= 1, the first included, or unlimited, got 0`,
		"none:attempts=2":                 `client "none" has no parameter "attempts"`,
		"fixed":                           `client "fixed" needs wait; write fixed:wait=…`,
		"fixed:wait=0":                    `client "fixed": wait must be > 0, got 0`,
		"fixed:wait=1s,users=5":           `client "fixed": users and think go together`,
		"fixed:wait=1s,think=5s":          `client "fixed": users and think go together`,
		"fixed:wait=1s,users=0,think=1s":  `client "fixed": users must lie in 1..16777216, got 0`,
		"fixed:wait=1s,users=1,think=0":   `client "fixed": think must be > 0, got 0`,
		"backoff:base=2s,cap=1s":          `client "backoff": cap must be >= base, got 1s`,
		"backoff:base=1s,cap=2s,factor=0": `client "backoff": factor must be >= 1, got 0`,
		"backoff:base=1s,cap=2s,jitter=decorrelated,first=base": `client "backoff": first has no meaning with jitter=decorrelated, got base`,
		"paced:queue=0":                              `client "paced": queue must be >= 1, got 0`,
		"fixed:wait=1s,budget=tokens/cap=x":          `client "fixed": budget is no budget: budget "tokens": cap must be a decimal number`,
		"fixed:wait=1s,budget=token":                 `unknown budget "token" (did you mean "tokens"?)`,
		"backof:base=1s,cap=1s":                      `unknown client "backof" (did you mean "backoff"?)`,
		"fixed:wait=1s,budget=active/percent=101":    `percent must lie in 0..100, got 101`,
		"fixed:wait=1s,budget=adaptive/k=0.5":        `k must lie in 1..1000000, got 0.5`,
		"fixed:wait=1s,budget=grpc/max=0":            `max must lie in (0, 1000], got 0`,
		"fixed:wait=1s,budget=grpc/ratio=0":          `ratio must be > 0, got 0`,
		"fixed:wait=1s,budget=ratio/ttl=1500ms":      `ttl must be whole seconds, 1d at most, got 1500ms`,
		"fixed:wait=1s,budget=ratio/percent=100001":  `percent must lie in 0..100000, got 100001`,
		"fixed:wait=1s,budget=ratio/min=1000000001":  `min must be at most 1000000000 a second`,
		"fixed:wait=1s,budget=adaptive/window=119ns": `window must lie in 120ns..365d, got 119ns`,
	} {
		_, err := Parse(text)
		assert.ErrorContains(t, err, want, text)
	}
	for text, want := range map[string]string{
		"place-in-line": `hint "place-in-line": rate or both limit and window must be given`,
		"place-in-line:rate=1/s,limit=3,window=1s": `rate or both limit and window`,
		"place-in-line:limit=3":                    `rate or both limit and window`,
		"place-in-line:limit=0,window=1s":          `limit must be >= 1, got 0`,
		"server-jitter":                            `hint "server-jitter" needs max`,
	} {
		_, err := ParseHints(text)
		assert.ErrorContains(t, err, want, text)
	}
}
