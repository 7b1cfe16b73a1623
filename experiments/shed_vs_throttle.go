package experiments

import (
	"context"
	"fmt"
	"time"

	"ratelab/clients"
	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/fleet"
	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/workloads"
)

func init() {
	register(Experiment{
		Name:     "shed-vs-throttle",
		Question: "What does a limit for each tenant protect from, and what does load shedding?",
		Hypothesis: "A limit by identity saves the others from one greedy tenant, and does nothing when everybody is within his limit and together they are too many. " +
			"Shedding by pressure keeps the goodput at the capacity whatever comes, and hits all alike.",
		Factors: []sweep.Factor{
			{Name: "part", Default: "greedy", Check: oneOf("greedy", "overload"),
				Description: "which question: greedy (ten tenants of 5/s each, and one more), overload (ten equal tenants)"},
			{Name: "defence", Default: "none", Check: oneOf("none", "shed", "throttle", "both"),
				Description: "shed: 20 requests wait at most, the rest is turned away; throttle: a token bucket for each tenant"},
			{Name: "greedy", Default: "0", Check: shedCheckGreedy, Description: "what the greedy tenant sends over what each other does"},
			{Name: "offered", Unit: "requests/s", Default: "50", Check: wholeNumber(100_000), Description: "what the ten tenants send together; the server can do 100/s"},
			{Name: "limit", Unit: "requests/s", Default: "9", Check: wholeNumber(100_000), Description: "rate of each tenant's limit, and in requests its burst"},
		},
		Metrics: append(fromDictionary("goodput", "wasted_work_share", "queue_delay_mean"),
			sweep.Metric{Name: "others_ok", Unit: "1", Description: "Share of the ten tenants' requests that were answered in time."},
			sweep.Metric{Name: "others_throttled", Unit: "1", Description: "Share of the ten tenants' requests that their limit refused (429)."},
			sweep.Metric{Name: "others_shed", Unit: "1", Description: "Share of the ten tenants' requests that the server turned away (503)."},
			sweep.Metric{Name: "others_timeout", Unit: "1", Description: "Share of the ten tenants' requests that were given up."},
			sweep.Metric{Name: "others_rate", Unit: "requests/s", Description: "The ten tenants' requests that were answered in time, per second."},
			sweep.Metric{Name: "greedy_ok", Unit: "1", Description: "Share of the greedy tenant's requests that were answered in time."},
			sweep.Metric{Name: "greedy_throttled", Unit: "1", Description: "Share of the greedy tenant's requests that its limit refused (429)."},
			sweep.Metric{Name: "greedy_shed", Unit: "1", Description: "Share of the greedy tenant's requests that the server turned away (503)."},
			sweep.Metric{Name: "greedy_timeout", Unit: "1", Description: "Share of the greedy tenant's requests that were given up."},
			sweep.Metric{Name: "greedy_rate", Unit: "requests/s", Description: "The greedy tenant's requests that were answered in time, per second."}),
		Grids:     shedGrids(),
		Reps:      10,
		QuickReps: 5,
		Cell:      shedCell,
		Claims:    shedClaims(),
		Figures: []Figure{
			{Name: "goodput", Draw: shedDrawGoodput},
			{Name: "greedy", Draw: shedDrawGreedy},
			{Name: "labels", Draw: shedDrawLabels},
		},
		Findings: shedFindings,
		Threats: []string{
			"Nobody retries: with retries overload is worse, which is the question of overload-collapse.",
			"Refusals are free, by identity and by pressure; both stand in front of the same worker.",
			"Every tenant is known by its key before anything is spent on its request; an attacker with many keys is within every limit.",
			"Requests cost the same. Where one tenant's are dearer, a limit on requests divides work unevenly.",
			"Shedding is by queue length alone; priorities or shedding by tenant would not hit all alike.",
			"The limits are set by hand below what the server has left; none follows the load.",
		},
	})
}

const (
	shedCapacity = 100 // a second: const:mean=10ms
	shedQueue    = 20
	shedTenants  = 10
	shedEach     = 5 // a second: of each tenant in part greedy
	shedSpacious = "60"
)

func shedGrids() []sweep.Grid {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	defences := axis("defence", "none", "throttle", "shed", "both")
	throttle := axis("defence", "throttle")
	overload := axis("part", "overload")
	return []sweep.Grid{
		{defences, axis("greedy", "0", "5", "10", "20", "30", "40")},
		{throttle, axis("greedy", "20", "40"), axis("limit", "20", "40", shedSpacious)},
		{overload, defences, axis("offered", "50", "80", "90", "110", "130", "150", "300"), axis("limit", shedSpacious)},
		{overload, throttle, axis("offered", "150"), axis("limit", "9")},
	}
}

// shedCell counts what became of each tenant's requests. What begins in the
// last 2 s is not counted: it may not have ended by the horizon.
func shedCell(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	w, err := shedWorld(c, lab.Quick)
	if err != nil {
		return err
	}
	counts := &shedCounts{from: w.Warmup, to: w.Horizon - 2*time.Second}
	w.Observer = counts
	r, err := lab.Simulate(ctx, w)
	if err != nil {
		return err
	}
	for _, name := range []string{"goodput", "wasted_work_share", "queue_delay_mean"} {
		out.Set(name, r.Get(name))
	}
	for i, who := range []string{"others", "greedy"} {
		all := int64(0)
		for _, n := range counts.ended[i] {
			all += n
		}
		if all == 0 {
			continue
		}
		for _, outcome := range []contract.Outcome{contract.OK, contract.Throttled, contract.Shed, contract.Timeout} {
			out.Set(who+"_"+outcome.String(), float64(counts.ended[i][outcome])/float64(all))
		}
		out.Set(who+"_rate", float64(counts.ended[i][contract.OK])/(counts.to-counts.from).Seconds())
	}
	return nil
}

// shedCounts counts the requests that began in from..to by their last outcome:
// those of the others, and those of the greedy tenant.
type shedCounts struct {
	from, to time.Duration
	ended    [2][contract.StoreDown + 1]int64
}

func (*shedCounts) Sent(time.Duration, int, contract.Request, int64)           {}
func (*shedCounts) Heard(time.Duration, int, contract.Request, contract.Reply) {}

// Ended counts a request.
func (s *shedCounts) Ended(_ time.Duration, e clients.Ended) {
	if e.Since >= s.from && e.Since < s.to {
		s.ended[e.Key/shedTenants][e.Outcome]++
	}
}

// shedWorld is a server of 100/s and its tenants, who give up after 1 s. Above
// the capacity an unbounded queue is longer than that within the warm-up; below
// it all is stationary long before.
func shedWorld(c sweep.Cell, quick bool) (w scenario.Config, err error) {
	limit := "gcra:rate=1000000/s,burst=1000000" // which admits all
	defence := c.Get("defence")
	if defence == "throttle" || defence == "both" {
		limit = fmt.Sprintf("token-bucket:rate=%s/s,burst=%s", c.Get("limit"), c.Get("limit"))
	}
	limiter, err := limiters.Parse(limit)
	if err != nil {
		return w, err
	}
	greedy := c.Get("greedy")
	if c.Get("part") == "overload" {
		greedy = "0"
	}
	workload, err := workloads.Parse(fmt.Sprintf("tenants:rate=%s/s,keys=%d,zipf=0,greedy=%s", c.Get("offered"), shedTenants, greedy))
	if err != nil {
		return w, err
	}
	w = scenario.Default(limiter, workload)
	w.Population, w.Keys = shedTenants+1, shedTenants+1
	if w.Clients, err = clients.ParseMix("none:timeout=1s"); err != nil {
		return w, err
	}
	if w.Capacity.Service, err = fleet.ParseService("const:mean=10ms"); err != nil {
		return w, err
	}
	w.Capacity.Workers, w.Capacity.Queue = 1, fleet.Unlimited
	if defence == "shed" || defence == "both" {
		w.Capacity.Queue = shedQueue
	}
	w.Seed, w.Rep = c.Seed, c.Rep
	w.Warmup, w.Horizon = 30*time.Second, 430*time.Second
	if quick {
		w.Horizon = 70 * time.Second
	}
	return w, nil
}

func shedCheckGreedy(v string) error {
	if v == "0" {
		return nil
	}
	return wholeNumber(10_000)(v)
}
