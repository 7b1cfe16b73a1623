package experiments

import (
	"errors"
	"fmt"
	"time"

	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
)

func init() {
	register(Experiment{
		Name:     "layered-limits",
		Question: "Of several limits, which refuses, and who pays?",
		Hypothesis: "Charged on admission, layers stand in no order: a greedy user pays for what it gets and leaves the rest to the others. " +
			"Where refused requests are charged, a greedy user spends what is shared without getting anything for it. " +
			"Whatever calls, a bucket bounds what it can cost: in any span D at most (b + rD) times the price.",
		Factors:   layeredFactors(),
		Metrics:   layeredMetrics(),
		Grids:     layeredGrids(),
		Where:     layeredApplies,
		Reps:      10,
		QuickReps: 2,
		Cell:      byPart(layeredParts),
		Claims:    layeredClaims(),
		Figures: []Figure{
			{Name: "greedy", Draw: layeredGreedyFigure},
			{Name: "bill", Draw: layeredBillFigure},
		},
		Findings: layeredFindings,
		Threats: []string{
			"Who is refused does not come back, but for the loop, which comes back whatever it hears and never stops.",
			"All layers are asked at one instant, on one server. Layers that are charged later, or in other places, admit in between.",
			"Requests cost one unit each: with unequal costs a layer in order or always may charge a part of what it admits.",
			"A price per admitted request: refusals cost something too, and what a request costs may depend on what it asks for.",
			"The loop sends at an even pace. A slower service slows it down.",
		},
	})
}

// layeredParts are the parts of the experiment: what a cell does, and the
// factors that it needs, all of them and no others.
var layeredParts = parts[cellFunc]{
	{"greedy", "charge order greedy others", layeredGreedy},
	{"sums", "charge order load", layeredSums},
	{"order", "charge limits load", layeredOrder},
	{"span", "limit demand span price", layeredSpan},
	{"loop", "limit pause span price", layeredLoop},
}

func layeredApplies(get func(factor string) string) bool {
	return layeredParts.fit(get, factorNames(layeredFactors()[1:])...) &&
		(get("part") != "greedy" || get("order") != "endpoint-first") // it has no endpoints
}

const (
	layeredUserLimit   = 20  // of each user in parts greedy and sums
	layeredSharedLimit = 100 // of all in part greedy
	layeredEach        = 10  // requests of each of the others
	layeredRate        = "2/s"
	layeredBurst       = 20
	layeredPrice       = "0.01"
)

// layeredOrders name the layers from the front to the back.
var layeredOrders = []struct {
	name    string
	columns []string
}{
	{"user-first", []string{"user", "endpoint", "global"}},
	{"endpoint-first", []string{"endpoint", "user", "global"}},
	{"shared-first", []string{"global", "endpoint", "user"}},
}

// layeredSets are the limits of part order.
var layeredSets = []struct{ name, user, endpoint, global string }{
	{"windows", "fixed-window:limit=3,window=10s", "fixed-window:limit=25,window=10s", "fixed-window:limit=100,window=10s"},
	{"buckets", "gcra:rate=1/5s,burst=3", "token-bucket:rate=2/s,burst=5", "token-bucket:rate=9/s,burst=20"},
	{"mixed", "sliding-log:limit=3,window=10s,count=all", "sliding-counter:limit=25,window=10s", "leaky-queue:rate=9/s,queue=20"},
}

// layeredLimits are the limits that parts span and loop put before a price.
var layeredLimits = []struct{ name, user, global string }{
	{"none", "x-time-rate:rate=inf,burst=1", ""},
	{"bucket", "token-bucket:rate=2/s,burst=20", ""},
	{"gcra", "gcra:rate=2/s,burst=20", ""},
	{"layers", "token-bucket:rate=2/s,burst=20", "token-bucket:rate=1/s,burst=100"},
}

var layeredDemands = []struct{ name, workload string }{
	{"poisson", "poisson:rate=20/s"},
	{"on-off", "on-off:rate=40/s,on=30s,off=30s"},
	{"even", "steady:rate=50/s"},
}

func layeredFactors() []sweep.Factor {
	var orders, sets, limits, demands []string
	for _, o := range layeredOrders {
		orders = append(orders, o.name)
	}
	for _, s := range layeredSets {
		sets = append(sets, s.name)
	}
	for _, l := range layeredLimits {
		limits = append(limits, l.name)
	}
	for _, d := range layeredDemands {
		demands = append(demands, d.name)
	}
	return []sweep.Factor{
		{Name: "part", Check: oneOf(layeredParts.names()...), Description: "sub-question: greedy: one user asks for much, then others for a little; sums: what three layers spend of Poisson traffic; " +
			"order: the same traffic through the layers in all six orders; span: the dearest span of a length; loop: a client that sends again and again, whatever it hears"},
		{Name: "charge", Check: oneOf("admitted", "in-order", "always"), Description: "who pays: all layers if all admit; each up to the one that refuses; each as if it were alone"},
		{Name: "order", Check: oneOf(orders...), Description: "which layer is asked first; in part greedy there are two, of users and shared"},
		{Name: "greedy", Unit: "requests", Check: wholeNumber(100_000), Description: "requests of the greedy user"},
		{Name: "others", Unit: "users", Check: wholeNumber(10_000), Description: fmt.Sprintf("users who then send %d requests each", layeredEach)},
		{Name: "load", Unit: "1", Check: leakyLoad, Description: "arrival rate / 10 requests a second; at 1 every layer refuses some"},
		{Name: "limits", Check: oneOf(sets...), Description: "the three limits: fixed windows; GCRA and token buckets; a log that counts refusals, a sliding counter and a leaky queue"},
		{Name: "limit", Check: oneOf(limits...), Description: "none; a token bucket, or GCRA, of 2/s and burst 20; that bucket and one of 1/s and burst 100 behind it"},
		{Name: "demand", Check: oneOf(demands...), Description: "arrivals: Poisson, 20/s; on-off, 40/s while on; even, 50/s"},
		{Name: "pause", Unit: "duration", Check: layeredPause, Description: "time from one request of the loop to the next"},
		{Name: "span", Unit: "duration", Check: layeredSpanCheck, Description: "length of a span, of which the dearest of an hour is looked for; in part loop, how long the loop runs"},
		{Name: "price", Unit: "$", Check: layeredPriceCheck, Description: "price of an admitted request"},
	}
}

func layeredPause(value string) error {
	if d, err := spec.ParseDuration(value); err != nil || d < time.Millisecond || d > time.Hour {
		return errors.New("must be a duration from 1ms to 1h")
	}
	return nil
}

func layeredSpanCheck(value string) error {
	if d, err := spec.ParseDuration(value); err != nil || d < time.Millisecond || d > 24*time.Hour {
		return errors.New("must be a duration from 1ms to 1d")
	}
	return nil
}

func layeredPriceCheck(value string) error {
	if x, err := spec.ParseNumber(value); err != nil || x < 0 || x > 1e6 {
		return errors.New("must be a number from 0 to 1e6")
	}
	return nil
}

func layeredMetrics() []sweep.Metric {
	return append(fromDictionary("admitted", "refused_by_user", "refused_by_endpoint", "refused_by_global"),
		sweep.Metric{Name: "greedy_admitted", Unit: "requests", Description: "Admitted of the greedy user."},
		sweep.Metric{Name: "others_admitted", Unit: "requests", Description: "Admitted of all other users."},
		sweep.Metric{Name: "spent_user", Unit: "requests", Description: "Charged to the limits of all users together."},
		sweep.Metric{Name: "spent_shared", Unit: "requests", Description: "Charged to the limit that all share."},
		sweep.Metric{Name: "overcharged", Unit: "requests", Description: "Charged to all layers together, less what was admitted, once for each layer."},
		sweep.Metric{Name: "in_order_gap", Unit: "requests", Description: "Charged to all layers together, less what is charged if each layer in front of the one that refuses pays, and all pay for what is admitted."},
		sweep.Metric{Name: "alone_gap", Unit: "requests", Description: "Charged to all layers together, less what each key of each layer would admit alone."},
		sweep.Metric{Name: "decisions_changed", Unit: "requests", Description: "Requests that are admitted in one order of the layers and refused in another."},
		sweep.Metric{Name: "names_changed", Unit: "requests", Description: "Requests that are refused in every order, not always by the same layer."},
		sweep.Metric{Name: "bill", Unit: "$", Description: "What the dearest span costs; in part loop, what the loop costs from its start on."},
		sweep.Metric{Name: "bill_beyond", Unit: "$", Description: "How much the dearest span costs above (b + rD) times the price, of the smallest of the layers; without a limit, of the bucket."},
	)
}

func layeredGrids() []sweep.Grid {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	part := func(name string, axes ...sweep.Axis) sweep.Grid {
		return append(sweep.Grid{axis("part", name)}, axes...)
	}
	charge, price := axis("charge", "admitted", "in-order", "always"), axis("price", layeredPrice)
	return []sweep.Grid{
		part("greedy", charge, axis("order", "user-first", "shared-first"), axis("greedy", "10", "20", "40", "60", "80", "100", "200"), axis("others", "8", "16")),
		part("sums", charge, axis("order", "user-first", "endpoint-first", "shared-first"), axis("load", "1")),
		part("order", charge, axis("limits", "windows", "buckets", "mixed"), axis("load", "1")),
		part("span", axis("limit", "none", "bucket", "gcra", "layers"), axis("demand", "poisson", "on-off", "even"), axis("span", "1s", "10s", "1m", "10m"), price),
		part("loop", axis("limit", "none", "bucket", "gcra", "layers"), axis("pause", "100ms"), axis("span", "1s", "10s", "1m", "10m", "1h", "6h", "1d"), price),
		part("loop", axis("limit", "none", "bucket", "gcra", "layers"), axis("pause", "30ms", "500ms"), axis("span", "10m"), price),
	}
}
