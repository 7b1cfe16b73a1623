package experiments

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/limiters"
	"ratelab/workloads"
)

func init() {
	register(Experiment{
		Name:     "memory-bill",
		Question: "How many bytes does a key take, and what does it cost to forget some?",
		Hypothesis: "One integer and a time for most limiters, two integers for the weighted counter, and an entry for each request that counts for the log. " +
			"To forget a key that is at rest changes nothing; to forget it earlier lets it begin anew, and what that admits follows from how long a key is idle before it goes, " +
			"be that a timeout or the time in which a full store has seen as many others.",
		Factors: []sweep.Factor{
			{Name: "part", Check: oneOf("bytes", "eviction"), Description: "sub-question: bytes: what the states take, by their own account; eviction: Poisson requests of keys of unequal size under limiters that forget"},
			{Name: "limiter", Check: oneOf(billNames()...), Description: "the limiter; in part eviction each admits 1 or 5 requests in 10 s"},
			{Name: "limit", Unit: "requests", Check: wholeNumber(100_000), Description: "limit or burst; a leaky meter has none but 1"},
			{Name: "held", Unit: "requests", Check: wholeNumber(100_000), Description: "requests of each key, all at one instant"},
			{Name: "keys", Unit: "keys", Check: wholeNumber(1 << 20), Description: "number of keys"},
			{Name: "eviction", Check: billEviction, Description: "which keys are forgotten"},
		},
		Metrics: append(fromDictionary("admit_share", "keys_live_max", "keys_forgotten", "keys_forgotten_early"),
			sweep.Metric{Name: "bytes_per_key", Unit: "bytes", Description: "Memory that the states take by their own account, room to grow included / keys."},
			sweep.Metric{Name: "decisions_changed", Unit: "1", Description: "Share of requests decided otherwise than by the limiter that forgets nobody, on the same arrivals."},
		),
		Grids: billGrids(),
		Where: func(get func(string) string) bool {
			bytes := get("part") == "bytes"
			return bytes == (get("held") != "") && bytes == (get("keys") != "") && bytes == (get("limit") != "") && bytes == (get("eviction") == "")
		},
		Reps:      20,
		QuickReps: 7,
		Cell:      billCell,
		Claims:    billClaims(),
		Figures: []Figure{
			{Name: "bytes", Draw: billBytesFigure},
			{Name: "eviction", Draw: billEvictionFigure},
		},
		Findings: billFindings,
		Threats: []string{
			"The states of this program, side by side in one slab. A map of pointers takes several times as much, a key in Redis some 100 bytes.",
			"Keys are numbers here; their texts, and the index from texts to numbers, come on top.",
			"The account is what the slabs hold; a test compares it with the measured heap of a million keys, which is not the same to the byte from run to run.",
			"Requests are independent: keys that come in bursts and go for good make forgetting cheaper, keys that come back just after they were forgotten make it dearer.",
			"Nobody tries to be forgotten on purpose, by requests of many other keys.",
		},
	})
}

// billLimiters give for each limiter its spec, L for the limit, and that of
// part eviction, after which time a key that nobody asks for is at rest.
var billLimiters = []struct{ name, text, evicted string }{
	{"fixed-window", "fixed-window:limit=L,window=10s", "fixed-window:limit=5,window=10s"},
	{"token-bucket", "token-bucket:rate=1/2s,burst=L", "token-bucket:rate=1/2s,burst=5"},
	{"gcra", "gcra:rate=1/2s,burst=L", "gcra:rate=1/2s,burst=5"},
	{"leaky-meter", "leaky-meter:rate=1/10s", "leaky-meter:rate=1/10s"},
	{"sliding-counter", "sliding-counter:limit=L,window=10s", "sliding-counter:limit=5,window=10s"},
	{"sliding-log", "sliding-log:limit=L,window=10s", "sliding-log:limit=5,window=10s"},
}

const (
	billInterval = 10 * time.Second
	billKeys     = 2000
	billRate     = 1000 // requests per second of all keys
	billZipf     = 1
)

func billNames() (names []string) {
	for _, l := range billLimiters {
		names = append(names, l.name)
	}
	return names
}

func billEviction(value string) error {
	_, err := limiters.ParseEviction(value)
	return err
}

func billSpec(name, limit string) (limiters.Spec, error) {
	for _, l := range billLimiters {
		switch {
		case l.name != name:
		case limit == "":
			return limiters.Parse(l.evicted)
		default:
			return limiters.Parse(billReplace(l.text, limit))
		}
	}
	return limiters.Spec{}, fmt.Errorf("unknown limiter %q", name)
}

// billReplace puts a limit in the place of the last L.
func billReplace(text, limit string) string {
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] == 'L' {
			return text[:i] + limit + text[i+1:]
		}
	}
	return text
}

func billGrids() []sweep.Grid {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	bytes, eviction := axis("part", "bytes"), axis("part", "eviction")
	one := axis("limiter", "fixed-window", "token-bucket", "gcra", "sliding-counter")
	limits := axis("limit", "1", "4", "16", "64", "256")
	full := sweep.Axis{Factor: "held", Values: []string{"{limit}"}}
	return []sweep.Grid{
		{bytes, one, limits, axis("held", "1"), axis("keys", "4096")},
		{bytes, axis("limiter", "sliding-log"), limits, full, axis("keys", "4096")},
		{bytes, axis("limiter", "sliding-log"), axis("limit", "256"), axis("held", "1", "16"), axis("keys", "4096")},
		{bytes, axis("limiter", "leaky-meter"), axis("limit", "1"), full, axis("keys", "4096", "10000")},
		{bytes, axis("limiter", "sliding-counter", "sliding-log"), axis("limit", "1"), full, axis("keys", "10000")},
		{bytes, axis("limiter", "gcra"), axis("limit", "1"), full, axis("keys", "10000", "1000000")},
		{eviction, axis("limiter", "leaky-meter"), axis("eviction", "none", "lru:capacity=50", "lru:capacity=100", "lru:capacity=200", "lru:capacity=500", "lru:capacity=1000", "lru:capacity=1500", "lru:capacity=2000",
			"idle:after=100ms", "idle:after=500ms", "idle:after=1s", "idle:after=2500ms", "idle:after=5s", "idle:after=10s")},
		{eviction, axis("limiter", "fixed-window", "token-bucket", "gcra", "sliding-counter", "sliding-log"),
			axis("eviction", "idle:after=1s", "idle:after=1s,rest", "idle:after=10s", "idle:after=20s", "lru:capacity=200")},
	}
}

func billCell(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	s, err := billSpec(c.Get("limiter"), c.Get("limit"))
	if err != nil {
		return err
	}
	if c.Get("part") == "bytes" {
		l, keys, held := lab.Limiter(s, c.Seed), c.Int("keys"), c.Int("held")
		for key := range uint32(keys) {
			for i := range held { // entries of a log: one instant is one entry
				l.Admit(time.Duration(i), key, 1)
			}
		}
		out.Set("bytes_per_key", float64(l.Bytes())/float64(keys))
		return nil
	}
	e, err := limiters.ParseEviction(c.Get("eviction"))
	if err != nil {
		return err
	}
	w, err := workloads.Parse("tenants:rate=" + strconv.Itoa(billRate) + "/s,keys=" + strconv.Itoa(billKeys) + ",zipf=" + strconv.Itoa(billZipf))
	if err != nil {
		return err
	}
	config := scenario.Default(s, w)
	config.Eviction, config.Seed, config.Rep = e, c.Seed, c.Rep
	warm, intervals := time.Duration(2), time.Duration(20) // that are counted
	if lab.Quick {
		intervals = 2
	}
	if c.Get("limiter") != "leaky-meter" { // nothing is estimated of the others
		warm, intervals = 0, 3
	}
	if lab.Glance {
		intervals = 2
	}
	config.Warmup, config.Horizon = warm*billInterval, (warm+intervals)*billInterval
	r, err := lab.Simulate(ctx, config)
	if err != nil {
		return err
	}
	for _, name := range []string{"admit_share", "keys_live_max", "keys_forgotten", "keys_forgotten_early"} {
		out.Set(name, r.Get(name))
	}
	changed, err := billChanged(lab, config)
	out.Set("decisions_changed", changed)
	return err
}

// billChanged runs a limiter that forgets beside the one that does not.
func billChanged(lab Lab, config scenario.Config) (share float64, err error) {
	arrivals, err := scenario.Arrivals(config.Workload, 1, workloads.Streams(config.Seed, config.Rep, ""))
	if err != nil {
		return 0, err
	}
	forgets, keeps := config.Eviction.New(config.Limiter, config.Seed, nil), lab.Limiter(config.Limiter, config.Seed)
	changed, all := 0, 0
	for a, ok := arrivals.Next(); ok && a.At < config.Horizon; a, ok = arrivals.Next() {
		one, _ := forgets.Admit(a.At, a.Key, a.Cost)
		other, _ := keeps.Admit(a.At, a.Key, a.Cost)
		if a.At < config.Warmup {
			continue
		}
		all++
		if one != other {
			changed++
		}
	}
	return float64(changed) / float64(all), nil
}
