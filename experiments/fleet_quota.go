package experiments

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
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
		Name:     "fleet-quota",
		Question: "What does a limit divided by N starve?",
		Hypothesis: "Nothing if every server gets the same share of every caller and N divides the limit: the quotas of a fixed window behind a round robin " +
			"decide as one central window. What a balancer deals unevenly is lost, and so is what division leaves over; whoever is held to one server, or to " +
			"one shard, has 1/N of what was promised. Shares that match the demand lose little, and shares that follow it lose little a while later.",
		Factors: []sweep.Factor{
			{Name: "part", Default: "split", Check: quotaCheckPart,
				Description: "which question: split (Poisson arrivals at a load), central (the same against a central limiter), envelope (the same from full buckets on), " +
					"saturated (steady, at twice the limit for each server), instant (bursts of 2·N·limit at one instant), keys (16 callers, Poisson), outage " +
					"(Poisson while servers are down), tenants (callers of Zipf-distributed size and a greedy one), batch (batches at Poisson times)"},
			{Name: "limiter", Default: "fixed-window", Check: fleetCheckLimiter, Description: "the limit that the fleet promises each caller"},
			{Name: "limit", Unit: "requests", Default: "100", Check: wholeNumber(1 << 20),
				Description: "L, promised per window of 1 s: limit of a window; rate per second and burst of a bucket"},
			{Name: "servers", Default: "10", Check: wholeNumber(fleet.MaxServers), Description: "N"},
			{Name: "balancer", Default: fleetRandom, Check: func(v string) error { _, err := fleet.ParseBalancer(v); return err },
				Description: "how requests are dealt out to servers"},
			{Name: "coordination", Default: "quota", Check: func(v string) error { _, err := fleet.ParseCoordination(v); return err },
				Description: "how the servers share the limit"},
			{Name: "load", Check: fleetCheckLoad, Description: "requests offered over requests promised to all callers, without the greedy one"},
			{Name: "down", Unit: "servers", Default: "0", Check: quotaCheckDown, Description: "servers that are down, from number 0, in part outage"},
			{Name: "size", Unit: "requests", Default: "1", Check: wholeNumber(1 << 20), Description: "requests in a batch, in part batch"},
			{Name: "greedy", Check: wholeNumber(1 << 20),
				Description: "what one caller more, the greedy one, offers: this many times the mean of the 10 others, in part tenants"},
		},
		Metrics: append(fromDictionary("max_window_admitted", "overshoot", "excess_mean", "admit_share", "admitted_rate", "admitted_over_rate", "zero_share_servers"),
			sweep.Metric{Name: fleetMinusCentral, Unit: "requests", Description: "Admitted, minus what one central limiter of the same limit admits of the same arrivals."},
			sweep.Metric{Name: quotaGreedyRate, Unit: "requests/s", Description: "Admitted per second of the greedy caller: with it, minus without it, of the same requests of the others."}),
		Grids:     quotaGrids(),
		Where:     quotaWhere,
		Reps:      10,
		QuickReps: 10,
		Cell:      quotaCell,
		Claims:    quotaClaims(),
		Figures: []Figure{
			{Name: "used", Draw: quotaDrawUsed},
			{Name: "division", Draw: quotaDrawDivision},
			{Name: "greedy", Draw: quotaDrawGreedy},
		},
		Findings: quotaFindings,
		Threats: []string{
			"Callers do not react: no retries, no backing off. A refused request is gone.",
			"Clocks of all servers agree, so windows of all servers turn at the same instant.",
			"Weights are fixed: a real balancer's drift. Shares that follow demand are tried against fixed weights, noise and an outage, not against every demand.",
			"Servers that are down are known to be at once; a balancer that finds out late loses what it sends them meanwhile.",
			"A caller in part keys or tenants is one key with a limit of its own, and the others' requests take nothing from it.",
			"Claims about the long run are of fixed windows, which forget everything at each window; buckets and estimates have 20 windows before what is counted: a share of ten tokens forgets its start within two.",
		},
	})
}

const (
	quotaGreedyRate = "greedy_admitted_rate"
	quotaDrop       = "quota:remainder=drop"
	quotaServing    = "quota:over=serving"
	quotaShares     = "quota:shares=4/2/1/1"
	quotaUneven     = "weighted:shares=4/2/1/1"
	quotaAdaptive   = "adaptive:period=1s"
	quotaRestless   = "adaptive:period=300ms,smooth=1,even=0"
	quotaSharded    = "sharded:shards=%d"
	quotaHashed     = "sharded:shards=%d,pick=hash"
	quotaKeys       = 16 // callers in part keys
	quotaTenants    = 10 // callers in part tenants, without the greedy one
	quotaWindow     = time.Second
)

// quotaParts are the sub-questions, each with what is offered and measured.
var quotaParts = []struct {
	name     string
	workload func(q quotaWorld) (string, error)
	metrics  []string
}{
	{"split", quotaWorld.poisson, []string{"excess_mean", "admitted_rate"}},
	{"central", quotaWorld.poisson, nil},
	{"envelope", quotaWorld.poisson, []string{"overshoot"}},
	{"saturated", quotaWorld.saturated, []string{"admitted_over_rate", "zero_share_servers"}},
	{"instant", quotaWorld.instant, []string{"max_window_admitted"}},
	{"keys", quotaWorld.poisson, []string{"admitted_rate"}},
	{"outage", quotaWorld.poisson, []string{"excess_mean", "admitted_rate"}},
	{"tenants", quotaWorld.tenants, []string{"admit_share"}},
	{"batch", quotaWorld.batches, []string{"admitted_rate"}},
}

func quotaGrids() []sweep.Grid {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	part := func(name string, axes ...sweep.Axis) sweep.Grid {
		return append(sweep.Grid{axis("part", name)}, axes...)
	}
	loads := axis("load", "0.8", "1", "1.2")
	one := axis("load", "1")
	curve := axis("load", "0.5", "0.6", "0.7", "0.8", "0.9", "1", "1.1", "1.2", "1.4", "1.6", "2")
	balancers := axis("balancer", fleetRR, fleetRandom, fleetZipf)
	uneven := []sweep.Axis{axis("limit", "80"), axis("servers", "4"), axis("balancer", quotaUneven)}
	twenty := axis("limit", "20")
	tenants := axis("load", "0.25")
	return []sweep.Grid{
		part("split", balancers, curve),
		part("split", axis("balancer", fleetZipf), axis("coordination", quotaAdaptive), curve),
		part("split", axis("coordination", "local"), axis("balancer", fleetRR), loads),
		part("split", axis("coordination", "central"), axis("balancer", fleetRR), curve),
		part("split", balancers, axis("servers", "4", "8", "20"), one),
		part("split", axis("limiter", "sliding-log", "sliding-counter", "token-bucket"), balancers, one),
		part("split", axis("limiter", "token-bucket"), axis("servers", "8"), axis("coordination", "quota", quotaDrop), one),
		part("split", axis("coordination", fmt.Sprintf(quotaSharded, 4), fmt.Sprintf(quotaSharded, 10), fmt.Sprintf(quotaSharded, 20), fmt.Sprintf(quotaHashed, 10)),
			axis("balancer", fleetRR), one),
		part("split", append(uneven, axis("coordination", quotaShares, "quota"), loads)...),
		part("split", axis("coordination", quotaAdaptive, "adaptive:period=3s", quotaRestless), axis("balancer", fleetRandom, fleetZipf),
			axis("load", "1", "1.2")),
		part("central", axis("limiter", "fixed-window", "sliding-log", "token-bucket"), one),
		part("central", axis("limiter", "fixed-window", "sliding-log", "token-bucket"), axis("balancer", fleetZipf), one),
		part("central", axis("balancer", fleetRR), axis("coordination", "quota", "local"), axis("load", "1.2")),
		part("central", axis("balancer", fleetZipf), axis("coordination", quotaAdaptive), axis("load", "1.2")),
		part("envelope", axis("limiter", "token-bucket"), axis("coordination", quotaAdaptive, quotaRestless, "local"),
			axis("balancer", fleetRandom, fleetZipf), axis("load", "3")),
		part("saturated", twenty, axis("limiter", "fixed-window", "sliding-counter", "token-bucket"), axis("servers", append(upTo(20), "32", "64")...),
			axis("balancer", fleetRR), axis("coordination", quotaDrop)),
		part("saturated", twenty, axis("limiter", "sliding-log"), axis("servers", "3", "8", "12", "16", "64"), axis("balancer", fleetRR), axis("coordination", quotaDrop)),
		part("saturated", twenty, axis("limiter", "fixed-window", "sliding-log", "sliding-counter", "token-bucket"),
			axis("servers", "3", "8", "12", "16", "20", "32", "64"), axis("balancer", fleetRR)),
		part("instant", twenty, axis("limiter", "token-bucket"), axis("servers", "3", "8", "16", "64"), axis("balancer", fleetRR), axis("coordination", "quota", quotaDrop)),
		part("keys", twenty, axis("load", "3"), axis("balancer", fleetRR), axis("coordination",
			fmt.Sprintf(quotaHashed, 2), fmt.Sprintf(quotaHashed, 5), fmt.Sprintf(quotaHashed, 20), fmt.Sprintf(quotaSharded, 5))),
		part("keys", twenty, axis("load", "3"), axis("balancer", "hash"), axis("servers", "5"), axis("coordination", "quota", "local")),
		part("outage", axis("coordination", "quota", quotaServing, quotaAdaptive), axis("balancer", fleetRR), axis("down", "3"), loads),
		part("outage", axis("coordination", "quota", quotaServing), axis("balancer", fleetRR), axis("servers", "4"), axis("down", "1", "2"), one),
		part("outage", axis("coordination", "quota", quotaServing), axis("down", "3"), one),
		part("tenants", tenants, twenty, axis("greedy", "4"), axis("servers", "1", "2", "4", "5", "10", "20"), axis("balancer", "hash", fleetRR, fleetRandom)),
		part("tenants", tenants, twenty, axis("greedy", "2"), axis("servers", "2", "4", "5"), axis("balancer", "hash")),
		part("tenants", tenants, twenty, axis("greedy", "4"), axis("servers", "5"), axis("balancer", "hash"), axis("coordination", "local")),
		part("batch", axis("balancer", fleetRR, fleetRandom), axis("size", "1", "5", "20"), one),
		part("batch", axis("balancer", fleetZipf), axis("size", "5"), one),
	}
}

// quotaWhere drops a load where the part has its own, what other factors do
// nothing to, and fleets that can not be: so whoever sets a factor gets the
// points that have it.
func quotaWhere(get func(string) string) bool {
	part := get("part")
	servers, err := strconv.Atoi(get("servers"))
	down, _ := strconv.Atoi(get("down"))
	for _, name := range []string{"balancer", "coordination"} {
		if _, shares, ok := strings.Cut(get(name), "shares="); ok && strings.Count(shares, "/")+1 != servers {
			return false
		}
	}
	return err == nil && down < servers &&
		(part == "saturated" || part == "instant") == (get("load") == "") &&
		(part == "outage") == (get("down") != "0") &&
		(part == "batch" || get("size") == "1") &&
		(part == "tenants") == (get("greedy") != "")
}

// quotaWorld is a cell's world as it is put together.
type quotaWorld struct {
	config scenario.Config
	cell   sweep.Cell
	limit  int64
	greedy int64 // 0: none
}

// quotaCell simulates one world, and for what is measured against another, that
// too, with the same arrivals.
func quotaCell(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	q := quotaWorld{cell: c, limit: c.Int("limit")}
	if c.Get("greedy") != "" {
		q.greedy = c.Int("greedy")
	}
	part := 0
	for part < len(quotaParts) && quotaParts[part].name != c.Get("part") {
		part++
	}
	if err := quotaCheckPart(c.Get("part")); err != nil {
		return err
	}
	limiter, err := fleetLimiter(c.Get("limiter"), spec.Rate{N: q.limit, P: quotaWindow}, q.limit, quotaWindow)
	if err != nil {
		return err
	}
	if err := q.read(limiter); err != nil {
		return err
	}
	if err := q.timing(lab.Quick); err != nil {
		return err
	}
	run := func(q quotaWorld) (scenario.Result, error) {
		workload, err := quotaParts[part].workload(q)
		if err != nil {
			return nil, err
		}
		if q.config.Workload, err = workloads.Parse(workload); err != nil {
			return nil, err
		}
		return lab.Simulate(ctx, q.config)
	}
	r, err := run(q)
	if err != nil {
		return err
	}
	for _, name := range quotaParts[part].metrics {
		out.Set(name, r.Get(name))
	}
	switch c.Get("part") {
	case "central":
		if q.config.Coordination, err = fleet.ParseCoordination("central"); err != nil {
			return err
		}
		central, err := run(q)
		if err != nil {
			return err
		}
		out.Set(fleetMinusCentral, r.Get("admitted")-central.Get("admitted"))
	case "tenants":
		q.greedy = 0
		others, err := run(q)
		if err != nil {
			return err
		}
		out.Set("admit_share", others.Get("admit_share"))
		out.Set(quotaGreedyRate, (r.Get("admitted")-others.Get("admitted"))/(q.config.Horizon-q.config.Warmup).Seconds())
	}
	return nil
}

// read takes over the cell's factors.
func (q *quotaWorld) read(limiter limiters.Spec) (err error) {
	c := q.cell
	q.config = scenario.Default(limiter, workloads.Spec{})
	q.config.Servers, q.config.Seed, q.config.Rep = int(c.Int("servers")), c.Seed, c.Rep
	if c.Get("part") == "keys" {
		q.config.Keys = quotaKeys
	}
	if q.config.Balancer, err = fleet.ParseBalancer(c.Get("balancer")); err != nil {
		return err
	}
	q.config.Coordination, err = fleet.ParseCoordination(c.Get("coordination"))
	return err
}

// poisson offers load times what is promised to all callers.
func (q quotaWorld) poisson() (string, error) {
	rate, err := q.offered(int64(q.config.Keys))
	return fmt.Sprintf("poisson:rate=%s", rate), err
}

// offered is load times what is promised to so many callers.
func (q quotaWorld) offered(callers int64) (spec.Rate, error) {
	load, ok := new(big.Rat).SetString(q.cell.Get("load"))
	if !ok {
		return spec.Rate{}, errors.New("factor \"load\": must be given in this part, as in 1.5")
	}
	promised := spec.Rate{N: q.limit * callers, P: quotaWindow}
	return promised.Times(load.Num().Int64(), load.Denom().Int64())
}

// saturated offers twice the limit for each server, steadily.
func (q quotaWorld) saturated() (string, error) {
	return fmt.Sprintf("steady:rate=%d/s", 2*q.limit*int64(q.config.Servers)), nil
}

// instant offers bursts to servers that have rested.
func (q quotaWorld) instant() (string, error) {
	return fmt.Sprintf("burst-train:size=%d,period=%s", 2*q.limit*int64(q.config.Servers), spec.FormatDuration(2*quotaWindow)), nil
}

func (q quotaWorld) tenants() (string, error) {
	rate, err := q.offered(quotaTenants)
	return fmt.Sprintf("tenants:rate=%s,keys=%d,zipf=1,greedy=%d", rate, quotaTenants, q.greedy), err
}

func (q quotaWorld) batches() (string, error) {
	rate, err := q.offered(1)
	return fmt.Sprintf("batch:rate=%s,size=%s", rate, q.cell.Get("size")), err
}

// timing sets warm-up and horizon, in whole windows, and the outage, which
// lasts for all that is counted.
func (q *quotaWorld) timing(quick bool) error {
	warmup, counted := time.Duration(20), time.Duration(2000)
	if quick {
		counted = 100
	}
	switch q.cell.Get("part") {
	case "saturated":
		// A counter of limit 1 goes round in two windows, and a bucket's quota
		// gets a token every N/L windows: counted are whole rounds of both.
		warmup, counted = 4, 2
		if _, windowed := q.config.Limiter.Window(); !windowed {
			for counted*time.Duration(q.limit)%time.Duration(q.config.Servers) != 0 {
				counted += 2
			}
		}
	case "split":
		if quick {
			counted = 70
		}
	case "instant":
		warmup, counted = 0, 6
	case "envelope": // bursts of full buckets, which come at the start
		warmup, counted = 0, 40
	case "keys":
		counted /= 10
	case "tenants":
		if !quick {
			counted *= 2
		}
	case "central":
		counted /= 4
	}
	q.config.Warmup, q.config.Horizon = warmup*quotaWindow, (warmup+counted)*quotaWindow
	down := q.cell.Get("down")
	if down == "0" {
		return nil
	}
	// Fixed windows turn at the instant at which the servers go down, and
	// estimates of demand have ten windows to notice.
	first := q.config.Warmup - 10*quotaWindow
	var err error
	q.config.Faults, err = fleet.ParseFaults(fmt.Sprintf("down=0-%d@%s..%s", q.cell.Int("down")-1, spec.FormatDuration(first), spec.FormatDuration(q.config.Horizon)))
	return err
}

// upTo returns the whole numbers from 1 to n.
func upTo(n int) (values []string) {
	for i := range n {
		values = append(values, strconv.Itoa(i+1))
	}
	return values
}

func quotaCheckPart(v string) error {
	var names []string
	for _, p := range quotaParts {
		names = append(names, p.name)
	}
	return oneOf(names...)(v)
}

func quotaCheckDown(v string) error {
	if v == "0" {
		return nil
	}
	return wholeNumber(fleet.MaxServers)(v)
}
