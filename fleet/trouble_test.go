package fleet

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/des"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

// troubled is a fleet behind round robin in which something goes wrong.
func troubled(t require.TestingT, limiter, coordination string, servers int, rtt time.Duration, faults, skew, drift string) Config {
	c := config(t, limiter, "round-robin", coordination, servers, rtt)
	var err error
	c.Faults, err = ParseFaults(faults)
	require.NoError(t, err)
	c.Clocks, err = ParseClocks(skew, drift)
	require.NoError(t, err)
	return c
}

// sent is a request that is sent to a server at a time.
type sent struct {
	at     time.Duration
	server int
}

// chosen is a balancer that picks what the test says.
type chosen struct {
	choice
	server int
}

func (b *chosen) Pick(uint32) int { return b.server }

// told is how a request of a story ended, and how long after it was sent.
type told struct {
	outcome contract.Outcome
	after   time.Duration
}

func (e told) String() string {
	if e.after == 0 {
		return e.outcome.String()
	}
	return fmt.Sprintf("%s after %s", e.outcome, e.after)
}

// tell sends requests of one key, in order of time, and returns how they end.
func tell(t require.TestingT, c Config, sends ...sent) ([]string, built) {
	b := newBuilt(t, c)
	to := &chosen{choice: allServe(c.Servers)}
	b.balancer = to
	calls := make([]Call, len(sends))
	for i, one := range sends {
		b.sim.At(one.at, sender(func(s *des.Sim) {
			to.server = one.server
			calls[i] = b.Send(s, contract.Request{At: one.at, Cost: 1})
		}), 0)
	}
	b.sim.Run(des.Never)
	var ends []string
	for i, call := range calls {
		require.Contains(t, b.ended, call, "request %d ends", i)
		ends = append(ends, told{b.replies[call].Outcome, b.ended[call] - sends[i].at}.String())
	}
	require.Zero(t, b.InFlight())
	return ends, b
}

const (
	ms  = time.Millisecond
	sec = time.Second
)

func TestWhileTheStoreIsDownServersDoAsTheyAreTold(t *testing.T) {
	sends := []sent{
		{9994 * ms, 0}, // reaches the store just before
		{9995 * ms, 0}, // reaches it as it goes down
		{15_000 * ms, 1},
		{15_001 * ms, 0},
		{15_002 * ms, 1},
		{19_995 * ms, 0}, // reaches it as it comes back
	}
	for fail, want := range map[string][]string{
		"open":   {"ok after 10ms", "ok after 100ms", "ok after 100ms", "ok after 100ms", "ok after 100ms", "throttled after 10ms"},
		"closed": {"ok after 10ms", "store-down after 100ms", "store-down after 100ms", "store-down after 100ms", "store-down after 100ms", "throttled after 10ms"},
		"local":  {"ok after 10ms", "ok after 100ms", "ok after 100ms", "throttled after 100ms", "throttled after 100ms", "throttled after 10ms"},
	} {
		c := troubled(t, "gcra:rate=1/d,burst=1", "central:timeout=100ms,fail="+fail, 2, 10*ms, "store-down=10s..20s", "", "")
		ends, b := tell(t, c, sends...)
		assert.Equal(t, want, ends, fail)
		assert.EqualValues(t, 4, b.Account(b.sim.Now()).Late)
		assert.Zero(t, b.Trouble(b.sim.Now()), "what is lost at the store was not lost on the way")
	}
}

func TestAStoreThatAnswersInNoTimeCanBeDown(t *testing.T) {
	c := troubled(t, "gcra:rate=1/d,burst=1", "central:timeout=100ms,fail=open", 2, 0, "store-down=10s..20s", "", "")
	ends, b := tell(t, c, sent{0, 0}, sent{10 * sec, 1}, sent{20 * sec, 0})
	assert.Equal(t, []string{"ok", "ok after 100ms", "throttled"}, ends)
	assert.False(t, b.AtOnce())
}

func TestAPartitionCutsItsServersOff(t *testing.T) {
	c := troubled(t, "gcra:rate=1/d,burst=3", "central:timeout=100ms,fail=open", 3, 10*ms, "partition=0-1@10s..20s", "", "")
	ends, b := tell(t, c,
		sent{9990 * ms, 0},   // is under way as the cut begins: 5 ms there, 5 ms back, at 10 s
		sent{9989 * ms, 1},   // is back just before
		sent{9996 * ms, 0},   // does not get there
		sent{15 * sec, 2},    // is not cut off
		sent{19_999 * ms, 1}, // sets out too early
		sent{20 * sec, 1},    // does not
	)
	assert.Equal(t, []string{"ok after 100ms", "ok after 10ms", "ok after 100ms", "ok after 10ms", "ok after 100ms", "throttled after 10ms"}, ends)
	assert.EqualValues(t, 3, b.Trouble(b.sim.Now()).Lost)
	assert.EqualValues(t, 1, b.Wasted(), "the store charged for the answer that was lost")
}

func TestAShareOfMessagesIsLost(t *testing.T) {
	const n = 20_000
	c := troubled(t, "gcra:rate=1000000/s,burst=1000", "central:timeout=100ms,fail=closed", 3, 10*ms, "lost=0.25", "", "")
	b := newBuilt(t, c)
	for i := range n {
		b.sim.At(time.Duration(i)*ms, sender(func(s *des.Sim) { b.Send(s, contract.Request{At: s.Now(), Cost: 1}) }), 0)
	}
	b.sim.Run(des.Never)
	down := 0
	for _, r := range b.replies {
		if r.Outcome == contract.StoreDown {
			down++
		}
	}
	require.Len(t, b.replies, n)
	assert.EqualValues(t, down, b.Trouble(b.sim.Now()).Lost, "each was missed")
	assert.InDelta(t, n/4, down, 5*math.Sqrt(n*0.25*0.75))
	assert.Zero(t, b.Trouble(b.sim.Now()).Doubled)
}

func TestAMessageThatComesTwiceIsChargedTwice(t *testing.T) {
	for _, c := range []struct {
		coordination           string
		admitted               int
		wasted, expired, grant int64
		why                    string
	}{
		{"central", 5, 5, 0, 0, "each check takes two tokens, of which nobody hears"},
		{"sharded:shards=1", 5, 5, 0, 0, "a shard is a store"},
		{"central-racy:delay=0,write=add", 5, 0, 0, 0, "each write adds twice"},
		{"central-racy:delay=0,write=set", 10, 0, 0, 0, "a count that is written twice is the same"},
		{"leased:batch=2", 6, 0, 4, 5, "of two grants of two one reaches the server, until two are left"},
	} {
		cfg := troubled(t, "fixed-window:limit=10,window=1d", c.coordination, 1, 2*ms, "doubled=1", "", "")
		var sends []sent
		for i := range 20 {
			sends = append(sends, sent{time.Duration(i) * sec, 0})
		}
		ends, b := tell(t, cfg, sends...)
		admitted := 0
		for _, e := range ends {
			if e == "ok after 2ms" || e == "ok" {
				admitted++
			}
		}
		a := b.Account(b.sim.Now())
		assert.Equal(t, c.admitted, admitted, "%s: %s; %v", c.coordination, c.why, ends)
		assert.Equal(t, c.wasted, a.Wasted, c.coordination)
		assert.Equal(t, c.expired, a.Expired, c.coordination)
		assert.Equal(t, c.grant, a.Grants, c.coordination)
		assert.Equal(t, a.Issued, a.Spent+a.Expired+a.Left, c.coordination)
		assert.Positive(t, b.Trouble(b.sim.Now()).Doubled)
	}
}

// Two servers have spent what they have; the second restarts at 5 s.
func TestARestartForgets(t *testing.T) {
	again := func(n int) (sends []sent) {
		for server := range 2 {
			for range n {
				sends = append(sends, sent{0, server})
			}
		}
		return append(sends, sent{5*sec - 1, 1}, sent{5 * sec, 0}, sent{5 * sec, 1}, sent{5 * sec, 1})
	}
	for _, c := range []struct {
		limiter, coordination string
		first                 int // requests that each server admits at 0
		after                 []string
		why                   string
	}{
		{"gcra:rate=1/d,burst=1", "local", 1, []string{"throttled", "throttled", "ok", "throttled"}, "a whole limit anew"},
		{"gcra:rate=1/d,burst=2", "quota", 1, []string{"throttled", "throttled", "ok", "throttled"}, "its share anew"},
		{"gcra:rate=1/d,burst=2", "quota:over=serving", 1, []string{"throttled", "throttled", "ok", "throttled"}, "its share anew"},
		{"fixed-window:limit=2,window=1d", "adaptive:period=1h", 1, []string{"throttled", "throttled", "ok", "throttled"}, "its share anew"},
		{"fixed-window:limit=2,window=1d", "synced:period=1s", 1, []string{"throttled", "throttled", "ok", "ok"}, "a copy that has heard of nothing"},
		{"gcra:rate=1/d,burst=2", "leased:batch=1", 1, []string{"throttled", "throttled", "throttled", "throttled"}, "the store remembers"},
	} {
		sends := again(c.first)
		ends, b := tell(t, troubled(t, c.limiter, c.coordination, 2, 0, "restart=1@5s", "", ""), sends...)
		for _, e := range ends[:2*c.first] {
			require.Equal(t, "ok", e, c.coordination)
		}
		assert.Equal(t, c.after, ends[2*c.first:], "%s: %s", c.coordination, c.why)
		assert.EqualValues(t, 1, b.Trouble(b.sim.Now()).Restarts)
	}
}

func TestARestartLosesALease(t *testing.T) {
	c := troubled(t, "fixed-window:limit=10,window=1d", "leased:batch=6", 2, 0, "restart=0@5s", "", "")
	ends, b := tell(t, c, sent{0, 0}, sent{1, 0}, sent{5 * sec, 0}, sent{6 * sec, 0}, sent{7 * sec, 0}, sent{8 * sec, 0}, sent{9 * sec, 0})
	assert.Equal(t, []string{"ok", "ok", "ok", "ok", "ok", "ok", "throttled"}, ends, "6 - 2 tokens are lost, 4 are left in the store")
	a := b.Account(b.sim.Now())
	assert.EqualValues(t, 4, a.Expired)
	assert.Equal(t, a.Issued, a.Spent+a.Expired+a.Left)
}

func TestWhatARestartedServerHasNotToldIsNotHeard(t *testing.T) {
	for faults, want := range map[string]string{"": "throttled", "restart=0@500ms": "ok"} {
		c := troubled(t, "fixed-window:limit=1,window=1d", "synced:period=1s", 2, 0, faults, "", "")
		ends, _ := tell(t, c, sent{0, 0}, sent{2 * sec, 1})
		assert.Equal(t, []string{"ok", want}, ends, faults)
	}
}

func TestARestartForgetsHowAServerDidWithoutTheStore(t *testing.T) {
	c := troubled(t, "gcra:rate=1/d,burst=1", "central:timeout=1ms,fail=local", 1, 0, "store-down=0s..1h,restart=0@5s", "", "")
	ends, _ := tell(t, c, sent{0, 0}, sent{sec, 0}, sent{5 * sec, 0}, sent{6 * sec, 0})
	assert.Equal(t, []string{"ok after 1ms", "throttled after 1ms", "ok after 1ms", "throttled after 1ms"}, ends)
}

func TestLayersRestartOnTheirServer(t *testing.T) {
	c := layeredConfig(t, limiters.ChargeAdmitted, "round-robin", "local", 2, 0, "user=gcra:rate=1/d,burst=1", "global=gcra:rate=1/d,burst=1")
	c.Faults, _ = ParseFaults("restart=1@5s")
	ends, _ := tell(t, c, sent{0, 0}, sent{0, 1}, sent{5 * sec, 0}, sent{5 * sec, 1})
	assert.Equal(t, []string{"ok", "ok", "throttled", "ok"}, ends)
}

func TestAServerThatIsDownGetsNothingAndKeepsWhatItHas(t *testing.T) {
	c := troubled(t, "gcra:rate=1/d,burst=2", "local", 3, 0, "down=1@10s..20s", "", "")
	b := newBuilt(t, c)
	var servers []int
	for i := range 9 {
		b.sim.Run(time.Duration(5+i*2) * sec)
		servers = append(servers, b.replies[b.Send(b.sim, contract.Request{At: b.sim.Now(), Cost: 1})].Server)
	}
	assert.Equal(t, []int{0, 1, 2, 0, 2, 0, 2, 0, 1}, servers, "at 5, 7, 9 s and from 11 to 19 s without server 1, at 21 s with it")
}

func TestSharesOverTheServersThatServe(t *testing.T) {
	for over, want := range map[string]int{"fleet": 6, "serving": 12} {
		c := troubled(t, "fixed-window:limit=12,window=1m", "quota:over="+over, 2, 0, "down=1@10s..1h", "", "")
		b := newBuilt(t, c)
		b.sim.Run(10 * sec)
		assert.Equal(t, want, b.burst(20), over)
	}
}

func TestTheFirstRequestOfATimeSeesWhatBeginsThen(t *testing.T) {
	c := troubled(t, "gcra:rate=1/d,burst=1", "local", 2, 0, "restart=0-1@10s,down=0@20s..30s", "", "")
	f, err := New(c, nil)
	require.NoError(t, err)
	decide := func(at time.Duration) (int, bool) { server, ok, _ := f.Decide(at, 0, 1); return server, ok }
	for _, w := range []struct {
		at     time.Duration
		server int
		ok     bool
	}{{0, 0, true}, {1, 1, true}, {10*sec - 1, 0, false}, {10 * sec, 1, true}, {10 * sec, 0, true}, {20 * sec, 1, false}, {30*sec - 1, 1, false}, {30 * sec, 0, false}} {
		server, ok := decide(w.at)
		assert.Equal(t, w.server, server, "%s", w.at)
		assert.Equal(t, w.ok, ok, "%s", w.at)
	}
	assert.EqualValues(t, 2, f.Trouble(30*sec).Restarts)
}

// Windows turn by each server's own clock.
func TestAServersLimiterSeesItsClock(t *testing.T) {
	c := troubled(t, "fixed-window:limit=1,window=10s", "local", 3, 0, "", "0/4s/-4s", "0/0/0.1")
	for server, turn := range []time.Duration{10 * sec, 6 * sec, (14*sec*10 + 10) / 11} {
		ends, b := tell(t, c, sent{0, server}, sent{turn - 1, server}, sent{turn, server})
		want := []string{"ok", "throttled", "ok"}
		if server == 2 { // it begins before the epoch: its window turns at 0 first, 4 s later by its clock
			ends, _ = tell(t, c, sent{(4*sec*10 + 10) / 11, server}, sent{turn - 1, server}, sent{turn, server})
		}
		assert.Equal(t, want, ends, "server %d", server)
		assert.Equal(t, 8*sec, b.ClockSpread(0))
	}
}

func TestAQuarterTurnedClockLetsTwoLimitsThrough(t *testing.T) {
	// All servers agree on the count but not on when the window ends: synced by
	// the period, one turns early and is told of what was before.
	skewed := troubled(t, "fixed-window:limit=2,window=10s", "synced:period=1s", 2, 0, "", "0/5s", "")
	ends, _ := tell(t, skewed, sent{0, 0}, sent{0, 0}, sent{4 * sec, 1}, sent{6 * sec, 1}, sent{6 * sec, 1})
	assert.Equal(t, []string{"ok", "ok", "throttled", "ok", "ok"}, ends)
	straight := troubled(t, "fixed-window:limit=2,window=10s", "synced:period=1s", 2, 0, "", "", "")
	ends, _ = tell(t, straight, sent{0, 0}, sent{0, 0}, sent{4 * sec, 1}, sent{6 * sec, 1}, sent{6 * sec, 1})
	assert.Equal(t, []string{"ok", "ok", "throttled", "throttled", "throttled"}, ends)
}

func TestPeersInAPartitionDoNotHearEachOther(t *testing.T) {
	for _, c := range []struct {
		faults       string
		lost, double int64
		want         []string
	}{
		{"", 0, 0, []string{"ok", "throttled", "throttled"}},
		{"partition=0-1@0s..5s", 1, 0, []string{"ok", "throttled", "ok"}},
		{"partition=2@0s..1s", 0, 0, []string{"ok", "throttled", "throttled"}},
		{"partition=2@1s..2s", 1, 0, []string{"ok", "throttled", "ok"}},
		{"lost=1", 2, 0, []string{"ok", "ok", "ok"}},
		{"doubled=1", 0, 2, []string{"ok", "throttled", "throttled"}},
	} {
		cfg := troubled(t, "fixed-window:limit=1,window=1d", "synced:period=1s", 3, 0, c.faults, "", "")
		ends, b := tell(t, cfg, sent{0, 0}, sent{1500 * ms, 1}, sent{1500 * ms, 2})
		assert.Equal(t, c.want, ends, c.faults)
		assert.Equal(t, Trouble{Lost: c.lost, Doubled: c.double}, b.Trouble(b.sim.Now()), c.faults)
	}
	twice := troubled(t, "fixed-window:limit=3,window=1d", "synced:period=1s", 2, 0, "doubled=1", "", "")
	ends, _ := tell(t, twice, sent{0, 0}, sent{1500 * ms, 1}, sent{1500 * ms, 1})
	assert.Equal(t, []string{"ok", "ok", "throttled"}, ends, "one request, charged twice to the other")
}

// Of a server's messages to all others each is lost by itself.
func TestAShareOfWhatPeersTellIsLost(t *testing.T) {
	const servers, periods = 20, 200
	c := troubled(t, "fixed-window:limit=1000000,window=1d", "synced:period=1s", servers, 0, "lost=0.1", "", "")
	b := newBuilt(t, c)
	for i := range servers * periods {
		b.sim.At(time.Duration(i)*sec/servers, sender(func(s *des.Sim) { b.Send(s, contract.Request{At: s.Now(), Cost: 1}) }), 0)
	}
	b.sim.Run(des.Never)
	messages := float64(servers * (servers - 1) * (periods - 1))
	assert.InDelta(t, messages*0.1, b.Trouble(b.sim.Now()).Lost, 5*math.Sqrt(messages*0.1*0.9))
}

// trials are coordinations of every kind under which faults can be tried.
var trials = map[string]string{
	"local": "local", "quota": "quota:over=serving", "adaptive": "adaptive:period=1s", "synced": "synced:period=1s",
	"central": "central:timeout=1s", "central-racy": "central-racy:delay=1ms,timeout=1s", "sharded": "sharded:shards=2,timeout=1s", "leased": "leased:batch=2,timeout=1s",
}

func TestEveryFaultHasAMeaningOrAnErrorThatSaysWhy(t *testing.T) {
	table := map[string]string{ // s: store-down, p: partition, l: lost, 2: doubled, r: restart, d: down, c: clocks
		"local": "rdc", "quota": "rdc", "adaptive": "rdc", "synced": "pl2rdc",
		"central": "spl2d", "central-racy": "spl2d", "sharded": "spl2d", "leased": "spl2rd",
	}
	for _, e := range Coordinations() {
		require.Contains(t, table, e.Name, "what do faults do under %s?", e.Name)
		for letter, fault := range map[rune]string{'s': "store-down=1s..2s", 'p': "partition=0@1s..2s", 'l': "lost=0.5", '2': "doubled=0.5", 'r': "restart=0@1s", 'd': "down=0@1s..2s", 'c': ""} {
			skew := ""
			if letter == 'c' {
				skew = "1s"
			}
			_, err := New(troubled(t, "fixed-window:limit=10,window=1m", trials[e.Name], 2, 0, fault, skew, ""), quiet{})
			if slices.Contains([]rune(table[e.Name]), letter) {
				assert.NoError(t, err, "%s under %s", fault, e.Name)
			} else {
				assert.ErrorContains(t, err, fmt.Sprintf("under coordination %q: ", trials[e.Name]), "%s under %s", fault, e.Name)
			}
		}
	}
	for coordination, faults := range map[string]string{"central:timeout=1s,fail=local": "restart=0@1s", "sharded:shards=2,timeout=1s,fail=local": "restart=0@1s", "leased:batch=2,timeout=1s,fail=local": "restart=0@1s"} {
		_, err := New(troubled(t, "fixed-window:limit=10,window=1m", coordination, 2, 0, faults, "1s", ""), quiet{})
		assert.NoError(t, err, "a server's own limiter forgets and has a clock")
	}
}

func TestTroubleIsRefusedWithAReason(t *testing.T) {
	for _, c := range []struct{ coordination, faults, skew, want string }{
		{"local", "store-down=1s..2s", "", `fault "store-down=1s..2s" means nothing under coordination "local": its servers ask no store and tell each other nothing`},
		{"central:timeout=1s", "restart=0@1s", "", `fault "restart=0@1s" means nothing under coordination "central:timeout=1s": its servers hold no limit, and the store has a clock of its own`},
		{"central", "", "50ms", `clocks that differ (skew ±50ms) mean nothing under coordination "central": its servers hold no limit, and the store has a clock of its own`},
		{"central", "lost=0.5", "", `fault "lost=0.5" needs a timeout under coordination "central": without one a server waits for ever for an answer that is lost`},
		{"local", "down=0-1@1s..2s", "", `fault "down=0-1@1s..2s": with it all 2 servers are down at 1s; one at least must serve`},
		{"local", "", "1s/2s/3s", `skew "1s/2s/3s" names 3 servers, the fleet has 2`},
		{"quota:over=serving", "down=0@1s..2s", "", ""},
	} {
		_, err := New(troubled(t, "gcra:rate=1/d,burst=4", c.coordination, 2, 0, c.faults, c.skew, ""), quiet{})
		if c.want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.EqualError(t, err, c.want)
	}
}

// Whatever goes wrong, every request ends exactly once, leases add up, and where
// nothing takes time both ways in decide alike.
func TestWithAnyFaultsEveryRequestEndsExactlyOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"local", "quota", "adaptive", "synced", "central", "central-racy", "sharded", "leased"}).Draw(t, "coordination")
		text := trials[name]
		if text != "" && rapid.Bool().Draw(t, "fails local") && slices.Contains([]string{"central", "central-racy", "sharded", "leased"}, name) {
			text += ",fail=local"
		}
		servers := rapid.IntRange(2, 4).Draw(t, "servers")
		at := func(what string) time.Duration { return time.Duration(rapid.IntRange(0, 10).Draw(t, what)) * sec / 2 }
		var faults Faults
		for _, kind := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(faultKinds)-1), 0, 6, rapid.ID).Draw(t, "kinds") {
			k := faultKinds[kind]
			f := Fault{Kind: k.kind}
			if k.servers {
				f.First = rapid.IntRange(0, servers-2).Draw(t, "first")
				f.Last = rapid.IntRange(f.First, servers-2).Draw(t, "last")
			}
			if k.share {
				f.Share = rapid.Float64Range(0.01, 1).Draw(t, "share")
			} else if f.From = at("from"); k.until {
				f.To = f.From + sec/2 + at("length")
			}
			faults = append(faults, f)
		}
		limiter := rapid.SampledFrom([]string{"fixed-window:limit=8,window=2s", "token-bucket:rate=5/s,burst=8"}).Draw(t, "limiter")
		rtt := time.Duration(0)
		if _, err := New(config(t, limiter, "random", text, servers, 5*ms), quiet{}); err == nil && rapid.Bool().Draw(t, "round trip") {
			rtt = 300 * ms
		}
		balancer := rapid.SampledFrom([]string{"round-robin", "random", "hash", "weighted:zipf=1", "least", "two-choices"}).Draw(t, "balancer")
		c := config(t, limiter, balancer, text, servers, rtt)
		c.Faults = faults
		if rapid.Bool().Draw(t, "skewed") {
			c.Clocks, _ = ParseClocks("700ms", "0.01")
		}
		o := newObserver()
		f, err := New(c, o)
		if err != nil {
			t.Skip(err) // it means nothing, and says so
		}
		b := built{f, o, des.New()}
		direct, err := New(c, nil)
		require.NoError(t, err)
		count := 0
		for _, gap := range rapid.SliceOfN(rapid.IntRange(0, 4), 1, 60).Draw(t, "gaps") {
			b.sim.Run(b.sim.Now() + time.Duration(gap)*sec/8)
			key := rapid.Uint32Range(0, 1).Draw(t, "key")
			call := b.Send(b.sim, contract.Request{At: b.sim.Now(), Key: key, Cost: 1})
			if rapid.IntRange(0, 9).Draw(t, "gives up") == 0 && b.Cancel(call) {
				continue
			}
			count++
			if f.AtOnce() {
				server, admitted, _ := direct.Decide(b.sim.Now(), key, 1)
				require.Equal(t, b.replies[call].Server, server)
				require.Equal(t, b.replies[call].Decision.Admitted, admitted)
			}
		}
		b.sim.Run(des.Never)
		require.Len(t, b.ended, count)
		require.Zero(t, b.InFlight())
		require.Len(t, b.calls.free, len(b.calls.slots), "no slot is held for ever")
		if f.AtOnce() {
			require.Equal(t, f.Trouble(b.sim.Now()), direct.Trouble(b.sim.Now()))
		}
		a := b.Account(b.sim.Now())
		require.Equal(t, a.Issued, a.Spent+a.Expired+a.Left)
		switch balancer := b.balancer.(type) {
		case *least:
			for server, load := range balancer.load {
				require.Zero(t, load%away, "server %d has no call in flight", server)
			}
		case *twoChoices:
			require.Equal(t, make([]int, servers), balancer.load, "no server has a call in flight")
		}
	})
}

func TestNothingAllocatesPerRequestInTrouble(t *testing.T) {
	c := troubled(t, "gcra:rate=1000/s,burst=5", "central:timeout=1ms,fail=local", 4, 2*ms, "lost=0.1,doubled=0.1,partition=0@0s..1h,down=1@0s..1h", "1s", "1ppm")
	var err error
	c.Balancer, err = ParseBalancer("least")
	require.NoError(t, err)
	f, err := New(c, quiet{})
	require.NoError(t, err)
	sim := des.New()
	step := func() {
		f.Send(sim, contract.Request{At: sim.Now(), Key: 1, Cost: 1})
		sim.Run(sim.Now() + 100*time.Microsecond)
	}
	for range 2000 {
		step()
	}
	assert.Zero(t, testing.AllocsPerRun(1000, step))
}
