package experiments

import (
	"fmt"
	"slices"

	"ratelab/experiments/theory"
)

// chooseAt names a point of part window.
func chooseAt(workload, limiter, tuning, most string) []string {
	return []string{"part", "window", "workload", workload, "limiter", limiter, "tuning", tuning, "most", most}
}

// chooseLaw names a point of part laws.
func chooseLaw(workload, limiter, tuning, most string) []string {
	return append([]string{"part", "laws"}, chooseAt(workload, limiter, tuning, most)[2:]...)
}

func choosePoints(expected float64, at ...[]string) (points []Point) {
	for _, a := range at {
		points = append(points, Point{At: a, Expected: expected, Scale: 1})
	}
	return points
}

func chooseClaims() []Claim {
	const most = "39"
	curve := func(limiter string, workloads ...string) (at [][]string) {
		for _, w := range workloads {
			at = append(at, chooseAt(w, limiter, "1/2", most))
		}
		return at
	}
	// All whose worst window is claimed, on a shape.
	everyone := func(workload string, mosts ...string) (at [][]string) {
		for _, m := range mosts {
			for _, l := range chooseTuned {
				if l.name != "none" {
					at = append(at, chooseLaw(workload, l.name, l.worst[0], m))
				}
			}
		}
		return at
	}
	withoutQueue := func(at [][]string) (kept [][]string) {
		for _, a := range at {
			if !slices.Contains(a, "leaky-queue") {
				kept = append(kept, a)
			}
		}
		return kept
	}
	var turned []Point
	for _, m := range []string{"20", "30", most} {
		limit := int64(parsed(m)) / 2
		turned = append(turned, Point{At: chooseLaw("page-turn", "fixed-window", "1", m), Expected: theory.FixedWindowEnvelope(limit, chooseWindow, chooseWindow)})
	}
	flood := func(limiter, tuning, most string) []string {
		return []string{"part", "flood", "limiter", limiter, "tuning", tuning, "most", most}
	}
	var floods [][]string
	for _, l := range chooseTuned {
		if len(l.rates) > 0 {
			floods = append(floods, flood(l.name, l.rates[0], ""))
		}
	}
	return []Claim{
		{
			Text:   "a bucket as deep and as fast as the arrival curve refuses no well-behaved request, whatever else its sender sends",
			Domain: "burst b* and rate r*, neither less nor more, full at the start, token bucket or GCRA; one sender a key",
			Wrong:  "another burst or rate, or tokens that others spend",
			Source: "it admits a request iff that conforms: limiter and test are duals, tokens = b* - what is above the rate", Metric: "harm", Relation: Exact,
			Points: choosePoints(0, append(curve("token-bucket", "poisson", "batch", "page-turn", "on-off", "mmpp", "flash-crowd", "heavy-tail", "self-similar", "tenants"),
				curve(chooseGCRA, "poisson", "on-off", "tenants")...)...),
			Outside: choosePoints(0, chooseAt("shared-key", "token-bucket", "1/2", most), chooseAt("batch", "token-bucket", "1/4", most), chooseAt("on-off", "token-bucket", "3/4", most),
				chooseAt("flash-crowd", "token-bucket", "1/2", "60")), // deeper and faster: it spends tokens on others
		},
		{
			Text:   "who never exceeds the curve is refused nothing by a log of b* + ⌈r*·w⌉ - 1, or by a bucket at least as deep and as fast",
			Domain: "all requests of a key conform; log of window w and that limit or more; bucket with b >= b*, r >= r*",
			Wrong:  "a log that counts what has left the window, or refused requests",
			Source: "theory.TokenBucketEnvelope bounds what the sender sends in w; for buckets, monotone in b and r", Metric: "harm", Relation: Exact,
			Points: choosePoints(0, chooseAt("steady", "sliding-log", "1", most), chooseAt("burst-train", "sliding-log", "1", most), chooseAt("burst-train", "sliding-log", "1", "60"),
				chooseAt("burst-train", "token-bucket", "1/2", most), chooseAt("burst-train", "token-bucket", "1/2", "60"), chooseAt("steady", "token-bucket", "1/2", "60")),
			Outside: choosePoints(0, chooseAt("on-off", "sliding-log", "1", most), chooseAt("steady", "token-bucket", "3/4", most), chooseAt("burst-train", "token-bucket", "1/4", most)),
		},
		{
			Text:   "no limiter lets more through in any 10 s than what its parameters were solved for",
			Domain: "all limiters, all shapes; of the queue, what it lets go",
			Wrong:  "another rule, a limit that is one off, a window with two states at once",
			Source: "theory.FixedWindowEnvelopeOnClock, LogEnvelope, CounterEnvelopeOnClock, TokenBucketEnvelope", Metric: "above_most", Relation: Exact,
			Points:  choosePoints(0, append(append(everyone("page-turn", "20", most), everyone("on-off", "20", most)...), everyone("batch", "20", most)...)...),
			Outside: choosePoints(0, chooseLaw("page-turn", "none", "", most), chooseLaw("on-off", "none", "", most)),
		},
		{
			Text:   "a burst on both sides of a page turn gets twice the limit from a fixed window, all that is proved of it",
			Domain: "fixed window of 10 s with an edge between the bursts, each at least as large as the limit",
			Wrong:  "windows that begin elsewhere, such as at the first request",
			Source: "theory.FixedWindowEnvelope", Metric: "worst_window", Relation: Exact,
			Points:  turned,
			Outside: []Point{{At: chooseAt("steady", "fixed-window", "1", most), Expected: turned[2].Expected}},
		},
		{
			Text:   "nobody who delays nothing admits more well-behaved requests than the optimum with the same worst window",
			Domain: "limiters without delay",
			Wrong:  "a limiter that exceeds its worst window, or an optimum that is none",
			Source: "theory.MostAdmitted of the well-behaved, against all choices in a test", Metric: "beats_optimum", Relation: Exact,
			Points: choosePoints(0, append(append(withoutQueue(everyone("on-off", "20", most)), withoutQueue(everyone("batch", "20"))...), withoutQueue(everyone("shared-key", "20", most))...)...),
			// Of what the queue admits some waits until there is room.
			Outside: choosePoints(0, chooseLaw("on-off", "leaky-queue", "1/2", "20"), chooseLaw("tenants", "leaky-queue", "1/2", "20")),
		},
		{
			Text:   "of all requests alike, the log admits as many as anybody can without delay who knows all that will come",
			Domain: "sliding log of window w, worst window over w, unit costs",
			Wrong:  "a log that remembers refused requests, or an entry too long",
			Source: "theory.MostAdmitted: the earliest choice is the largest", Metric: "admitted_over_possible", Relation: Exact,
			Points: choosePoints(1, chooseLaw("poisson", "sliding-log", "1", "20"), chooseLaw("on-off", "sliding-log", "1", "20"), chooseLaw("on-off", "sliding-log", "1", most),
				chooseLaw("batch", "sliding-log", "1", "20"), chooseLaw("tenants", "sliding-log", "1", most), chooseLaw("shared-key", "sliding-log", "1", "20")),
			Outside: choosePoints(1, chooseLaw("on-off", "fixed-window", "1", "20"), chooseLaw("on-off", "sliding-counter-fits", "1", most), chooseLaw("batch", "token-bucket", "1/2", "20")),
		},
		{
			Text:   fmt.Sprintf("limits of one long-run rate admit just that of a flood: %d/s", chooseRate),
			Domain: "parameters solved for the rate; requests that always come, in whole windows, after the first ones",
			Wrong:  "a counter with rule fits whose limit is not one more, a bucket of another rate",
			Source: "theory.FloodCounter, theory.FloodTokenBucket", Metric: "admitted_over_rate", Relation: Exact,
			Points:  choosePoints(1, floods...),
			Outside: choosePoints(1, flood("fixed-window", "1", most), flood("sliding-log", "1", most)),
		},
	}
}
