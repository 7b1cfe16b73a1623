package experiments

import (
	"strconv"
	"time"

	"ratelab/experiments/theory"
	"ratelab/internal/spec"
)

func syncClaims() []Claim {
	return []Claim{
		syncFluid(),
		syncFluidMean(),
		syncFluidWorst(),
		syncIgnored(),
		syncIgnoredMean(),
		syncPoisson(),
		syncPoissonIgnored(),
		syncReached(),
		syncBound(),
		syncCarried(),
		syncForgiven(),
	}
}

// syncAt is a place of one part with what theory is told of it.
type syncAt struct {
	limit         int
	servers       int
	rate          string
	period, delay time.Duration
}

func (a syncAt) place(part, own, debt string) []string {
	return []string{"part", part, "limiter", "fixed-window", "limit", strconv.Itoa(a.limit), "servers", strconv.Itoa(a.servers), "rate", a.rate,
		"period", spec.FormatDuration(a.period), "delay", spec.FormatDuration(a.delay), "own", own, "debt", debt}
}

// per returns how many requests are offered in a time.
func (a syncAt) per(d time.Duration) float64 {
	rate, err := spec.ParseRate(a.rate)
	if err != nil {
		panic("experiments: " + a.rate + ": " + err.Error())
	}
	return rate.PerSecond() * d.Seconds()
}

// syncTick is what periods and delays are given in.
const syncTick = time.Millisecond

// syncEven are places of part fluid at which every server gets a whole number
// of requests in each period and delay.
var syncEven = []syncAt{
	{100, 1, "320/s", 100 * syncTick, 0},
	{100, 2, "320/s", 100 * syncTick, 0}, {100, 4, "320/s", 100 * syncTick, 0}, {100, 16, "320/s", 100 * syncTick, 0},
	{112, 2, "320/s", 100 * syncTick, 0}, {112, 4, "320/s", 100 * syncTick, 0}, {112, 16, "320/s", 100 * syncTick, 0},
	{100, 8, "320/s", 50 * syncTick, 0}, {100, 8, "320/s", 200 * syncTick, 0}, {112, 8, "320/s", 250 * syncTick, 0},
	{100, 4, "640/s", 100 * syncTick, 0}, {112, 4, "640/s", 50 * syncTick, 0},
	{100, 2, "320/s", 100 * syncTick, 50 * syncTick}, {112, 4, "320/s", 100 * syncTick, 50 * syncTick}, {112, 16, "320/s", 50 * syncTick, 100 * syncTick}, {100, 16, "320/s", 200 * syncTick, 100 * syncTick},
}

func (a syncAt) fluid() float64 {
	return theory.SyncedOvershootFluid(a.servers, float64(a.limit), a.per(a.period), a.per(a.delay))
}

func syncFluid() Claim {
	c := Claim{
		Text:   "a window that fills overshoots by min(Λs − m, (N−1)m), m = L mod Λs, and with a delay by min((N−1)x, Λs + Λd − x)",
		Domain: "steady arrivals dealt out in turn, a whole number to each server in every period and delay; own hits counted; windows that turn at an exchange",
		Wrong:  "servers that do not count their own, exchanges that miss the window's turn, news that comes earlier or later",
		Source: "theory.SyncedOvershootFluid; x = L − kΛs in (Λd/N, Λs + Λd/N]",
		Metric: "excess_mean", Relation: Exact,
	}
	for _, at := range syncEven {
		c.Points = append(c.Points, Point{At: at.place("fluid", "count", "forgive"), Expected: at.fluid()})
	}
	outside := syncAt{100, 4, "320/s", 300 * syncTick, 0}
	c.Outside = []Point{
		{At: outside.place("fluid", "count", "forgive"), Expected: outside.fluid()},
		{At: syncEven[2].place("fluid", "ignore", "forgive"), Expected: syncEven[2].fluid()},
	}
	return c
}

// syncPhases are places of part phase.
var syncPhases = []syncAt{
	{100, 2, "320/s", 100 * syncTick, 0}, {100, 4, "320/s", 100 * syncTick, 0}, {100, 16, "320/s", 100 * syncTick, 0}, {100, 4, "320/s", 50 * syncTick, 0},
	{100, 16, "320/s", 250 * syncTick, 0}, {100, 4, "640/s", 100 * syncTick, 0}, {100, 2, "320/s", 50 * syncTick, 50 * syncTick}, {100, 4, "320/s", 100 * syncTick, 50 * syncTick},
	{100, 16, "320/s", 250 * syncTick, 50 * syncTick},
}

func syncFluidMean() Claim {
	c := Claim{
		Text:   "over all limits within a period the overshoot is Λ(s/2 + d)(N−1)/N on average",
		Domain: "steady arrivals dealt out in turn, own hits counted, every limit from 100 on to 99 + Λs",
		Wrong:  "servers that do not count their own, which have nothing from being few",
		Source: "theory.SyncedOvershootFluidMean",
		Metric: syncPhaseMean, Relation: Exact,
	}
	point := func(at syncAt, own string) Point {
		return Point{At: at.place("phase", own, "forgive"), Expected: theory.SyncedOvershootFluidMean(at.servers, at.per(at.period), at.per(at.delay))}
	}
	for _, at := range syncPhases {
		c.Points = append(c.Points, point(at, "count"))
	}
	c.Outside = []Point{point(syncPhases[0], "ignore")}
	return c
}

func syncFluidWorst() Claim {
	c := Claim{
		Text:   "and Λ(s + d)(N−1)/N at worst",
		Domain: "the same",
		Wrong:  "servers that do not count their own; limits that are not whole where the worst is reached",
		Source: "theory.SyncedOvershootFluidWorst",
		Metric: syncPhaseWorst, Relation: Exact,
	}
	point := func(at syncAt, own string) Point {
		return Point{At: at.place("phase", own, "forgive"), Expected: theory.SyncedOvershootFluidWorst(at.servers, at.per(at.period), at.per(at.delay))}
	}
	for _, at := range syncPhases {
		c.Points = append(c.Points, point(at, "count"))
	}
	c.Outside = []Point{point(syncPhases[0], "ignore")}
	return c
}

func syncIgnored() Claim {
	c := Claim{
		Text:   "servers that ignore their own until it is exchanged overshoot by ⌈L/Λs⌉Λs − L + Λd, whatever their number",
		Domain: "steady arrivals, a whole number in every period and delay; the news comes before the window ends",
		Wrong:  "servers that count their own",
		Source: "theory.SyncedIgnoreOvershootFluid",
		Metric: "excess_mean", Relation: Exact,
	}
	point := func(at syncAt, own string) Point {
		return Point{At: at.place("fluid", own, "forgive"), Expected: theory.SyncedIgnoreOvershootFluid(float64(at.limit), at.per(at.period), at.per(at.delay))}
	}
	for _, at := range syncEven {
		c.Points = append(c.Points, point(at, "ignore"))
	}
	c.Outside = []Point{point(syncEven[2], "count")}
	return c
}

func syncIgnoredMean() Claim {
	c := Claim{
		Text:   "they overshoot by Λs/2 + Λd on average over all limits within a period",
		Domain: "steady arrivals, every limit from 100 on to 99 + Λs: half a request less than for a limit that need not be whole",
		Wrong:  "servers that count their own",
		Source: "theory.SyncedIgnoreOvershootFluidMean, within the half request",
		Metric: syncPhaseMean, Relation: Equal,
	}
	point := func(at syncAt, own string) Point {
		return Point{At: at.place("phase", own, "forgive"), Expected: theory.SyncedIgnoreOvershootFluidMean(at.per(at.period), at.per(at.delay)), Error: 0.5}
	}
	for _, at := range syncPhases {
		c.Points = append(c.Points, point(at, "ignore"))
	}
	c.Outside = []Point{point(syncPhases[0], "count")}
	return c
}

// periods returns how many exchanges a window has.
func (a syncAt) periods() int { return int(syncWindow / a.period) }

func syncPoisson() Claim {
	c := Claim{
		Text:   "Poisson arrivals overshoot by the sum over exchanges of what comes above the limit in one period, less what servers cut by themselves",
		Domain: "dealt out at random alike, own hits counted, no delay, windows that turn at an exchange",
		Wrong:  "servers that do not count their own, a delay, arrivals dealt out in turn",
		Source: "theory.SyncedOvershoot, by dynamic programming: E[(Pois(Λs)−R)⁺] − N·E[(Pois(Λs/N)−R)⁺] with R left of the limit",
		Metric: "excess_mean", Relation: Equal,
	}
	point := func(at syncAt, own string) Point {
		return Point{At: at.place("poisson", own, "forgive"), Expected: theory.SyncedOvershoot(at.servers, at.limit, at.per(at.period), at.periods())}
	}
	for _, at := range []syncAt{
		{100, 2, "200/s", 100 * syncTick, 0}, {100, 4, "200/s", 100 * syncTick, 0}, {100, 16, "200/s", 100 * syncTick, 0},
		{100, 4, "200/s", 50 * syncTick, 0}, {100, 4, "200/s", 200 * syncTick, 0}, {100, 16, "200/s", 40 * syncTick, 0},
		{100, 4, "400/s", 100 * syncTick, 0},
	} {
		c.Points = append(c.Points, point(at, "count"))
	}
	four := syncAt{100, 4, "200/s", 100 * syncTick, 0}
	late := point(four, "count")
	late.At = syncAt{100, 4, "200/s", 100 * syncTick, 50 * syncTick}.place("poisson", "count", "forgive")
	c.Outside = []Point{point(four, "ignore"), late}
	return c
}

func syncPoissonIgnored() Claim {
	c := Claim{
		Text:   "Poisson arrivals at servers that ignore their own overshoot by all that comes until the news does, whatever their number",
		Domain: "any balancer; windows that turn at an exchange, news that comes before they end",
		Wrong:  "servers that count their own",
		Source: "theory.SyncedIgnoreOvershoot, by dynamic programming",
		Metric: "excess_mean", Relation: Equal,
	}
	point := func(servers int, delay time.Duration, own string) Point {
		at := syncAt{100, servers, "200/s", 100 * syncTick, delay}
		return Point{
			At:       at.place("poisson", own, "forgive"),
			Expected: theory.SyncedIgnoreOvershoot(at.limit, at.per(at.period), at.per(at.delay), at.periods()),
		}
	}
	c.Points = []Point{point(4, 0, "ignore"), point(4, 20*syncTick, "ignore"), point(4, 50*syncTick, "ignore"), point(16, 0, "ignore")}
	c.Outside = []Point{point(4, 0, "count")}
	return c
}

func syncReached() Claim {
	c := Claim{
		Text:   "a burst within one period passes N limits",
		Domain: "own hits counted, 2·N·L requests at one instant at the start of a window",
		Wrong:  "servers that do not count their own: all of it passes",
		Source: "theory.SyncedBound",
		Metric: "max_window_admitted", Relation: Exact,
	}
	point := func(servers int, own string) Point {
		return Point{At: syncAt{100, servers, "200/s", 100 * syncTick, 0}.place("burst", own, "forgive"), Expected: theory.SyncedBound(servers, 100)}
	}
	c.Points = []Point{point(2, "count"), point(4, "count"), point(16, "count")}
	c.Outside = []Point{point(4, "ignore")}
	return c
}

func syncBound() Claim {
	c := Claim{
		Text:   "no window gets more than N limits",
		Domain: "own hits counted; Poisson arrivals at forty limits a window, told only when the window is over",
		Wrong:  "servers that do not count their own",
		Source: "theory.SyncedBound, less the limit",
		Metric: "excess_mean", Relation: AtMost,
	}
	point := func(servers int, own string) Point {
		return Point{
			At:       syncAt{100, servers, "4000/s", syncWindow, 0}.place("flood", own, "forgive"),
			Expected: theory.SyncedBound(servers, 100) - 100,
		}
	}
	c.Points = []Point{point(2, "count"), point(4, "count"), point(16, "count")}
	c.Outside = []Point{point(4, "ignore")}
	return c
}

func syncCarried() Claim {
	c := Claim{
		Text:   "if debts are carried, the long run admits no more than the rate",
		Domain: "fixed windows and token buckets, own hits counted or not, twice the rate offered; within two limits in the run: the burst that a bucket begins with, and what comes in the last period, which is less than another",
		Wrong:  "debts that are forgiven; a run that ends soon",
		Source: "who admits has heard of all but the last period: what was admitted before is at most burst + rt",
		Metric: "admitted_over_rate", Relation: AtMost,
	}
	point := func(limiter string, servers int, period time.Duration, own, debt string) Point {
		place := syncAt{100, servers, "200/s", period, 0}.place("debt", own, debt)
		place[3] = limiter
		return Point{At: place, Expected: 1, Error: 2. / syncRun}
	}
	for _, limiter := range []string{"fixed-window", "token-bucket"} {
		c.Points = append(c.Points, point(limiter, 2, 100*syncTick, "count", "carry"), point(limiter, 4, 100*syncTick, "count", "carry"), point(limiter, 4, 200*syncTick, "count", "carry"),
			point(limiter, 4, 100*syncTick, "ignore", "carry"))
		c.Outside = append(c.Outside, point(limiter, 4, 100*syncTick, "count", "forgive"))
	}
	return c
}

func syncForgiven() Claim {
	c := Claim{
		Text:   "if they are forgiven, the long run admits the overshoot above it: 1 + overshoot/L times the rate",
		Domain: "fixed windows that fill, steady arrivals as above",
		Wrong:  "debts that are carried into the next window",
		Source: "theory.SyncedOvershootFluid",
		Metric: "admitted_over_rate", Relation: Exact,
	}
	point := func(at syncAt, debt string) Point {
		limit := float64(at.limit)
		return Point{At: at.place("fluid", "count", debt), Expected: (limit + at.fluid()) / limit}
	}
	for _, at := range syncEven {
		c.Points = append(c.Points, point(at, "forgive"))
	}
	c.Outside = []Point{point(syncAt{112, 4, "320/s", 100 * syncTick, 0}, "carry")}
	return c
}
