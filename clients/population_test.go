package clients

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/des"
	"ratelab/limiters/contract"
	"ratelab/workloads"
)

func TestMixes(t *testing.T) {
	m := mustMix(t, "retry-after:jitter=30s * 0.8", "rude * 0.2", "fixed:wait=1s,users=5,think=1s")
	assert.Equal(t, "retry-after:jitter=30s * 0.8 + rude * 0.2 + fixed:wait=1s,users=5,think=1s", m.String())
	assert.True(t, m.Open())
	assert.False(t, mustMix(t, "none:users=5,think=1s").Open())
	for text, feedback := range map[string]bool{
		"none": false, "none:timeout=1s": true, "none:budget=adaptive": true, "none:users=1,think=1s": true, "rude": true, "paced": true,
	} {
		assert.Equal(t, feedback, mustMix(t, text).Feedback(), text)
	}
	for _, c := range []struct {
		want  string
		texts []string
	}{
		{"a mix needs a client", nil},
		{"the shares of clients must add up to 1, as in 'retry-after * 0.8' and 'rude * 0.2', got 2", []string{"rude", "none"}},
		{"got 9/10", []string{"rude * 0.4", "none * 0.5"}},
		{"share must lie in (0, 1], got \"1.5\"", []string{"rude * 1.5"}},
		{"share must lie in (0, 1], got \"0\"", []string{"rude * 0", "none"}},
		{"share must be a decimal number like 0.5, got \"half\"", []string{"rude * half"}},
		{"share must be a decimal number like 0.5, got \"1/2\"", []string{"rude * 1/2"}},
		{"brings its own users and takes no share", []string{"rude:users=1,think=1s * 0.5"}},
		{`unknown client "rud"`, []string{"rud * 0.5"}},
	} {
		_, err := ParseMix(c.texts...)
		assert.ErrorContains(t, err, c.want)
	}
}

// Clients are divided by largest remainder: every part has its quota, rounded
// down or up, and together they are all.
func TestSharesAreExact(t *testing.T) {
	count := func(n int, texts ...string) map[uint8]int {
		m := mustMix(t, texts...)
		got := map[uint8]int{}
		for _, part := range m.policies(n, workloads.Streams(1, 0, "")("mix")) {
			got[part]++
		}
		return got
	}
	assert.Equal(t, map[uint8]int{0: 8, 1: 2}, count(10, "none * 0.8", "rude * 0.2"))
	assert.Equal(t, map[uint8]int{0: 6, 1: 1}, count(7, "none * 0.8", "rude * 0.2"), "5.6 and 1.4")
	assert.Equal(t, map[uint8]int{0: 2, 1: 1}, count(3, "none * 0.5", "rude * 0.5"), "the earlier of equals")
	assert.Equal(t, map[uint8]int{0: 1}, count(1, "none * 0.5", "rude * 0.5"))
	assert.Equal(t, map[uint8]int{0: 700_000, 1: 300_000, 2: 5}, count(1_000_000, "none * 0.7", "rude * 0.3", "none:users=5,think=1s"))
	dealt := mustMix(t, "none * 0.5", "rude * 0.5").policies(1000, workloads.Streams(1, 0, "")("mix"))
	first := 0
	for _, part := range dealt[:500] {
		first += int(part)
	}
	assert.InDelta(t, 250, first, 4*12, "parts are dealt, not cut into blocks")
	rapid.Check(t, func(t *rapid.T) {
		texts, left := []string{}, 100
		var quota []int
		for len(texts) < 5 && left > 0 {
			q := rapid.IntRange(1, left).Draw(t, "share")
			if len(texts) == 4 {
				q = left
			}
			left -= q
			quota = append(quota, q)
			texts = append(texts, "none * "+[]string{"0.", "0.0"}[b2i(q < 10)]+strconv.Itoa(q))
			if q == 100 {
				texts[0] = "none"
			}
		}
		m, err := ParseMix(texts...)
		if left > 0 {
			if err == nil {
				t.Fatal("shares below 1 are accepted")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		n := rapid.IntRange(0, 1000).Draw(t, "n")
		total := 0
		for i, got := range m.apportion(n) {
			total += got
			if got < n*quota[i]/100 || got > (n*quota[i]+99)/100 {
				t.Fatalf("%d of %d for a share of %d %%", got, n, quota[i])
			}
		}
		if total != n {
			t.Fatalf("%d of %d", total, n)
		}
	})
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestConfigsThatCanNotBe(t *testing.T) {
	open, closed := mustMix(t, "fixed:wait=1s"), mustMix(t, "fixed:wait=1s,users=5,think=1s")
	w := workload(t, "steady:rate=1/s", 1)
	for want, c := range map[string]Config{
		"needs a mix":                                      {},
		"clients must lie in 1..16777216, got 0":           {Mix: open, Workload: w},
		"clients must lie in 1..16777216, got 16777217":    {Mix: open, Workload: w, Clients: 1<<24 + 1},
		"clients without users need a workload":            {Mix: open, Clients: 1},
		"bring their own users":                            {Mix: closed, Workload: w},
		"loss must lie in [0, 1), got 1":                   {Mix: open, Workload: w, Clients: 1, Loss: 1},
		`client "fixed:wait=1s" needs a timeout where`:     {Mix: open, Workload: w, Clients: 1, Loss: 0.1},
		"at most 16777216 clients and users, got 16777217": {Mix: mustMix(t, "none", "none:users=16777216,think=1s"), Workload: w, Clients: 1},
	} {
		c.Stream = workloads.Streams(1, 0, "")
		_, err := New(c)
		assert.ErrorContains(t, err, want)
	}
}

// An attempt that gets no answer in time is given up and cancelled; what it
// was charged stays charged.
func TestTimeouts(t *testing.T) {
	for delay, attempts := range map[time.Duration]int64{time.Second - 1: 1, time.Second: 3, 10 * time.Second: 3} {
		v, p := start(t, Config{
			Mix: mustMix(t, "fixed:wait=5s,timeout=1s,attempts=3"), Clients: 1, Workload: &together{n: 1, at: []time.Duration{0}},
		}, 1)
		v.limited(t, "token-bucket:rate=1/s,burst=10")
		v.delay = delay
		v.sim.Run(des.Never)
		total := p.Total()
		assert.Equal(t, attempts, total.Attempts, "answers after %v", delay)
		assert.Equal(t, attempts, total.Charged)
		assert.Zero(t, total.Unfinished())
		if attempts == 3 {
			assert.Equal(t, []time.Duration{0, 6 * time.Second, 12 * time.Second}, v.sends)
			assert.EqualValues(t, 3, total.TimedOut)
			assert.EqualValues(t, 1, total.Ended[Exhausted])
			for _, r := range v.replies {
				assert.True(t, r.cancelled)
			}
		}
	}
}

// A key that is the same for all attempts is charged once, even if they time
// out.
func TestIdempotencyKeysAreChargedOnce(t *testing.T) {
	var seen events
	v, p := start(t, Config{
		Mix: mustMix(t, "fixed:wait=5s,timeout=1s,attempts=3"), Clients: 1, Workload: &together{n: 4, at: []time.Duration{0, 30 * time.Second}},
		Idempotent: true, Observer: &seen,
	}, 1)
	v.limited(t, "token-bucket:rate=1/s,burst=100")
	v.delay = 2 * time.Second
	v.sim.Run(des.Never)
	assert.EqualValues(t, 24, p.Total().Attempts)
	assert.EqualValues(t, 8, p.Total().Charged)
	keys := map[uint64]int{}
	for _, s := range seen.sent {
		keys[s.req.Idempotency]++
	}
	assert.Len(t, keys, 8, "slots are used again, keys are not")
	for _, n := range keys {
		assert.Equal(t, 3, n)
	}
	var l Ledger
	l.Charge(0)
	assert.False(t, l.Charged(0), "no key was never charged")
	assert.False(t, l.Charged(7<<32|1))
	l.Charge(7<<32 | 1)
	assert.True(t, l.Charged(7<<32|1))
	assert.False(t, l.Charged(8<<32|1))
	assert.False(t, l.Charged(7<<32))
	assert.False(t, l.Charged(0), "not even in a slot that is there")
}

// The sender of an arrival is its key's, the next, or any client.
func TestSenders(t *testing.T) {
	w := func() workloads.Workload {
		l := &listed{}
		for i := range 3000 {
			l.arrivals = append(l.arrivals, workloads.Arrival{At: time.Duration(i), Key: uint32(i / 1000 * 4), Cost: 1})
		}
		return l
	}
	count := func(s Sender) map[int]int {
		var seen events
		v, _ := start(t, Config{Mix: mustMix(t, "none"), Clients: 3, Sender: s, Workload: w(), Observer: &seen}, 1)
		v.decide = refuse(1)
		v.sim.Run(time.Second)
		n := map[int]int{}
		for _, e := range seen.ended {
			n[e.Client]++
		}
		return n
	}
	assert.Equal(t, map[int]int{0: 1000, 1: 1000, 2: 1000}, count(ByKey), "keys 0, 4, 8 mod 3")
	assert.Equal(t, map[int]int{0: 1000, 1: 1000, 2: 1000}, count(InTurn))
	drawn := count(Drawn)
	assert.NotEqual(t, 1000, drawn[0])
	for _, n := range drawn {
		assert.InDelta(t, 1000, n, 4*26)
	}
}

// N users with mean think time Z and answers after S send N/(Z+S) on average,
// and never have more than one request each under way.
func TestUsersCloseTheLoop(t *testing.T) {
	var sample []float64
	for seed := range uint64(30) {
		v, p := start(t, Config{Mix: mustMix(t, "none:users=20,think=1s"), Keys: 4}, seed)
		v.delay = 500 * time.Millisecond
		v.limited(t, "token-bucket:rate=1000/s,burst=1000")
		v.sim.Run(20 * time.Second)
		before := p.Total().Ended[Succeeded]
		v.sim.Run(220 * time.Second)
		sample = append(sample, float64(p.Total().Ended[Succeeded]-before)/200)
		assert.LessOrEqual(t, len(p.requests.slots), 20)
	}
	within(t, 20/1.5, sample, 0, "requests a second")
}

// The clients of one spec do what they do whether others are there or not.
func TestMoreClientsShiftNoDraws(t *testing.T) {
	times := func(mix ...string) []time.Duration {
		var seen events
		v, _ := start(t, Config{Mix: mustMix(t, mix...), Observer: &seen}, 1)
		v.decide = refuse(time.Second)
		v.sim.Run(time.Minute)
		var at []time.Duration
		for _, s := range seen.sent {
			if s.policy == 0 {
				at = append(at, s.at)
			}
		}
		return at
	}
	alone := times("backoff:base=1s,cap=9s,users=5,think=1s")
	assert.Equal(t, alone, times("backoff:base=1s,cap=9s,users=5,think=1s", "backoff:base=1s,cap=9s,users=50,think=1s"))
}

// An end that nobody waits for is ignored.
func TestLateEndsAreIgnored(t *testing.T) {
	v, p := start(t, Config{Mix: mustMix(t, "fixed:wait=1s"), Clients: 1, Workload: &together{n: 1, at: []time.Duration{0}}}, 1)
	var id uint64
	v.decide = func(_ time.Duration, req contract.Request) contract.Reply {
		id = req.ID
		return contract.Reply{}
	}
	v.sim.Run(time.Minute)
	before := p.Total()
	p.Done(v.sim, id, contract.Reply{})
	p.Done(v.sim, 1<<40|99, contract.Reply{})
	assert.Equal(t, before, p.Total())
	assert.EqualValues(t, 1, before.Ended[Succeeded])
}

func TestTallies(t *testing.T) {
	x := Tally{Requests: 10, Attempts: 18, Charged: 12, Obeyed: 4, Honest: 3}
	x.Ended[Succeeded], x.Ended[Exhausted] = 6, 2
	assert.EqualValues(t, 2, x.Unfinished())
	assert.EqualValues(t, 2, x.GaveUp())
	assert.Equal(t, 3.0, x.AttemptsPerSuccess())
	assert.Equal(t, 1.8, x.Amplification())
	assert.Equal(t, 2.0, x.UnitsPerSuccess())
	assert.Equal(t, 0.75, x.SuccessShare())
	assert.Equal(t, 0.75, x.HintHonesty())
	require.Equal(t, "over-budget", OverBudget.String())
}
