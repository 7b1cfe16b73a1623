package experiments

import "fmt"

func syncFindings(d *Data) ([]string, error) {
	r := &reading{d: d}
	above := func(servers, period string) float64 {
		return r.mean("excess_mean", "part", "curve", "own", "count", "servers", servers, "period", period)
	}
	long := func(limiter, debt string) float64 {
		return r.mean("admitted_over_rate", "part", "debt", "limiter", limiter, "debt", debt, "servers", "4", "own", "count", "period", "200ms")
	}
	return r.say(
		fmt.Sprintf("What arrives at the others meanwhile: of 200 requests for a limit of 100 a second, 16 servers that are told every 100 ms admit %.1f above it, told every 10 ms %.1f.",
			above("16", "100ms"), above("16", "10ms")),
		fmt.Sprintf("%s every 100 ms, 2 servers admit %.1f above the limit, 4 admit %.1f.",
			either(above("16", "100ms")/above("16", "10ms") > above("16", "100ms")/above("2", "100ms"), "The period matters more than the number of servers: told", "Told"),
			above("2", "100ms"), above("4", "100ms")),
		fmt.Sprintf("Told every 200 ms for good, buckets that forgive their debts admit %.2f times the rate and windows %.2f times; if debts are carried over, %.2f and %.2f.",
			long("token-bucket", "forgive"), long("fixed-window", "forgive"), long("token-bucket", "carry"), long("fixed-window", "carry")),
	)
}
