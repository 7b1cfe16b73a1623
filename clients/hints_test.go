package clients

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/internal/random"
	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/workloads"
)

func mustHints(t testing.TB, text string) HintsSpec {
	t.Helper()
	h, err := ParseHints(text)
	require.NoError(t, err)
	assert.Equal(t, text, h.String())
	return h
}

// herd sends n clients of one key at once to an empty bucket, and returns when
// they come back.
func herd(t *testing.T, n int, limiter, hints string, rounded func(contract.Decision) contract.Decision) (*Population, []time.Duration) {
	v, p := start(t, Config{
		Mix: mustMix(t, "retry-after:attempts=unlimited"), Clients: n, Sender: InTurn, Workload: &together{n: n, at: []time.Duration{0}},
		Hints: mustHints(t, hints), Rounded: rounded,
	}, 1)
	v.limited(t, limiter)
	v.sim.Run(time.Hour)
	require.EqualValues(t, n, p.Total().Ended[Succeeded])
	return p, v.sends[n:]
}

// One key, an empty bucket, 50 waiters: each exact hint tells all of them the
// time of one token, and they come n(n+1)/2 times in n/r. With a place in line
// each comes once.
func TestTheHerdOnOneKey(t *testing.T) {
	const n = 50
	bucket := "token-bucket:rate=2/s,burst=1,initial=0"
	p, returns := herd(t, n, bucket, "exact", nil)
	assert.Len(t, returns, n*(n+1)/2)
	assert.Equal(t, 25*time.Second, returns[len(returns)-1])
	assert.EqualValues(t, 50, p.Total().Obeyed)
	assert.EqualValues(t, 1, p.Total().Honest)

	p, returns = herd(t, n, bucket, "place-in-line:rate=2/s", nil)
	require.Len(t, returns, n)
	for i, at := range returns {
		assert.Equal(t, time.Duration(i+1)*500*time.Millisecond, at)
	}
	assert.Equal(t, 1.0, p.Total().HintHonesty())

	// Hints rounded up to whole seconds by the header: two come each second,
	// whoever they are, and find a token each only if the bucket holds two.
	up := func(d contract.Decision) contract.Decision {
		if d.RetryAfter != contract.Never {
			d.RetryAfter = (d.RetryAfter + time.Second - 1) / time.Second * time.Second
		}
		return d
	}
	_, returns = herd(t, n, "token-bucket:rate=2/s,burst=2,initial=0", "exact", up)
	assert.Len(t, returns, 650)
	_, returns = herd(t, n, "token-bucket:rate=2/s,burst=2,initial=0", "place-in-line:rate=2/s", up)
	assert.Len(t, returns, n)
}

// A place in line is honest for every limiter that it is said to be exact for,
// at rates that do not divide a second.
func TestPlacesInLineAreHonest(t *testing.T) {
	for limiter, hints := range map[string]string{
		"token-bucket:rate=3/s,burst=5":               "place-in-line:rate=3/s",
		"gcra:rate=7/13s,burst=2":                     "place-in-line:rate=7/13s",
		"leaky-meter:rate=1/7s":                       "place-in-line:rate=1/7s",
		"fixed-window:limit=7,window=3s":              "place-in-line:limit=7,window=3s",
		"fixed-window:limit=3,window=1s,origin=first": "place-in-line:limit=3,window=1s",
	} {
		const n = 50
		p, returns := herd(t, n, limiter, hints, nil)
		assert.Equal(t, 1.0, p.Total().HintHonesty(), limiter)
		admittedAtOnce := n - int(p.Total().Obeyed)
		assert.Len(t, returns, n-admittedAtOnce, limiter)
	}
}

// Waiters of several costs come after one another and are all admitted at
// their first return.
func TestPlacesInLineCountCosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := limiters.Parse("token-bucket:rate=3/7s,burst=4")
		require.NoError(t, err)
		l := s.New(1, nil)
		h, err := ParseHints("place-in-line:rate=3/7s")
		require.NoError(t, err)
		line := h.New(nil)
		type waiter struct {
			at   time.Duration
			cost int64
		}
		var waiters []waiter
		for range rapid.IntRange(1, 20).Draw(t, "n") {
			cost := rapid.Int64Range(1, 4).Draw(t, "cost")
			d := line.Tell(0, contract.Request{Cost: cost}, l.Take(0, 0, cost))
			if len(waiters) == 0 && d.Admitted {
				continue
			}
			if d.Admitted { // a small one slipped past those who wait: not what is promised
				return
			}
			if k := len(waiters); k > 0 && d.RetryAfter < waiters[k-1].at {
				t.Fatalf("place %d at %v lies before %v", k, d.RetryAfter, waiters[k-1].at)
			}
			waiters = append(waiters, waiter{d.RetryAfter, cost})
		}
		for i, w := range waiters {
			if !l.Take(w.at, 0, w.cost).Admitted {
				t.Fatalf("waiter %d at %v is refused: %v", i, w.at, waiters)
			}
		}
	})
}

func TestHintsChangeOnlyRefusalsThatSomeWaitHelps(t *testing.T) {
	refused := contract.Decision{RetryAfter: 10 * time.Second, Limit: 5, Reset: 9 * time.Second, Has: contract.AllHints}
	for text, check := range map[string]func(d contract.Decision){
		"exact": func(d contract.Decision) { assert.Equal(t, refused, d) },
		"window:window=1m": func(d contract.Decision) {
			assert.Equal(t, 15*time.Second, d.RetryAfter, "at 0:45")
		},
		"server-jitter:max=30s": func(d contract.Decision) {
			assert.GreaterOrEqual(t, d.RetryAfter, 10*time.Second)
			assert.LessOrEqual(t, d.RetryAfter, 40*time.Second)
		},
		"place-in-line:rate=1/s": func(d contract.Decision) { assert.Equal(t, 10*time.Second, d.RetryAfter) },
	} {
		h := mustHints(t, text).New(workloads.Streams(1, 0, ""))
		now := 45 * time.Second
		for range 2 {
			d := h.Tell(now, contract.Request{Key: 3, Cost: 1}, refused)
			check(d)
			d.RetryAfter = refused.RetryAfter
			assert.Equal(t, refused, d, "%s leaves the others alone", text)
			if text == "place-in-line:rate=1/s" {
				d = h.Tell(now, contract.Request{Key: 3, Cost: 1}, refused)
				assert.Equal(t, 11*time.Second, d.RetryAfter, "the next in line")
				d = h.Tell(now, contract.Request{Key: 4, Cost: 1}, refused)
				assert.Equal(t, 10*time.Second, d.RetryAfter, "the first in another line")
				break
			}
		}
		never := contract.Decision{RetryAfter: contract.Never, Has: contract.HintRetryAfter}
		assert.Equal(t, never, h.Tell(now, contract.Request{Cost: 1}, never), text)
		admitted := contract.Decision{Admitted: true, Has: contract.AllHints}
		assert.Equal(t, admitted, h.Tell(now, contract.Request{Cost: 1}, admitted), text)
		silent := contract.Decision{Has: contract.HintLimit}
		assert.Equal(t, silent, h.Tell(now, contract.Request{Cost: 1}, silent), text)
	}
	assert.Equal(t, "exact", HintsSpec{}.String())
	assert.Equal(t, refused, HintsSpec{}.New(nil).Tell(0, contract.Request{}, refused))
}

// Jitter that the server adds spreads a herd as jitter that clients add does.
func TestServerJitterSpreadsTheHerd(t *testing.T) {
	var peaks []float64
	for seed := range uint64(400) {
		v, _ := start(t, Config{
			Mix: mustMix(t, "retry-after:attempts=2"), Clients: 50, Sender: InTurn, Workload: &together{n: 50, at: []time.Duration{0}},
			Hints: mustHints(t, "server-jitter:max=30s"),
		}, seed)
		v.decide = refuse(30 * time.Second)
		v.sim.Run(100 * time.Second)
		peak := 0
		for _, n := range bySecond(v.sends[50:], 100) {
			peak = max(peak, n)
		}
		peaks = append(peaks, float64(peak))
	}
	within(t, 4.771175823132996, peaks, 0, "mean peak")
}

func TestNothingAllocatesPerHint(t *testing.T) {
	for _, e := range HintsEntries() {
		for _, example := range e.Examples {
			h := mustHints(t, example).New(workloads.Streams(1, 0, ""))
			d := contract.Decision{RetryAfter: time.Second, Has: contract.HintRetryAfter}
			r := random.Stream(1)
			tell := func() { h.Tell(time.Second, contract.Request{Key: r.Uint32N(10), Cost: 1}, d) }
			for range 100 {
				tell()
			}
			assert.Zero(t, testing.AllocsPerRun(100, tell), example)
		}
	}
}
