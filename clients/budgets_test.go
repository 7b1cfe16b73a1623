package clients

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/des"
	"ratelab/internal/random"
	"ratelab/limiters/contract"
)

// serial runs calls one after another against failures from outside, as the
// chains of theory do: each ends before the next begins.
func serial(b budget, p float64, calls, attempts int, r *rand.Rand) (load, success float64) {
	sent, good := 0, 0
	for range calls {
		b.begin(0)
		retried := false
		for n := 1; ; n++ {
			sent++
			if r.Float64() >= p {
				b.heard(0, contract.OK)
				good++
				break
			}
			b.heard(0, contract.Shed)
			if n == attempts || !b.retry(0, retried, contract.Decision{}) {
				break
			}
			retried = true
		}
		b.end(retried)
	}
	return float64(sent) / float64(calls), float64(good) / float64(calls)
}

func mustBudget(t testing.TB, text string) BudgetSpec {
	t.Helper()
	b, err := ParseBudget(text)
	require.NoError(t, err)
	return b
}

// grpcChain returns the attempts a call in the long run, from the stationary
// law of the tokens at the beginning of a call, in tenths.
func grpcChain(p float64, attempts int) float64 {
	const most, half = 100, 50
	var step func(level, n int, chance float64, to []float64) float64
	step = func(level, n int, chance float64, to []float64) float64 {
		to[min(most, level+1)] += chance * (1 - p)
		down := max(0, level-10)
		if n < attempts && down > half {
			return chance + step(down, n+1, chance*p, to)
		}
		to[down] += chance * p
		return chance
	}
	law, load := make([]float64, most+1), 0.0
	law[most] = 1
	for range 20_000 {
		next := make([]float64, most+1)
		load = 0
		for level, chance := range law {
			load += step(level, 1, chance, next)
		}
		law = next
	}
	return load
}

// The chain of gRPC's tokens, against values found by simulation, which had
// the tokens full at first.
func TestGRPCChain(t *testing.T) {
	for p, want := range map[float64]float64{0.02: 1.0204, 0.05: 1.0520, 0.1: 1.0205, 0.2: 1.00004} {
		assert.InDelta(t, want, grpcChain(p, 4), 0.0003, "p=%v: %v", p, grpcChain(p, 4))
		t.Logf("p=%v: %.7f", p, grpcChain(p, 4))
	}
}

// The token bucket and gRPC against their exact chains, after a start long
// enough to forget that they were full.
func TestBudgetsAgainstTheirChains(t *testing.T) {
	const calls = 60_000
	for _, c := range []struct {
		budget        string
		attempts      int
		p             float64
		load, success float64 // success 0: not known
		tolerance     float64
	}{
		{"tokens", 1 << 30, 0.02, 1.02040773167741, 1, 1e-6},
		{"tokens", 1 << 30, 0.05, 1.052390101090777, 0.999771, 1e-6},
		{"tokens", 1 << 30, 0.1, 1.0928920507763384, 0.983603, 1e-6},
		{"tokens", 1 << 30, 0.2, 1.0999854034985672, 0.879988, 1e-6},
		{"tokens", 1 << 30, 0.3, 1.0999999723112095, 0.77, 1e-6},
		{"tokens", 1 << 30, 0.5, 1.0999999999998173, 0.55, 1e-6},
		{"grpc", 4, 0.02, grpcChain(0.02, 4), 0, 0},
		{"grpc", 4, 0.05, grpcChain(0.05, 4), 0, 0},
		{"grpc", 4, 0.1, grpcChain(0.1, 4), 0, 0},
		{"grpc", 4, 0.2, grpcChain(0.2, 4), 0, 0},
	} {
		var loads, successes []float64
		for seed := range uint64(30) {
			b, r := mustBudget(t, c.budget).new(), random.Stream(seed, "failures")
			serial(b, c.p, 2000, c.attempts, r)
			load, success := serial(b, c.p, calls, c.attempts, r)
			loads, successes = append(loads, load), append(successes, success)
		}
		within(t, c.load, loads, c.tolerance, c.budget+" load")
		if c.success == 1 {
			for _, s := range successes {
				require.InDelta(t, 1, s, 1e-4)
			}
		} else if c.success > 0 {
			within(t, c.success, successes, c.tolerance, c.budget+" success")
		}
	}
}

// A deposit on success is a deposit on call where nothing fails for good, and
// less where something does.
func TestTokensOnSuccess(t *testing.T) {
	call, success := mustBudget(t, "tokens:on=call").new(), mustBudget(t, "tokens:on=success").new()
	for range 40 { // all fail: the bucket of 5 allows 4 retries, since one must be left over
		for _, b := range []budget{call, success} {
			b.begin(0)
			b.heard(0, contract.Shed)
			b.retry(0, false, contract.Decision{})
		}
	}
	assert.EqualValues(t, 1000, success.(*tokens).level)
	assert.False(t, success.retry(0, false, contract.Decision{}), "exactly one token is not more than one")
	for range 10 {
		success.heard(0, contract.OK)
		call.heard(0, contract.OK)
	}
	assert.EqualValues(t, 2000, success.(*tokens).level, "ten tenths are one, exactly")
	assert.LessOrEqual(t, call.(*tokens).level, int64(2000))
}

func TestGRPCPushBack(t *testing.T) {
	b := mustBudget(t, "grpc").new()
	never := contract.Decision{RetryAfter: contract.Never, Has: contract.HintRetryAfter}
	soon := contract.Decision{RetryAfter: time.Second, Has: contract.HintRetryAfter}
	assert.False(t, b.retry(0, false, never))
	assert.True(t, b.retry(0, false, soon))
	for n := range 5 {
		assert.True(t, b.retry(0, false, soon), "after %d failures", n)
		b.heard(0, contract.Throttled)
	}
	assert.False(t, b.retry(0, false, soon), "5 of 10 are not more than half")
	b.heard(0, contract.OK)
	assert.True(t, b.retry(0, false, soon))
	for range 100 {
		b.heard(0, contract.Throttled)
	}
	for range 50 {
		assert.False(t, b.retry(0, false, soon))
		b.heard(0, contract.OK)
	}
	assert.False(t, b.retry(0, false, soon), "from 0 on, 50 successes bring exactly half")
	b.heard(0, contract.OK)
	assert.True(t, b.retry(0, false, soon))
}

// The ratio's reserve is 10 retries a second, averaged over ten; what is spent
// comes back when it is ten seconds old, a slice at a time.
func TestRatioExpires(t *testing.T) {
	b := mustBudget(t, "ratio").new()
	spend := func(now time.Duration) (n int) {
		for b.retry(now, false, contract.Decision{}) {
			n++
		}
		return n
	}
	assert.Equal(t, 100, spend(0))
	assert.Zero(t, spend(9*time.Second+999_999_999))
	assert.Equal(t, 100, spend(10*time.Second))
	for range 50 {
		b.begin(11 * time.Second)
	}
	assert.Equal(t, 10, spend(11*time.Second))
	assert.Zero(t, spend(19*time.Second))
	assert.Equal(t, 100, spend(20*time.Second))
	assert.Zero(t, spend(21*time.Second), "the 50 requests and their 10 retries leave together")
	assert.Equal(t, 100, spend(time.Hour))
}

// In any time the ratio allows no more than its reserve for each ttl begun,
// and its percentage of the requests that are counted with it.
func TestRatioIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := mustBudgetRapid(t, "ratio:ttl=10s,min=1,percent=20")
		var now time.Duration
		var calls, retries int64
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			now += time.Duration(rapid.Int64Range(0, 3e9).Draw(t, "gap"))
			if rapid.Bool().Draw(t, "call") {
				b.begin(now)
				calls++
			} else if b.retry(now, false, contract.Decision{}) {
				retries++
			}
			periods := int64(now/(10*time.Second)) + 1
			if 100*retries > 20*calls+1000*(periods+1) {
				t.Fatalf("at %v: %d retries after %d calls", now, retries, calls)
			}
		}
	})
}

func mustBudgetRapid(t *rapid.T, text string) budget {
	b, err := ParseBudget(text)
	if err != nil {
		t.Fatal(err)
	}
	return b.new()
}

// However requests come and go, those that retry are at most the minimum or
// the percentage of those under way, at the moment one is allowed to.
func TestActiveIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := mustBudgetRapid(t, "active:percent=20,min=3").(*active)
		var under []bool // requests under way: whether they retry
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			switch kind := rapid.IntRange(0, 3).Draw(t, "what"); {
			case kind < 2 || len(under) == 0:
				b.begin(0)
				under = append(under, false)
			case kind == 2:
				i := rapid.IntRange(0, len(under)-1).Draw(t, "which")
				again := under[i]
				under[i] = true
				retrying := 0
				for _, r := range under {
					if r {
						retrying++
					}
				}
				allowed := b.retry(0, again, contract.Decision{})
				if want := retrying <= max(3, len(under)/5); allowed != want {
					t.Fatalf("%d of %d would retry: allowed %v", retrying, len(under), allowed)
				}
				under[i] = again || allowed
			default:
				i := rapid.IntRange(0, len(under)-1).Draw(t, "which")
				b.end(under[i])
				under = append(under[:i], under[i+1:]...)
			}
		}
	})
}

// Far above its capacity a server gets k attempts for each that it accepts.
func TestAdaptiveSendsKForEachAccepted(t *testing.T) {
	for k, want := range map[string]float64{"2": 2, "1.5": 1.5, "1.1": 1.1} {
		var sample []float64
		for seed := range uint64(8) {
			v, p := start(t, Config{
				Mix: mustMix(t, "none:budget=adaptive/window=20s/k="+k), Clients: 1, Workload: workload(t, "poisson:rate=1000/s", seed),
			}, seed)
			v.quiet = true
			v.limited(t, "token-bucket:rate=50/s,burst=5")
			v.sim.Run(40 * time.Second)
			before := p.Total()
			v.sim.Run(100 * time.Second)
			after := p.Total()
			sample = append(sample, float64(after.Attempts-before.Attempts)/float64(after.Ended[Succeeded]-before.Ended[Succeeded]))
			require.Positive(t, after.Ended[Withheld])
		}
		within(t, want, sample, 0.01, "k="+k)
	}
}

// A population with a budget sends no more than the budget allows, whatever
// its clients want, and says how often it was refused.
func TestBudgetsBoundAmplification(t *testing.T) {
	for _, c := range []struct {
		budget string
		most   float64
	}{
		{"tokens", 1.1 + 4.0/5000}, // the bucket that was full at first
		{"tokens:deposit=0.02,cap=10", 1.02 + 9.0/5000},
		{"ratio:min=0,percent=20", 1.2},
		{"ratio:min=1,percent=10", 1.1 + (100+10)*1.0/5000},
		{"grpc", 1 + 5.0/5000},
		{"active:min=0", 1.25},
	} {
		v, p := start(t, Config{
			Mix:     mustMix(t, "fixed:wait=10ms,attempts=unlimited,budget="+slashes(c.budget)),
			Clients: 1, Workload: &firstOf{workload(t, "steady:rate=50/s", 1), 5000},
		}, 1)
		v.decide = refuse(time.Second)
		v.sim.Run(des.Never)
		total := p.Total()
		assert.EqualValues(t, 5000, total.Ended[OverBudget], c.budget)
		assert.LessOrEqual(t, total.Amplification(), c.most, c.budget)
		if c.budget != "active:min=0" { // with one request at a time under way nobody may retry
			assert.Greater(t, total.Amplification(), 1.0, c.budget)
		}
	}
}

// One budget of all clients is spent by any of them, each one's own only by it.
func TestWhoseBudget(t *testing.T) {
	for of, retries := range map[string]int64{"client": 10 * 4, "all": 4} {
		v, p := start(t, Config{
			Mix: mustMix(t, "fixed:wait=1s,attempts=unlimited,budget=tokens/deposit=0/of="+of), Clients: 10, Sender: InTurn,
			Workload: &together{n: 10, at: []time.Duration{0}},
		}, 1)
		v.decide = refuse(time.Second)
		v.sim.Run(des.Never)
		assert.Equal(t, 10+retries, p.Total().Attempts, of)
	}
}

func TestRecentForgets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := time.Duration(rapid.IntRange(1, 4).Draw(t, "width"))
		n := rapid.IntRange(1, 5).Draw(t, "slices")
		a := newRecent(width*time.Duration(n), n)
		type added struct {
			slice time.Duration
			x     int64
		}
		var all []added
		var now time.Duration
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += time.Duration(rapid.IntRange(0, 9).Draw(t, "gap"))
			x := rapid.Int64Range(-5, 5).Draw(t, "x")
			a.add(now, x)
			all = append(all, added{now / width, x})
			now += time.Duration(rapid.IntRange(0, 9).Draw(t, "gap"))
			var want int64
			for _, e := range all {
				if e.slice > now/width-time.Duration(n) {
					want += e.x
				}
			}
			if got := a.sum(now); got != want {
				t.Fatalf("at %d: %d, want %d", now, got, want)
			}
		}
	})
}
