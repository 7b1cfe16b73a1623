package experiments

import (
	"time"

	"ratelab/experiments/theory"
	"ratelab/logs"
)

// replayPoint is a point of part replay.
func replayPoint(log, limiter, limit, servers, cost string, expected float64) Point {
	return Point{
		At:       []string{"part", "replay", "log", log, "limiter", limiter, "limit", limit, "servers", servers, "cost", cost},
		Expected: expected,
	}
}

// replayLeastPoint is a point of part least: the largest over clients of what
// theory says of each.
func replayLeastPoint(log, limiter, servers string, least func(times []int64, window int64) int64) Point {
	return Point{
		At: []string{"part", "least", "log", log, "limiter", limiter, "servers", servers},
		Late: func(p *Point) {
			l, err := holdReplayLog(log, false)
			if err != nil {
				return // of a log that is in the program: it was tested
			}
			for _, times := range l.times() {
				p.Expected = max(p.Expected, float64(least(times, int64(replayWindow))))
			}
		},
	}
}

func replayClaims() []Claim {
	var all, monotone, pairs, unequal, log, bucket, window []Point
	for _, from := range logs.Shipped {
		for _, name := range replayNames() {
			all = append(all, replayPoint(from, name, "20", "1", "one", 0))
		}
		for _, limit := range []string{"5", "10", "20", "40", "80"} {
			n := float64(fairWhole(limit))
			for _, name := range replayCanonical() {
				monotone = append(monotone, replayPoint(from, name, limit, "1", "one", 0))
			}
			for _, name := range []string{"gcra", "leaky-queue"} {
				pairs = append(pairs, replayPoint(from, name, limit, "1", "one", 0))
			}
			log = append(log, replayPoint(from, "sliding-log", limit, "1", "one", n))
			for _, name := range []string{"token-bucket", "gcra", "leaky-queue"} {
				bucket = append(bucket, replayPoint(from, name, limit, "1", "one",
					theory.TokenBucketEnvelopeOnClock(int64(n), int64(n), time.Minute, replayWindow)))
			}
			window = append(window, replayPoint(from, "fixed-window", limit, "1", "one", theory.FixedWindowEnvelopeOnClock(int64(n), replayWindow, replayWindow)))
		}
		for _, name := range []string{"fixed-window", "sliding-log"} {
			unequal = append(unequal, replayPoint(from, name, "20", "1", "one", 0))
		}
	}
	spread := func(limiter string, expected float64) []Point {
		return []Point{replayPoint("tour", limiter, "20", "2", "one", expected), replayPoint("shop", limiter, "20", "2", "one", expected)}
	}
	var least, others []Point
	for _, from := range logs.Shipped {
		for _, l := range []struct {
			limiter string
			of      func([]int64, int64) int64
			outside bool
		}{
			{"fixed-window", theory.LeastFixedWindow, true}, {"sliding-log", theory.LeastLog, true}, {"sliding-counter", theory.LeastCounter, false},
			{"token-bucket", theory.LeastBucket, true}, {"gcra", theory.LeastBucket, false}, {"leaky-queue", theory.LeastBucket, false},
		} {
			least = append(least, replayLeastPoint(from, l.limiter, "1", l.of))
			if l.outside {
				others = append(others, replayLeastPoint(from, l.limiter, "2", l.of))
			}
		}
	}
	return []Claim{
		{
			Text:   "what is counted here is what decide answers, row by row",
			Domain: "one server that holds all clients; every limiter",
			Wrong:  "a limiter that decides otherwise with hints than without, keys that are told apart otherwise, times that are cut, or several servers",
			Source: "ratelab decide, given the log as a CSV", Metric: "rows_differ", Relation: Exact,
			Points: all, Outside: append(spread("fixed-window", 0), spread("token-bucket", 0)...),
		},
		{
			Text:   "at no time has a client been admitted less than under a limit smaller by 1",
			Domain: "requests of cost 1; all limiters that are no dialects",
			Wrong:  "unequal costs: a large request that just fits leaves no room for small ones",
			Source: "each request that only the smaller limit admits comes after one that only the larger did", Metric: "behind_smaller", Relation: Exact,
			Points:  monotone,
			Outside: []Point{replayPoint("shop", "sliding-log", "5", "1", "mixed", 0), replayPoint("shop", "sliding-log", "10", "1", "mixed", 0)},
		},
		{
			Text:   "GCRA, and a leaky queue with one place less, decide every row as the token bucket does",
			Domain: "equal rates and bursts, whatever comes",
			Wrong:  "a limiter with a window",
			Source: "the time until a bucket is full is GCRA's theoretical arrival time, and the queue's next free departure", Metric: "unlike_bucket", Relation: Exact,
			Points: pairs, Outside: unequal,
		},
		{
			Text:   "no minute holds more of a client than the log's limit",
			Domain: "a sliding log on one server",
			Wrong:  "several servers, or requests that are forgotten early",
			Source: "theory.LogEnvelope: the limit", Metric: "most_in_window", Relation: AtMost,
			Points: log, Outside: spread("sliding-log", 20),
		},
		{
			Text:   "nor more than a bucket's burst and what a minute brings",
			Domain: "a token bucket, GCRA or a leaky queue on one server",
			Wrong:  "several servers",
			Source: "theory.TokenBucketEnvelopeOnClock", Metric: "most_in_window", Relation: AtMost,
			Points: bucket, Outside: spread("token-bucket", theory.TokenBucketEnvelopeOnClock(20, 20, time.Minute, replayWindow)),
		},
		{
			Text:   "nor more than twice a window's limit",
			Domain: "a fixed window on one server",
			Wrong:  "several servers",
			Source: "theory.FixedWindowEnvelopeOnClock", Metric: "most_in_window", Relation: AtMost,
			Points: window, Outside: spread("fixed-window", theory.FixedWindowEnvelopeOnClock(20, replayWindow, replayWindow)),
		},
		{
			Text:   "the smallest limit that refuses nothing can be read off the log",
			Domain: "requests of cost 1 on one server",
			Wrong:  "a limiter that counts otherwise, or several servers, each of which sees a part",
			Source: "theory.LeastFixedWindow, LeastLog, LeastCounter, LeastBucket: the largest over the requests of each client", Metric: "least_limit", Relation: Exact,
			Points: least, Outside: others,
		},
	}
}
