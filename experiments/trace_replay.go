package experiments

import (
	"fmt"

	"ratelab/experiments/sweep"
	"ratelab/logs"
)

func init() {
	register(Experiment{
		Name:     "trace-replay",
		Question: "What would every limiter have done to the same log?",
		Hypothesis: "Under the same limit for each client, limiters differ in whom they refuse more than in how many: most requests are decided alike, " +
			"bursts are not. What is counted here is what decide answers, row by row. A larger limit never refuses more in all, and the smallest that refuses " +
			"nothing can be read off the log.",
		Factors: []sweep.Factor{
			{Name: "part", Check: oneOf(replayParts.names()...), Description: "sub-question: replay: the log under a limit; least: the smallest limit that refuses nothing"},
			{Name: "log", Check: replayLogCheck, Description: "tour, six clients behind one on-off process; shop, twenty of unequal size, the largest in bursts; or a file, an arrivals CSV or a web server's log"},
			{Name: "limiter", Check: oneOf(replayNames()...), Description: "of each client: limit requests a minute, and as many at once where it has a burst"},
			{Name: "limit", Unit: "requests", Check: wholeNumber(1_000_000), Description: "of a minute"},
			{Name: "servers", Unit: "servers", Check: wholeNumber(64), Description: "each with the whole limit, in turn"},
			{Name: "cost", Check: oneOf("one", "mixed"), Description: "one: as the log has them; mixed: 1, 2, 3, 4, 1, … in place of these"},
		},
		Metrics: replayMetrics(),
		Grids:   replayGrids(),
		Where: func(get func(string) string) bool {
			return replayParts.fit(get, "log", "limiter", "limit", "servers", "cost")
		},
		Reps:      2,
		QuickReps: 2,
		Cell:      byPart(replayParts),
		Content:   replayContent,
		Claims:    replayClaims(),
		Figures: []Figure{
			{Name: "refused", Draw: replayRefusedFigure},
			{Name: "limiters", Draw: replayLimitersFigure},
		},
		Threats: []string{
			"Nobody reacts: a refused client does not come back, and does not slow down. With clients that do, the log would have been another.",
			"tour and shop were made by this program's workloads, tour in whole seconds: real logs have days, robots and failures. Bring one with --set log=FILE.",
			"Requests at the same second of a log in whole seconds keep their order, which the server may not have seen.",
			"Limits are of one window, a minute, and alike for all clients.",
			"A dialect is its program's rule on one server, not the program; what its clock and its network do is left out.",
			"There is no chance in a replay: replications are equal, and intervals have no width.",
		},
		Findings: replayFindings,
	})
}

// replayParts are the parts of the experiment, with the factors they need.
var replayParts = parts[cellFunc]{
	{"replay", "log limiter limit servers cost", replayCell},
	{"least", "log limiter servers", replayLeast},
}

// replayLimiters are limits of n a minute.
var replayLimiters = []struct {
	name, spec string
	less       int64 // what the number in the spec is less than the limit
	dialect    bool
}{
	{name: "fixed-window", spec: "fixed-window:limit=%d,window=1m"},
	{name: "sliding-log", spec: "sliding-log:limit=%d,window=1m"},
	{name: "sliding-counter", spec: "sliding-counter:limit=%d,window=1m"},
	{name: "token-bucket", spec: "token-bucket:rate=%d/1m,burst=%[1]d"},
	{name: "gcra", spec: "gcra:rate=%d/1m,burst=%[1]d"},
	{name: "leaky-queue", spec: "leaky-queue:rate=%d/1m,queue=%d", less: 1},
	{name: "leaky-meter", spec: "leaky-meter:rate=%d/1m"},
	{name: "bucket4j", spec: "bucket4j:rate=%d/1m,burst=%[1]d", dialect: true},
	{name: "envoy-local", spec: "envoy-local:rate=%d/1m,burst=%[1]d", dialect: true},
	{name: "envoy-ratelimit", spec: "envoy-ratelimit:limit=%d,unit=minute", dialect: true},
	{name: "go-limiter", spec: "go-limiter:limit=%d,window=1m", dialect: true},
	{name: "gubernator-leaky", spec: "gubernator-leaky:limit=%d,duration=1m", dialect: true},
	{name: "gubernator-token", spec: "gubernator-token:limit=%d,duration=1m", dialect: true},
	{name: "haproxy", spec: "haproxy:limit=%d,period=1m", dialect: true},
	{name: "httprate", spec: "httprate:limit=%d,window=1m", dialect: true},
	{name: "kong", spec: "kong:limit=%d,window=minute", dialect: true},
	{name: "nginx", spec: "nginx:rate=%dr/m,burst=%d,nodelay", less: 1, dialect: true},
	{name: "redis-cell", spec: "redis-cell:rate=%d/1m,burst=%d", less: 1, dialect: true},
	{name: "redis-rate", spec: "redis-rate:rate=%d/1m,burst=%[1]d", dialect: true},
	{name: "resilience4j", spec: "resilience4j:limit=%d,period=1m,timeout=0s", dialect: true},
	{name: "throttled", spec: "throttled:rate=%d/1m,burst=%d", less: 1, dialect: true},
	{name: "ulule", spec: "ulule:limit=%d,window=1m", dialect: true},
	{name: "upstash-sliding", spec: "upstash-sliding:limit=%d,window=1m", dialect: true},
	{name: "x-time-rate", spec: "x-time-rate:rate=%d/1m,burst=%[1]d", dialect: true},
}

func replayNames() (names []string) {
	for _, l := range replayLimiters {
		names = append(names, l.name)
	}
	return names
}

// replayCanonical are the names of those that are no dialects.
func replayCanonical() (names []string) {
	for _, l := range replayLimiters {
		if !l.dialect {
			names = append(names, l.name)
		}
	}
	return names
}

// replaySpec writes a limit of n a minute.
func replaySpec(name string, n int64) (string, error) {
	for _, l := range replayLimiters {
		switch {
		case l.name != name:
		case l.less > 0:
			return fmt.Sprintf(l.spec, n, n-l.less), nil
		default:
			return fmt.Sprintf(l.spec, n), nil
		}
	}
	return "", fmt.Errorf("unknown limiter %q", name)
}

func replayMetrics() []sweep.Metric {
	return append(fromDictionary("offered", "refused"),
		sweep.Metric{Name: "refused_share", Unit: "1", Description: "Requests that were refused / requests."},
		sweep.Metric{Name: "keys_refused", Unit: "keys", Description: "Clients of whom a request was refused."},
		sweep.Metric{Name: "rows_differ", Unit: "requests", Description: "Requests that ratelab decide, given the log as an arrivals CSV, decides otherwise."},
		sweep.Metric{Name: "unlike_log", Unit: "1", Description: "Share of requests decided otherwise than by a sliding log of the same limit on one server."},
		sweep.Metric{Name: "unlike_bucket", Unit: "requests", Description: "Requests decided otherwise than by a token bucket of the same limit on one server."},
		sweep.Metric{Name: "behind_smaller", Unit: "requests", Description: "The most that a client was ever admitted less, by cost, from the start on, than under a limit smaller by 1."},
		sweep.Metric{Name: "most_in_window", Unit: "requests", Description: "Most admitted in any half-open minute, by cost; the largest over clients."},
		sweep.Metric{Name: "least_limit", Unit: "requests", Description: "The smallest limit under which nothing is refused."},
	)
}

func replayGrids() []sweep.Grid {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	replay, one, unit := axis("part", "replay"), axis("servers", "1"), axis("cost", "one")
	both := axis("log", logs.Shipped...)
	return []sweep.Grid{
		{replay, both, axis("limiter", replayNames()...), axis("limit", "10", "20", "40"), one, unit},
		{replay, both, axis("limiter", replayCanonical()...), axis("limit", "5", "80"), one, unit},
		{replay, both, axis("limiter", "fixed-window", "sliding-log", "token-bucket"), axis("limit", "20"), axis("servers", "2"), unit},
		{replay, axis("log", "shop"), axis("limiter", "sliding-log", "token-bucket"), axis("limit", "5", "10"), one, axis("cost", "mixed")},
		{axis("part", "least"), both, axis("limiter", "fixed-window", "sliding-log", "sliding-counter", "token-bucket", "gcra", "leaky-queue"), one},
		{axis("part", "least"), both, axis("limiter", "fixed-window", "sliding-log", "token-bucket"), axis("servers", "2")},
	}
}
