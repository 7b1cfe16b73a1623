package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/fleet"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/workloads"
)

func init() {
	register(Experiment{
		Name:     "fleet-overshoot",
		Question: "How far do the local limits of N servers multiply what was promised?",
		Hypothesis: "By N, whatever the algorithm: each server keeps its own promise, and the fleet breaks it N times over as soon as the balancer " +
			"spreads one caller over all servers. Less if the split is uneven or the demand is below N times the limit; not at all if the counter is " +
			"central, or if all requests of a key go to one server.",
		Factors: []sweep.Factor{
			{Name: "part", Default: "saturated", Check: fleetCheckPart,
				Description: "which question: saturated (every limiter, balancer and coordination, at twice what N local limits admit, steady), " +
					"instant (bursts of 2·N·burst at one instant), split (Poisson arrivals at a load), quota (Poisson arrivals on quotas), " +
					"keys (several callers), store (a central store at several distances), " +
					"remap (a burst, and another each time that the server of the one key goes down)"},
			{Name: "limiter", Default: "token-bucket", Check: fleetCheckLimiter, Description: "the limit that the fleet promises each caller"},
			{Name: "servers", Default: "1", Check: wholeNumber(fleet.MaxServers), Description: "N"},
			{Name: "rate", Default: "2/s", Check: func(v string) error { _, err := spec.ParseRate(v); return err },
				Description: "long-run rate r of the limit; a window lasts burst / rate, to the ns"},
			{Name: "burst", Unit: "requests", Check: wholeNumber(1 << 20),
				Description: "what the limit admits at one instant: limit of a window, burst of a bucket, queue + 1; a leaky-meter has none"},
			{Name: "balancer", Default: "round-robin", Check: func(v string) error { _, err := fleet.ParseBalancer(v); return err },
				Description: "how requests are dealt out to servers"},
			{Name: "coordination", Default: "local", Check: func(v string) error { _, err := fleet.ParseCoordination(v); return err },
				Description: "how the servers share the limit"},
			{Name: "rtt", Unit: "duration", Default: "0s", Check: fleetCheckRTT, Description: "round trip to the central store"},
			{Name: "load", Check: fleetCheckLoad, Description: "requests offered to the fleet over the rate promised; where empty, the part says what is offered"},
			{Name: "keys", Default: "1", Check: wholeNumber(scenario.MaxKeys), Description: "callers, each with a limit of its own; requests are theirs with equal chance"},
			{Name: "remaps", Check: fleetCheckRemaps, Description: "how often the server that the one key goes to is down from then on; only in part remap"},
		},
		Metrics: append(fromDictionary("max_window_admitted", "overshoot", "admitted_over_rate", "admit_share", "delay_mean"),
			sweep.Metric{Name: fleetMinusCentral, Unit: "requests", Description: "Admitted, minus what one central limiter of the same limit admits of the same arrivals."},
			sweep.Metric{Name: fleetMoved, Unit: "keys", Description: "Keys that got a second limit because a server went down, summed over all servers, one down at a time."}),
		Grids:     fleetGrids(),
		Where:     fleetWhere,
		Reps:      10,
		QuickReps: 5,
		Cell:      fleetCell,
		Claims:    fleetClaims(),
		Figures: []Figure{
			{Name: "servers", Draw: fleetDrawServers},
			{Name: "cures", Draw: fleetDrawCures},
			{Name: "load", Draw: fleetDrawLoad},
			{Name: "quota", Draw: fleetDrawQuota},
		},
		Findings: fleetFindings,
		Threats: []string{
			"A server that goes down does not come back, and the balancer knows at once: until it does, requests would be lost.",
			"Callers do not react: no retries, no backing off. A refused request is gone.",
			"Clocks of all servers agree here, so that their windows turn at the same instant.",
			"The central store answers every check after the same round trip; fleet-central loads it.",
			"One balancer deals all requests out; several round robins beside each other are not modelled.",
			"Saturated arrivals are steady and a whole multiple of every rate, so that counts are exact; at other rates they have remainders.",
		},
	})
}

const (
	fleetMinusCentral = "admitted_minus_central"
	fleetMoved        = "keys_moved"
)

// fleetParts are the sub-questions, each with what it measures.
var fleetParts = []struct {
	name     string
	workload func(w fleetWorld) (string, error)
	metrics  []string
}{
	{"saturated", fleetWorld.saturated, []string{"overshoot", "admitted_over_rate"}},
	{"instant", fleetWorld.instant, []string{"max_window_admitted", "overshoot"}},
	{"split", fleetWorld.poisson, []string{"overshoot", "admitted_over_rate", "admit_share"}},
	{"quota", fleetWorld.poisson, []string{"overshoot", "admitted_over_rate", "admit_share"}},
	{"keys", fleetWorld.poisson, []string{"max_window_admitted", "overshoot", "admit_share"}},
	{"store", fleetWorld.poisson, []string{"max_window_admitted", "overshoot", "admitted_over_rate", "admit_share", "delay_mean"}},
	{"remap", fleetWorld.remapped, []string{"max_window_admitted"}},
}

func fleetGrids() []sweep.Grid {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	servers := axis("servers", "1", "2", "4", "8", "16", "32", "64")
	rates := axis("rate", "2/s", "5/s")
	// Where nothing is in flight, least is round robin and two choices are random.
	balancers := axis("balancer", "round-robin", "random", "weighted:zipf=1", "hash", "least", "two-choices")
	var noMeter []string
	for _, name := range limiters.Canonical() {
		if name != "leaky-meter" {
			noMeter = append(noMeter, name)
		}
	}
	var grids []sweep.Grid
	// Each grid is made twice: for the limiters that have a burst, and for the one that has none.
	both := func(bursts []string, axes ...sweep.Axis) {
		grids = append(grids, append(sweep.Grid{axis("limiter", noMeter...), axis("burst", bursts...)}, axes...),
			append(sweep.Grid{axis("limiter", "leaky-meter")}, axes...))
	}
	saturated := axis("part", "saturated")
	both([]string{"8", "20"}, saturated, servers, rates, balancers)
	both([]string{"20"}, saturated, servers, balancers, axis("coordination", "quota"))
	both([]string{"20"}, saturated, servers, axis("coordination", "quota:remainder=drop"))
	both([]string{"20"}, saturated, servers, axis("balancer", "round-robin", "random"), axis("coordination", "central"), axis("rtt", "20ms"))
	instant := []sweep.Axis{axis("part", "instant"), axis("servers", "1", "2", "3", "8")}
	both([]string{"20"}, append(instant, axis("coordination", "local", "quota", "quota:remainder=drop"))...)
	both([]string{"20"}, append(instant, axis("coordination", "central"), axis("rtt", "20ms"))...)
	both([]string{"20"}, axis("part", "remap"), axis("balancer", "hash"), axis("servers", "8"), axis("remaps", "0", "1", "2", "3"))
	split := axis("part", "split")
	random := axis("balancer", "random")
	some := axis("limiter", "fixed-window", "sliding-log", "sliding-counter", "token-bucket")
	ten := axis("burst", "10")
	return append(grids,
		sweep.Grid{axis("part", "instant"), axis("limiter", "token-bucket"), axis("burst", "20"), axis("servers", "3"), axis("balancer", "hash")},
		sweep.Grid{split, axis("limiter", "token-bucket"), ten, random, axis("servers", "1", "4", "16"),
			axis("load", "0.5", "1", "2", "3", "4", "6", "8", "12", "16", "24", "32")},
		sweep.Grid{split, some, ten, random, axis("servers", "4"), axis("load", "3", "4", "6")},
		sweep.Grid{split, some, ten, axis("balancer", "random", "weighted:zipf=1", "round-robin"), axis("servers", "16"), axis("load", "16")},
		sweep.Grid{split, some, ten, axis("balancer", "weighted:zipf=1"), axis("servers", "4"), axis("load", "4")},
		sweep.Grid{split, axis("limiter", "fixed-window"), ten, axis("servers", "4"), axis("load", "3", "4", "5")},
		sweep.Grid{split, axis("limiter", "gcra", "leaky-queue"), ten, axis("servers", "4"), random, axis("load", "4")},
		sweep.Grid{split, axis("limiter", "leaky-meter"), axis("servers", "4"), random, axis("load", "4")},
		sweep.Grid{axis("part", "quota"), axis("limiter", "fixed-window"), axis("burst", "64"), axis("load", "1"), axis("coordination", "quota"), servers,
			axis("balancer", "round-robin", "random", "weighted:zipf=1")},
		sweep.Grid{axis("part", "quota"), axis("limiter", "fixed-window", "sliding-log", "token-bucket"), axis("burst", "64"), axis("load", "1"), axis("coordination", "quota"),
			axis("servers", "4", "10")},
		sweep.Grid{axis("part", "keys"), axis("limiter", "sliding-log"), axis("burst", "8"), axis("load", "64"), axis("keys", "16"), axis("servers", "2", "8", "64"),
			axis("balancer", "hash", "round-robin")},
		sweep.Grid{axis("part", "store"), axis("limiter", "sliding-log"), axis("burst", "20"), axis("load", "10"), axis("servers", "3", "8", "64"),
			axis("coordination", "central"), axis("rtt", "0s", "20ms", "1s")},
		sweep.Grid{axis("part", "store"), axis("limiter", "sliding-log"), axis("burst", "20"), axis("load", "10"), axis("servers", "3", "8", "64")},
		sweep.Grid{axis("part", "remap"), axis("limiter", "token-bucket"), axis("burst", "20"), axis("servers", "64"), axis("balancer", "hash"), axis("remaps", "3")},
		sweep.Grid{axis("part", "remap"), axis("limiter", "token-bucket"), axis("burst", "20"), axis("servers", "8"), axis("coordination", "central"), axis("balancer", "hash"), axis("remaps", "1")},
		sweep.Grid{axis("part", "remap"), axis("limiter", "fixed-window"), axis("burst", "20"), axis("servers", "4", "8", "16"), axis("keys", "16"), axis("balancer", "hash", "round-robin"), axis("remaps", "1")},
		sweep.Grid{split, axis("limiter", "fixed-window", "token-bucket"), ten, axis("balancer", "two-choices"), axis("servers", "4"), axis("load", "4")},
		sweep.Grid{split, axis("limiter", "leaky-queue", "gcra"), ten, axis("balancer", "two-choices", "least"), axis("servers", "4"), axis("load", "4")},
		sweep.Grid{split, axis("limiter", "leaky-queue", "gcra"), ten, axis("balancer", "two-choices", "least"), axis("servers", "8"), axis("load", "8")},
		sweep.Grid{split, axis("limiter", "leaky-queue", "gcra"), ten, axis("balancer", "two-choices", "least"), axis("servers", "16"), axis("load", "16")},
	)
}

// fleetWhere drops what repeats other points: a burst of the leaky-meter,
// which has none, a round trip where no store is asked, and a load where the
// part has its own; and what part remap can not do: take down every server, or
// move several callers but once, with a fixed window. So whoever sets the part gets the points of that part.
func fleetWhere(get func(string) string) bool {
	part := get("part")
	ownLoad := part == "saturated" || part == "instant" || part == "remap"
	return (get("limiter") == "leaky-meter") == (get("burst") == "") &&
		(get("rtt") == "0s" || get("coordination") == "central") &&
		ownLoad == (get("load") == "") &&
		(part == "remap") == (get("remaps") != "") &&
		(part != "remap" || fleetRemaps(get))
}

func fleetRemaps(get func(string) string) bool {
	remaps, err := strconv.Atoi(get("remaps"))
	servers, err2 := strconv.Atoi(get("servers"))
	if err != nil || err2 != nil {
		return true // which is said elsewhere
	}
	return remaps < servers && (get("keys") == "1" || remaps == 1 && get("limiter") == "fixed-window")
}

// fleetWorld is a cell's world as it is put together.
type fleetWorld struct {
	config scenario.Config
	rate   spec.Rate
	burst  int64
	load   *big.Rat // nil if the part has none
	quick  bool
	glance bool
	remaps int
	// full is the time in which rate brings burst: the window, and what a
	// bucket takes to fill.
	full time.Duration
}

// fleetCell simulates one world; on quotas, a second one with the same
// arrivals and a central limiter.
func fleetCell(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	w := fleetWorld{quick: lab.Quick, glance: lab.Glance}
	part, err := w.read(c)
	if err != nil {
		return err
	}
	if part := fleetParts[part].name; part == "remap" && w.config.Keys > 1 {
		return w.moved(ctx, lab, out)
	}
	workload, err := fleetParts[part].workload(w)
	if err != nil {
		return err
	}
	if w.config.Workload, err = workloads.Parse(workload); err != nil {
		return err
	}
	if err := w.timing(fleetParts[part].name); err != nil {
		return err
	}
	r, err := lab.Simulate(ctx, w.config)
	if err != nil {
		return err
	}
	for _, name := range fleetParts[part].metrics {
		out.Set(name, r.Get(name))
	}
	if fleetParts[part].name != "quota" {
		return nil
	}
	if w.config.Coordination, err = fleet.ParseCoordination("central"); err != nil {
		return err
	}
	central, err := lab.Simulate(ctx, w.config)
	if err != nil {
		return err
	}
	out.Set(fleetMinusCentral, r.Get("admitted")-central.Get("admitted"))
	return nil
}

// read takes over the cell's factors, and returns the index of its part.
func (w *fleetWorld) read(c sweep.Cell) (part int, err error) {
	for part < len(fleetParts) && fleetParts[part].name != c.Get("part") {
		part++
	}
	if err := fleetCheckPart(c.Get("part")); err != nil {
		return part, err
	}
	if w.rate, err = spec.ParseRate(c.Get("rate")); err != nil {
		return part, err
	}
	w.burst = 1
	if c.Get("burst") != "" {
		w.burst = c.Int("burst")
	}
	if c.Get("load") != "" {
		w.load, _ = new(big.Rat).SetString(c.Get("load"))
	}
	if c.Get("remaps") != "" {
		w.remaps = int(c.Int("remaps"))
	}
	if w.full, err = fleetFull(w.rate, w.burst); err != nil {
		return part, err
	}
	limiter, err := fleetLimiter(c.Get("limiter"), w.rate, w.burst, w.full)
	if err != nil {
		return part, err
	}
	w.config = scenario.Default(limiter, workloads.Spec{})
	w.config.Servers, w.config.Keys = int(c.Int("servers")), int(c.Int("keys"))
	w.config.RTT = fleet.FixedRTT(c.Duration("rtt"))
	w.config.Seed, w.config.Rep = c.Seed, c.Rep
	if w.config.Balancer, err = fleet.ParseBalancer(c.Get("balancer")); err != nil {
		return part, err
	}
	w.config.Coordination, err = fleet.ParseCoordination(c.Get("coordination"))
	return part, err
}

// fleetLimiter returns the limiter of a name that admits burst at one instant
// and rate in the long run.
func fleetLimiter(name string, rate spec.Rate, burst int64, window time.Duration) (limiters.Spec, error) {
	text := fmt.Sprintf("%s:limit=%d,window=%s", name, burst, spec.FormatDuration(window))
	switch name {
	case "token-bucket", "gcra":
		text = fmt.Sprintf("%s:rate=%s,burst=%d", name, rate, burst)
	case "leaky-meter":
		text = fmt.Sprintf("%s:rate=%s", name, rate)
	case "leaky-queue":
		text = fmt.Sprintf("%s:rate=%s,queue=%d", name, rate, burst-1)
	}
	return limiters.Parse(text)
}

// saturated offers twice what the servers admit together, steadily: a whole
// number of requests to an emission interval, so that the fleet goes round
// in a cycle and its counts are exact.
func (w fleetWorld) saturated() (string, error) {
	rate, err := w.rate.Times(2*int64(w.config.Servers), 1)
	return fmt.Sprintf("steady:rate=%s", rate), err
}

// instant offers bursts of twice what the servers admit together, so far
// apart that each finds the limiters as new.
func (w fleetWorld) instant() (string, error) {
	return fmt.Sprintf("burst-train:size=%d,period=%s", 2*int64(w.config.Servers)*w.burst, spec.FormatDuration(2*w.full)), nil
}

// poisson offers load times the promised rate.
func (w fleetWorld) poisson() (string, error) {
	if w.load == nil {
		return "", errors.New("factor \"load\": must be given in this part, as in 1.5")
	}
	rate, err := w.rate.Times(w.load.Num().Int64(), w.load.Denom().Int64())
	return fmt.Sprintf("poisson:rate=%s", rate), err
}

// timing sets warm-up and horizon, in whole windows.
func (w *fleetWorld) timing(part string) error {
	windows := func(n int64) time.Duration {
		if n > math.MaxInt64/int64(w.full) {
			return math.MaxInt64 // which no scenario accepts
		}
		return time.Duration(n) * w.full
	}
	switch part {
	case "remap":
		w.config.Horizon = time.Duration(w.remaps+1) * fleetBetween
		return w.remap()
	case "instant":
		w.config.Horizon = windows(6) // three bursts
	case "saturated":
		// At twice its rate a bucket is drained after one window, and a
		// counter's windows are alike after two. The span is a whole number
		// of windows, or of the emission intervals N/r of a bucket's quotas,
		// so that what is counted has no remainder.
		warmup, span := int64(1), int64(1)
		if !w.quick {
			warmup, span = 2, 4
		}
		w.config.Warmup, w.config.Horizon = windows(warmup), windows(warmup+span)
		if _, windowed := w.config.Limiter.Window(); !windowed {
			cycle, err := fleetFull(w.rate, int64(w.config.Servers))
			if err != nil {
				return err
			}
			w.config.Horizon = w.config.Warmup + (windows(span)+cycle-1)/cycle*cycle
		}
	default:
		// A full bucket forgets its start within about 0.2·b² emission
		// intervals; 4·b², which are 4·b windows, is twenty times as long.
		// Fixed windows and logs forget within a few windows. A quota is
		// 1/N of the bucket at 1/N of the rate.
		warmup, requests := 4*w.burst, int64(200_000)
		if w.quick {
			requests = 32_000
		}
		switch part {
		case "keys", "store": // bounds, which hold from the start
			warmup, requests = 0, requests/10
		case "quota":
			warmup = warmup/int64(w.config.Servers) + 4
			if w.quick {
				requests = 20_000
			}
		}
		if w.glance {
			requests /= 4
		}
		perWindow := new(big.Rat).Mul(w.load, big.NewRat(w.burst, 1))
		count := new(big.Rat).Quo(big.NewRat(requests, 1), perWindow)
		whole := new(big.Int).Quo(count.Num(), count.Denom()).Int64()
		w.config.Warmup, w.config.Horizon = windows(warmup), windows(warmup+max(whole, 20))
	}
	return nil
}

// fleetFull returns the time in which rate brings burst requests, rounded up
// to the ns.
func fleetFull(rate spec.Rate, burst int64) (time.Duration, error) {
	full := new(big.Int).Mul(big.NewInt(burst), big.NewInt(int64(rate.P)))
	full.Add(full, big.NewInt(rate.N-1)).Quo(full, big.NewInt(rate.N))
	if year := 365 * 24 * time.Hour; full.Cmp(big.NewInt(int64(year))) > 0 {
		return 0, fmt.Errorf("a rate of %s takes more than a year to bring %d requests", rate, burst)
	}
	return time.Duration(full.Int64()), nil
}

func fleetCheckPart(v string) error {
	var names []string
	for _, p := range fleetParts {
		names = append(names, p.name)
	}
	return oneOf(names...)(v)
}

func fleetCheckLimiter(v string) error { return oneOf(limiters.Canonical()...)(v) }

func fleetCheckRTT(v string) error {
	d, err := spec.ParseDuration(v)
	if err == nil && d < 0 {
		err = errors.New("must be >= 0")
	}
	return err
}

func fleetCheckLoad(v string) error {
	x, err := spec.ParseNumber(v)
	if r, ok := new(big.Rat).SetString(v); err != nil || !ok || x < 1e-3 || x > 1e6 || !r.Num().IsInt64() || !r.Denom().IsInt64() {
		return errors.New("must be a number in 0.001..1000000")
	}
	return nil
}
