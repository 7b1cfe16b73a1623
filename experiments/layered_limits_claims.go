package experiments

import (
	"math"
	"slices"
	"strconv"
	"time"

	"ratelab/experiments/theory"
	"ratelab/internal/spec"
)

// layeredGreedyPoints are points of part greedy: charge, order, greedy, others,
// four a point.
func layeredGreedyPoints(expected func(charge, order string, greedy, others int64) float64, at ...string) (points []Point) {
	for v := range slices.Chunk(at, 4) {
		greedy, _ := spec.ParseCount(v[2])
		others, _ := spec.ParseCount(v[3])
		points = append(points, Point{
			At:       []string{"part", "greedy", "charge", v[0], "order", v[1], "greedy", v[2], "others", v[3]},
			Expected: expected(v[0], v[1], greedy, others),
		})
	}
	return points
}

// layeredTheory is what counting says of part greedy.
func layeredTheory(charge theory.Charge, sharedFirst bool, greedy, others int64) theory.LayerSums {
	return theory.LayersGreedyFirst(charge, sharedFirst, layeredUserLimit, layeredSharedLimit, greedy, others, layeredEach)
}

// layeredZeros are points at which nothing is expected: factor, values, more.
func layeredZeros(part, factor string, values []string, more ...string) (points []Point) {
	for _, v := range values {
		points = append(points, Point{At: append([]string{"part", part, factor, v, "load", "1"}, more...)})
	}
	return points
}

// layeredBucket is a token bucket before a price, in numbers.
type layeredBucket struct{ burst, perSecond int64 }

// layeredBuckets are those of a limit; of limit none, those that it is claimed
// not to be.
func layeredBuckets(limit string) []layeredBucket {
	if limit == "layers" {
		return []layeredBucket{{20, 2}, {100, 1}}
	}
	return []layeredBucket{{20, 2}}
}

// layeredLeast is the smallest over the buckets of a limit.
func layeredLeast(limit string, of func(layeredBucket) float64) float64 {
	least := math.Inf(1)
	for _, b := range layeredBuckets(limit) {
		least = min(least, of(b))
	}
	return least
}

// layeredBound is the most that a span may cost.
func layeredBound(limit string, span time.Duration, price float64) float64 {
	return layeredLeast(limit, func(b layeredBucket) float64 {
		return theory.BucketBill(b.burst, b.perSecond, time.Second, span, price)
	})
}

func layeredSpanPoints(demand string, expected func(limit string, span time.Duration, price float64) float64, limits, spans []string) (points []Point) {
	price, _ := strconv.ParseFloat(layeredPrice, 64)
	for _, limit := range limits {
		for _, span := range spans {
			d, _ := spec.ParseDuration(span)
			points = append(points, Point{
				At:       []string{"part", "span", "limit", limit, "demand", demand, "span", span, "price", layeredPrice},
				Expected: expected(limit, d, price),
			})
		}
	}
	return points
}

func layeredLoopPoints(at ...string) (points []Point) {
	price, _ := strconv.ParseFloat(layeredPrice, 64)
	for v := range slices.Chunk(at, 3) {
		pause, _ := spec.ParseDuration(v[1])
		span, _ := spec.ParseDuration(v[2])
		n := (int64(span)-1)/int64(pause) + 1
		points = append(points, Point{
			At: []string{"part", "loop", "limit", v[0], "pause", v[1], "span", v[2], "price", layeredPrice},
			Expected: layeredLeast(v[0], func(b layeredBucket) float64 {
				return theory.LoopAdmitted(b.burst, b.perSecond, time.Second, pause, n)
			}) * price,
		})
	}
	return points
}

func layeredClaims() []Claim {
	leftToOthers := func(_, _ string, greedy, others int64) float64 {
		return layeredTheory(theory.ChargedOnAdmission, false, greedy, others).Others
	}
	takenFromOthers := func(_, _ string, greedy, others int64) float64 {
		return layeredTheory(theory.ChargedAlways, true, greedy, others).Others
	}
	paidByUsers := func(_, _ string, greedy, others int64) float64 {
		return layeredTheory(theory.ChargedInOrder, false, greedy, others).UserSpent
	}
	refusedByOwn := func(_, order string, greedy, others int64) float64 {
		return layeredTheory(theory.ChargedOnAdmission, order == "shared-first", greedy, others).RefusedUser
	}
	nothing := func(string, time.Duration, float64) float64 { return 0 }
	attained := func(limit string, span time.Duration, price float64) float64 {
		return layeredLeast(limit, func(b layeredBucket) float64 {
			return theory.TokenBucketEnvelopeOnClock(b.burst, b.perSecond, time.Second, span)
		}) * price
	}
	orders := []string{"user-first", "endpoint-first", "shared-first"}
	sets := []string{"windows", "buckets", "mixed"}
	priced := []string{"bucket", "gcra", "layers"}
	spans := []string{"1s", "10s", "1m", "10m"}
	return []Claim{
		{
			Text:   "charged on admission, or with its own limit in front, a greedy user leaves the others all that it does not get",
			Domain: "one window; a limit of each user below the shared one; charge admitted in any order, or in order with the user's limit in front",
			Wrong:  "a shared limit that is charged for what a user's own limit refuses",
			Source: "theory.LayersGreedyFirst: min(what they send, shared - min(greedy, user))", Metric: "others_admitted", Relation: Exact,
			Points: layeredGreedyPoints(leftToOthers,
				"admitted", "user-first", "60", "8", "admitted", "shared-first", "60", "8", "admitted", "shared-first", "200", "8",
				"admitted", "user-first", "10", "16", "in-order", "user-first", "60", "8", "in-order", "user-first", "200", "16"),
			Outside: layeredGreedyPoints(leftToOthers, "in-order", "shared-first", "60", "8", "always", "user-first", "200", "8"),
		},
		{
			Text:   "in front, or charged always, the shared limit is spent on what a greedy user is refused, until nothing is left for the others",
			Domain: "one window; a limit of each user below the shared one; charge always, or in order with the shared limit in front",
			Wrong:  "a shared limit that is charged only for what passes all layers",
			Source: "theory.LayersGreedyFirst: min(what they send, shared - min(greedy, shared))", Metric: "others_admitted", Relation: Exact,
			Points: layeredGreedyPoints(takenFromOthers,
				"always", "user-first", "40", "8", "always", "shared-first", "80", "8", "always", "user-first", "200", "16",
				"in-order", "shared-first", "60", "8", "in-order", "shared-first", "200", "8"),
			Outside: layeredGreedyPoints(takenFromOthers, "admitted", "shared-first", "60", "8", "in-order", "user-first", "60", "8"),
		},
		{
			Text:   "in order, users pay for what the shared limit behind their own refuses",
			Domain: "one window; charge in order, the user's limit in front",
			Wrong:  "a refund when a layer behind refuses",
			Source: "theory.LayersGreedyFirst: min(greedy, user) + what the others send", Metric: "spent_user", Relation: Exact,
			Points:  layeredGreedyPoints(paidByUsers, "in-order", "user-first", "10", "16", "in-order", "user-first", "60", "16", "in-order", "user-first", "200", "16"),
			Outside: layeredGreedyPoints(paidByUsers, "admitted", "user-first", "60", "16", "in-order", "shared-first", "60", "16"),
		},
		{
			Text:   "charged on admission, it is a greedy user's own limit that refuses it, wherever the limit stands",
			Domain: "one window; a limit of each user below the shared one; charge admitted",
			Wrong:  "a shared limit that fills up with requests that another layer refuses, and then refuses in its place",
			Source: "theory.LayersGreedyFirst: greedy - min(greedy, user)", Metric: "refused_by_user", Relation: Exact,
			Points:  layeredGreedyPoints(refusedByOwn, "admitted", "user-first", "60", "8", "admitted", "shared-first", "60", "8", "admitted", "shared-first", "200", "16"),
			Outside: layeredGreedyPoints(refusedByOwn, "always", "shared-first", "200", "8", "in-order", "shared-first", "200", "8"),
		},
		{
			Text:   "charged on admission, every layer pays for what is admitted and for nothing else",
			Domain: "charge admitted; one window, three layers, Poisson traffic that each of them refuses some of",
			Wrong:  "a charge before all layers were asked, without a refund",
			Source: "the rule itself, summed: layers · admitted", Metric: "overcharged", Relation: Exact,
			Points:  layeredZeros("sums", "order", orders, "charge", "admitted"),
			Outside: append(layeredZeros("sums", "order", orders[:1], "charge", "in-order"), layeredZeros("sums", "order", orders[2:], "charge", "always")...),
		},
		{
			Text:   "in order, a refusal is paid for by all layers in front of the one that refuses",
			Domain: "charge in order; one window, three layers, Poisson traffic that each of them refuses some of",
			Wrong:  "a layer that pays although one in front of it refuses, or is paid back",
			Source: "the rule itself, summed: layers · admitted + Σ place · refused there", Metric: "in_order_gap", Relation: Exact,
			Points:  layeredZeros("sums", "order", orders, "charge", "in-order"),
			Outside: append(layeredZeros("sums", "order", orders[:1], "charge", "admitted"), layeredZeros("sums", "order", orders[:1], "charge", "always")...),
		},
		{
			Text:   "charged always, every layer pays for what it would admit alone",
			Domain: "charge always; one window, three layers, Poisson traffic that each of them refuses some of",
			Wrong:  "a layer that does not see what another has refused",
			Source: "the rule itself, summed: Σ over layers and keys of min(what comes, limit)", Metric: "alone_gap", Relation: Exact,
			Points:  layeredZeros("sums", "order", orders, "charge", "always"),
			Outside: append(layeredZeros("sums", "order", orders[:1], "charge", "admitted"), layeredZeros("sums", "order", orders[:1], "charge", "in-order")...),
		},
		{
			Text:   "charged on admission, or always, the order of the layers changes no decision",
			Domain: "charge admitted or always; windows, buckets and queues, all six orders of three layers",
			Wrong:  "a layer that is charged, or moves its clock, depending on what another in front of it says",
			Source: "what is charged depends on what all layers say, not on which is asked first", Metric: "decisions_changed", Relation: Exact,
			Points:  append(layeredZeros("order", "limits", sets, "charge", "admitted"), layeredZeros("order", "limits", sets, "charge", "always")...),
			Outside: layeredZeros("order", "limits", sets, "charge", "in-order"),
		},
		{
			Text:   "no span D costs more than (b + rD) times the price, by the smallest of the layers",
			Domain: "token buckets and GCRA on one server, a price per admitted request, any demand",
			Wrong:  "no limit, or one on each of several servers",
			Source: "theory.BucketBill", Metric: "bill_beyond", Relation: Exact,
			Points:  append(layeredSpanPoints("poisson", nothing, priced, spans), layeredSpanPoints("on-off", nothing, priced, spans)...),
			Outside: append(layeredSpanPoints("poisson", nothing, []string{"none"}, spans[2:]), layeredSpanPoints("on-off", nothing, []string{"none"}, spans[2:])...),
		},
		{
			Text:   "who asks all the time is served the bound, to the last whole request",
			Domain: "token buckets and GCRA; requests at an even pace that meets every token as it comes",
			Wrong:  "a bucket that forgets part of a token, or holds one more than its burst",
			Source: "theory.TokenBucketEnvelopeOnClock times the price", Metric: "bill", Relation: Exact,
			Points:  layeredSpanPoints("even", attained, priced, spans),
			Outside: layeredSpanPoints("even", attained, []string{"none"}, spans),
		},
		{
			Text:   "a loop that never stops costs the burst and what its time brings, by the smallest of the layers",
			Domain: "token buckets and GCRA, full at the start; an even pace of at least the rate",
			Wrong:  "no limit: then every request costs",
			Source: "theory.LoopAdmitted times the price", Metric: "bill", Relation: Exact,
			Points: layeredLoopPoints("bucket", "100ms", "1s", "bucket", "100ms", "1m", "bucket", "100ms", "1d", "bucket", "30ms", "10m", "bucket", "500ms", "10m",
				"gcra", "100ms", "1h", "gcra", "30ms", "10m", "layers", "100ms", "1m", "layers", "100ms", "10m", "layers", "100ms", "1d"),
			Outside: layeredLoopPoints("none", "100ms", "1m", "none", "100ms", "1d"),
		},
	}
}
