package experiments

import (
	"strconv"

	"ratelab/experiments/theory"
)

func overloadClaims() []Claim {
	return []Claim{
		overloadHeals(),
		overloadSticks(),
		overloadTrigger(),
		overloadShortQueue(),
		overloadCapacityKept(),
		overloadBudgetHeals(),
		overloadLimitHeals(),
		overloadBackoffDoesNot(),
		overloadDoorRefusals(),
		overloadDoorAll(),
		overloadDoorCollapse(),
	}
}

// overloadPlace names a place after a spike: all factors, those not given at
// their defaults.
func overloadPlace(load int, given ...string) []string {
	at := []string{"part", "spike", "load", strconv.Itoa(load)}
	for _, f := range [][2]string{
		{"retries", "1"}, {"peak", "450"}, {"spike", "4s"}, {"queue", "unlimited"}, {"limit", "none"}, {"jitter", "none"}, {"budget", "none"}, {"deadline", "no"},
	} {
		value := f[1]
		for i := 0; i+1 < len(given); i += 2 {
			if given[i] == f[0] {
				value = given[i+1]
			}
		}
		at = append(at, f[0], value)
	}
	return at
}

// overloadStuck is what the share of stuck replications must be: 0 or 1.
func overloadStuck(stuck bool) float64 {
	if stuck {
		return 1
	}
	return 0
}

// overloadHeals: the points drain within half the horizon of a quick run.
func overloadHeals() Claim {
	c := Claim{
		Text:   "load × attempts below the capacity heals from any backlog",
		Domain: "unbounded queue, no cure, any spike; far enough below the threshold that the backlog drains by the horizon",
		Wrong:  "a capacity that shrinks as the backlog grows; more retries than R",
		Source: "theory.OverloadHealsBelow: stuck 0 below it",
		Metric: "stuck", Relation: Exact,
	}
	place := func(load, retries int, given ...string) Point {
		return Point{
			At:       overloadPlace(load, append(given, "retries", strconv.Itoa(retries))...),
			Expected: overloadStuck(float64(load) >= theory.OverloadHealsBelow(overloadCapacity, retries)),
		}
	}
	c.Points = []Point{place(100, 1), place(120, 1), place(60, 2), place(100, 1, "peak", "600")}
	outside := place(200, 1)
	outside.Expected = 0
	again := place(160, 2)
	again.Expected = 0
	c.Outside = []Point{outside, again}
	return c
}

// overloadSticks: the walk of the backlog drifts away from what clients have
// patience for, by load·(1+R) − c a second: at the points 40/s or more, from
// a backlog of a thousand or more, so that it returns once in e^100 times.
func overloadSticks() Claim {
	c := Claim{
		Text:   "between capacity / attempts and capacity, a spike leaves an outage that lasts",
		Domain: "unbounded queue, no cure, a spike that leaves more in line than clients have patience for; a tenth above the threshold or more",
		Wrong:  "a bounded queue, callers whom nobody misses, a budget; very close to the threshold, chance",
		Source: "theory.OverloadOffered above the capacity: stuck 1",
		Metric: "stuck", Relation: Exact,
	}
	place := func(load, retries int, given ...string) Point {
		return Point{
			At:       overloadPlace(load, append(given, "retries", strconv.Itoa(retries))...),
			Expected: overloadStuck(theory.OverloadOffered(float64(load), retries) > overloadCapacity),
		}
	}
	c.Points = []Point{place(170, 1), place(200, 1), place(240, 1), place(280, 1), place(120, 2), place(200, 2)}
	c.Outside = []Point{
		{At: overloadPlace(100), Expected: 1},
		place(240, 1, "spike", "0s"), place(280, 1, "queue", "200"),
	}
	return c
}

// overloadTrigger: a spike of p a second for t seconds leaves (p − c)·t in
// line. The points leave two thirds of what clients have patience for, or less.
func overloadTrigger() Claim {
	c := Claim{
		Text:   "without a spike, or with one that leaves less in line than capacity × timeout, the same server stays well",
		Domain: "load above the threshold and below the capacity, unbounded queue, no cure",
		Wrong:  "a spike that is higher or longer; a load so close to the capacity that chance alone fills the queue",
		Source: "theory.OverloadQueueInTime against (peak − capacity) × length",
		Metric: "stuck", Relation: Exact,
	}
	place := func(load int, peak, length float64, given ...string) Point {
		left := (peak - overloadCapacity) * length
		return Point{
			At:       overloadPlace(load, given...),
			Expected: overloadStuck(left > theory.OverloadQueueInTime(overloadCapacity, overloadPatience)),
		}
	}
	c.Points = []Point{
		place(160, 0, 0, "spike", "0s"), place(240, 0, 0, "spike", "0s"), place(280, 0, 0, "spike", "0s"),
		place(240, 700, 0.5, "peak", "700", "spike", "500ms"), place(200, 600, 0.7, "peak", "600", "spike", "700ms"), place(280, 450, 1, "spike", "1s"),
	}
	c.Outside = []Point{
		{At: overloadPlace(240, "peak", "700", "spike", "2s")},
		{At: overloadPlace(280)},
	}
	return c
}

func overloadShortQueue() Claim {
	c := Claim{
		Text:   "a queue shorter than capacity × timeout is never stuck",
		Domain: "any load, above the capacity too as long as half of it can be served; constant service times",
		Wrong:  "a longer queue; slower service than the bound was made for; a load of more than twice the capacity, half of which must fail",
		Source: "theory.OverloadQueueInTime: stuck 0 below it",
		Metric: "stuck", Relation: Exact,
	}
	place := func(load, queue int) Point {
		return Point{
			At:       overloadPlace(load, "queue", strconv.Itoa(queue)),
			Expected: overloadStuck(float64(queue) > theory.OverloadQueueInTime(overloadCapacity, overloadPatience)),
		}
	}
	c.Points = []Point{place(200, 200), place(240, 150), place(280, 200), place(320, 200)}
	c.Outside = []Point{
		{At: overloadPlace(280, "queue", "400")},
		{At: overloadPlace(320, "queue", "400")},
	}
	return c
}

// overloadCapacityKept: with the queue full nearly all the time the worker is
// busy nearly all the time. The span's ends may cut one service each, and
// constants are whole nanoseconds.
func overloadCapacityKept() Claim {
	c := Claim{
		Text:   "with a queue shorter than capacity × timeout the goodput stays at the capacity, or the load if that is lower",
		Domain: "queue below capacity × timeout, load 5 % off the capacity or more, constant service times",
		Wrong:  "refusals that take the worker's time, a longer queue",
		Source: "theory.OverloadQueueInTime: min(load, capacity)",
		Metric: "goodput", Relation: Equal,
	}
	place := func(load int, queue string) Point {
		return Point{At: overloadPlace(load, "queue", queue), Expected: min(float64(load), overloadCapacity), Error: 0.1}
	}
	c.Points = []Point{place(160, "200"), place(240, "200"), place(320, "200"), place(600, "200")}
	c.Outside = []Point{place(320, "400"), place(240, "unlimited")}
	return c
}

// overloadBudgetHeals: Bronson et al. have 300/s, load 280, and retries below
// 20/s. Budgets of a percentage allow that share of the load.
func overloadBudgetHeals() Claim {
	c := Claim{
		Text:   "a budget that lets fewer retries through than capacity − load heals the outage",
		Domain: "load below the capacity, one budget for all that is sent; far enough below the bound that the backlog drains by the horizon",
		Wrong:  "a budget a client where there are many, full at first; a budget above capacity − load",
		Source: "theory.OverloadRetriesBelow: stuck 0 below it",
		Metric: "stuck", Relation: Exact,
	}
	place := func(load int, retries float64, given ...string) Point {
		return Point{At: overloadPlace(load, given...), Expected: overloadStuck(retries >= theory.OverloadRetriesBelow(overloadCapacity, float64(load)))}
	}
	c.Points = []Point{
		place(280, 10, "peak", "400", "budget", "ratio:min=10,percent=0"),
		place(240, 240*0.10, "budget", overloadBudget),
		place(240, 240*0.15, "budget", "ratio:min=0,percent=15"),
	}
	c.Outside = []Point{
		{At: overloadPlace(280, "peak", "400", "budget", "ratio:min=40,percent=0")},
		{At: overloadPlace(240, "budget", "ratio:min=0,percent=40")},
	}
	return c
}

// overloadLimitHeals: what passes in any time t is at most burst + rate·t, so
// with a rate below the capacity no more than burst ever waits.
func overloadLimitHeals() Claim {
	c := Claim{
		Text:   "a limit below the capacity, whose burst is shorter than capacity × timeout, prevents the outage",
		Domain: "load below the limit, refusals that cost nothing, any spike, any number of retries",
		Wrong:  "a limit above the capacity; refusals that cost the worker's time; a capacity that has sunk below the limit",
		Source: "theory.TokenBucketEnvelope into a server faster than its rate: no more than the burst waits; stuck 0 if theory.OverloadQueueInTime is above it",
		Metric: "stuck", Relation: Exact,
	}
	place := func(given ...string) Point {
		return Point{At: overloadPlace(240, append(given, "limit", overloadLimit)...), Expected: overloadStuck(50 > theory.OverloadQueueInTime(overloadCapacity, overloadPatience))}
	}
	c.Points = []Point{place(), place("peak", "900"), place("retries", "5")}
	c.Outside = []Point{{At: overloadPlace(240, "limit", "token-bucket:rate=600/s,burst=50")}}
	return c
}

// overloadBackoffDoesNot: a wait before the retry changes when it comes, not
// how many there are a second.
func overloadBackoffDoesNot() Claim {
	c := Claim{
		Text:   "back-off with jitter alone does not heal: it moves retries and makes none of them fewer",
		Domain: "waits shorter than the horizon, load × attempts a tenth above the capacity or more",
		Wrong:  "load × attempts below the capacity; clients who keep one wait for all their requests and so send less",
		Source: "theory.OverloadOffered above the capacity: stuck 1",
		Metric: "stuck", Relation: Exact,
	}
	place := func(load int, jitter string) Point {
		return Point{At: overloadPlace(load, "jitter", jitter), Expected: overloadStuck(theory.OverloadOffered(float64(load), 1) > overloadCapacity)}
	}
	c.Points = []Point{place(240, "full"), place(240, "equal"), place(240, "decorrelated"), place(280, "full")}
	c.Outside = []Point{{At: overloadPlace(100, "jitter", "full"), Expected: 1}}
	return c
}

func overloadDoorPlace(arrivals string, load int, pays string) []string {
	return []string{"part", "door", "load", strconv.Itoa(load), "pays", pays, "arrivals", arrivals}
}

// overloadDoorExpected is the goodput of the door. Of Poisson arrivals the
// limit admits its rate but for the time its bucket is full.
func overloadDoorExpected(arrivals string, load int, pays string) float64 {
	a, limit := float64(load), float64(overloadDoorLimit)
	if arrivals == "poisson" {
		limit = a * (1 - theory.TokenBucketLoss(a/limit, overloadDoorBurst))
	}
	goodput := theory.DoorGoodputRefusals
	if pays == "all" {
		goodput = theory.DoorGoodput
	}
	return goodput(limit, 1, a, overloadDoorCost.Seconds(), overloadDoorService.Seconds())
}

// overloadDoorPoint: precision is judged against the limit, since the goodput
// goes to 0. The ends of the span, 100 s, may cut two services.
func overloadDoorPoint(arrivals string, load int, pays string) Point {
	return Point{At: overloadDoorPlace(arrivals, load, pays), Expected: overloadDoorExpected(arrivals, load, pays), Error: 0.02, Scale: overloadDoorLimit}
}

func overloadDoorRefusals() Claim {
	c := Claim{
		Text:   "where each refusal takes a worker D, goodput is min(limit, (c − A·D)/(S − D))",
		Domain: "only refusals cost, by the limit and by the full queue; steady arrivals, or Poisson ones away from where the two meet, at which the queue is neither full nor empty",
		Wrong:  "admitted requests that pay as well; refusals that wait behind services; refusals by other hardware",
		Source: "theory.DoorGoodputRefusals; of Poisson arrivals its limit is what theory.TokenBucketLoss leaves",
		Metric: "goodput", Relation: Equal,
	}
	for _, load := range []int{10, 30, 50, 70, 90, 95} {
		c.Points = append(c.Points, overloadDoorPoint("steady", load, "refusals"))
	}
	c.Points = append(c.Points, overloadDoorPoint("poisson", 30, "refusals"), overloadDoorPoint("poisson", 90, "refusals"))
	outside := overloadDoorPoint("steady", 80, "all")
	outside.Expected = overloadDoorExpected("steady", 80, "refusals")
	c.Outside = []Point{outside}
	return c
}

func overloadDoorAll() Claim {
	c := Claim{
		Text:   "where every decision takes a worker D, goodput is min(limit, (c − A·D)/S)",
		Domain: "all decisions cost, then services take S; steady arrivals, or Poisson ones away from where the two meet",
		Wrong:  "admission that costs nothing; decisions by other hardware",
		Source: "theory.DoorGoodput; of Poisson arrivals its limit is what theory.TokenBucketLoss leaves",
		Metric: "goodput", Relation: Equal,
	}
	for _, load := range []int{10, 30, 50, 70, 80, 90} {
		c.Points = append(c.Points, overloadDoorPoint("steady", load, "all"))
	}
	c.Points = append(c.Points, overloadDoorPoint("poisson", 50, "all"), overloadDoorPoint("poisson", 80, "all"))
	outside := overloadDoorPoint("steady", 90, "refusals")
	outside.Expected = overloadDoorExpected("steady", 90, "all")
	c.Outside = []Point{outside}
	return c
}

func overloadDoorCollapse() Claim {
	c := Claim{
		Text:   "from c/D arrivals a second on, the door does nothing but refuse: goodput 0",
		Domain: "a fifth above c/D or more, after the queue has filled; refusals go first",
		Wrong:  "fewer arrivals; services that go before refusals; arrivals that the network drops before anybody decides",
		Source: "theory.DoorCollapse: goodput 0 above it",
		Metric: "goodput", Relation: Exact,
	}
	place := func(load int, pays string) Point {
		if collapse := theory.DoorCollapse(1, overloadDoorCost.Seconds()); float64(load) < 1.2*collapse {
			panic("experiments: not above the collapse of the door")
		}
		return Point{At: overloadDoorPlace("steady", load, pays)}
	}
	c.Points = []Point{place(120, "refusals"), place(120, "all"), place(200, "refusals"), place(200, "all")}
	c.Outside = []Point{{At: overloadDoorPlace("steady", 95, "refusals")}, {At: overloadDoorPlace("steady", 80, "all")}}
	return c
}
