package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"ratelab/clients"
	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/fleet"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/workloads"
)

func init() {
	register(Experiment{
		Name:     "overload-collapse",
		Question: "How does one slow minute become an outage, and what heals it?",
		Hypothesis: "A server whose clients give up and try again works on what nobody waits for. It heals by itself only if load times attempts " +
			"is below its capacity. Above that a spike of seconds leaves an outage that lasts, unless a limit, a budget or a short queue keeps the " +
			"backlog shorter than the clients' patience; back-off alone only moves the retries. Refusals that cost work move the collapse to the door.",
		Factors: []sweep.Factor{
			{Name: "part", Default: "spike", Check: oneOf("spike", "course", "door"),
				Description: "which question: spike (is the server stuck long after a spike), course (5 s of the same story), door (refusals cost the workers' time)"},
			{Name: "load", Unit: "requests/s", Default: "240", Check: wholeNumber(100_000), Description: "Poisson requests before and after the spike, or at the door all the time; a retry is none"},
			{Name: "retries", Default: "1", Check: overloadCheckRetries, Description: "R: most retries of a request; each attempt is given up after 1 s"},
			{Name: "peak", Unit: "requests/s", Default: "450", Check: wholeNumber(100_000), Description: "requests in the spike, which begins at 10 s"},
			{Name: "spike", Unit: "duration", Default: "4s", Check: overloadCheckSpike, Description: "how long the spike lasts; 0s: there is none"},
			{Name: "queue", Unit: "requests", Default: "unlimited", Check: overloadCheckQueue, Description: "that may wait at the server, which serves 300/s; more are shed"},
			{Name: "limit", Default: "none", Check: overloadCheckLimit, Description: "the limit in front of the server"},
			{Name: "jitter", Default: "none", Check: oneOf("none", "full", "equal", "decorrelated"),
				Description: "none: a retry comes 100 ms after a failure; otherwise back-off from 1 s to 10 s with this jitter"},
			{Name: "budget", Default: "none", Check: budgetCheck, Description: "what limits the retries of all clients together"},
			{Name: "deadline", Default: "no", Check: oneOf("no", "yes"), Description: "whether workers pass over requests that nobody waits for"},
			{Name: "from", Unit: "s", Default: "0", Check: overloadCheckFrom, Description: "when the 5 s begin that part course counts"},
			{Name: "pays", Default: "refusals", Check: oneOf("refusals", "all"), Description: "whose decision takes 10 ms of a worker at the door: only refusals, or all"},
			{Name: "arrivals", Default: "poisson", Check: oneOf("poisson", "steady"), Description: "how requests come to the door"},
		},
		Metrics:   fromDictionary("stuck", "goodput", "time_to_recover", "wasted_work_share", "success_share", "amplification"),
		Grids:     overloadGrids(),
		Reps:      10,
		QuickReps: 2,
		Cell:      overloadCell,
		Claims:    overloadClaims(),
		Figures: []Figure{
			{Name: "course", Draw: overloadDrawCourse},
			{Name: "stuck", Draw: overloadDrawStuck},
			{Name: "door", Draw: overloadDrawDoor},
		},
		Findings: overloadFindings,
		Threats: []string{
			"One server with one worker and constant service times; capacity does not depend on what waits, as it would where memory or caches suffer.",
			"Stuck is said at a stated horizon, 150 s (60 s in quick runs): just below the threshold a backlog may take longer to drain, just above it a collapse has a finite life.",
			"All clients share one patience, 1 s, and one policy; people who give up for good would heal what programs do not.",
			"A budget is of one client process that sends everything; many small clients have a budget each, full at first.",
			"The server answers nobody late: work for a caller who is gone is not cached, and so of no use to his retry.",
			"Arrivals are Poisson between sharp edges; the trigger is a spike of load, not a slow server, which leaves the same backlog.",
			"At the door a decision costs the workers' time. A door with hardware of its own collapses at its own rate.",
		},
	})
}

// The server and its clients.
const (
	overloadService  = "const:mean=3333333ns" // 300/s
	overloadCapacity = 300
	overloadPatience = 1 // s
	overloadSpikeAt  = 10 * time.Second
)

// The door: one worker, S = 20 ms, D = 10 ms.
const (
	overloadDoorLimit   = 20 // a second
	overloadDoorBurst   = 5
	overloadDoorService = 20 * time.Millisecond
	overloadDoorCost    = 10 * time.Millisecond
	overloadDoorQueue   = 50
)

// overloadCures are what the figures compare, each against the same spike.
var overloadCures = []struct {
	label string
	at    []string
}{
	{"no cure", nil},
	{"back-off", []string{"jitter", "full"}},
	{"deadlines", []string{"deadline", "yes"}},
	{"budget", []string{"budget", overloadBudget}},
	{"limit", []string{"limit", overloadLimit}},
	{"short queue", []string{"queue", "150"}},
}

const (
	overloadBudget = "ratio:min=0,percent=10"
	overloadLimit  = "token-bucket:rate=270/s,burst=50"
)

func overloadGrids() []sweep.Grid {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	grids := []sweep.Grid{
		{axis("load", "100", "120", "130", "140", "145", "147", "149", "150", "155", "160", "170", "200", "240", "280")},
		{axis("load", "60", "80", "90", "100", "110", "120", "160", "200"), axis("retries", "2")},
		{axis("load", "160", "200", "240", "280"), axis("spike", "0s")},
		{axis("load", "160", "200", "240", "280", "320", "600"), axis("queue", "200")},
		{axis("load", "240", "280", "320"), axis("queue", "400")},
		{axis("load", "100"), axis("peak", "600")},
		{axis("peak", "700"), axis("spike", "500ms", "2s")},
		{axis("load", "200"), axis("peak", "600"), axis("spike", "700ms")},
		{axis("load", "280"), axis("peak", "450"), axis("spike", "1s")},
		{axis("load", "100", "240", "280"), axis("jitter", "full")},
		{axis("jitter", "equal", "decorrelated")},
		{axis("load", "280"), axis("peak", "400"), axis("budget", "ratio:min=10,percent=0", "ratio:min=40,percent=0")},
		{axis("budget", overloadBudget, "ratio:min=0,percent=15", "ratio:min=0,percent=40")},
		{axis("limit", overloadLimit, "token-bucket:rate=600/s,burst=50")},
		{axis("peak", "900"), axis("limit", overloadLimit)},
		{axis("retries", "5"), axis("limit", overloadLimit)},
		{axis("deadline", "yes")},
		{axis("queue", "150")},
		{axis("part", "door"), axis("load", "10", "20", "30", "50", "60", "70", "80", "90", "95", "100", "120", "200"), axis("pays", "refusals", "all"), axis("arrivals", "steady")},
		{axis("part", "door"), axis("load", "30", "50", "90"), axis("arrivals", "poisson")},
		{axis("part", "door"), axis("load", "50", "80"), axis("pays", "all"), axis("arrivals", "poisson")},
	}
	for _, cure := range overloadCures {
		g := sweep.Grid{axis("part", "course"), axis("from", "0", "5", "10", "15", "20", "30", "40", "50", "60")}
		for i := 0; i+1 < len(cure.at); i += 2 {
			g = append(g, axis(cure.at[i], cure.at[i+1]))
		}
		grids = append(grids, g)
	}
	return grids
}

func overloadCell(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	world := overloadSpike
	if c.Get("part") == "door" {
		world = overloadDoor
	}
	w, err := world(c, lab.Quick)
	if err != nil {
		return err
	}
	r, err := lab.Simulate(ctx, w)
	if err != nil {
		return err
	}
	switch c.Get("part") {
	case "spike":
		for _, name := range []string{"stuck", "goodput", "time_to_recover", "wasted_work_share", "success_share", "amplification"} {
			out.Set(name, r.Get(name))
		}
	default:
		out.Set("goodput", r.Get("goodput"))
		out.Set("wasted_work_share", r.Get("wasted_work_share"))
	}
	return nil
}

// overloadSpike is a server and its clients before, in and after a spike. In
// part spike all is counted but the first fifth, and stuck said of the end.
func overloadSpike(c sweep.Cell, quick bool) (w scenario.Config, err error) {
	limit := c.Get("limit")
	if limit == "none" {
		limit = "gcra:rate=1000000/s,burst=1000000" // which admits all
	}
	limiter, err := limiters.Parse(limit)
	if err != nil {
		return w, err
	}
	length := c.Duration("spike")
	arrivals := fmt.Sprintf("poisson:rate=%s/s", c.Get("load"))
	if length > 0 {
		arrivals = fmt.Sprintf("flash-crowd:rate=%s/s,peak=%s/s,from=%s,to=%s", c.Get("load"), c.Get("peak"),
			spec.FormatDuration(overloadSpikeAt), spec.FormatDuration(overloadSpikeAt+length))
	}
	workload, err := workloads.Parse(arrivals)
	if err != nil {
		return w, err
	}
	w = scenario.Default(limiter, workload)
	if w.Clients, err = clients.ParseMix(overloadClient(c)); err != nil {
		return w, err
	}
	if w.Capacity.Service, err = fleet.ParseService(overloadService); err != nil {
		return w, err
	}
	w.Capacity.Workers, w.Capacity.Queue = 1, fleet.Unlimited
	if c.Get("queue") != "unlimited" {
		w.Capacity.Queue = int(c.Int("queue"))
	}
	w.Capacity.DropAbandoned = c.Get("deadline") == "yes"
	w.Seed, w.Rep = c.Seed, c.Rep
	if c.Get("part") == "course" {
		w.Warmup = time.Duration(c.Float("from") * float64(time.Second))
		w.Horizon = w.Warmup + 5*time.Second
		return w, nil
	}
	w.Horizon = 150 * time.Second
	if quick {
		w.Horizon = 60 * time.Second
	}
	w.Warmup = w.Horizon / 5
	w.Measure.Recovery, w.Measure.RecoverFrom = true, overloadSpikeAt+length
	return w, nil
}

// overloadClient writes the spec of the clients.
func overloadClient(c sweep.Cell) string {
	policy := "rude:every=100ms"
	if jitter := c.Get("jitter"); jitter != "none" {
		policy = "backoff:base=1s,cap=10s,jitter=" + jitter
	}
	budget := strings.NewReplacer(":", "/", ",", "/").Replace(c.Get("budget"))
	return fmt.Sprintf("%s,attempts=%d,timeout=%ds,budget=%s", policy, overloadRetries(c.Get("retries"))+1, overloadPatience, budget)
}

// overloadDoor is a server whose workers write the refusals. Where all pay,
// what is admitted takes a worker D longer. The queue starts empty, and 30 s
// fill it at any load of the claims above what the worker can do. Steady
// arrivals have no chance in them; Poisson ones have a longer run.
func overloadDoor(c sweep.Cell, quick bool) (w scenario.Config, err error) {
	limiter, err := limiters.Parse(fmt.Sprintf("token-bucket:rate=%d/s,burst=%d", overloadDoorLimit, overloadDoorBurst))
	if err != nil {
		return w, err
	}
	workload, err := workloads.Parse(fmt.Sprintf("%s:rate=%s/s", c.Get("arrivals"), c.Get("load")))
	if err != nil {
		return w, err
	}
	w = scenario.Default(limiter, workload)
	service := overloadDoorService
	if c.Get("pays") == "all" {
		service += overloadDoorCost
	}
	if w.Capacity.Service, err = fleet.ParseService("const:mean=" + spec.FormatDuration(service)); err != nil {
		return w, err
	}
	w.Capacity.Workers, w.Capacity.Queue = 1, overloadDoorQueue
	w.Capacity.RefusalCost, w.Capacity.RefusalAt = overloadDoorCost, fleet.Desk
	w.Seed, w.Rep = c.Seed, c.Rep
	w.Warmup, w.Horizon = 30*time.Second, 130*time.Second
	if c.Get("arrivals") == "poisson" && !quick {
		w.Horizon = 2030 * time.Second
	}
	return w, nil
}

func overloadRetries(v string) int64 {
	n, err := spec.ParseCount(v)
	if err != nil {
		return -1
	}
	return n
}

func overloadCheckRetries(v string) error {
	if n := overloadRetries(v); n < 0 || n > 100 {
		return errors.New("must be a whole number in 0..100")
	}
	return nil
}

func overloadCheckFrom(v string) error {
	if x, err := spec.ParseNumber(v); err != nil || x < 0 || x > 3600 {
		return errors.New("must be a number in 0..3600")
	}
	return nil
}

func overloadCheckSpike(v string) error {
	d, err := spec.ParseDuration(v)
	if err == nil && (d < 0 || d > 20*time.Second) {
		err = errors.New("must lie in 0s..20s")
	}
	return err
}

func overloadCheckQueue(v string) error {
	if n, err := spec.ParseCount(v); v != "unlimited" && (err != nil || n < 0 || n > math.MaxInt32) {
		return errors.New("must be a whole number >= 0, or unlimited")
	}
	return nil
}

func overloadCheckLimit(v string) error {
	if v == "none" {
		return nil
	}
	_, err := limiters.Parse(v)
	return err
}
