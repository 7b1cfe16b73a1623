package experiments

import "fmt"

func centralFindings(d *Data) ([]string, error) {
	r := &reading{d: d}
	check := func(load string) float64 {
		return 1000 * r.mean("delay_mean", centralAt("latency", centralStore, "rtt", "1ms", "arrivals", "poisson", "load", load)...)
	}
	race := func(coordination, limit, window string) float64 {
		return r.mean("excess_mean", centralAt("race", coordination, "limit", limit, "window", window, "rtt", "0s", "load", "1")...)
	}
	outage := func(fail string) float64 {
		return r.mean(perWindow, centralAt("outage", centralOutage(fail), "limit", "10", "load", "6", "servers", "4")...)
	}
	atomic := race("central", "20", "60ms")
	return r.say(
		fmt.Sprintf("A round trip and the wait at the store: with 1 ms to the store and back, a check takes %.1f ms at half of the store's load and %.1f ms at nine tenths.",
			check("0.5"), check("0.9")),
		fmt.Sprintf("A store that checks and charges in one step admits %s above its limit; read first and written 2 ms later, %.3g too many for a limit of 20; and where the write puts back what was read plus one, %.3g too many for a limit of 10.",
			either(atomic == 0, "nothing", fmt.Sprintf("%.3g", atomic)), race("central-racy:delay=2ms,write=add", "20", "60ms"), race("central-racy:delay=2ms,write=set", "10", "80ms")),
		fmt.Sprintf("While the store is down for 3/10 of a window of 10 that four servers share, %.0f pass if they fail open, %.0f if each has a limit of its own, %.3g if they fail closed.",
			outage("open"), outage("local"), outage("closed")),
	)
}
