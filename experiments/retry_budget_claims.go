package experiments

import (
	"fmt"
	"strconv"

	"ratelab/experiments/theory"
)

func budgetClaims() []Claim {
	return []Claim{
		budgetThreeRetries(),
		budgetThreeSuccess(),
		budgetBucket(),
		budgetBucketSuccess(),
		budgetKnee(),
		budgetGRPC(),
		budgetGRPCStops(),
		budgetFinagle(),
		budgetEnvoyBound(),
		budgetThrottle(),
		budgetThrottleStops(),
		budgetLimiter(),
		budgetNoMore(),
		budgetStock(),
	}
}

func budgetOutside(budget, retries string, failure float64, more ...string) []string {
	if len(more) == 0 && budget == "ratio" {
		more = []string{"calls", "100/s"}
	}
	return append([]string{"part", "outside", "budget", budget, "retries", retries, "failure", fleetNumber(failure)}, more...)
}

func budgetLimited(budget, retries string, served float64, spread string, more ...string) []string {
	return append([]string{"part", "limiter", "budget", budget, "retries", retries, "served", fleetNumber(served), "spread", spread}, more...)
}

func budgetStart(budget string, failure float64, clients int) []string {
	return []string{"part", "start", "budget", budget, "failure", fleetNumber(failure), "clients", strconv.Itoa(clients)}
}

func budgetThreeRetries() Claim {
	c := Claim{
		Text:   "three retries send 1 + p + p² + p³ attempts a call",
		Domain: "attempts fail independently, for a reason from outside; no budget",
		Wrong:  "a budget, failures that come together or that the retries cause",
		Source: "theory.RetryAttempts",
		Metric: "amplification", Relation: Equal,
	}
	for _, p := range []float64{0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9} {
		c.Points = append(c.Points, Point{At: budgetOutside("none", "3", p), Expected: theory.RetryAttempts(p, 3)})
	}
	c.Outside = []Point{
		{At: budgetOutside("tokens", "unlimited", 0.5), Expected: theory.RetryAttempts(0.5, 3)},
		{At: budgetLimited("none", "3", 0.5, "4s"), Expected: theory.RetryAttempts(0.5, 3)},
	}
	return c
}

func budgetThreeSuccess() Claim {
	c := Claim{
		Text:   "and fail with p⁴, not p³",
		Domain: "as above",
		Wrong:  "three attempts instead of three retries; a budget",
		Source: "theory.RetrySuccess",
		Metric: "success_share", Relation: Equal,
	}
	point := func(budget, retries string, p float64) Point {
		v := theory.RetrySuccess(p, 3)
		return Point{At: budgetOutside(budget, retries, p), Expected: v, Scale: shareScale(v)}
	}
	c.Points = []Point{point("none", "3", 0.3), point("none", "3", 0.7), point("none", "3", 0.9)}
	c.Outside = []Point{point("tokens", "unlimited", 0.7)}
	return c
}

// budgetTenths is the chain of the bucket in its own units, tenths of a retry:
// 51 states.
func budgetTenths(p float64) theory.RetryLoad { return theory.BucketBudget(p, 1, 10, 50) }

func budgetBucket() Claim {
	c := Claim{
		Text:   "a bucket that every call fills by a tenth sends what its chain of 51 states says",
		Domain: "bucket of 5, calls that follow one another, in the long run (5000 calls after it was full)",
		Wrong:  "tokens counted in floats, a bucket that is still full, several calls at once",
		Source: "theory.BucketBudget",
		Metric: "amplification", Relation: Equal,
	}
	for _, p := range []float64{0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9} {
		c.Points = append(c.Points, Point{At: budgetOutside("tokens", "unlimited", p), Expected: budgetTenths(p).Attempts})
	}
	c.Outside = []Point{{At: budgetStart("tokens", 0.5, 100), Expected: budgetTenths(0.5).Attempts}}
	return c
}

func budgetBucketSuccess() Claim {
	c := Claim{
		Text:   "and as many calls succeed",
		Domain: "as above",
		Wrong:  "as above",
		Source: "theory.BucketBudget",
		Metric: "success_share", Relation: Equal,
	}
	for _, p := range []float64{0.1, 0.3, 0.5} {
		v := budgetTenths(p).Success
		c.Points = append(c.Points, Point{At: budgetOutside("tokens", "unlimited", p), Expected: v, Scale: shareScale(v)})
	}
	c.Outside = []Point{{At: budgetStart("tokens", 0.5, 100), Expected: budgetTenths(0.5).Success}}
	return c
}

func budgetKnee() Claim {
	c := Claim{
		Text:   "a deep bucket costs nothing below a failure share of 1/11, and above sends 1.1 attempts a call",
		Domain: "a tenth of a retry for each call, a bucket so deep that chance neither empties nor fills it: 50, away from the knee",
		Wrong:  "a shallow bucket near its knee, deposits on success alone",
		Source: "theory.BudgetFluid; the knee is theory.BudgetKnee",
		Metric: "amplification", Relation: Equal,
	}
	for _, p := range []float64{0.05, 0.08, 0.12, 0.2} {
		c.Points = append(c.Points, Point{At: budgetOutside("tokens:cap=50", "unlimited", p), Expected: theory.BudgetFluid(p, 0.1).Attempts})
	}
	c.Outside = []Point{Point{At: budgetOutside("tokens", "unlimited", 0.1), Expected: theory.BudgetFluid(0.1, 0.1).Attempts}}
	return c
}

func budgetGRPC() Claim {
	c := Claim{
		Text:   "gRPC's throttling sends what its chain of 101 states says",
		Domain: "10 tokens, a tenth for a success, 3 retries, calls that follow one another, in the long run (5000 calls after it was full)",
		Wrong:  "a retry that costs a token beside the failure's, tokens that are still full, several calls at once",
		Source: "theory.GRPCBudget",
		Metric: "amplification", Relation: Equal,
	}
	// From 0.2 on too few retries are left to be counted.
	for _, p := range []float64{0.02, 0.05, 0.1, 0.12} {
		c.Points = append(c.Points, Point{At: budgetOutside("grpc", "3", p), Expected: theory.GRPCBudget(p, 1, 10, 100, 4).Attempts})
	}
	c.Outside = []Point{{At: budgetOutside("tokens", "unlimited", 0.2), Expected: theory.GRPCBudget(0.2, 1, 10, 100, 4).Attempts}}
	return c
}

func budgetGRPCStops() Claim {
	c := Claim{
		Text:   "from a failure share of 1/11 on gRPC all but stops to retry",
		Domain: "a failure share of 0.2 or more, where the tokens drift down",
		Wrong:  "a failure share below the knee",
		Source: "a thousandth; theory.BudgetKnee",
		Metric: "amplification", Relation: AtMost,
	}
	for _, p := range []float64{0.2, 0.3, 0.5, 0.9} {
		c.Points = append(c.Points, Point{At: budgetOutside("grpc", "3", p), Expected: 1.001})
	}
	c.Outside = []Point{{At: budgetOutside("grpc", "3", 0.05), Expected: 1.001}}
	return c
}

// budgetFinagle: at the end of each window of 10 s its requests, its retries
// and the reserve leave a balance, which is less than one retry where retries
// are wanted all the time.
func budgetFinagle() Claim {
	c := Claim{
		Text:   "Finagle's budget, where more fails than it allows, sends 1.2 attempts a call and 10 a second",
		Domain: "a failure share of 0.5 or more, 50 to 1000 calls a second, in the long run (50 s, of its 10, after its reserve was full)",
		Wrong:  "a failure share that the budget has room for",
		Source: "theory.RatioBudgetMost; error: the part of one retry that each window of 10 s leaves over",
		Metric: "amplification", Relation: Equal,
	}
	point := func(p float64, rate int) Point {
		return Point{
			At:       budgetOutside("ratio", "3", p, "calls", fmt.Sprintf("%d/s", rate)),
			Expected: theory.RatioBudgetMost(float64(rate), 0.2, 10), Error: 1 / (10 * float64(rate)),
		}
	}
	c.Points = []Point{point(0.5, 50), point(0.5, 100), point(0.5, 1000), point(0.7, 100), point(0.9, 100)}
	c.Outside = []Point{point(0.05, 100)}
	return c
}

func budgetEnvoyBound() Claim {
	c := Claim{
		Text:   "Envoy's budget of 20 % of what is in flight sends at most 1.25 attempts a call",
		Domain: "one budget for all clients, some 100 calls in flight, retries at once, each attempt as long as another",
		Wrong:  "so few in flight that the least number, 3 retries, decides; retries that take longer or wait",
		Source: "theory.ActiveBudgetMost",
		Metric: "amplification", Relation: AtMost,
	}
	point := func(p float64, latency string) Point {
		return Point{At: budgetOutside(budgetEnvoy, "3", p, "latency", latency), Expected: theory.ActiveBudgetMost(0.2)}
	}
	c.Points = []Point{point(0.2, "1s"), point(0.3, "1s"), point(0.5, "1s"), point(0.7, "1s"), point(0.9, "1s")}
	c.Outside = []Point{point(0.5, "10ms")}
	return c
}

// budgetThrottle: the 1 in the denominator of the rule adds one attempt to
// those of a window, in which 50/s · 10 s = 500 are accepted.
func budgetThrottle() Claim {
	c := Claim{
		Text:   "adaptive throttling sends K attempts for each that is accepted",
		Domain: "calls at 20 times what the server accepts, no retries, in the long run (two windows of 10 s and more)",
		Wrong:  "calls below K times what is accepted: then nothing is held back",
		Source: "theory.ThrottleSentPerAccept; error: one attempt for each window, whose accepts are 500",
		Metric: "attempts_per_success", Relation: Equal,
	}
	point := func(k, served float64) Point {
		return Point{
			At:       budgetLimited("adaptive:k="+fleetNumber(k)+",window=10s", "0", served, "0s"),
			Expected: theory.ThrottleSentPerAccept(1/0.05, 1, k), Error: 1.0 / 500,
		}
	}
	c.Points = []Point{point(1.1, 0.05), point(1.5, 0.05), point(2, 0.05)}
	c.Outside = []Point{point(2, 0.9)}
	return c
}

// budgetThrottleStops: of what it sends the share a = 1 − p is accepted, and
// for each of these it sends K more in the next window: in the mean Ka < 1 of
// what it sent in this one.
func budgetThrottleStops() Claim {
	c := Claim{
		Text:   "where more than 1 − 1/K of attempts fail from outside, adaptive throttling all but stops to call",
		Domain: "K = 2, a failure share of 0.7 or more, in the long run (eight windows)",
		Wrong:  "a failure share below 1 − 1/K, failures that fewer calls would cure",
		Source: "a twentieth; theory.ThrottleSentPerAccept cannot hold: fewer than 1 in K are accepted",
		Metric: "amplification", Relation: AtMost,
	}
	for _, p := range []float64{0.7, 0.8, 0.9} {
		c.Points = append(c.Points, Point{At: budgetOutside("adaptive:k=2,window=10s", "3", p), Expected: 0.05})
	}
	c.Outside = []Point{{At: budgetOutside("adaptive:k=2,window=10s", "3", 0.3), Expected: 0.05}}
	return c
}

func budgetLimiter() Claim {
	c := Claim{
		Text:   "behind a limiter of capacity c < λ, m retries send (c/λ)/(1 − p) attempts a call, p = (1 − c/λ)^(1/(m+1))",
		Domain: "retries spread out over 4 s, so that attempts are independent; a saturated limiter",
		Wrong:  "retries at once, which the same empty bucket refuses",
		Source: "theory.LimiterAttempts",
		Metric: "amplification", Relation: Equal,
	}
	for _, at := range []struct {
		served  float64
		retries int
	}{{0.1, 3}, {0.25, 1}, {0.25, 3}, {0.25, 10}, {0.5, 1}, {0.5, 3}, {0.5, 10}} {
		c.Points = append(c.Points, Point{
			At: budgetLimited("none", strconv.Itoa(at.retries), at.served, "4s"), Expected: theory.LimiterAttempts(at.served, at.retries),
		})
	}
	c.Outside = []Point{{At: budgetLimited("none", "3", 0.5, "0s"), Expected: theory.LimiterAttempts(0.5, 3)}}
	return c
}

func budgetNoMore() Claim {
	c := Claim{
		Text:   "and no more calls succeed than without retries: c/λ, whatever the budget",
		Domain: "a saturated limiter that does not pay for what it refuses",
		Wrong:  "failures from outside, against which retries help",
		Source: "what the limiter admits: c/λ",
		Metric: "success_share", Relation: Equal,
	}
	place := func(budget, retries string) Point {
		return Point{At: budgetLimited(budget, retries, 0.5, "4s"), Expected: 0.5}
	}
	c.Points = []Point{place("none", "0"), place("none", "3"), place("tokens", "unlimited"), place("grpc", "3")}
	c.Outside = []Point{{At: budgetOutside("none", "3", 0.5), Expected: 0.5}}
	return c
}

func budgetStock() Claim {
	c := Claim{
		Text:   "buckets that are full at first let their stock through besides: 5 retries for each client",
		Domain: "the first 10 s of an outage, 1000 calls a second, 10 to 1000 clients",
		Wrong:  "no bucket",
		Source: "1.1 + 5·N / 10 000, in the mean",
		Metric: "amplification", Relation: AtMost,
	}
	stock := func(clients int) float64 { return 1.1 + 5*float64(clients)/10_000 }
	for _, n := range []int{10, 100, 1000} {
		c.Points = append(c.Points, Point{At: budgetStart("tokens", 0.5, n), Expected: stock(n)})
	}
	c.Outside = []Point{{At: budgetStart("none", 0.5, 100), Expected: stock(100)}}
	return c
}
