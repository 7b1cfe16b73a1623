package experiments

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/workloads"
)

func init() {
	register(Experiment{
		Name:     "token-vs-leaky",
		Question: "Which bursts are forgiven by a bucket of tokens, and what does its leaky kin do with the same rain?",
		Hypothesis: "A token bucket of burst b forgives every burst that fits into b(r), and loses of Poisson traffic what the queue M/D/1/b loses; " +
			"a leaky meter forgives nothing (b = 1), a leaky queue delays what the bucket would pass at once. In a flood all of them admit their rate.",
		Factors:   leakyFactors(),
		Metrics:   leakyMetrics(),
		Grids:     leakyGrids(),
		Where:     leakyApplies,
		Reps:      40,
		QuickReps: 20,
		Cell:      byPart(leakyParts),
		Claims:    leakyClaims(),
		Figures: []Figure{
			{Name: "cloudbursts", Draw: leakyCloudbursts},
			{Name: "loss", Draw: leakyLossFigure},
			{Name: "timeline", Draw: leakyTimelineFigure},
		},
		Findings: leakyFindings,
		Threats: []string{
			"Every request costs one token; of unequal costs a bucket refuses the dear ones first.",
			"Refused requests never come back: with retries the load of a bucket depends on what it refuses.",
			"Poisson, on-off and burst trains are independent of the limiter. A client that sees its bucket can fit its bursts to it.",
			"A leaky queue here has no client that gives up: waiting costs nothing but time.",
			"One key. The rate scales out of everything but nanoseconds, so it is not varied.",
		},
	})
}

// leakyParts are the parts of the experiment: what a cell does, and the
// factors that it needs beside limiter, burst and size.
var leakyParts = parts[cellFunc]{
	{"loss", "workload rate load", leakyLoss},
	{"identity", "workload rate load", leakyIdentity},
	{"at-once", "rate", leakyAtOnce},
	{"steady-after", "rate load", leakySteadyAfter},
	{"idle-then-burst", "rate", leakyIdleThenBurst},
	{"flood", "workload limit load", leakyFlood},
	{"fit", "workload rate load", leakyFit},
	{"cloudbursts", "rate second", leakyCloudburst},
	{"timeline", "limit arrival", leakyTimeline},
}

// leakyApplies keeps the points whose factors are those that the part, the
// limiter and the workload take, no more and no fewer.
func leakyApplies(get func(factor string) string) bool {
	name, text := get("part"), ""
	for _, s := range leakySpecs {
		if s.name == get("limiter") {
			text = s.text
		}
	}
	takesBurst := strings.Contains(text, "=B") || strings.Contains(text, "=Q")
	takesLimit := strings.Contains(text, "=L")
	bursty := get("workload") == "on-off" || get("workload") == "burst-train"
	return leakyParts.fit(get, "workload", "rate", "limit", "load", "second", "arrival") &&
		(get("burst") != "") == (takesBurst && name != "fit") &&
		(get("size") != "") == bursty &&
		(!takesLimit || name == "flood" || name == "timeline") &&
		(name != "fit" || strings.Contains(text, "=B"))
}

// leakySpecs gives for each limiter its spec, in which R stands for the rate,
// I for the rate as one lump each emission interval, B for the burst, Q for
// the burst less one, and L for the limit.
var leakySpecs = []struct{ name, text string }{
	{"token-bucket", "token-bucket:rate=R,burst=B"},
	{"token-bucket-interval", "token-bucket:rate=I,burst=B,refill=interval"},
	{"token-bucket-empty", "token-bucket:rate=R,burst=B,initial=0"},
	{"gcra", "gcra:rate=R,burst=B"},
	{"leaky-meter", "leaky-meter:rate=R"},
	{"leaky-queue", "leaky-queue:rate=R,queue=Q"},
	{"fixed-window", "fixed-window:limit=L,window=1s"},
	{"sliding-log", "sliding-log:limit=L,window=1s"},
	{"sliding-log-all", "sliding-log:limit=L,window=1s,count=all"},
	{"sliding-counter-fits", "sliding-counter:limit=L,window=1s,rule=fits"},
	{"sliding-counter-below", "sliding-counter:limit=L,window=1s,rule=below"},
	{"sliding-counter-all", "sliding-counter:limit=L,window=1s,count=all"},
}

// leakyLimiter returns a cell's limiter with the burst in place of the cell's,
// and its rate.
func leakyLimiter(c sweep.Cell, burst string) (limiters.Spec, spec.Rate, error) {
	rateText := c.Get("rate")
	if limit := c.Get("limit"); limit != "" {
		rateText = limit + "/s"
	}
	rate, err := spec.ParseRate(rateText)
	if err != nil {
		return limiters.Spec{}, rate, err
	}
	name, queue := c.Get("limiter"), ""
	if b, err := strconv.Atoi(burst); err == nil {
		queue = strconv.Itoa(b - 1)
	}
	for _, known := range leakySpecs {
		if known.name == name {
			kind, parameters, _ := strings.Cut(known.text, ":")
			parameters = strings.NewReplacer("=R", "="+rate.String(), "=I", fmt.Sprintf("=%d/%dns", rate.N, int64(rate.P)),
				"=B", "="+burst, "=Q", "="+queue, "=L", "="+c.Get("limit")).Replace(parameters)
			s, err := limiters.Parse(kind + ":" + parameters)
			return s, rate, err
		}
	}
	return limiters.Spec{}, rate, fmt.Errorf("unknown limiter %q", name)
}

// leakyOffered returns the mean rate of arrivals: load times the rate, exactly.
func leakyOffered(load string, rate spec.Rate) (spec.Rate, error) {
	times, err := spec.ParseRate(load + "/s")
	if err != nil {
		return rate, err
	}
	if rate, err = rate.Times(int64(time.Second), int64(times.P)); err != nil {
		return rate, err
	}
	return rate.Times(times.N, 1)
}

// leakyBusy is how many times the mean rate arrives while on-off is on.
const leakyBusy = 4

// leakyWorkload returns a cell's arrivals, all of which have the same mean
// rate at the same load. Bursts have the cell's size, those of on-off on
// average.
func leakyWorkload(c sweep.Cell, rate spec.Rate) (workloads.Spec, error) {
	mean, err := leakyOffered(c.Get("load"), rate)
	if err != nil {
		return workloads.Spec{}, err
	}
	switch name := c.Get("workload"); name {
	case "on-off":
		while, err := mean.Times(leakyBusy, 1)
		if err != nil {
			return workloads.Spec{}, err
		}
		on := leakyAfter(c.Int("size"), while)
		return workloads.Parse(fmt.Sprintf("on-off:rate=%s,on=%s,off=%s", while, on, (leakyBusy-1)*on))
	case "burst-train":
		return workloads.Parse(fmt.Sprintf("burst-train:size=%d,period=%s", c.Int("size"), leakyAfter(c.Int("size"), mean)))
	default: // steady or poisson
		return workloads.Parse(name + ":rate=" + mean.String())
	}
}

// leakyAfter returns the time in which k come at a rate, rounded up.
func leakyAfter(k int64, rate spec.Rate) time.Duration {
	return (time.Duration(k)*rate.P + time.Duration(rate.N-1)) / time.Duration(rate.N)
}

func leakyFactors() []sweep.Factor {
	var known []string
	for _, s := range leakySpecs {
		known = append(known, s.name)
	}
	parts := leakyParts.names()
	return []sweep.Factor{
		{Name: "part", Description: "what is looked at: " + strings.Join(parts, ", "), Check: oneOf(parts...)},
		{Name: "limiter", Description: "the limiter; token-bucket-interval refills one token at once each 1/rate, token-bucket-empty begins empty, -all counts refused requests too, leaky-meter is a burst of 1",
			Check: oneOf(known...)},
		{Name: "workload", Description: "arrival process: steady, poisson, on-off (4 times the mean rate while on), burst-train",
			Check: oneOf("steady", "poisson", "on-off", "burst-train")},
		{Name: "size", Unit: "requests", Description: "requests in a burst; of on-off, on average", Check: wholeNumber(10_000)},
		{Name: "rate", Unit: "rate", Description: "refill rate r; 1/r is the emission interval", Check: leakyRate},
		{Name: "burst", Unit: "requests", Description: "burst b; of leaky-queue, the waiting places and the one that leaves", Check: wholeNumber(1000)},
		{Name: "limit", Unit: "requests", Description: "limit L of a window of 1 s; buckets have the rate L/s", Check: wholeNumber(1000)},
		{Name: "load", Unit: "1", Description: "mean arrival rate / r, or / (limit / window)", Check: leakyLoad},
		{Name: "second", Unit: "s", Description: "which second of the story, from 0", Check: leakySecond},
		{Name: "arrival", Description: "which arrival of the time-line, from 1", Check: leakyArrival},
	}
}

func leakyRate(value string) error {
	r, err := spec.ParseRate(value)
	if err != nil {
		return err
	}
	if r.P/time.Duration(r.N) > time.Minute {
		return errors.New("want at least 1/m")
	}
	return nil
}

func leakyLoad(value string) error {
	if r, err := spec.ParseRate(value + "/s"); err != nil || r.PerSecond() < 0.01 || r.PerSecond() > 1000 {
		return errors.New("want a decimal in 0.01..1000")
	}
	return nil
}

func leakySecond(value string) error {
	if v, err := spec.ParseCount(value); err != nil || v >= leakyStorySeconds {
		return fmt.Errorf("want a whole number in 0..%d", leakyStorySeconds-1)
	}
	return nil
}

func leakyMetrics() []sweep.Metric {
	known := func(name string) sweep.Metric { return fromDictionary(name)[0] }
	return []sweep.Metric{
		{Name: "loss", Unit: "1", Description: "Share of requests that are refused."},
		known("delay_mean"),
		known("admitted_over_rate"),
		known("level_full_share"),
		{Name: "identity_gap", Unit: "1", Description: "admitted_over_rate - (1 - level_full_share)."},
		{Name: "first_refused", Unit: "1", Description: "Of requests that come at one instant to a full bucket: which is the first to be refused, from 1."},
		{Name: "highest_level", Unit: "tokens", Description: "Highest level of the bucket, once a burst has emptied it."},
		{Name: "burst_admitted", Unit: "requests", Description: "Admitted of a burst of 6 after three emission intervals without requests, when one token had been left."},
		{Name: "admitted_per_window", Unit: "requests", Description: "Mean admitted in whole windows of 1 s."},
		{Name: "burst_needed", Unit: "requests", Description: "b(r), rounded up: the largest, over intervals, of the arrivals in it - r * its length."},
		{Name: "fits_exactly", Unit: "1", Description: "1 if a bucket with burst_needed refuses nothing and one with a burst less by 1 refuses something, else 0."},
		{Name: "offered_in_second", Unit: "requests", Description: "Requests that arrive in this second of the story."},
		{Name: "passed_in_second", Unit: "requests", Description: "Requests that leave the limiter in this second, after their delay if it queues."},
		{Name: "arrives_at", Unit: "s", Description: "When this arrival of the time-line comes."},
		{Name: "arrival_admitted", Unit: "1", Description: "1 if this arrival of the time-line is admitted, else 0."},
		{Name: "goes_on_at", Unit: "s", Description: "When it goes on, after its delay if it is queued; empty if it is refused."},
	}
}

var (
	leakyLoads     = []string{"0.5", "0.8", "0.9", "1", "1.1", "1.5", "2"}
	leakyHighLoads = []string{"3", "5", "10"}
)

const (
	leakyTestRate = "2/s" // the rate of the essay that the stories are from
	leakyBurst    = 20    // and its burst
)

func leakyGrids() []sweep.Grid {
	one := func(v ...string) []string { return v }
	grid := func(part string, limiter []string, axes ...sweep.Axis) sweep.Grid {
		return append(sweep.Grid{{Factor: "part", Values: one(part)}, {Factor: "limiter", Values: limiter}}, axes...)
	}
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	rate := axis("rate", leakyTestRate)
	poisson, onOff := axis("workload", "poisson"), axis("workload", "on-off")
	seconds := make([]string, leakyStorySeconds)
	for i := range seconds {
		seconds[i] = strconv.Itoa(i)
	}
	full := axis("burst", strconv.Itoa(leakyBurst))
	windows := one("fixed-window", "sliding-log", "sliding-log-all", "sliding-counter-fits", "sliding-counter-below", "sliding-counter-all")
	return append([]sweep.Grid{
		grid("loss", one("token-bucket"), poisson, rate, axis("burst", "1", "2", "5", "20"), axis("load", leakyLoads...)),
		grid("loss", one("gcra"), poisson, rate, axis("burst", "1", "5", "20"), axis("load", "1.1", "2")),
		grid("loss", one("token-bucket-interval"), poisson, rate, axis("burst", "1", "2", "5"), axis("load", "0.8", "1", "1.5")),
		grid("loss", one("leaky-meter"), poisson, rate, axis("load", "0.5", "1", "2")),
		grid("loss", one("leaky-queue"), poisson, rate, axis("burst", "2", "5", "20"), axis("load", "0.8", "1", "1.5")),
		grid("loss", one("token-bucket", "leaky-queue"), onOff, axis("size", "40"), rate, axis("burst", "5"), axis("load", "0.8")),
		grid("loss", one("token-bucket"), poisson, rate, axis("burst", "1", "2"), axis("load", leakyHighLoads...)),
		grid("loss", one("token-bucket"), onOff, axis("size", "40"), rate, axis("burst", "1"), axis("load", "3")),

		grid("identity", one("token-bucket"), axis("workload", "steady", "poisson"), rate, full, axis("load", "0.5", "1", "2")),
		grid("identity", one("token-bucket"), axis("workload", "on-off", "burst-train"), axis("size", "40"), rate, full, axis("load", "0.5", "1", "2")),
		grid("identity", one("gcra", "leaky-queue"), onOff, axis("size", "40"), rate, full, axis("load", "1")),
		grid("identity", one("leaky-meter"), onOff, axis("size", "40"), rate, axis("load", "1")),
		grid("identity", one("token-bucket-interval"), poisson, rate, axis("burst", "1"), axis("load", "1")),

		grid("at-once", one("token-bucket"), rate, axis("burst", "5", "15", "20")),
		grid("at-once", one("leaky-meter"), rate),
		grid("steady-after", one("token-bucket"), rate, axis("burst", "5", "15", "20"), axis("load", "1")),
		grid("steady-after", one("token-bucket"), rate, full, axis("load", "0.5")),
		grid("idle-then-burst", one("token-bucket"), rate, axis("burst", "5", "15", "20")),
		grid("idle-then-burst", one("leaky-meter"), rate),

		grid("flood", windows, axis("workload", "steady"), axis("limit", "1", "5", "20"), axis("load", "20")),
		grid("flood", windows, axis("workload", "steady"), axis("limit", "20"), axis("load", "0.5")),
		grid("flood", one("token-bucket", "gcra", "leaky-queue"), axis("workload", "steady"), axis("burst", "5"), axis("limit", "1", "5", "20"), axis("load", "20")),
		grid("flood", one("leaky-meter"), axis("workload", "steady"), axis("limit", "1", "5", "20"), axis("load", "20")),
		grid("flood", one("token-bucket"), axis("workload", "steady"), axis("burst", "5"), axis("limit", "20"), axis("load", "0.5")),

		grid("fit", one("token-bucket", "gcra"), axis("workload", "steady", "poisson"), rate, axis("load", "1")),
		grid("fit", one("token-bucket", "gcra"), axis("workload", "burst-train"), axis("size", "4", "20"), rate, axis("load", "1")),
		grid("fit", one("token-bucket", "gcra"), onOff, axis("size", "40"), rate, axis("load", "1")),
		grid("fit", one("token-bucket-empty"), axis("workload", "steady"), rate, axis("load", "1")),

		grid("cloudbursts", one("token-bucket", "leaky-queue"), rate, axis("burst", leakyStoryBurst), axis("second", seconds...)),
		grid("cloudbursts", one("leaky-meter"), rate, axis("second", seconds...)),
	}, leakyTimelineGrids()...)
}
