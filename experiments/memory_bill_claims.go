package experiments

import (
	"math"
	"strconv"
	"strings"

	"ratelab/experiments/theory"
	"ratelab/limiters"
)

// billBytes are points of part bytes, "limiter limit held keys".
func billBytes(expected func(limit, held, keys int64) float64, at ...string) (points []Point) {
	for _, text := range at {
		v := strings.Fields(text)
		var n [3]int64
		for i := range n {
			n[i], _ = strconv.ParseInt(v[i+1], 10, 64)
		}
		points = append(points, Point{
			At:       []string{"part", "bytes", "limiter", v[0], "limit", v[1], "held", v[2], "keys", v[3]},
			Expected: expected(n[0], n[1], n[2]),
		})
	}
	return points
}

// billEvicted are points of part eviction, "limiter eviction".
func billEvicted(expected func(eviction string) (value, err, scale float64), at ...string) (points []Point) {
	for _, text := range at {
		limiter, eviction, _ := strings.Cut(text, " ")
		p := Point{At: []string{"part", "eviction", "limiter", limiter, "eviction", eviction}}
		p.Late = func(p *Point) { p.Expected, p.Error, p.Scale = expected(eviction) }
		points = append(points, p)
	}
	return points
}

// billLambdas are the keys' rates.
func billLambdas() []float64 {
	weights := theory.Zipf(billKeys, billZipf)
	for i := range weights {
		weights[i] *= billRate
	}
	return weights
}

// billIdle is how long a key is idle before an eviction forgets it, in seconds.
func billIdle(eviction string) float64 {
	if after, ok := strings.CutPrefix(eviction, "idle:after="); ok {
		d, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSuffix(after, "s"), "m"), 64)
		if strings.HasSuffix(after, "ms") {
			d /= 1000
		}
		return d
	}
	e, err := limiters.ParseEviction(eviction)
	if capacity, ok := e.Capacity(); err == nil && ok {
		return theory.LRUIdle(billLambdas(), float64(capacity))
	}
	return math.Inf(1)
}

func billClaims() []Claim {
	states := func(bytes int64) func(limit, held, keys int64) float64 {
		return func(_, _, keys int64) float64 { return theory.SlabBytes(bytes, keys) }
	}
	log := func(limit, held, keys int64) float64 {
		return theory.SlabBytes(64, keys) + 16*float64(theory.RingRoom(held, limit))
	}
	fullLog := func(limit, _, keys int64) float64 { return theory.SlabBytes(64, keys) + 16*float64(limit) }
	idle := func(eviction string) (value, err, scale float64) {
		v := theory.EvictedMeterShare(billLambdas(), billInterval, billIdle(eviction))
		return v, 0, shareScale(v)
	}
	lru := func(eviction string) (value, err, scale float64) {
		v, _, scale := idle(eviction)
		e, _ := limiters.ParseEviction(eviction)
		capacity, _ := e.Capacity()
		c := float64(capacity)
		lambdas := billLambdas()
		at := func(c float64) float64 {
			return theory.EvictedMeterShare(lambdas, billInterval, theory.LRUIdle(lambdas, c))
		}
		// The number of different keys seen in a time is a sum of independent indicators: its variance is at most its
		// mean. A key is forgotten when that number reaches the capacity, at a time that varies as much.
		return v, math.Abs(at(c-math.Sqrt(c))-at(c+math.Sqrt(c))) / 2, scale
	}
	nothing := func(string) (value, err, scale float64) { return 0, 0, 1 }
	return []Claim{
		{
			Text:   "a key takes 32 bytes where one number and its time are kept, whatever the limit",
			Domain: "fixed window, token bucket, GCRA, leaky meter; keys numbered without gaps; room to double included",
			Wrong:  "a state that grows with the limit, or an object for each key",
			Source: "theory.SlabBytes of the latest time and its flags, 16, the number and when it counts, 16", Metric: "bytes_per_key", Relation: Exact,
			Points: billBytes(states(32), "fixed-window 1 1 4096", "fixed-window 256 1 4096", "token-bucket 64 1 4096", "gcra 256 1 4096", "gcra 1 1 10000", "leaky-meter 1 1 4096",
				"leaky-meter 1 1 10000", "gcra 1 1 1000000"),
			Outside: billBytes(states(32), "sliding-counter 16 1 4096", "sliding-log 1 1 10000"),
		},
		{
			Text:   "the weighted counter takes 40 bytes: a second number",
			Domain: "sliding counter; keys numbered without gaps; room to double included",
			Wrong:  "a state that grows with the limit",
			Source: "theory.SlabBytes of those 32 and one more count", Metric: "bytes_per_key", Relation: Exact,
			Points:  billBytes(states(40), "sliding-counter 1 1 4096", "sliding-counter 16 1 4096", "sliding-counter 256 1 4096", "sliding-counter 1 1 10000"),
			Outside: billBytes(states(40), "gcra 16 1 4096", "sliding-log 16 16 4096"),
		},
		{
			Text:   "the log takes 64 bytes and 16 for each request up to its limit",
			Domain: "sliding log; keys that have held as many requests as the limit at once",
			Wrong:  "a log that keeps what no longer counts, or what it refused",
			Source: "theory.SlabBytes + 16 · limit", Metric: "bytes_per_key", Relation: Exact,
			Points:  billBytes(fullLog, "sliding-log 1 1 4096", "sliding-log 4 4 4096", "sliding-log 16 16 4096", "sliding-log 64 64 4096", "sliding-log 256 256 4096", "sliding-log 1 1 10000"),
			Outside: billBytes(fullLog, "sliding-log 256 1 4096", "fixed-window 16 1 4096"),
		},
		{
			Text:   "and less for a key that has never held so many: room for 4 entries, doubled as they come",
			Domain: "sliding log",
			Wrong:  "a ring as long as the limit from the start",
			Source: "theory.SlabBytes + 16 · theory.RingRoom", Metric: "bytes_per_key", Relation: Exact,
			Points:  billBytes(log, "sliding-log 256 1 4096", "sliding-log 256 16 4096", "sliding-log 256 256 4096", "sliding-log 1 1 4096"),
			Outside: billBytes(log, "sliding-counter 256 1 4096"),
		},
		{
			Text:   "forgetting what is at rest changes no decision",
			Domain: "keys that are idle for as long as it takes to be at rest: two windows of the counter, a window or the time in which a bucket fills of the others; or spared until then",
			Wrong:  "a key at rest that is not as good as new",
			Source: "limiters.Resting", Metric: "decisions_changed", Relation: Exact,
			Points: billEvicted(nothing, "leaky-meter idle:after=10s", "fixed-window idle:after=10s", "token-bucket idle:after=10s", "gcra idle:after=10s", "sliding-log idle:after=10s", "sliding-counter idle:after=20s",
				"fixed-window idle:after=1s,rest", "gcra idle:after=1s,rest", "sliding-log idle:after=1s,rest", "sliding-counter idle:after=1s,rest", "leaky-meter lru:capacity=2000"),
			Outside: billEvicted(nothing, "leaky-meter idle:after=5s", "fixed-window idle:after=1s", "gcra idle:after=1s", "sliding-log lru:capacity=200", "sliding-counter idle:after=1s"),
		},
		{
			Text:   "a meter that forgets idle keys admits whoever was idle long enough, and no more",
			Domain: "leaky meters of keys with Poisson requests, forgotten after a time without any",
			Wrong:  "refused requests that do not keep a key alive, or keys that are forgotten by their age",
			Source: "theory.EvictedMeterShare: Σ λ_i/(1 + m_i) / Σ λ_i, m_i from a renewal equation", Metric: "admit_share", Relation: Equal,
			Points:  billEvicted(idle, "leaky-meter none", "leaky-meter idle:after=100ms", "leaky-meter idle:after=500ms", "leaky-meter idle:after=1s", "leaky-meter idle:after=2500ms", "leaky-meter idle:after=5s", "leaky-meter idle:after=10s"),
			Outside: billEvicted(idle, "fixed-window idle:after=1s", "token-bucket idle:after=10s"),
		},
		{
			Text:   "a store with room for C keys forgets as a timeout does that leaves C keys alive on average",
			Domain: "leaky meters of many keys with Poisson requests; the least recently seen goes",
			Wrong:  "a store that forgets the oldest, or any",
			Source: "theory.EvictedMeterShare at theory.LRUIdle (Che's approximation), ± what a store larger or smaller by √C would admit", Metric: "admit_share", Relation: Equal,
			Points:  billEvicted(lru, "leaky-meter lru:capacity=50", "leaky-meter lru:capacity=100", "leaky-meter lru:capacity=200", "leaky-meter lru:capacity=500", "leaky-meter lru:capacity=1000", "leaky-meter lru:capacity=1500"),
			Outside: billEvicted(lru, "gcra lru:capacity=200", "sliding-log lru:capacity=200"),
		},
	}
}
