package experiments

import (
	"fmt"

	"ratelab/plots"
)

func fleetFindings(d *Data) ([]string, error) {
	r := &reading{d: d}
	bucket := func(coordination, servers string) float64 {
		return r.mean("admitted_over_rate", fleetAt("saturated", "token-bucket", "balancer", fleetRR, "coordination", coordination, "rate", "2/s", "burst", "20", "servers", servers)...)
	}
	quota := func(balancer string) float64 {
		return r.percent("admitted_over_rate", fleetAt("quota", "fixed-window", "balancer", balancer, "coordination", "quota", "servers", "64")...)
	}
	window := func(balancer string) float64 {
		return r.mean("admitted_over_rate", fleetAt("saturated", "fixed-window", "balancer", balancer, "coordination", "local", "rate", "2/s", "burst", "20", "servers", "8")...)
	}
	local, err := d.Series("local", "admitted_over_rate", "servers",
		fleetAt("saturated", "token-bucket", "balancer", fleetRR, "coordination", "local", "rate", "2/s", "burst", "20")...)
	if err != nil {
		return nil, err
	}
	turn, hashed := window(fleetRR), window("hash")
	return r.say(
		fmt.Sprintf("%s: 8 servers with a token bucket each admit %.3g× the promised rate, once the balancer spreads one caller over all of them; one central bucket admits %.3g×.",
			fleetFactor(local), bucket("local", "8"), bucket("central", "8")),
		fmt.Sprintf("%s fixed window on each of 8 servers admits %.3g× the promise behind a round robin, and %.3g× where each caller is hashed to one server.",
			either(turn > hashed, "It is the balancer that multiplies: a", "A"), turn, hashed),
		fmt.Sprintf("Quotas starve: offered just what was promised, 64 servers use %.0f%% of it in turn, %.0f%% at random, %.0f%% under Zipf weights.",
			quota(fleetRR), quota(fleetRandom), quota(fleetZipf)),
	)
}

// fleetFactor says how local limits grow with servers.
func fleetFactor(local plots.Series) string {
	if fleetProportional(local) {
		return "By as many times as there are servers"
	}
	return fmt.Sprintf("By up to %.3g× on %s servers", local.Y[len(local.Y)-1], fleetNumber(local.X[len(local.X)-1]))
}
