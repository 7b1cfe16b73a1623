package experiments

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"time"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/fleet"
	"ratelab/internal/spec"
)

func init() {
	var parts []string
	for _, p := range leaseParts {
		parts = append(parts, p.name)
	}
	register(Experiment{
		Name:     "fleet-lease",
		Question: "How many calls do leases save, and how many tokens do they strand?",
		Hypothesis: "Leases of k make ⌈L/k⌉ granted calls of L checks and never break the promise, as long as they end with their window. " +
			"The price is what lies idle on other servers when one is refused: (N−1)(k−1)/2 tokens.",
		Factors: []sweep.Factor{
			{Name: "part", Default: "flood", Check: oneOf(parts...),
				Description: "which question: flood (four times the limit), stranded (a fifth more than the limit, so that every window ends in refusals), " +
					"promise (as much as the limit), below (a fifth less), outlive (a request to each server just before the window's end, then a flood)"},
			{Name: "batch", Unit: "requests", Check: wholeNumber(1 << 20), Description: "k, tokens that a server asks for at a time"},
			{Name: "servers", Default: "8", Check: wholeNumber(fleet.MaxServers), Description: "N"},
			{Name: "limit", Unit: "requests", Default: "1000", Check: wholeNumber(1 << 20), Description: "limit L of a fixed window of 10 s"},
			{Name: "balancer", Default: "random", Check: func(v string) error { _, err := fleet.ParseBalancer(v); return err }, Description: "how requests are dealt out to servers"},
			{Name: "ttl", Unit: "duration|window", Default: "window", Check: leaseCheckTTL, Description: "when unused tokens expire"},
			{Name: "cache", Default: "yes", Check: oneOf("yes", "no"), Description: "whether a server that was refused asks no more until the store would grant"},
			{Name: "rtt", Unit: "duration", Default: "0s", Check: fleetCheckRTT, Description: "round trip to the store"},
		},
		Metrics: append(fromDictionary("excess_mean", "store_ops_per_request", "stranded_tokens", "unused_share", "delay_mean"),
			sweep.Metric{Name: perWindow, Unit: "requests", Description: "Admitted requests per window of the limit."},
			sweep.Metric{Name: leaseGranted, Unit: "tokens", Description: "Tokens that the store granted per window of the limit."},
			sweep.Metric{Name: leaseGrants, Unit: "operations", Description: "Leases that the store granted per window of the limit."},
			sweep.Metric{Name: leaseCalls, Unit: "1", Description: "Operations of the store / admitted requests."},
			sweep.Metric{Name: leaseRefused, Unit: "1", Description: "Operations of the store that granted nothing / refused requests."},
			sweep.Metric{Name: leaseVain, Unit: "operations", Description: "Operations of the store that granted nothing, per window of the limit."}),
		Grids:     leaseGrids(),
		Reps:      40,
		QuickReps: 9,
		Cell:      leaseCell,
		Claims:    leaseClaims(),
		Figures: []Figure{
			{Name: "price", Draw: leaseDrawPrice},
		},
		Findings: leaseFindings,
		Threats: []string{
			"A lease is for one window, and its length is told by the store: clocks of servers do not matter.",
			"Servers ask for k whatever their demand; one that adapts k to its demand strands less.",
			"No server restarts, and none leaves with a lease: what it holds would be lost for the window.",
			"One key. With many keys a server holds a lease of each, most of which it will not use again.",
			"Unit costs: a request that costs more than a lease has left asks for what it lacks.",
		},
	})
}

const (
	leaseGranted = "granted_per_window"
	leaseGrants  = "grants_per_window"
	leaseCalls   = "calls_per_admitted"
	leaseRefused = "calls_per_refused"
	leaseVain    = "vain_calls_per_window"
	leaseWindow  = 10 * time.Second
)

// leaseParts are the sub-questions: what comes, and how many windows are
// looked at.
var leaseParts = []struct {
	name           string
	load           *big.Rat // of the limit; nil: as the part says
	windows, quick time.Duration
}{
	{"flood", big.NewRat(4, 1), 4, 1},
	{"stranded", big.NewRat(6, 5), 0, 0}, // by the batch
	{"promise", big.NewRat(1, 1), 10, 2},
	{"below", big.NewRat(4, 5), 4, 1},
	{"outlive", nil, 2, 2},
}

func leaseGrids() []sweep.Grid {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	part := func(name string, axes ...sweep.Axis) sweep.Grid {
		return append(sweep.Grid{axis("part", name)}, axes...)
	}
	grids := []sweep.Grid{
		part("flood", axis("batch", "1", "5", "10", "20", "30", "50", "100"), axis("cache", "yes", "no")),
		part("flood", axis("batch", "20"), axis("rtt", "10ms"), axis("cache", "yes", "no")),
		part("flood", axis("batch", "20"), axis("servers", "2", "16")),
		part("flood", axis("batch", "20"), axis("ttl", "15s")),
		part("promise", axis("batch", "20")),
		part("promise", axis("batch", "20", "50"), axis("ttl", "15s")),
		part("below", axis("batch", "10")),
		part("stranded", axis("batch", "20"), axis("balancer", fleetRR)),
		part("stranded", axis("batch", "10", "40", "60", "70", "80")),
	}
	for _, at := range leaseStrands {
		grids = append(grids, part("stranded", axis("batch", at.batch), axis("servers", at.servers), axis("limit", at.limit)))
	}
	for _, at := range leaseOutlives {
		grids = append(grids, part("outlive", axis("batch", at.batch), axis("servers", at.servers), axis("balancer", fleetRR), axis("ttl", "20s", "window")))
	}
	return grids
}

// leaseStrands are the places of part stranded; the last two are where the
// limit is not large against the batch.
var leaseStrands = []struct{ batch, servers, limit string }{
	{"10", "4", "1000"}, {"20", "8", "1000"}, {"30", "8", "1000"}, {"5", "8", "1000"}, {"50", "8", "1000"}, {"100", "8", "1000"}, {"50", "16", "5000"},
}

// leaseOutlives are the places of part outlive.
var leaseOutlives = []struct{ batch, servers string }{{"20", "8"}, {"5", "8"}, {"50", "4"}, {"10", "16"}}

func leaseCell(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	windows := time.Duration(0)
	x := fleetTexts{
		limiter:      fixedWindow(c.Get("limit"), spec.FormatDuration(leaseWindow)),
		balancer:     c.Get("balancer"),
		coordination: fmt.Sprintf("leased:batch=%d,ttl=%s,cache=%s", c.Int("batch"), c.Get("ttl"), c.Get("cache")),
		rtt:          c.Get("rtt"),
		servers:      int(c.Int("servers")),
	}
	for _, p := range leaseParts {
		if p.name != c.Get("part") {
			continue
		}
		if windows = p.windows; lab.Quick {
			windows = p.quick
		}
		if windows == 0 {
			windows = leaseStrandWindows(c, lab.Quick)
		}
		if p.load != nil {
			rate, err := spec.Rate{N: c.Int("limit"), P: leaseWindow}.Times(p.load.Num().Int64(), p.load.Denom().Int64())
			if err != nil {
				return err
			}
			x.workload = "poisson:rate=" + rate.String()
		} else {
			// To each server one, 5 ms before the first window ends, and from
			// then on every 10 ms: twice the limit, at least.
			x.workload = fmt.Sprintf("burst-train:size=%d,period=10ms,phase=%s", c.Int("servers"), spec.FormatDuration(leaseWindow-5*time.Millisecond))
		}
	}
	w, err := x.world(c)
	if err != nil {
		return err
	}
	w.Horizon = windows * leaseWindow
	if c.Get("part") == "outlive" {
		w.Warmup = leaseWindow
	}
	r, err := lab.Simulate(ctx, w)
	if err != nil {
		return err
	}
	leaseTake(out, r, float64(windows-w.Warmup/leaseWindow))
	return nil
}

// leaseStrandWindows returns how many windows it takes to see the mean of the
// stranded tokens: each of N−1 servers holds up to k−1 of them, evenly.
func leaseStrandWindows(c sweep.Cell, quick bool) time.Duration {
	n, k := float64(c.Int("servers")), float64(c.Int("batch"))
	windows := 650 / max(n-1, 1) * (k + 1) / max(k-1, 1)
	if quick {
		windows /= 6
	}
	return time.Duration(max(windows, 5))
}

// leaseTake reads out one world of so many windows.
func leaseTake(out *sweep.Row, r scenario.Result, windows float64) {
	take(out, r, "excess_mean", "store_ops_per_request", "stranded_tokens", "unused_share", "delay_mean")
	admitted, refused, grants := r.Get("admitted"), r.Get("refused"), r.Get("lease_grants")
	operations := math.Round(r.Get("store_ops_per_request") * r.Get("offered"))
	out.Set(perWindow, admitted/windows)
	out.Set(leaseGrants, grants/windows)
	out.Set(leaseGranted, math.Round(admitted/(1-r.Get("unused_share")))/windows)
	out.Set(leaseCalls, operations/admitted)
	out.Set(leaseVain, (operations-grants)/windows)
	if refused > 0 {
		out.Set(leaseRefused, (operations-grants)/refused)
	}
}

func leaseCheckTTL(v string) error {
	if v == "window" {
		return nil
	}
	d, err := spec.ParseDuration(v)
	if err != nil || d <= 0 {
		return fmt.Errorf("must be a duration above 0, or window%s", spec.DidYouMean(v, []string{"window"}))
	}
	return nil
}
