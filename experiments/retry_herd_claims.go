package experiments

import (
	"fmt"
	"strconv"

	"ratelab/experiments/theory"
	"ratelab/internal/spec"
)

func herdClaims() []Claim {
	return []Claim{
		herdTogether(),
		herdSpread(),
		herdEveryRound(),
		herdFirstSecond(),
		herdLater(),
		herdOneKey(),
		herdOneKeyRounded(),
		herdInLine(),
		herdDrained(),
	}
}

// herdAt is where the busiest second of n clients is, with exact hints.
func herdAt(n int, client string) []string {
	part := "spread"
	if client == herdTold || client == herdPlain {
		part = "together"
	}
	return []string{"part", part, "clients", strconv.Itoa(n), "client", client, "hints", "exact"}
}

func herdIn(second, n int, client string) []string {
	return []string{"part", "second", "clients", strconv.Itoa(n), "client", client, "second", strconv.Itoa(second)}
}

func herdTogether() Claim {
	c := Claim{
		Text:   "clients that obey the same Retry-After return in the same second, all of them",
		Domain: "refused at one instant, or told the same end of a window; no jitter on either side",
		Wrong:  "jitter of the client or of the server, clients that do not obey",
		Source: "counting: n",
		Metric: "peak", Relation: Exact,
	}
	for _, n := range []int{10, 50, 200, 1000} {
		c.Points = append(c.Points, Point{At: herdAt(n, herdTold), Expected: float64(n)})
	}
	c.Outside = []Point{
		{At: herdAt(50, herdJittered(30)), Expected: 50},
		{At: []string{"part", "spread", "clients", "50", "client", herdTold, "hints", "server-jitter:max=30s"}, Expected: 50},
	}
	return c
}

func herdSpread() Claim {
	c := Claim{
		Text:   "uniform jitter makes them balls in bins: the mean of their busiest second",
		Domain: "jitter uniform over whole seconds, added by the client or by the server; seconds of the clock",
		Wrong:  "jitter that is not uniform, or drawn once for all; seconds that begin anywhere",
		Source: "theory.HerdPeakMean",
		Metric: "peak", Relation: Equal,
	}
	for _, at := range []struct{ n, seconds int }{{50, 10}, {50, 30}, {50, 60}, {100, 30}} {
		c.Points = append(c.Points, Point{At: herdAt(at.n, herdJittered(at.seconds)), Expected: theory.HerdPeakMean(at.n, at.seconds)})
	}
	c.Points = append(c.Points, Point{
		At: []string{"part", "spread", "clients", "50", "client", herdTold, "hints", "server-jitter:max=30s"}, Expected: theory.HerdPeakMean(50, 30),
	})
	c.Outside = []Point{
		{At: herdAt(50, herdTold), Expected: theory.HerdPeakMean(50, 30)},
		{At: herdAt(50, herdFull), Expected: theory.HerdPeakMean(50, 30)},
	}
	return c
}

func herdEveryRound() Claim {
	c := Claim{
		Text:   "exponential back-off without jitter keeps them together: in no round do fewer come than all",
		Domain: "refused at one instant, the same waits for all",
		Wrong:  "jitter; rounds in which some are admitted and some are not",
		Source: "counting: n in the least of the seconds that have any",
		Metric: "least", Relation: Exact,
	}
	for _, n := range []int{10, 50, 200, 1000} {
		c.Points = append(c.Points, Point{At: herdAt(n, herdPlain), Expected: float64(n)})
	}
	c.Outside = []Point{{At: herdAt(50, herdFull), Expected: 50}}
	return c
}

func herdFirstSecond() Claim {
	c := Claim{
		Text:   "full jitter from 1 s brings more than half of them, or more than all, back in the first second",
		Domain: "refused all the time; the first wait 2 s wide, in code that counts the attempt before it waits, or 1 s",
		Wrong:  "another base, equal jitter or none, a hint that is obeyed",
		Source: "theory.FullJitterFirst",
		Metric: "in_second", Relation: Equal,
	}
	c.Points = []Point{{At: herdIn(0, 50, herdDouble), Expected: theory.FullJitterFirst(50, 2, 30, 1)}}
	for _, n := range []int{20, 50, 200} {
		c.Points = append(c.Points, Point{At: herdIn(0, n, herdFull), Expected: theory.FullJitterFirst(n, 1, 30, 1)})
	}
	c.Outside = []Point{
		{At: herdIn(0, 50, herdPlain), Expected: theory.FullJitterFirst(50, 1, 30, 1)},
		{At: herdIn(0, 50, "backoff:base=1s,cap=30s,jitter=equal,attempts=unlimited"), Expected: theory.FullJitterFirst(50, 1, 30, 1)},
	}
	return c
}

func herdLater() Claim {
	c := Claim{
		Text:   "and in the seconds after that what the sums of their waits say",
		Domain: "refused all the time",
		Wrong:  "another base, equal jitter or none, a hint that is obeyed, room for some of them",
		Source: "theory.FullJitterProfile",
		Metric: "in_second", Relation: Equal,
	}
	full, double := theory.FullJitterProfile(50, 1, 30, 3), theory.FullJitterProfile(50, 2, 30, 2)
	c.Points = []Point{
		{At: herdIn(1, 50, herdFull), Expected: full[1]},
		{At: herdIn(2, 50, herdFull), Expected: full[2]},
		{At: herdIn(1, 50, herdDouble), Expected: double[1]},
	}
	c.Outside = []Point{{At: herdIn(1, 50, herdPlain), Expected: full[1]}}
	return c
}

// herdKeyAt is a place in part key; hints are exact, rounded or in line.
func herdKeyAt(n int, rate, hints string) []string {
	at := []string{"part", "key", "clients", strconv.Itoa(n), "rate", rate}
	switch hints {
	case "rounded":
		return append(at, "hints", "exact", "headers", "rounded")
	case "line":
		return append(at, "hints", "place-in-line:rate="+rate, "headers", "exact")
	}
	return append(at, "hints", "exact", "headers", "exact")
}

func herdOneKey() Claim {
	c := Claim{
		Text:   "of one key, told the exact wait of one token, they return n(n + 1)/2 times in all",
		Domain: "an empty bucket, everyone obeys and is told the same, nobody else comes",
		Wrong:  "a place in line, hints rounded up, jitter",
		Source: "theory.HerdOneKeyReturns, one token a round",
		Metric: "returns", Relation: Exact,
	}
	for _, at := range []struct {
		n    int
		rate string
	}{{10, "2/s"}, {25, "2/s"}, {50, "2/s"}, {100, "2/s"}, {50, "10/s"}} {
		c.Points = append(c.Points, Point{At: herdKeyAt(at.n, at.rate, "exact"), Expected: theory.HerdOneKeyReturns(at.n, 1)})
	}
	c.Outside = []Point{
		{At: herdKeyAt(50, "2/s", "line"), Expected: theory.HerdOneKeyReturns(50, 1)},
		{At: herdKeyAt(50, "2/s", "rounded"), Expected: theory.HerdOneKeyReturns(50, 1)},
	}
	return c
}

func herdOneKeyRounded() Claim {
	c := Claim{
		Text:   "rounded up to a whole second, the same wait finds two tokens, and they return about half as often",
		Domain: "2 tokens a second, a burst of 2",
		Wrong:  "exact hints, another rate or a smaller burst",
		Source: "theory.HerdOneKeyReturns, two tokens a round",
		Metric: "returns", Relation: Exact,
	}
	for _, n := range []int{10, 25, 50, 100} {
		c.Points = append(c.Points, Point{At: herdKeyAt(n, "2/s", "rounded"), Expected: theory.HerdOneKeyReturns(n, 2)})
	}
	c.Outside = []Point{{At: herdKeyAt(50, "2/s", "exact"), Expected: theory.HerdOneKeyReturns(50, 2)}}
	return c
}

func herdInLine() Claim {
	c := Claim{
		Text:   "with a place in line each returns once",
		Domain: "the server knows its own rate, everyone obeys, nobody else comes",
		Wrong:  "the same hint for all",
		Source: "counting: n",
		Metric: "returns", Relation: Exact,
	}
	for _, at := range []struct {
		n    int
		rate string
	}{{10, "2/s"}, {25, "2/s"}, {50, "2/s"}, {100, "2/s"}, {50, "10/s"}} {
		c.Points = append(c.Points, Point{At: herdKeyAt(at.n, at.rate, "line"), Expected: float64(at.n)})
	}
	c.Outside = []Point{{At: herdKeyAt(50, "2/s", "exact"), Expected: 50}}
	return c
}

func herdDrained() Claim {
	c := Claim{
		Text:   "and either way the last is served after n/r",
		Domain: "exact hints, the same for all or a place in line",
		Wrong:  "hints so long that the bucket fills meanwhile",
		Source: "theory.HerdOneKeyDrain",
		Metric: "time_to_success_max", Relation: Exact,
	}
	point := func(n int, rate, hints string) Point {
		r, err := spec.ParseRate(rate)
		if err != nil {
			panic(fmt.Sprint("experiments: ", err))
		}
		return Point{At: herdKeyAt(n, rate, hints), Expected: theory.HerdOneKeyDrain(n, r.PerSecond())}
	}
	for _, hints := range []string{"exact", "line"} {
		c.Points = append(c.Points, point(10, "2/s", hints), point(25, "2/s", hints), point(50, "2/s", hints), point(100, "2/s", hints), point(50, "10/s", hints))
	}
	c.Outside = []Point{point(50, "10/s", "rounded")}
	return c
}
