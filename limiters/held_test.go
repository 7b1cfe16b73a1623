package limiters_test

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/limiters"
)

func TestWithRoomForAllKeysNothingChanges(t *testing.T) {
	for _, name := range all() {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			eviction := rapid.SampledFrom([]string{
				"none", "lru:capacity=3", "idle:after=106751d", "idle:after=106751d,sweep=1ns", "idle:after=106751d,sweep=insert,rest",
			}).Draw(t, "eviction")
			s, ops := drawAny(t, name, 15, true)
			bare, l := s.New(1, nil), held(t, eviction, s.String())
			for i, o := range ops {
				require.Equal(t, run(bare, o), run(l, o), "op %d", i)
				require.Equal(t, bare.Keys(), l.Keys(), "op %d", i)
				asked := rapid.Uint32Range(0, 2).Draw(t, "asked")
				if asked < 2 && i > 0 {
					require.Equal(t, bare.Ask(o.now, ops[0].key, 1), l.Ask(o.now, ops[0].key, 1), "op %d", i)
				}
			}
			require.Zero(t, l.Forgotten())
			l.Forget(ops[0].key)
			require.Zero(t, l.Forgotten(), "what is dropped by name does not count")
			require.Equal(t, bare.Keys()-1, l.Keys())
			require.Equal(t, bare.Keys(), l.MostKeys())
		}))
	}
}

func TestForgettingAtRestChangesNoDecision(t *testing.T) {
	for _, name := range all() {
		if roundsAnew(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			forgotten := int64(0)
			rapid.Check(t, func(t *rapid.T) {
				sweep := rapid.SampledFrom([]string{"always", "insert", "1ns", "7ns", "1s", "1m"}).Draw(t, "sweep")
				s, ops := drawAny(t, name, 15, false)
				bare, l := s.New(1, nil), held(t, "idle:after=1ns,rest,sweep="+sweep, s.String())
				for i, o := range ops {
					a, b := run(bare, o), run(l, o)
					require.Equal(t, a.Admitted, b.Admitted, "op %d", i)
					require.Equal(t, a.Delay, b.Delay, "op %d", i)
				}
				require.Zero(t, l.Forgotten().Early)
				require.Zero(t, l.Forgotten().ByCapacity)
				forgotten += l.Forgotten().ByIdleness
			})
			if name != "go-limiter" {
				assert.Positive(t, forgotten)
			}
		})
	}
}

// slowHeld holds keys in a list, the least recently seen first, and looks
// through all of it each time.
type slowHeld struct {
	limiters.Limiter
	keys      []uint32
	seen      map[uint32]time.Duration
	clock     time.Duration
	forgotten limiters.Forgotten
}

func (h *slowHeld) forget(key uint32) {
	if !h.Limiter.(limiters.Resting).AtRest(h.clock, key) {
		h.forgotten.Early++
	}
	h.Limiter.Forget(key)
	h.keys = slices.DeleteFunc(h.keys, func(k uint32) bool { return k == key })
}

func (h *slowHeld) see(key uint32, capacity int) {
	if at := slices.Index(h.keys, key); at >= 0 {
		h.keys = slices.Delete(h.keys, at, at+1)
	} else if len(h.keys) == capacity {
		h.forgotten.ByCapacity++
		h.forget(h.keys[0])
	}
	h.keys, h.seen[key] = append(h.keys, key), h.clock
}

func (h *slowHeld) sweep(at, after time.Duration, rest bool) {
	for _, key := range slices.Clone(h.keys) {
		if h.seen[key]+after <= at && (!rest || h.Limiter.(limiters.Resting).AtRest(at, key)) {
			h.forgotten.ByIdleness++
			h.forget(key)
		}
	}
}

func slowly(s limiters.Spec) *slowHeld {
	return &slowHeld{Limiter: s.New(1, nil), seen: map[uint32]time.Duration{}}
}

// drawSteps draws requests of a dozen keys.
func drawSteps(t *rapid.T, most int) (ops []op) {
	unit := rapid.SampledFrom([]time.Duration{ms, 100 * ms, time.Second, 10 * time.Second}).Draw(t, "unit")
	now := today
	for range rapid.IntRange(1, most).Draw(t, "requests") {
		now += time.Duration(rapid.IntRange(-2, 12).Draw(t, "step")) * unit
		key := rapid.SampledFrom([]uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1 << 31, 1<<32 - 1}).Draw(t, "key")
		ops = append(ops, op{now: now, key: key, cost: 1})
	}
	return ops
}

var variety = []string{
	"fixed-window:limit=2,window=10s", "fixed-window:limit=2,window=10s,jitter=10s", "sliding-log:limit=3,window=5s,count=all",
	"token-bucket:rate=1/5s,burst=2", "gcra:rate=1/s,burst=1", "nginx:rate=6r/m,burst=1", "gubernator-token:limit=1,duration=30s", "throttled:rate=1/s,burst=1",
}

func TestTheLeastRecentlySeenIsPushedOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := parse(t, rapid.SampledFrom(variety).Draw(t, "limiter"))
		capacity := rapid.IntRange(1, 6).Draw(t, "capacity")
		text := "lru:capacity=" + string(rune('0'+capacity))
		l, slow := held(t, text, s.String()), slowly(s)
		slow.clock = -1 << 62
		for i, o := range drawSteps(t, 60) {
			slow.clock = max(slow.clock, o.now)
			slow.see(o.key, capacity)
			require.Equal(t, run(slow.Limiter, o), run(l, o), "op %d", i)
			require.Equal(t, slow.forgotten, l.Forgotten(), "op %d", i)
			require.Equal(t, len(slow.keys), l.Keys(), "op %d", i)
			require.LessOrEqual(t, l.Keys(), capacity)
		}
	})
}

func TestIdleKeysAreSwept(t *testing.T) {
	sweeps := map[string]time.Duration{"always": 0, "insert": 0, "5s": 5 * time.Second, "1m": time.Minute}
	rapid.Check(t, func(t *rapid.T) {
		s := parse(t, rapid.SampledFrom(variety).Draw(t, "limiter"))
		sweep := rapid.SampledFrom([]string{"always", "insert", "5s", "1m"}).Draw(t, "sweep")
		after := rapid.SampledFrom([]time.Duration{3 * time.Second, 20 * time.Second, time.Minute}).Draw(t, "after")
		rest := sweeps[sweep] > 0 && rapid.Bool().Draw(t, "rest")
		text := "idle:after=" + after.String() + ",sweep=" + sweep
		if rest {
			text += ",rest"
		}
		l, slow := held(t, text, s.String()), slowly(s)
		for i, o := range drawSteps(t, 60) {
			before := slow.clock
			slow.clock = max(slow.clock, o.now)
			switch every := sweeps[sweep]; {
			case every > 0:
				if i == 0 {
					before = slow.clock
				}
				for at := before/every*every + every; at <= slow.clock; at += every {
					slow.sweep(at, after, rest)
				}
			case sweep == "always" || !slices.Contains(slow.keys, o.key):
				slow.sweep(slow.clock, after, rest)
			}
			slow.see(o.key, -1)
			require.Equal(t, run(slow.Limiter, o), run(l, o), "op %d", i)
			require.Equal(t, slow.forgotten, l.Forgotten(), "op %d", i)
			require.Equal(t, len(slow.keys), l.Keys(), "op %d", i)
		}
	})
}

// slowZone is the limit_req module of nginx with its zone, by the page: a list
// of states, the least recently seen first.
type slowZone struct {
	states                      []slowState
	capacity                    int
	rate, burst                 int64
	byForce, byIdleness, missed int64
}

type slowState struct {
	key          uint32
	excess, last int64
}

func (z *slowZone) expire(ms int64) {
	for range 2 {
		if len(z.states) == 0 {
			return
		}
		s := z.states[0]
		idle := max(ms-s.last, s.last-ms)
		if idle < 60000 || s.excess-z.rate*idle/1000 > 0 {
			return
		}
		z.byIdleness++
		z.drop(ms)
	}
}

func (z *slowZone) drop(ms int64) {
	if s := z.states[0]; ms <= s.last || s.excess-z.rate*(ms-s.last)/1000+1000 > 0 {
		z.missed++
	}
	z.states = z.states[1:]
}

func (z *slowZone) request(ms int64, key uint32) bool {
	at := slices.IndexFunc(z.states, func(s slowState) bool { return s.key == key })
	if at < 0 {
		z.expire(ms)
		if len(z.states) == z.capacity {
			z.byForce++
			z.drop(ms)
			z.expire(ms)
		}
		z.states = append(z.states, slowState{key, 0, ms})
		return true
	}
	s := z.states[at]
	z.states = append(slices.Delete(z.states, at, at+1), s)
	elapsed := ms - s.last
	switch {
	case elapsed < -60000:
		elapsed = 1
	case elapsed < 0:
		elapsed = 0
	}
	excess := max(0, s.excess-z.rate*elapsed/1000+1000)
	if excess > z.burst*1000 {
		return false
	}
	if elapsed == 0 {
		ms = s.last
	}
	z.states[len(z.states)-1] = slowState{key, excess, ms}
	return true
}

func TestAZoneForgetsAsNginx(t *testing.T) {
	var forced, idle int64
	rapid.Check(t, func(t *rapid.T) {
		perMinute := rapid.SampledFrom([]int64{1, 7, 600}).Draw(t, "rate")
		z := &slowZone{capacity: 10, rate: perMinute * 1000 / 60, burst: rapid.Int64Range(0, 2).Draw(t, "burst")}
		limiter := "nginx:burst=" + string(rune('0'+z.burst)) + ",rate=" + map[int64]string{1: "1r/m", 7: "7r/m", 600: "600r/m"}[perMinute]
		l := held(t, "nginx-zone:size=32k,key=1900", limiter) // room for 10
		for i, o := range drawSteps(t, 80) {
			admitted, _ := l.Admit(o.now, o.key, 1)
			require.Equal(t, z.request(o.now.Milliseconds(), o.key), admitted, "op %d", i)
			require.Equal(t, len(z.states), l.Keys(), "op %d", i)
			require.Equal(t, limiters.Forgotten{ByCapacity: z.byForce, ByIdleness: z.byIdleness, Early: z.missed}, l.Forgotten(), "op %d", i)
			require.LessOrEqual(t, l.Keys(), 10)
		}
		forced, idle = forced+z.byForce, idle+z.byIdleness
	})
	assert.Positive(t, forced)
	assert.Positive(t, idle)
}

// At 1r/m a state has an excess of 0 after 60 s, and lets a request pass after
// 62.5 s; who is dropped in between is let in early.
func TestAZoneLetsAClientInEarly(t *testing.T) {
	for eviction, want := range map[string]bool{"nginx-zone:size=32k": true, "none": false} {
		l := held(t, eviction, "nginx:rate=1r/m")
		l.Admit(today, 0, 1)
		l.Admit(today+60*time.Second, 1, 1) // a new key
		admitted, _ := l.Admit(today+60*time.Second, 0, 1)
		assert.Equal(t, want, admitted, eviction)
		if want {
			assert.Equal(t, limiters.Forgotten{ByIdleness: 1, Early: 1}, l.Forgotten())
		}
	}
}

func TestAZoneOfAnotherLimiterDropsWhatIsAtRest(t *testing.T) {
	l := held(t, "nginx-zone:size=32k", "gcra:rate=1/m,burst=2")
	l.Take(0, 0, 2)
	l.Take(1, 1, 1)
	l.Take(60*time.Second, 2, 1)
	assert.Equal(t, 3, l.Keys(), "the oldest is not at rest, and it looks no further")
	l.Take(120*time.Second, 3, 1)
	assert.Equal(t, 2, l.Keys(), "two go")
	assert.Equal(t, limiters.Forgotten{ByIdleness: 2}, l.Forgotten())
}

func TestWithRestASweepAtAKeyStopsAtTheFirstThatIsNot(t *testing.T) {
	for eviction, want := range map[string]int{"sweep=1m": 2, "sweep=insert": 3, "sweep=always": 3} {
		l := held(t, "idle:after=1s,rest,"+eviction, "gcra:rate=1/s,burst=99")
		l.Take(0, 0, 99)
		l.Take(1, 1, 1)
		l.Take(60*time.Second, 2, 1)
		assert.Equal(t, want, l.Keys(), eviction)
	}
}

// A key's phase belongs to its text, not to the place where it is held.
func TestPhasesFollowTheKeys(t *testing.T) {
	e, err := limiters.ParseEviction("lru:capacity=1")
	require.NoError(t, err)
	s := parse(t, "fixed-window:limit=1,window=1h,jitter=1h")
	text := func(key uint32) string { return string(rune('a' + key)) }
	l, bare := e.New(s, 7, text), s.New(7, text)
	for i := range 50 {
		key := uint32(i % 10)
		now := time.Duration(i) * time.Minute
		bare.Forget(key)
		assert.Equal(t, bare.Take(now, key, 1), l.Take(now, key, 1))
	}
}

func TestTimesAtTheEndsAreSweptToo(t *testing.T) {
	const first, last = time.Duration(-1 << 63), time.Duration(1<<63 - 1)
	for _, sweep := range []string{"always", "insert", "1m", "106751d"} {
		l := held(t, "idle:after=106751d,sweep="+sweep, "gcra:rate=1/s,burst=1")
		for i, now := range []time.Duration{first, first + 1, -1, 0, 1, last - 1, last, last, first} {
			l.Take(now, uint32(i), 1)
		}
		assert.LessOrEqual(t, l.Keys(), 9)
		assert.GreaterOrEqual(t, l.Keys(), 4, "what was seen at the end is still there: %s", sweep)
	}
}

func TestHoldingKeysDoesNotAllocate(t *testing.T) {
	for _, limiter := range []string{"gcra:rate=1/s,burst=5", "nginx:rate=1r/s", "sliding-counter:limit=5,window=1s", "upstash-sliding:limit=5,window=1s"} {
		for _, eviction := range []string{"lru:capacity=100", "idle:after=50ms", "idle:after=50ms,sweep=20ms", "idle:after=50ms,sweep=insert", "nginx-zone:size=32k"} {
			l := held(t, eviction, limiter)
			key, now := uint32(0), today
			round := func() {
				for range 100 {
					key, now = (key+1)%500, now+ms
					l.Take(now, key*7919, 1)
					l.Admit(now, key*7919, 1)
				}
			}
			for range 30 {
				round()
			}
			assert.Positive(t, l.Forgotten().Total(), "%s %s", eviction, limiter)
			assert.Zero(t, testing.AllocsPerRun(30, round), "%s %s", eviction, limiter)
		}
	}
}

func TestAMillionKeysTakeWhatIsSaid(t *testing.T) {
	const keys = 1_000_000
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	l := held(t, "none", "gcra:rate=1/s,burst=5")
	for key := range uint32(keys) {
		l.Admit(0, key*2654435761, 1) // numbers all over the place
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Equal(t, keys, l.Keys())
	assert.InEpsilon(t, float64(after.HeapAlloc-before.HeapAlloc), float64(l.Bytes()), 0.02)
	perKey := float64(l.Bytes()) / keys
	assert.GreaterOrEqual(t, perKey, 32+24+16/3.0)
	assert.Less(t, perKey, 80.0, "slices have room to grow")
	runtime.KeepAlive(l)
}

func TestEvictionsSayWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"lfu:capacity=1":                      `unknown eviction "lfu" (did you mean "lru"?)`,
		"lru":                                 "needs capacity",
		"lru:capacity=0":                      "capacity must lie in 1..4294967294, got 0",
		"lru:capacity=4294967295":             "capacity must lie in 1..4294967294",
		"lru:capacity=-1":                     "capacity must be a whole number",
		"idle:sweep=1s":                       "needs after",
		"idle:after=0s":                       "after must be > 0",
		"idle:after=1s,sweep=0s":              "sweep must be > 0",
		"idle:after=1s,sweep=sometimes":       "sweep must be a duration",
		"idle:after=1s,rest=yes":              "rest stands alone",
		"nginx-zone:size=31k":                 "size must lie in 32k..262144m, got 31k",
		"nginx-zone:size=32g":                 "size must be bytes",
		"nginx-zone:size=":                    "size must be bytes",
		"nginx-zone:size=262145m":             "size must lie in",
		"nginx-zone:size=9007199254740991m":   "size must lie in",
		"nginx-zone:size=32k,key=0":           "key must lie in 1..1967, got 0",
		"nginx-zone:size=32k,key=1968":        "key must lie in 1..1967",
		"nginx-zone:size=32k,key=6,rate=1r/s": "no parameter",
	} {
		_, err := limiters.ParseEviction(text)
		if assert.Error(t, err, text) {
			assert.Contains(t, err.Error(), want, text)
		}
	}
}

func TestEvictionsAreWrittenAsTheyAreRead(t *testing.T) {
	for text, capacity := range map[string]int64{
		"none": 0, "lru:capacity=50000": 50000, "idle:after=60s,sweep=60s,rest": 0, "idle:after=1d": 0,
		"nginx-zone:size=32k,key=6": 191, "nginx-zone:size=32768": 191, "nginx-zone:size=1M": 8095,
	} {
		e, err := limiters.ParseEviction(text)
		require.NoError(t, err)
		assert.Equal(t, text, e.String())
		n, bounded := e.Capacity()
		assert.Equal(t, capacity, n, text)
		assert.Equal(t, capacity > 0, bounded, text)
		assert.Equal(t, text != "none", e.Forgets(), text)
	}
	assert.Equal(t, "none", limiters.Eviction{}.String())
	assert.False(t, limiters.Eviction{}.Forgets())
	for _, e := range limiters.Evictions() {
		assert.NotEmpty(t, e.Doc)
	}
}

func FuzzParseEviction(f *testing.F) {
	for _, text := range []string{"none", "lru:capacity=50000", "idle:after=60s,sweep=insert,rest", "nginx-zone:size=10m,key=16", "nginx-zone:size=9k", "lru:"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := limiters.ParseEviction(text)
		if err != nil {
			return
		}
		again, err := limiters.ParseEviction(e.String())
		require.NoError(t, err)
		require.Equal(t, e, again)
		if n, bounded := e.Capacity(); bounded {
			require.Positive(t, n)
		}
		e.New(parse(t, "gcra:rate=1/s,burst=1"), 1, nil).Take(0, 0, 1)
	})
}
