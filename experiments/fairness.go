package experiments

import (
	"errors"
	"fmt"

	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
)

func init() {
	register(Experiment{
		Name:     "fairness",
		Question: "Does one tenant take all?",
		Hypothesis: "One limit for all does not ask who comes: independent Poisson tenants lose the same share under every algorithm, so that who asks more gets more, " +
			"who comes in bursts gets less, and who tries again gets more. It protects what is behind it, and divides nothing. " +
			"What divides is the key: with a limit of its own each tenant gets what it would alone. The algorithm decides only how much bursts lose.",
		Factors:   fairFactors(),
		Metrics:   fairMetrics(),
		Grids:     fairGrids(),
		Where:     fairApplies,
		Reps:      20,
		QuickReps: 32,
		Cell:      byPart(fairParts),
		Claims:    fairClaims(),
		Figures: []Figure{
			{Name: "greedy", Draw: fairGreedyFigure},
			{Name: "algorithms", Draw: fairAlgorithmsFigure},
			{Name: "rude", Draw: fairRudeFigure},
		},
		Threats: []string{
			"Tenants are known by their keys: one that has many keys has as many limits.",
			"Demands do not follow the answers, but for the rude tenant's: a tenant that slows down when it is refused gets less than its demand, and leaves more.",
			"One server, where every limit is whole: on a fleet a tenant's share depends on the balancer too.",
			"Fair is max-min in requests, all tenants alike. Weights, prices, or requests that cost unequal work make other shares fair.",
			"The limits of the tenants are set by hand for the number of tenants there are; who is idle leaves its share unused.",
			"The rude tenant spreads its attempts over 4 s, so that each finds the bucket as anybody does; in a loop each finds it as empty as the one before, and gains less.",
		},
		Findings: fairFindings,
	})
}

// fairParts are the parts of the experiment: what a cell does, and the factors
// that it needs, all of them and no others.
var fairParts = parts[cellFunc]{
	{"poisson", "algorithm limits limit load", fairPoisson},
	{"batches", "algorithm limits limit load size", fairTwo},
	{"bursty", "algorithm limits limit load first", fairTwo},
	{"rude", "limits load retries manner", fairRude},
	{"greedy", "algorithm limits greedy each", fairGreedy},
}

func fairApplies(get func(factor string) string) bool {
	if get("part") == "greedy" && get("limits") == "global" && get("each") == "" { // there is no limit of each
		without := get
		get = func(factor string) string {
			if factor == "each" {
				return "0"
			}
			return without(factor)
		}
	}
	return fairParts.fit(get, factorNames(fairFactors()[1:])...)
}

const (
	fairZipf     = 4  // tenants of part poisson, with shares in proportion to 1, 1/2, 1/3, 1/4
	fairAlike    = 2  // tenants of part rude, one of them rude
	fairRate     = 50 // tokens a second in part rude
	fairBurst    = 20 // in part rude
	fairPolite   = 8  // tenants of part greedy, without the greedy one
	fairDemand   = 5  // requests a second of each of these
	fairCapacity = 54 // requests a second that all may have in part greedy
	fairOwn      = 5  // requests a second of the limit of each, if there is no other
)

// fairAlgorithms are limits of n requests a second, and of one second's at
// once: "limit" stands for n.
var fairAlgorithms = []struct{ name, spec string }{
	{"fixed-window", "fixed-window:limit=%d,window=1s"},
	{"sliding-log", "sliding-log:limit=%d,window=1s"},
	{"sliding-counter", "sliding-counter:limit=%d,window=1s"},
	{"token-bucket", "token-bucket:rate=%d/s,burst=%[1]d"},
	{"gcra", "gcra:rate=%d/s,burst=%[1]d"},
	{"leaky-meter", "leaky-meter:rate=%d/s"},
}

func fairAlgorithmNames() (names []string) {
	for _, a := range fairAlgorithms {
		names = append(names, a.name)
	}
	return names
}

func fairFactors() []sweep.Factor {
	return []sweep.Factor{
		{Name: "part", Check: oneOf(fairParts.names()...), Description: "sub-question: poisson: four Poisson tenants of unequal size; batches: a Poisson tenant beside one of the same mean that sends batches; " +
			"bursty: beside one that is bursty, or smooth; rude: two equal tenants, of which one tries again; greedy: eight tenants of 5/s under a capacity of 54/s, and one that asks for more"},
		{Name: "algorithm", Check: oneOf(fairAlgorithmNames()...), Description: "of all limits; buckets hold one second's requests, windows are 1 s long"},
		{Name: "limits", Check: oneOf("global", "key", "both"), Description: "global: one limit for all tenants; key: one for each; both: each tenant's own, and the global one, charged if both admit"},
		{Name: "limit", Unit: "requests/s", Check: wholeNumber(10_000), Description: "of all tenants together; with limits=key each has an equal part of it"},
		{Name: "load", Unit: "1", Check: leakyLoad, Description: "requests of all tenants together / limit; in part rude without the attempts that repeat one, over 50/s"},
		{Name: "size", Unit: "requests", Check: wholeNumber(1000), Description: "of a batch"},
		{Name: "first", Check: oneOf("steady", "poisson", "on-off"), Description: "how the first tenant sends: evenly; Poisson; Poisson for 1 s on average, and not at all for as long"},
		{Name: "retries", Check: upToSeconds(1000), Description: "most that the rude tenant tries a request again"},
		{Name: "manner", Check: oneOf("spread", "loop"), Description: "how long the rude tenant waits: uniformly 0..4 s, or 50 ms each time"},
		{Name: "greedy", Check: wholeNumber(10_000), Description: "what the greedy tenant asks for over what each other does"},
		{Name: "each", Unit: "requests/s", Check: wholeNumber(10_000), Description: "limit of each tenant in part greedy, with limits key or both"},
	}
}

func fairMetrics() []sweep.Metric {
	return []sweep.Metric{
		{Name: "loss_first", Unit: "1", Description: "Share refused of the requests of the first tenant: the largest, the one that sends batches or bursts, the rude or the greedy one. A request that is tried again is refused if its last attempt is."},
		{Name: "loss_others", Unit: "1", Description: "Share refused of the requests of all other tenants."},
		{Name: "loss_gap", Unit: "1", Description: "Share refused of the first tenant's requests less that of the others'."},
		{Name: "first_share", Unit: "1", Description: "Requests admitted of the first tenant / of all."},
		{Name: "used_share", Unit: "1", Description: "Requests admitted a second / what all may have."},
		{Name: "jain", Unit: "1", Description: "Jain's index of what tenants are admitted, each over the smaller of its demand and its max-min share."},
		{Name: "jain_raw", Unit: "1", Description: "Jain's index of what tenants are admitted."},
		{Name: "worst_share", Unit: "1", Description: "Smallest, over tenants, of what it is admitted over the smaller of its demand and its max-min share."},
		{Name: "attempts_first", Unit: "1", Description: "Attempts of the first tenant per request."},
	}
}

func fairGrids() []sweep.Grid {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	part := func(name string, axes ...sweep.Axis) sweep.Grid {
		return append(sweep.Grid{axis("part", name)}, axes...)
	}
	global, all, bucket := axis("limits", "global"), axis("algorithm", fairAlgorithmNames()...), axis("algorithm", "token-bucket")
	return []sweep.Grid{
		part("poisson", all, global, axis("limit", "20"), axis("load", "2")),
		part("poisson", axis("algorithm", "fixed-window", "sliding-log", "token-bucket"), global, axis("limit", "5"), axis("load", "1.5")),
		part("poisson", axis("algorithm", "fixed-window", "token-bucket"), axis("limits", "key"), axis("limit", "20"), axis("load", "2")),
		part("batches", axis("algorithm", "fixed-window"), global, axis("limit", "20"), axis("load", "1.5"), axis("size", "2", "5", "10")),
		part("batches", axis("algorithm", "sliding-log", "token-bucket"), global, axis("limit", "20"), axis("load", "1.5"), axis("size", "10")),
		part("bursty", all, global, axis("limit", "20"), axis("load", "1"), axis("first", "steady", "poisson", "on-off")),
		part("rude", global, axis("load", "2"), axis("retries", "0", "1", "3", "7"), axis("manner", "spread")),
		part("rude", global, axis("load", "1.5"), axis("retries", "1"), axis("manner", "spread")),
		part("rude", global, axis("load", "2"), axis("retries", "3"), axis("manner", "loop")),
		part("rude", axis("limits", "key"), axis("load", "2"), axis("retries", "3"), axis("manner", "spread")),
		part("greedy", bucket, global, axis("greedy", fairGreeds...)),
		part("greedy", bucket, axis("limits", "key"), axis("greedy", fairGreeds...), axis("each", "5")),
		part("greedy", bucket, axis("limits", "both"), axis("greedy", fairGreeds...), axis("each", "12")),
		part("greedy", bucket, axis("limits", "both"), axis("greedy", "40"), axis("each", "9", "27")),
		part("greedy", bucket, axis("limits", "key"), axis("greedy", "40"), axis("each", "4")),
	}
}

// fairGreeds are what the greedy tenant asks for over each of the others.
var fairGreeds = []string{"1", "2", "4", "10", "40"}

// fairLimit writes a limit of n requests a second.
func fairLimit(algorithm string, n int64) (string, error) {
	for _, a := range fairAlgorithms {
		if a.name == algorithm {
			return fmt.Sprintf(a.spec, n), nil
		}
	}
	return "", fmt.Errorf("unknown algorithm %q", algorithm)
}

// fairOffered returns the rate of all tenants together.
func fairOffered(load string, limit int64) (spec.Rate, error) {
	rate, err := spec.ParseRate(fmt.Sprintf("%d/s", limit))
	if err != nil {
		return rate, err
	}
	return leakyOffered(load, rate)
}

// errNoTenant is returned where a cell has nobody to count.
var errNoTenant = errors.New("no tenant sent a request")
