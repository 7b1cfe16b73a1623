package experiments

import (
	"slices"
	"strings"
	"time"

	"ratelab/experiments/theory"
	"ratelab/internal/spec"
)

// boundaryTheory is what mathematics expects of a limit and a window: in part envelope for intervals of length delta, in part straddle
// for a blink, in part story for bursts a sixtieth of a window from the edge, as it is told.
type boundaryTheory func(limit int64, window, delta time.Duration) float64

// boundaryPoints makes a point of each text "part limiter limit window [delta]".
func boundaryPoints(expected boundaryTheory, at []string) (points []Point) {
	for _, text := range at {
		v := strings.Fields(text)
		limit, _ := spec.ParseCount(v[2])
		window, _ := spec.ParseDuration(v[3])
		p := Point{At: []string{"part", v[0], "limiter", v[1], "limit", v[2], "window", v[3]}}
		delta := 2 * time.Millisecond // the longest blink; what is expected is the same for all of them
		if len(v) > 4 {
			windows, _ := spec.ParseNumber(v[4])
			delta = boundaryDelta(windows, window)
			p.At = append(p.At, "delta", v[4])
		}
		p.Expected = expected(limit, window, delta)
		points = append(points, p)
	}
	return points
}

// boundaryClaim is exact: all is counted, nothing is estimated.
func boundaryClaim(text, domain, wrong, source, metric string, expected boundaryTheory, points, outside []string) Claim {
	return Claim{
		Text: text, Domain: domain, Wrong: wrong, Source: source, Metric: metric, Relation: Exact,
		Points: boundaryPoints(expected, points), Outside: boundaryPoints(expected, outside),
	}
}

func boundaryClaims() []Claim {
	return slices.Concat(boundaryStraddleClaims(), boundaryStoryClaims(), boundaryEnvelopeClaims())
}

func boundaryBucketEnvelope(limit int64, window, delta time.Duration) float64 {
	return theory.TokenBucketEnvelopeOnClock(limit, limit, window, delta)
}

func boundaryCounterEnvelope(rule theory.Rule) boundaryTheory {
	return func(limit int64, window, delta time.Duration) float64 {
		return theory.CounterEnvelopeOnClock(rule, limit, window, delta)
	}
}

func boundaryStraddleClaims() []Claim {
	return []Claim{
		boundaryClaim("A fixed window admits twice its limit in a blink around its edge, from a second to a day long",
			"windows aligned to the edge, bursts of the limit within 1 ms of it", "a count that outlives its window, or an edge elsewhere", "theory.FixedWindowEnvelopeOnClock",
			"admitted_in_blink", theory.FixedWindowEnvelopeOnClock,
			[]string{
				"straddle fixed-window 100 1s", "straddle fixed-window 100 10s", "straddle fixed-window 100 1m", "straddle fixed-window 100 1h",
				"straddle fixed-window 100 1d", "straddle fixed-window 10 1s", "straddle fixed-window 10 1d",
			},
			[]string{"straddle fixed-window-first 100 1d", "straddle fixed-window-jitter 100 1d", "straddle sliding-log 100 1d"}),
		boundaryClaim("A sliding log admits its limit and no more in any window, with bursts at the edge",
			"sliding log; arrivals that exceed the limit in some window", "an entry that leaves before it is a window old", "theory.LogEnvelope",
			"max_window_admitted", func(limit int64, window, _ time.Duration) float64 { return theory.LogEnvelope(limit, window, window) },
			[]string{"straddle sliding-log 100 1s", "straddle sliding-log 100 1m", "straddle sliding-log 10 1d"},
			[]string{"straddle fixed-window 100 1d"}),
		boundaryClaim("The counter with rule fits admits its limit and no more in a blink",
			"rule fits; bursts less than window/limit apart", "a previous window that weighs too little just after the edge", "theory.CounterEnvelopeOnClock",
			"admitted_in_blink", boundaryCounterEnvelope(theory.Fits),
			[]string{"straddle sliding-counter-fits 100 1s", "straddle sliding-counter-fits 100 1m", "straddle sliding-counter-fits 10 1d"},
			[]string{"straddle sliding-counter-below 100 1d", "straddle fixed-window 100 1d"}),
		boundaryClaim("The counter with rule below admits one more than its limit in a blink",
			"rule below; bursts less than window/limit apart", "a rule that counts the request itself", "theory.CounterEnvelopeOnClock",
			"admitted_in_blink", boundaryCounterEnvelope(theory.Below),
			[]string{"straddle sliding-counter-below 100 1s", "straddle sliding-counter-below 100 1m", "straddle sliding-counter-below 10 1d"},
			[]string{"straddle sliding-counter-fits 100 1d"}),
		boundaryClaim("A bucket whose burst is the limit admits the limit and no more in a blink",
			"token bucket, GCRA and leaky queue; bursts less than window/(2·limit) apart", "a bucket larger than its burst, or a refill at the edge", "theory.TokenBucketEnvelopeOnClock",
			"admitted_in_blink", boundaryBucketEnvelope,
			[]string{"straddle token-bucket 100 1s", "straddle gcra 100 1m", "straddle leaky-queue 10 1d"},
			[]string{"straddle fixed-window 100 1d", "straddle leaky-meter 100 1d"}),
	}
}

func boundaryStoryClaims() []Claim {
	// at makes points of limiters in turn: three windows, three limits.
	at := func(limiters ...string) (points []string) {
		for i, where := range []string{"100 10s", "100 1m", "100 1h", "10 1m", "1000 1m"} {
			points = append(points, "story "+limiters[i%len(limiters)]+" "+where)
		}
		return points
	}
	// told is the story as it is told, with twice the limit; a replication's bursts lie where nothing of it changes.
	told := func(expected func(limit, size int64, window, half time.Duration) float64) boundaryTheory {
		return func(limit int64, window, _ time.Duration) float64 { return expected(limit, 2*limit, window, window/60) }
	}
	counter := func(rule theory.Rule) boundaryTheory {
		return told(func(limit, size int64, window, half time.Duration) float64 {
			return theory.StoryAfterCounter(rule, limit, size, window, half)
		})
	}
	const domain = "; the story with twice the limit, bursts a sixtieth of the window from the edge or near it"
	return []Claim{
		boundaryClaim("Quiet then loud, a fixed window admits both bursts: 197 in two seconds under 100 a minute",
			"windows aligned to the edge"+domain, "a count that outlives its window, or an edge elsewhere", "theory.StoryBefore + theory.StoryAfterFixedWindow", "admitted_in_blink",
			told(func(limit, size int64, _, _ time.Duration) float64 {
				return theory.StoryBefore(limit, size) + theory.StoryAfterFixedWindow(limit, size)
			}),
			at("fixed-window"), []string{"story fixed-window-first 100 1m", "story sliding-log 100 1m"}),
		boundaryClaim("Quiet then loud, a fixed window refuses nobody",
			"windows aligned to the edge"+domain, "a count that outlives its window, or an edge elsewhere", "theory.StoryBefore, theory.StoryAfterFixedWindow", "refused",
			told(func(limit, size int64, _, _ time.Duration) float64 {
				return float64(size) - 3 - theory.StoryBefore(limit, size) - theory.StoryAfterFixedWindow(limit, size)
			}),
			at("fixed-window"), []string{"story fixed-window-first 100 1m", "story sliding-counter-fits 100 1m"}),
		boundaryClaim("Of the burst after the edge a sliding log admits none",
			"sliding log"+domain, "an entry that leaves before it is a window old", "theory.StoryAfterLog", "admitted_after_edge", told(theory.StoryAfterLog),
			at("sliding-log"), []string{"story fixed-window 100 1m", "story token-bucket 100 1m"}),
		boundaryClaim("Of the burst after the edge the counter with rule fits admits what its previous window has lost, rounded down: 1 of 100",
			"rule fits"+domain, "a weight of the previous window that is off, or a rule that forgets the request itself", "theory.StoryAfterCounter", "admitted_after_edge", counter(theory.Fits),
			at("sliding-counter-fits"), []string{"story sliding-counter-below 100 1m", "story sliding-log 100 1m"}),
		boundaryClaim("Of the burst after the edge the counter with rule below admits the same, rounded up: 2 of 100",
			"rule below"+domain, "a weight of the previous window that is off, or a rule that counts the request itself", "theory.StoryAfterCounter", "admitted_after_edge", counter(theory.Below),
			at("sliding-counter-below"), []string{"story sliding-counter-fits 100 1m", "story fixed-window 100 1m"}),
		boundaryClaim("Of the burst after the edge a bucket admits the quiet three, which it has earned back, and what it earns between the bursts: 6 of 100",
			"token bucket, GCRA and leaky queue"+domain, "a bucket that does not fill evenly, or is smaller than its burst", "theory.StoryAfterTokenBucket", "admitted_after_edge", told(theory.StoryAfterTokenBucket),
			at("token-bucket", "gcra", "leaky-queue"), []string{"story sliding-counter-below 100 1m", "story fixed-window 100 1m"}),
	}
}

func boundaryEnvelopeClaims() []Claim {
	// at makes points of limiters in turn: both limits, both windows, short and long intervals.
	at := func(limiters ...string) (points []string) {
		for i, where := range []string{"10 1s 0.1", "100 10s 0.3", "10 10s 0.7", "100 1s 1"} {
			points = append(points, "envelope "+limiters[i%len(limiters)]+" "+where)
		}
		return points
	}
	const upToT = "any half-open interval up to the window"
	return []Claim{
		boundaryClaim("An adversary gets twice the limit from a fixed window, however short the interval",
			"windows aligned to an epoch; intervals from 2 ns to a window, and one limit more for every further window begun", "a window that admits more or less than its limit", "theory.FixedWindowEnvelopeOnClock",
			"most_admitted", theory.FixedWindowEnvelopeOnClock,
			append(at("fixed-window"), "envelope fixed-window 100 1s 0.001", "envelope fixed-window 10 1s 2"),
			[]string{"envelope fixed-window-first 100 10s 1", "envelope sliding-log 100 10s 2"}),
		boundaryClaim("Edges moved at random by key do not help: who reads Retry-After finds them and gets twice the limit",
			"windows aligned to an offset of the key's own; exact hints", "a hint that hides the edge", "theory.FixedWindowEnvelopeOnClock",
			"most_admitted", theory.FixedWindowEnvelopeOnClock, at("fixed-window-jitter"), []string{"envelope fixed-window-first 100 10s 0.5"}),
		boundaryClaim("Windows that open with their first request give an adversary one less than twice the limit",
			"windows that open with a request; "+upToT, "a window that does not open with the first request", "theory.FirstRequestWindowEnvelopeOnClock",
			"most_admitted", theory.FirstRequestWindowEnvelopeOnClock, at("fixed-window-first"), []string{"envelope fixed-window 100 10s 0.5"}),
		boundaryClaim("An adversary gets the limit and no more from a sliding log",
			"sliding log; "+upToT+", and one limit more for every further window begun", "an entry that leaves before or after it is a window old", "theory.LogEnvelope",
			"most_admitted", theory.LogEnvelope,
			append(at("sliding-log"), "envelope sliding-log 10 1s 2"), []string{"envelope sliding-counter-fits 100 10s 0.5"}),
		boundaryClaim("An adversary gets L + ⌈Lδ/T⌉ − 1 from the counter with rule fits",
			"rule fits; "+upToT, "a weight of the previous window that is off, or a rule that forgets the request itself", "theory.CounterEnvelopeOnClock",
			"most_admitted", boundaryCounterEnvelope(theory.Fits), at("sliding-counter-fits"), []string{"envelope sliding-counter-below 100 10s 0.5"}),
		boundaryClaim("An adversary gets L + ⌈Lδ/T⌉ from the counter with rule below",
			"rule below; "+upToT, "a weight of the previous window that is off, or a rule that counts the request itself", "theory.CounterEnvelopeOnClock",
			"most_admitted", boundaryCounterEnvelope(theory.Below), at("sliding-counter-below"), []string{"envelope sliding-counter-fits 100 10s 0.5"}),
		boundaryClaim("An adversary gets b + ⌈rδ⌉ − 1 from a bucket",
			"token bucket, GCRA and leaky queue; any half-open interval", "a bucket that does not fill evenly, or is larger than its burst", "theory.TokenBucketEnvelopeOnClock",
			"most_admitted", boundaryBucketEnvelope,
			append(at("token-bucket", "gcra", "leaky-queue"), "envelope gcra 10 1s 2"), []string{"envelope sliding-counter-below 100 10s 0.5"}),
		boundaryClaim("Within a window the counter with rule fits lets an adversary do what a token bucket does whose burst is the limit; beyond, less",
			upToT, "a counter that is not a token bucket in disguise", "theory.TokenBucketEnvelopeOnClock with b = L, r = L/T",
			"most_admitted", boundaryBucketEnvelope, at("sliding-counter-fits"), []string{"envelope sliding-counter-fits 10 1s 2", "envelope sliding-counter-fits 100 10s 2"}),
		boundaryClaim("In two windows an adversary gets 3L − 2 from the counter with rule fits",
			"rule fits, not below; intervals of exactly two windows", "a previous window that is forgotten early", "theory.CounterTwoWindowEnvelope",
			"most_admitted", func(limit int64, _, _ time.Duration) float64 {
				return theory.CounterTwoWindowEnvelope(theory.Fits, limit)
			},
			[]string{"envelope sliding-counter-fits 10 1s 2", "envelope sliding-counter-fits 10 10s 2", "envelope sliding-counter-fits 100 1s 2", "envelope sliding-counter-fits 100 10s 2"},
			[]string{"envelope token-bucket 100 10s 2", "envelope sliding-counter-below 100 10s 2"}),
		boundaryClaim("A leaky queue lets out ⌈rδ⌉ at most, whatever it admits",
			"limiters that delay; any half-open interval", "a queue that does not space what it lets out", "theory.TokenBucketEnvelopeOnClock with b = 1",
			"most_released", func(limit int64, window, delta time.Duration) float64 {
				return theory.TokenBucketEnvelopeOnClock(1, limit, window, delta)
			},
			append(at("leaky-queue"), "envelope leaky-queue 10 1s 2"), []string{"envelope token-bucket 100 10s 0.5", "envelope sliding-log 100 10s 0.5"}),
	}
}
