package experiments

import "fmt"

func shedFindings(d *Data) ([]string, error) {
	r := &reading{d: d}
	others := func(defence string) float64 { return r.percent("others_ok", shedPlace(defence, 40, 9)...) }
	goodput := func(defence string) float64 { return r.mean("goodput", shedOverload(defence, 150)...) }
	return r.say(
		fmt.Sprintf("%s one asks for twice the capacity, limits save %.0f%% of the others' requests and shedding %.0f%%; where ten are within their limits and half too many, limits serve %.0f/s in time and shedding %.0f/s.",
			either(others("throttle") > others("shed") && goodput("throttle") < goodput("shed"), "A limit for each tenant protects from one greedy tenant, shedding from all together: where", "Where"),
			others("throttle"), others("shed"), goodput("throttle"), goodput("shed")),
		fmt.Sprintf("With neither, the others get %.0f%% beside the greedy one, and %.0f/s are served in the overload; with both, %.0f%% and %.0f/s.", others("none"), goodput("none"), others("both"), goodput("both")),
		fmt.Sprintf("Shedding knows no names: with it %.0f%% of the polite tenants' requests hear 503; with limits %.0f%% of the greedy one's hear 429.",
			r.percent("others_shed", shedPlace("shed", 20, 9)...), r.percent("greedy_throttled", shedPlace("throttle", 20, 9)...)),
	)
}
