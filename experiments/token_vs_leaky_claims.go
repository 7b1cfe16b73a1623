package experiments

import (
	"strconv"
	"time"

	"ratelab/experiments/theory"
)

// leakyAt is the place of a row of a part: limiter and rate, then factor,
// value, factor, value ….
func leakyAt(part, limiter string, more ...string) []string {
	rate := leakyTestRate
	if part == "flood" || part == "timeline" {
		rate = "" // the limit says it
	}
	return append([]string{"part", part, "limiter", limiter, "rate", rate}, more...)
}

// leakyLosses are the points of a share, or of what else a function of load
// and burst says, at all pairs of bursts and loads. A share is left out where
// it, or what it lacks to 1, is rare. Without a scale it is no share.
func leakyLosses(limiter string, bursts, loads []string, expected func(load float64, burst int) float64, scale func(float64) float64) []Point {
	var points []Point
	for _, b := range bursts {
		for _, load := range loads {
			burst, _ := strconv.Atoi(b)
			rho, _ := strconv.ParseFloat(load, 64)
			v := expected(rho, burst)
			if v < leakyRare || scale != nil && 1-v < leakyRare {
				continue
			}
			p := Point{At: leakyAt("loss", limiter, "workload", "poisson", "burst", b, "load", load), Expected: v}
			if scale != nil {
				p.Scale = scale(v)
			}
			points = append(points, p)
		}
	}
	return points
}

// leakyRare is the share below which too few events are seen to claim one.
const leakyRare = 1e-3

func leakyClaims() []Claim {
	interval := time.Second / 2 // of leakyTestRate
	tick := func(load float64, burst int) float64 { return theory.TickBucketLoss(load, 1, burst) }
	wait := func(load float64, places int) float64 { return theory.MD1KWait(load, places) * interval.Seconds() }
	onOff := func(limiter, burst, load string, expected, scale float64) Point {
		return Point{At: leakyAt("loss", limiter, "workload", "on-off", "size", "40", "burst", burst, "load", load), Expected: expected, Scale: scale}
	}
	mdOne := theory.TokenBucketLoss(0.8, 5)

	var meter []Point
	for _, load := range []string{"0.5", "1", "2"} {
		rho, _ := strconv.ParseFloat(load, 64)
		v := 1 - theory.OneTokenAdmitShare(rho)
		meter = append(meter, Point{At: leakyAt("loss", "leaky-meter", "workload", "poisson", "load", load), Expected: v, Scale: shareScale(v)})
	}
	return append([]Claim{
		{
			Text:   "a token bucket, and GCRA, refuse of Poisson traffic what M/D/1/b turns away",
			Domain: "Poisson arrivals of unit cost, continuous refill, long run",
			Wrong:  "a bucket that holds a token more or less than b, that forgets fractions of a token, or that charges what it refuses",
			Source: "theory.TokenBucketLoss: M/D/1/K with K = b", Metric: "loss", Relation: Equal,
			Points: append(leakyLosses("token-bucket", []string{"1", "2", "5", "20"}, leakyLoads, theory.TokenBucketLoss, shareScale),
				leakyLosses("gcra", []string{"1", "5", "20"}, []string{"1.1", "2"}, theory.TokenBucketLoss, shareScale)...),
			Outside: append(leakyLosses("token-bucket-interval", []string{"1"}, []string{"1"}, theory.TokenBucketLoss, shareScale),
				onOff("token-bucket", "5", "0.8", mdOne, shareScale(mdOne))),
		},
		{
			Text:   "a bucket that gets its tokens one by one at ticks refuses less: what the chain of its levels says",
			Domain: "Poisson arrivals of unit cost, one token at once each emission interval, long run",
			Wrong:  "continuous refill: a burst of 1 then waits a whole interval after each request instead of until the next tick",
			Source: "theory.TickBucketLoss: X' = min(b, (X-A)^+ + 1)", Metric: "loss", Relation: Equal,
			Points:  leakyLosses("token-bucket-interval", []string{"1", "2", "5"}, []string{"0.8", "1", "1.5"}, tick, shareScale),
			Outside: leakyLosses("token-bucket", []string{"1"}, []string{"1"}, tick, shareScale),
		},
		{
			Text:   "a leaky meter forgives no burst: it admits 1/(1+load)",
			Domain: "Poisson arrivals of unit cost, long run",
			Wrong:  "any room for a second request before the first has leaked out",
			Source: "theory.OneTokenAdmitShare: the detector with dead time 1/r", Metric: "loss", Relation: Equal,
			Points: meter,
			Outside: leakyLosses("token-bucket", []string{"2"}, []string{"1"},
				func(load float64, _ int) float64 { return 1 - theory.OneTokenAdmitShare(load) }, shareScale),
		},
		{
			Text:   "a leaky queue refuses what M/D/1/K turns away, K its waiting places and one",
			Domain: "Poisson arrivals of unit cost, long run",
			Wrong:  "a place more or less, or a first request that waits",
			Source: "theory.TokenBucketLoss: M/D/1/K", Metric: "loss", Relation: Equal,
			Points:  leakyLosses("leaky-queue", []string{"2", "5", "20"}, []string{"0.8", "1", "1.5"}, theory.TokenBucketLoss, shareScale),
			Outside: []Point{onOff("leaky-queue", "5", "0.8", mdOne, shareScale(mdOne))},
		},
		{
			Text:   "what a leaky queue admits waits as long as in M/D/1/K",
			Domain: "Poisson arrivals of unit cost, departures one emission interval apart, long run",
			Wrong:  "departures at fixed ticks, half an interval later on average",
			Source: "theory.MD1KWait times 1/r", Metric: "delay_mean", Relation: Equal,
			Points:  leakyLosses("leaky-queue", []string{"2", "5", "20"}, []string{"0.8", "1", "1.5"}, wait, nil),
			Outside: []Point{onOff("leaky-queue", "5", "0.8", wait(0.8, 5), 0)},
		},
		leakySaturates(),
		leakyIdentityClaim(),
	}, append(leakyStories(), leakyFloods()...)...)
}

// leakySaturates claims how the admitted rate tends to r.
func leakySaturates() Claim {
	admitted := func(load float64, burst int) float64 { return theory.TokenBucketAdmittedRate(load, 1, burst) }
	v := admitted(3, 1)
	return Claim{
		Text:   "the admitted rate tends to r as load grows, by what M/D/1/b says, whatever the burst",
		Domain: "Poisson arrivals of unit cost at loads far above 1, long run",
		Wrong:  "tokens that are lost while the bucket is not full, or a second bucket",
		Source: "theory.TokenBucketAdmittedRate: 1 - π_0/(π_0+ρ)", Metric: "admitted_over_rate", Relation: Equal,
		Points:  leakyLosses("token-bucket", []string{"1", "2"}, leakyHighLoads, admitted, shareScale),
		Outside: []Point{{At: leakyAt("loss", "token-bucket", "workload", "on-off", "size", "40", "burst", "1", "load", "3"), Expected: v, Scale: shareScale(v)}},
	}
}

// leakyIdentityClaim claims the balance of tokens. Both sides of it are
// measured; what is expected is that they do not differ by more than the
// tokens that the bucket held at the beginning and not at the end.
func leakyIdentityClaim() Claim {
	at := func(limiter string, burst float64, more ...string) Point {
		return Point{At: leakyAt("identity", limiter, more...), Error: burst / leakySpan, Scale: 1}
	}
	c := Claim{
		Text:   "admitted rate / r = 1 - share of time full",
		Domain: "any arrivals, one bucket that refills continuously, up to b tokens over the span",
		Wrong:  "tokens that get lost before the bucket is full, or admitted requests that take none: a second bucket, refill in lumps",
		Source: "balance of tokens: what comes in while the bucket is not full is spent, or still there", Metric: "identity_gap", Relation: Equal,
		Outside: []Point{at("token-bucket-interval", 1, "burst", "1", "workload", "poisson", "load", "1")},
	}
	full := strconv.Itoa(leakyBurst)
	for _, workload := range [][]string{{"steady"}, {"poisson"}, {"on-off", "size", "40"}, {"burst-train", "size", "40"}} {
		for _, load := range []string{"0.5", "1", "2"} {
			c.Points = append(c.Points, at("token-bucket", leakyBurst, append([]string{"burst", full, "load", load, "workload"}, workload...)...))
		}
	}
	bursty := []string{"load", "1", "workload", "on-off", "size", "40"}
	c.Points = append(c.Points, at("gcra", leakyBurst, append(bursty, "burst", full)...),
		at("leaky-queue", leakyBurst, append(bursty, "burst", full)...), at("leaky-meter", 1, bursty...))
	return c
}

// leakyStories claims what the essay tells of a bucket with 2 tokens a second,
// at its burst of 20 and at others.
func leakyStories() []Claim {
	interval := time.Second / 2 // of leakyTestRate
	gained := theory.FloodTokenBucket(2, interval.Seconds())
	envelope := func(burst int64, delta time.Duration) float64 {
		return theory.TokenBucketEnvelopeOnClock(burst, 1, interval, delta)
	}
	first := Claim{
		Text:   "of requests at one instant the bucket passes b: at 20 tokens the 21st is refused",
		Domain: "a full bucket",
		Wrong:  "a burst that is one off, or tokens that come in no time",
		Source: "theory.TokenBucketEnvelopeOnClock over 1 ns, and one", Metric: "first_refused", Relation: Exact,
		Outside: []Point{{At: leakyAt("at-once", "leaky-meter"), Expected: envelope(leakyBurst, 1) + 1}},
	}
	steady := Claim{
		Text:   "who keeps to the rate after a burst emptied the bucket never finds more than one token",
		Domain: "requests 1/r apart, after a burst of b",
		Wrong:  "refill at another rate than r, or requests that do not take their token",
		Source: "theory.FloodTokenBucket: r times 1/r", Metric: "highest_level", Relation: Exact,
		Outside: []Point{{At: leakyAt("steady-after", "token-bucket", "burst", strconv.Itoa(leakyBurst), "load", "0.5"), Expected: gained}},
	}
	idle := Claim{
		Text:   "three tokens gained while idle, and one that was left, pass a burst of four and no more",
		Domain: "a bucket that can hold four tokens",
		Wrong:  "refill at another rate than r, or a bucket that holds less",
		Source: "theory.TokenBucketEnvelopeOnClock over three intervals, less the b-1 before", Metric: "burst_admitted", Relation: Exact,
		Outside: []Point{{At: leakyAt("idle-then-burst", "leaky-meter"), Expected: envelope(leakyBurst, leakyIdle*interval+1) - (leakyBurst - 1)}},
	}
	for _, burst := range []int64{5, 15, leakyBurst} {
		b := strconv.FormatInt(burst, 10)
		first.Points = append(first.Points, Point{At: leakyAt("at-once", "token-bucket", "burst", b), Expected: envelope(burst, 1) + 1})
		steady.Points = append(steady.Points, Point{At: leakyAt("steady-after", "token-bucket", "burst", b, "load", "1"), Expected: gained})
		idle.Points = append(idle.Points, Point{At: leakyAt("idle-then-burst", "token-bucket", "burst", b),
			Expected: envelope(burst, leakyIdle*interval+1) - float64(burst-1)})
	}
	fit := Claim{
		Text:   "smooth or bursty at the same mean, everything passes exactly when every burst fits b(r)",
		Domain: "any arrivals, a full bucket, continuous refill",
		Wrong:  "a bucket that is not full at the first request, or loses fractions of a token",
		Source: "b(r) by its definition, searched over all intervals", Metric: "fits_exactly", Relation: Exact,
		Outside: []Point{{At: leakyAt("fit", "token-bucket-empty", "workload", "steady"), Expected: 1}},
	}
	for _, limiter := range []string{"token-bucket", "gcra"} {
		for _, workload := range [][]string{{"steady"}, {"poisson"}, {"burst-train", "size", "4"}, {"burst-train", "size", "20"}, {"on-off", "size", "40"}} {
			fit.Points = append(fit.Points, Point{At: leakyAt("fit", limiter, append([]string{"workload"}, workload...)...), Expected: 1})
		}
	}
	return []Claim{first, steady, idle, fit}
}

// leakyFloods claims what a flood is admitted. At 20 requests for each that is
// admitted, evenly spaced, with a window of a whole number of gaps, the counts
// are those of a request at every instant.
func leakyFloods() []Claim {
	at := func(limiter, limit, load string) []string {
		return leakyAt("flood", limiter, "limit", limit, "load", load)
	}
	points := func(expected func(limit int64) float64, limits []string, names ...string) []Point {
		var list []Point
		for _, name := range names {
			for _, limit := range limits {
				l, _ := strconv.ParseInt(limit, 10, 64)
				list = append(list, Point{At: at(name, limit, "20"), Expected: expected(l)})
			}
		}
		return list
	}
	outside := func(limiter string, expected float64) []Point {
		return []Point{{At: at(limiter, "20", "0.5"), Expected: expected}}
	}
	fits := func(l int64) float64 { return theory.FloodCounter(theory.Fits, l) }
	below := func(l int64) float64 { return theory.FloodCounter(theory.Below, l) }
	whole := func(l int64) float64 { return float64(l) * theory.QuotaUsedShare(int(l), 1, theory.Spread) }
	none := func(l int64) float64 { return theory.SlidingLogAllAdmitShare(1e6, int(l)) }
	bucket := func(l int64) float64 { return theory.FloodTokenBucket(float64(l), 1) }
	few, all := []string{"1", "20"}, []string{"1", "5", "20"}
	long := "requests that always come, in whole windows, after the first ones"
	return []Claim{
		{
			Text: "a flood is admitted L per window by a fixed window, a sliding log and a counter with rule below", Domain: long,
			Wrong:  "a limit that is one off, or refused requests that count",
			Source: "theory.QuotaUsedShare of one saturated server; theory.FloodCounter", Metric: "admitted_per_window", Relation: Exact,
			Points:  append(points(whole, few, "fixed-window", "sliding-log"), points(below, few, "sliding-counter-below")...),
			Outside: outside("fixed-window", whole(20)),
		},
		{
			Text: "a counter with rule fits admits L-1 of a flood per window, and one in two windows if L = 1", Domain: long,
			Wrong:  "rule below, or a previous window that is not weighted",
			Source: "theory.FloodCounter", Metric: "admitted_per_window", Relation: Exact,
			Points: points(fits, all, "sliding-counter-fits"), Outside: outside("sliding-counter-fits", fits(20)),
		},
		{
			Text: "who counts refused requests too admits nothing of a flood", Domain: long,
			Wrong:  "counting admitted requests only",
			Source: "theory.SlidingLogAllAdmitShare at a load beyond all bounds", Metric: "admitted_per_window", Relation: Exact,
			Points: points(none, few, "sliding-log-all", "sliding-counter-all"), Outside: outside("sliding-log-all", none(20)),
		},
		{
			Text: "a flood is admitted r by every bucket, whatever its burst", Domain: long,
			Wrong:  "refill at another rate, or more than one bucket",
			Source: "theory.FloodTokenBucket", Metric: "admitted_per_window", Relation: Exact,
			Points: points(bucket, few, "token-bucket", "gcra", "leaky-meter", "leaky-queue"), Outside: outside("token-bucket", bucket(20)),
		},
	}
}
