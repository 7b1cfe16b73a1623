package experiments

import "fmt"

func leaseFindings(d *Data) ([]string, error) {
	r := &reading{d: d}
	at := []string{"servers", "8", "limit", "1000", "ttl", "window", "rtt", "0s"}
	calls := func(batch, cache string) float64 {
		return r.mean(leaseCalls, append([]string{"part", "flood", "batch", batch, "cache", cache}, at...)...)
	}
	stranded := func(batch string) float64 {
		return r.percent("stranded_tokens", "part", "stranded", "batch", batch, "servers", "8", "limit", "1000", "balancer", fleetRandom) / 1000
	}
	asks, forgets := calls("20", "yes"), calls("20", "no")
	return r.say(
		fmt.Sprintf("Leases of 20 save %.0f%% of the calls and strand %.1f%% of the limit: eight servers that share 1000 requests a window then make one call for %.0f requests admitted.",
			100*(1-asks), stranded("20"), 1/asks),
		fmt.Sprintf("Leases of 5 strand %.1f%%, of 50 %.1f%%.", stranded("5"), stranded("50")),
		fmt.Sprintf("A server must remember that it was refused: in a flood of four times the limit one that does makes %.2f calls for each request admitted, one that forgets %.2f, with the same leases of 20.", asks, forgets),
	)
}
