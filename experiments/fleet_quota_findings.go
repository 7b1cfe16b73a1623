package experiments

import "fmt"

func quotaFindings(d *Data) ([]string, error) {
	r := &reading{d: d}
	used := func(balancer, coordination string) float64 {
		return r.mean("admitted_rate", quotaPlace("split", "fixed-window", 10, balancer, coordination, "load", "1")...)
	}
	division := func(limiter string) float64 {
		return r.percent("admitted_over_rate", quotaPlace("saturated", limiter, 16, fleetRR, quotaDrop)...)
	}
	caller := func(balancer string) float64 {
		return r.mean(quotaGreedyRate, quotaPlace("tenants", "fixed-window", 20, balancer, "quota", "greedy", "4")...)
	}
	central, turn := used(fleetRR, "central"), used(fleetRR, "quota")
	return r.say(
		fmt.Sprintf("What the balancer deals unevenly: offered just the promise, ten quotas use %.0f%% of it in turn, %s, %.0f%% at random and %.0f%% under Zipf weights.",
			turn, either(turn == central, "as one central window does", fmt.Sprintf("where one central window uses %.0f%%", central)), used(fleetRandom, "quota"), used(fleetZipf, "quota")),
		fmt.Sprintf("Whoever is hashed to one of 20 quotas gets %.3g of the 20 requests a second that it was promised, and %.3g where its requests go round.", caller("hash"), caller(fleetRR)),
		fmt.Sprintf("What division leaves over is lost as well: a limit of 20 in 16 whole shares leaves a fixed window %.0f%% of it, a sliding counter %.0f%%, a token bucket %.0f%%.",
			division("fixed-window"), division("sliding-counter"), division("token-bucket")),
		fmt.Sprintf("Shares that follow the demand use %.0f%% under the same Zipf weights.", used(fleetZipf, quotaAdaptive)),
	)
}
