package experiments

import "testing"

func TestFleetQuotaClaims(t *testing.T) {
	testClaims(t, "fleet-quota", map[string]breakage{
		"quotas of fixed windows admit Σ E[min(Pois(Λw), L/N)] per window":                                                             balanced(t, fleetRR),
		"behind a round robin they admit E[min(Pois(Λ), L)] per window, as one central window":                                         balanced(t, fleetRandom),
		"quotas of logs, counters and buckets admit the sum of what each share admits alone":                                           balanced(t, fleetRR),
		"S shards of a store, drawn for each request, admit what quotas of S servers do behind a random balancer":                      coordinated(t, "sharded:shards=6"),
		"a key that is hashed to one shard, or to one server with a quota, has L/S":                                                    coordinated(t, "sharded:shards=4,pick=hash"),
		"shares of 4/2/1/1 under a demand of 4/2/1/1 admit Σ E[min(Pois(Λw), Lw)]":                                                     coordinated(t, "quota:shares=1/1/2/4"),
		"with the remainder dropped, saturated quotas use N⌊L/N⌋/L of the promise, counters that must fit N(⌊L/N⌋−1)/L":                coordinated(t, "quota"),
		"saturated buckets use the whole rate, but for the shares of servers whose burst is 0":                                         coordinated(t, "local"),
		"a burst passes them as far as it divides: N⌊b/N⌋ with the remainder dropped":                                                  coordinated(t, "quota"),
		"of N servers that share a limit below N, N−L have nothing to give":                                                            coordinated(t, quotaDrop),
		"quotas never admit above the promise":                                                                                         coordinated(t, "local"),
		"no division of a limit admits more than one central limiter of the same arrivals":                                             coordinated(t, "local", "quota"),
		"shares that follow demand never admit above the promise if they move only where windows turn":                                 coordinated(t, quotaRestless),
		"buckets whose shares follow demand keep the limit's envelope however often they move":                                         coordinated(t, "local"),
		"where demand is uneven, shares that follow it admit at least what equal shares do":                                            coordinated(t, quotaDrop+",shares=1/1/1/1/1/1/1/1/1/91"),
		"servers that are down take their quotas with them, unless N counts those that serve":                                          coordinated(t, "quota", quotaServing),
		"hashed by key, quotas starve large callers: of caller k they admit E[min(Pois(a), L/N)]":                                      balanced(t, fleetRandom),
		"a caller that is hashed to one server gets E[min(Pois(a), L/N)] of what it offers, though it offers less than its limit":      balanced(t, fleetRR),
		"batches starve every window alike: quotas behind a round robin as one central window, behind a random balancer a little more": coordinated(t, quotaDrop+",shares=2/2/2/2/2/1/1/1/1/1"),
	})
}

func TestFleetQuotaHasDrawableFigures(t *testing.T) {
	d := fewCells(t, "fleet-quota", func(get func(string) string) bool {
		return get("part") == "split" && get("servers") == "10" || get("part") == "saturated" && get("coordination") == quotaDrop ||
			get("part") == "tenants" && get("greedy") == "4"
	})
	drawAll(t, d)
}

func TestFleetQuotaRefusesBadValuesWithAReason(t *testing.T) {
	refuses(t, "fleet-quota", [][3]string{
		{"part", "splits", `did you mean "split"`},
		{"limiter", "nginx", "known: "},
		{"limit", "0", "must be a whole number in 1..1048576"},
		{"servers", "0", "must be a whole number in 1..65536"},
		{"balancer", "weighted", "needs either zipf or shares"},
		{"coordination", "quotas", `did you mean "quota"`},
		{"load", "0", "must be a number in 0.001..1000000"},
		{"down", "-1", "must be a whole number"},
		{"size", "0", "must be a whole number"},
		{"greedy", "much", "must be a whole number"},
	})
}

func TestFleetQuotaTakesOtherValues(t *testing.T) {
	takes(t, "fleet-quota", []Setting{
		{"limit", []string{"7"}}, {"limiter", []string{"gcra"}}, {"servers", []string{"3"}}, {"load", []string{"0.75"}},
		{"balancer", []string{"least"}}, {"coordination", []string{"leased:batch=2"}}, {"down", []string{"2"}}, {"size", []string{"3"}}, {"greedy", []string{"7"}},
	})
}
