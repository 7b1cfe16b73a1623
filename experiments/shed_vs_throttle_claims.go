package experiments

import (
	"strconv"

	"ratelab/experiments/theory"
)

func shedClaims() []Claim {
	return []Claim{
		shedAlike("others_ok", "shedding hits the polite: under one greedy tenant each loses what M/D/1/K loses of all"),
		shedAlike("greedy_ok", "shedding spares the greedy: it loses the same share as everybody"),
		shedThrottleSaves(),
		shedThrottleShares(),
		shedWithin(),
		shedCollapse(),
		shedKeeps(),
	}
}

func shedPlace(defence string, greedy, limit int) []string {
	return []string{"part", "greedy", "defence", defence, "greedy", strconv.Itoa(greedy), "limit", strconv.Itoa(limit)}
}

func shedOverload(defence string, offered int) []string {
	return []string{"part", "overload", "defence", defence, "offered", strconv.Itoa(offered), "limit", shedSpacious}
}

// shedLoss is what a queue of 20 before a worker of constant services loses.
func shedLoss(offered float64) float64 {
	return theory.TokenBucketLoss(offered/shedCapacity, shedQueue+1)
}

// shedAlike: Poisson arrivals see time averages, whosever they are.
func shedAlike(metric, text string) Claim {
	c := Claim{
		Text:   text,
		Domain: "independent Poisson tenants, one bounded queue for all, constant services, no limits by tenant; long run",
		Wrong:  "a tenant whose requests come in bursts loses more; priorities, queues by tenant, limits by tenant; retries",
		Source: "1 − theory.TokenBucketLoss(offered / capacity, K), which is M/D/1/K, and PASTA",
		Metric: metric, Relation: Equal,
	}
	place := func(defence string, greedy int) Point {
		return Point{At: shedPlace(defence, greedy, 9), Expected: 1 - shedLoss(float64(shedEach*(shedTenants+greedy)))}
	}
	c.Points = []Point{place("shed", 10), place("shed", 20), place("shed", 40)}
	c.Outside = []Point{place("throttle", 20), place("both", 40)}
	return c
}

// shedThrottleSaves: below the capacity nobody waits a second.
func shedThrottleSaves() Claim {
	c := Claim{
		Text:   "limits by tenant save the others: they lose what their own buckets refuse, whatever the greedy one sends",
		Domain: "what the others send and the greedy one's limit are together 90 % of the capacity or less; Poisson tenants",
		Wrong:  "limits whose sum is above the capacity; a greedy tenant with many keys",
		Source: "1 − theory.TokenBucketLoss of their own rate over their own limit",
		Metric: "others_ok", Relation: Equal,
	}
	place := func(defence string, greedy, limit int) Point {
		return Point{At: shedPlace(defence, greedy, limit), Expected: 1 - theory.TokenBucketLoss(float64(shedEach)/float64(limit), limit)}
	}
	c.Points = []Point{place("throttle", 20, 9), place("throttle", 40, 9), place("throttle", 20, 20), place("throttle", 40, 40), place("both", 40, 9)}
	c.Outside = []Point{place("shed", 40, 9), place("none", 40, 9), place("throttle", 40, 60)}
	return c
}

// shedMaxMin is what max-min gives the greedy tenant of what the limits leave:
// the others' demand and one limit.
func shedMaxMin(greedy, limit int) float64 {
	demands := make([]float64, shedTenants+1)
	for i := range shedTenants {
		demands[i] = shedEach
	}
	demands[shedTenants] = float64(shedEach * greedy)
	return theory.MaxMinShares(demands, float64(shedEach*shedTenants+limit))[shedTenants]
}

func shedThrottleShares() Claim {
	c := Claim{
		Text:   "limits by tenant give a greedy one its max-min share of what they leave: its limit",
		Domain: "it sends twice its limit or more, which is above what the others send each; the sum is below the capacity",
		Wrong:  "no limit, shedding; a limit below what the polite need, which they lose as well",
		Source: "theory.MaxMinShares of the demands, of the others' demand and the limit together",
		Metric: "greedy_rate", Relation: Equal,
	}
	place := func(defence string, greedy, limit int) Point {
		return Point{At: shedPlace(defence, greedy, limit), Expected: shedMaxMin(greedy, limit), Error: 0.025}
	}
	c.Points = []Point{place("throttle", 20, 9), place("throttle", 40, 9), place("throttle", 20, 20), place("throttle", 40, 40), place("both", 40, 9)}
	c.Outside = []Point{place("shed", 40, 9), place("none", 40, 9)}
	return c
}

// shedWithin: at the points the limits are twice what tenants send, with a
// burst of 60, or more: a bucket is empty once in e^75 times.
func shedWithin() Claim {
	c := Claim{
		Text:   "under total overload limits by tenant refuse nothing: everybody is within his own",
		Domain: "equal tenants, each limit at least twice what its tenant sends; any load of the server",
		Wrong:  "limits whose sum is the capacity: then the limits do what shedding does, and also where there is room",
		Source: "0: theory.TokenBucketLoss of each bucket, which is below 1e-20",
		Metric: "others_throttled", Relation: Exact,
	}
	place := func(defence string, offered int) Point { return Point{At: shedOverload(defence, offered)} }
	c.Points = []Point{place("throttle", 110), place("throttle", 150), place("throttle", 300), place("both", 300)}
	c.Outside = []Point{
		{At: []string{"part", "overload", "defence", "throttle", "offered", "150", "limit", "9"}},
	}
	return c
}

// shedCollapse: by the end of the warm-up (offered − 100)·30 s wait, three
// times what is served within the timeout, or more.
func shedCollapse() Claim {
	c := Claim{
		Text:   "and without shedding nobody is served in time: goodput 0",
		Domain: "load above the capacity by a tenth or more, queue unbounded, first in first out, clients who give up; after the queue has grown longer than their patience",
		Wrong:  "a bounded queue, last in first out, workers that pass over whom nobody waits for; a load below the capacity",
		Source: "fluid: (load − capacity)·time is above theory.OverloadQueueInTime",
		Metric: "goodput", Relation: Exact,
	}
	place := func(defence string, offered int) Point { return Point{At: shedOverload(defence, offered)} }
	c.Points = []Point{place("throttle", 130), place("throttle", 150), place("throttle", 300), place("none", 150)}
	c.Outside = []Point{place("throttle", 90), place("shed", 150), place("both", 300)}
	return c
}

// shedKeeps: the ends of the span, 40 s or more, may cut a service.
func shedKeeps() Claim {
	c := Claim{
		Text:   "shedding keeps the goodput at the capacity, with limits by tenant or without",
		Domain: "any load, queue of 20, constant services, Poisson arrivals",
		Wrong:  "a queue longer than clients have patience for; refusals that cost the worker's time",
		Source: "load × (1 − theory.TokenBucketLoss(load / capacity, K)), which is M/D/1/K",
		Metric: "goodput", Relation: Equal,
	}
	place := func(defence string, offered int) Point {
		return Point{At: shedOverload(defence, offered), Expected: float64(offered) * (1 - shedLoss(float64(offered))), Error: 0.025}
	}
	c.Points = []Point{place("shed", 90), place("shed", 110), place("shed", 150), place("shed", 300), place("both", 300)}
	c.Outside = []Point{place("throttle", 150), place("none", 300)}
	return c
}
