package experiments

import (
	"context"
	"fmt"
	"math"
	"time"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/fleet"
	"ratelab/internal/spec"
	"ratelab/workloads"
)

func init() {
	register(Experiment{
		Name:     "fleet-sync",
		Question: "What does it cost that servers tell each other what they admitted only now and then?",
		Hypothesis: "What the others admit while the news is under way: Λ(s/2 + d)(N−1)/N on average above the limit, with s the period and d the delay, and " +
			"Λ(s + d)(N−1)/N at worst, so that it is the period, not the number of servers, that matters. Servers that do not even count their own admit Λs/2 + Λd " +
			"too much. No window ever gets more than N limits. If the debt is carried over, the long run pays for it; if it is forgiven, it never does.",
		Factors: []sweep.Factor{
			{Name: "part", Default: "fluid", Check: syncCheckPart,
				Description: "which question: fluid (steady arrivals, dealt out in turn), phase (the same, for all limits from L on, as many as come in one " +
					"period), poisson and curve (Poisson arrivals, dealt out at random, many windows and few), burst (twice N limits at one instant), flood " +
					"(Poisson, against the bound), debt (the long run, from the start)"},
			{Name: "limiter", Default: "fixed-window", Check: oneOf("fixed-window", "token-bucket"), Description: "the limit that the fleet promises"},
			{Name: "limit", Unit: "requests", Default: "100", Check: wholeNumber(1 << 20),
				Description: "L, promised per window of 1 s: limit of a window; rate per second and burst of a bucket"},
			{Name: "servers", Default: "4", Check: wholeNumber(fleet.MaxServers), Description: "N"},
			{Name: "rate", Default: "200/s", Check: func(v string) error { _, err := spec.ParseRate(v); return err }, Description: "Λ, requests offered to the fleet"},
			{Name: "period", Unit: "duration", Default: "100ms", Check: syncCheckPeriod, Description: "s, between two exchanges; windows turn at one if it divides 1 s"},
			{Name: "delay", Unit: "duration", Default: "0s", Check: fleetCheckRTT, Description: "d, how long what is told is under way"},
			{Name: "own", Default: "count", Check: oneOf("count", "ignore"), Description: "whether a server counts what it admits itself before it is exchanged"},
			{Name: "debt", Default: "forgive", Check: oneOf("carry", "forgive"), Description: "what becomes of charges beyond the limit: they are paid later, or not"},
		},
		Metrics: append(fromDictionary("max_window_admitted", "excess_mean", "admitted_over_rate", "messages_per_request"),
			sweep.Metric{Name: syncPhaseMean, Unit: "requests", Description: "Mean of excess_mean over all limits from L on, as many as requests are offered in one period."},
			sweep.Metric{Name: syncPhaseWorst, Unit: "requests", Description: "Largest excess_mean of these limits."}),
		Grids:     syncGrids(),
		Reps:      20,
		QuickReps: 5,
		Cell:      syncCell,
		Claims:    syncClaims(),
		Figures: []Figure{
			{Name: "period", Draw: syncDrawPeriod},
			{Name: "debt", Draw: syncDrawDebt},
		},
		Findings: syncFindings,
		Threats: []string{
			"Exchanges are at the same instants on all servers, and windows turn at one of them; servers that exchange out of step are not modelled.",
			"No message is lost or late beyond the delay, and all clocks agree; the fleet can do otherwise, and is not asked to here.",
			"Poisson demand of one caller, dealt out evenly: a server that takes most of it by itself knows most of it by itself, and overshoots less.",
			"Callers do not react: a refused request is gone. Callers who come back find a fleet whose copies have caught up.",
			"The closed forms are for windows that fill, with Λ·(1 s) well above L; below it there is nothing to overshoot.",
			"A long run is not for ever: of 100 windows or more, two limits are what a full bucket begins with and what nobody has heard of at the end.",
		},
	})
}

const (
	syncPhaseMean  = "excess_phase_mean"
	syncPhaseWorst = "excess_phase_worst"
	syncWindow     = time.Second
	syncRun        = 100 // windows of part debt at least
)

// syncParts are the sub-questions, each with what is offered and measured, and
// for how many windows, quickly and in full.
var syncParts = []struct {
	name        string
	workload    func(w syncWorld) string
	balancer    string
	quick, full time.Duration
	metrics     []string
}{
	{"fluid", syncWorld.steady, fleetRR, 2, 4, []string{"excess_mean", "admitted_over_rate"}},
	{"phase", syncWorld.steady, fleetRR, 1, 1, nil},
	{"poisson", syncWorld.poisson, fleetRandom, 100, 2500, []string{"excess_mean", "admitted_over_rate"}},
	{"curve", syncWorld.poisson, fleetRandom, 20, 400, []string{"excess_mean", "messages_per_request"}},
	{"burst", syncWorld.burst, fleetRR, 6, 6, []string{"max_window_admitted"}},
	{"flood", syncWorld.poisson, fleetRandom, 4, 20, []string{"excess_mean"}},
	{"debt", syncWorld.poisson, fleetRandom, syncRun, 4 * syncRun, []string{"admitted_over_rate"}},
}

func syncGrids() []sweep.Grid {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	part := func(name string, axes ...sweep.Axis) sweep.Grid {
		return append(sweep.Grid{axis("part", name)}, axes...)
	}
	both := axis("own", "count", "ignore")
	servers := axis("servers", "2", "4", "16")
	limits := axis("limit", "100", "112")
	even := axis("rate", "320/s") // whole numbers to a server in every period and delay of parts fluid and phase
	curve := axis("period", "5ms", "10ms", "20ms", "40ms", "50ms", "100ms", "125ms", "200ms")
	kinds := axis("limiter", "fixed-window", "token-bucket")
	return []sweep.Grid{
		part("fluid", even, limits, axis("servers", "1", "2", "4", "8", "16"), both),
		part("fluid", even, limits, axis("servers", "8"), axis("period", "50ms", "200ms", "250ms"), both),
		part("fluid", even, limits, servers, axis("period", "50ms", "100ms", "200ms"), axis("delay", "50ms", "100ms"), both),
		part("fluid", axis("rate", "640/s"), limits, axis("period", "50ms", "100ms"), both),
		part("fluid", even, axis("limit", "100"), axis("period", "300ms")),
		part("fluid", even, axis("limit", "112"), servers, axis("debt", "carry")),
		part("phase", even, servers, axis("period", "50ms", "100ms"), axis("delay", "0s", "50ms"), both),
		part("phase", even, axis("servers", "16"), axis("period", "250ms"), axis("delay", "0s", "50ms"), both),
		part("phase", axis("rate", "640/s"), both),
		part("poisson", servers),
		part("poisson", axis("period", "50ms", "200ms")),
		part("poisson", axis("rate", "400/s")),
		part("poisson", axis("servers", "16"), axis("period", "40ms")),
		part("poisson", axis("own", "ignore"), axis("delay", "0s", "20ms", "50ms")),
		part("poisson", axis("own", "ignore"), axis("servers", "16")),
		part("poisson", axis("delay", "50ms")),
		part("curve", servers, curve),
		part("curve", axis("own", "ignore"), curve),
		part("burst", axis("servers", "2", "4", "16"), both),
		part("flood", axis("rate", "4000/s"), axis("period", "1s"), axis("servers", "2", "4", "16"), both),
		part("debt", kinds, axis("period", "10ms", "20ms", "50ms", "100ms", "200ms"), axis("debt", "forgive", "carry")),
		part("debt", kinds, axis("servers", "2"), axis("debt", "carry")),
		part("debt", kinds, axis("own", "ignore"), axis("debt", "carry")),
	}
}

// syncWorld is a cell's world as it is put together.
type syncWorld struct {
	config scenario.Config
	limit  int64
	rate   spec.Rate
}

// syncCell simulates one world, and in part phase one for each limit.
func syncCell(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	if err := syncCheckPart(c.Get("part")); err != nil {
		return err
	}
	part := 0
	for syncParts[part].name != c.Get("part") {
		part++
	}
	p := syncParts[part]
	windows := p.full
	if lab.Quick {
		windows = p.quick
	}
	run := func(limit int64) (scenario.Result, error) {
		w := syncWorld{limit: limit}
		if err := w.read(c, p.balancer); err != nil {
			return nil, err
		}
		var err error
		if w.config.Workload, err = workloads.Parse(p.workload(w)); err != nil {
			return nil, err
		}
		// A window forgets the one before, but for what it owes; what part debt
		// owes to its start is in its bound.
		if p.name != "burst" && p.name != "debt" && p.name != "phase" {
			w.config.Warmup = 2 * syncWindow
		}
		w.config.Horizon = w.config.Warmup + windows*syncWindow
		return lab.Simulate(ctx, w.config)
	}
	limit := c.Int("limit")
	if p.name == "phase" {
		return syncPhase(c, limit, run, out)
	}
	r, err := run(limit)
	if err != nil {
		return err
	}
	for _, name := range p.metrics {
		out.Set(name, r.Get(name))
	}
	return nil
}

// syncPhase measures every limit from one on, as many as requests come in a
// period.
func syncPhase(c sweep.Cell, limit int64, run func(limit int64) (scenario.Result, error), out *sweep.Row) error {
	rate, err := spec.ParseRate(c.Get("rate"))
	if err != nil {
		return err
	}
	phases := int64(math.Round(float64(rate.PerSecond() * c.Duration("period").Seconds())))
	if phases < 1 || phases > 10_000 {
		return fmt.Errorf("rate %s: must bring 1..10000 requests in a period of %s in part phase", rate, c.Get("period"))
	}
	sum, worst := 0.0, 0.0
	for l := limit; l < limit+phases; l++ {
		r, err := run(l)
		if err != nil {
			return err
		}
		sum += r.Get("excess_mean")
		worst = max(worst, r.Get("excess_mean"))
	}
	out.Set(syncPhaseMean, sum/float64(phases))
	out.Set(syncPhaseWorst, worst)
	return nil
}

// read takes over the cell's factors.
func (w *syncWorld) read(c sweep.Cell, balancer string) (err error) {
	if w.rate, err = spec.ParseRate(c.Get("rate")); err != nil {
		return err
	}
	limiter, err := fleetLimiter(c.Get("limiter"), spec.Rate{N: w.limit, P: syncWindow}, w.limit, syncWindow)
	if err != nil {
		return err
	}
	w.config = scenario.Default(limiter, workloads.Spec{})
	w.config.Servers, w.config.Seed, w.config.Rep = int(c.Int("servers")), c.Seed, c.Rep
	if w.config.Balancer, err = fleet.ParseBalancer(balancer); err != nil {
		return err
	}
	w.config.Coordination, err = fleet.ParseCoordination(fmt.Sprintf("synced:period=%s,delay=%s,own=%s,debt=%s",
		c.Get("period"), c.Get("delay"), c.Get("own"), c.Get("debt")))
	return err
}

// steady offers requests evenly, which are dealt out in turn: a fluid in whole
// requests.
func (w syncWorld) steady() string { return fmt.Sprintf("steady:rate=%s", w.rate) }

func (w syncWorld) poisson() string { return fmt.Sprintf("poisson:rate=%s", w.rate) }

// burst offers more than all servers admit together at the start of every other window.
func (w syncWorld) burst() string {
	return fmt.Sprintf("burst-train:size=%d,period=%s", 2*w.limit*int64(w.config.Servers), spec.FormatDuration(2*syncWindow))
}

func syncCheckPart(v string) error {
	var names []string
	for _, p := range syncParts {
		names = append(names, p.name)
	}
	return oneOf(names...)(v)
}

func syncCheckPeriod(v string) error {
	d, err := spec.ParseDuration(v)
	if err == nil && d <= 0 {
		err = fmt.Errorf("must be > 0")
	}
	return err
}
