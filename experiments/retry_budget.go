package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"ratelab/clients"
	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/workloads"
)

func init() {
	register(Experiment{
		Name:     "retry-budget",
		Question: "Do retry budgets stop storms of retries?",
		Hypothesis: "A budget bounds the attempts at what it allows a call, whatever fails; where little fails it costs nothing. " +
			"Behind a limiter retries bring nobody more, with a budget or without.",
		Factors: []sweep.Factor{
			{Name: "part", Default: "outside", Check: oneOf("outside", "limiter", "start"),
				Description: "which question: outside (attempts fail for a reason from outside), limiter (a limiter refuses them), start (the first 10 s, with all budgets full)"},
			{Name: "budget", Default: "none", Check: budgetCheck, Description: "what limits the retries of a client"},
			{Name: "retries", Default: "3", Check: budgetCheckRetries, Description: "most retries of a call, or unlimited"},
			{Name: "failure", Unit: "1", Default: "0", Check: budgetCheckShare, Description: "chance that an attempt fails for a reason from outside"},
			{Name: "served", Unit: "1", Check: budgetCheckServed, Description: "the limiter's rate over the rate of calls; only in part limiter"},
			{Name: "spread", Unit: "duration", Default: "0s", Check: budgetCheckTime, Description: "a retry waits uniformly in 0..spread; 0s is at once"},
			{Name: "calls", Default: "100/s", Check: func(v string) error { _, err := spec.ParseRate(v); return err }, Description: "rate of calls of all clients together, Poisson"},
			{Name: "clients", Unit: "clients", Default: "1", Check: wholeNumber(100_000), Description: "that the calls come from, each with a budget of its own"},
			{Name: "latency", Unit: "duration", Default: "0s", Check: budgetCheckTime, Description: "from an attempt to its reply; with 0s and retries at once, calls of a client follow one another"},
		},
		Metrics:   fromDictionary("amplification", "success_share", "attempts_per_success"),
		Grids:     budgetGrids(),
		Where:     budgetWhere,
		Reps:      20,
		QuickReps: 10,
		Cell:      budgetCell,
		Claims:    budgetClaims(),
		Figures: []Figure{
			{Name: "amplification", Draw: budgetDrawAmplification},
			{Name: "success", Draw: budgetDrawSuccess},
			{Name: "start", Draw: budgetDrawStart},
		},
		Findings: budgetFindings,
		Threats: []string{
			"Failures from outside are independent, and do not depend on the load: a server that fails because of the retries is the question of overload-collapse.",
			"Retries come at once, unless spread: back-off would not change how many there are, only when.",
			"Each chain is of one client whose calls follow one another; several in flight at once spend a budget in another order.",
			"Whoever may not retry gives the call up. In life a person presses the button again, and no budget counts that.",
			"Behind the limiter a retry waits up to 4 s: all that time Envoy's budget counts it, and has room for hardly any.",
			"Throttling settles the slower the closer the failure share is to 1 − 1/K; at that share itself, 50 % for K = 2, it is still on its way.",
			"The failure share is constant. A budget that is full when an outage begins lets its whole stock through first: part start.",
		},
	})
}

const budgetEnvoy = "active:of=all"

// budgetPolicies are what the figures compare: three retries, within a budget
// or none, as the programs have them that the budgets come from.
var budgetPolicies = []struct{ label, budget, retries string }{
	{"3 retries", "none", "3"},
	{"20% of active", budgetEnvoy, "3"},
	{"ratio 20%", "ratio", "3"},
	{"bucket, 10%", "tokens", "unlimited"},
	{"gRPC", "grpc", "3"},
	{"throttling, K = 2", "adaptive:k=2,window=10s", "3"},
}

func budgetGrids() []sweep.Grid {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	outside, limiter, start := axis("part", "outside"), axis("part", "limiter"), axis("part", "start")
	failures := axis("failure", "0", "0.02", "0.05", "0.1", "0.2", "0.3", "0.5", "0.6", "0.7", "0.8", "0.9")
	served := axis("served", "0.1", "0.25", "0.5", "0.75", "0.9", "0.95", "1")
	spread := axis("spread", "4s")
	var grids []sweep.Grid
	for _, p := range budgetPolicies {
		world := sweep.Grid{axis("budget", p.budget), axis("retries", p.retries)}
		if p.budget == budgetEnvoy { // it counts what is in flight: some 100 calls
			grids = append(grids, append(sweep.Grid{outside, failures, axis("latency", "1s")}, world...))
		} else {
			grids = append(grids, append(sweep.Grid{outside, failures}, world...))
		}
		grids = append(grids, append(sweep.Grid{limiter, served, spread}, world...))
	}
	many := axis("calls", "1000/s")
	return append(grids,
		sweep.Grid{outside, axis("budget", "tokens:cap=50"), axis("retries", "unlimited"), axis("failure", "0.05", "0.08", "0.12", "0.2")},
		sweep.Grid{outside, axis("budget", "grpc"), axis("failure", "0.12")},
		sweep.Grid{outside, axis("budget", "ratio"), axis("calls", "50/s", "1000/s"), axis("failure", "0.5")},
		sweep.Grid{outside, axis("budget", budgetEnvoy), axis("latency", "10ms"), axis("failure", "0.5")},
		sweep.Grid{limiter, axis("retries", "0"), axis("served", "0.5"), spread},
		sweep.Grid{limiter, axis("retries", "1", "10"), axis("served", "0.25", "0.5"), spread},
		sweep.Grid{limiter, axis("served", "0.5")},
		sweep.Grid{limiter, axis("budget", "adaptive:k=1.1,window=10s", "adaptive:k=1.5,window=10s", "adaptive:k=2,window=10s"), axis("retries", "0"),
			axis("served", "0.05"), many},
		sweep.Grid{limiter, axis("budget", "adaptive:k=2,window=10s"), axis("retries", "0"), axis("served", "0.9"), many},
		sweep.Grid{start, axis("budget", "tokens"), axis("retries", "unlimited"), axis("failure", "0.02", "0.1", "0.2", "0.3", "0.5"),
			axis("clients", "10", "100", "1000"), many},
		sweep.Grid{start, axis("retries", "unlimited"), axis("failure", "0.5"), axis("clients", "100"), many},
	)
}

// budgetWhere keeps served to the part that has a limiter.
func budgetWhere(get func(string) string) bool {
	return (get("part") == "limiter") == (get("served") != "")
}

func budgetCell(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	w, err := budgetWorld(c)
	if err != nil {
		return err
	}
	if err := budgetTiming(&w, c, lab.Quick); err != nil {
		return err
	}
	r, err := lab.Call(ctx, w)
	if err != nil {
		return err
	}
	out.Set("amplification", float64(r.Attempts)/float64(r.Calls))
	out.Set("success_share", float64(r.Succeeded)/float64(r.Ended))
	if r.Succeeded > 0 {
		out.Set("attempts_per_success", float64(r.Attempts)/float64(r.Succeeded))
	}
	return nil
}

// budgetWorld is a cell's world but for its times.
func budgetWorld(c sweep.Cell) (w scenario.Calling, err error) {
	w = scenario.Calling{
		Clients: int(c.Int("clients")), Failure: c.Float("failure"), Latency: c.Duration("latency"), Seed: c.Seed, Rep: c.Rep,
	}
	if w.Client, err = clients.Parse(budgetClient(c)); err != nil {
		return w, err
	}
	if w.Workload, err = workloads.Parse("poisson:rate=" + c.Get("calls")); err != nil || c.Get("part") != "limiter" {
		return w, err
	}
	served, ok := new(big.Rat).SetString(c.Get("served"))
	if !ok {
		return w, errors.New("factor \"served\": must be given in part limiter")
	}
	calls, err := spec.ParseRate(c.Get("calls"))
	if err != nil {
		return w, err
	}
	capacity, err := calls.Times(served.Num().Int64(), served.Denom().Int64())
	if err != nil {
		return w, err
	}
	w.Limiter, err = limiters.Parse(fmt.Sprintf("token-bucket:rate=%s,burst=10", capacity))
	return w, err
}

// budgetClient writes the client's spec.
func budgetClient(c sweep.Cell) string {
	budget := strings.NewReplacer(":", "/", ",", "/").Replace(c.Get("budget"))
	attempts := "unlimited"
	if c.Get("retries") != attempts {
		attempts = fmt.Sprint(c.Int("retries") + 1)
	}
	if spread := c.Get("spread"); c.Duration("spread") > 0 {
		return fmt.Sprintf("backoff:base=%s,cap=%s,attempts=%s,budget=%s", spread, spread, attempts, budget)
	}
	if attempts == "unlimited" {
		attempts = "1000" // retries at once must end
	}
	return fmt.Sprintf("rude:every=0,attempts=%s,budget=%s", attempts, budget)
}

// budgetTiming sets warm-up and horizon. Budgets start full, which is to be
// forgotten: by a bucket of tokens, or gRPC's, within some 1000 calls, by what
// counts over time within a few times the 10 s of its window, throttling in
// eight where it stops to call. Retries that wait
// are as many as they will be once the longest have ended; twice that, for the
// limiter to answer them. In part start nothing is forgotten.
func budgetTiming(w *scenario.Calling, c sweep.Cell, quick bool) error {
	rate, err := spec.ParseRate(c.Get("calls"))
	if err != nil {
		return err
	}
	// tens is the time in which so many calls come, in whole tens of seconds,
	// which are whole windows.
	tens := func(calls float64) time.Duration {
		return time.Duration(math.Ceil(min(calls/rate.PerSecond(), 1e8)/10)) * 10 * time.Second
	}
	warmup, span, least := 5000.0, 15_000.0, 100*time.Second
	if w.Failure > 0 { // so many that what few failures add is known within 2 %
		span = min(max(span, 4000/w.Failure), 150_000)
	}
	if quick {
		warmup, span, least = 2000, 3000, 40*time.Second
	}
	switch c.Get("part") {
	case "start":
		w.Horizon = 10 * time.Second
	case "limiter":
		retries := int64(10) // which a budget never reaches
		if c.Get("retries") != "unlimited" {
			retries = c.Int("retries")
		}
		w.Warmup = max(tens(warmup), 20*time.Second, time.Duration(2*retries)*c.Duration("spread"))
		w.Horizon = w.Warmup + max(tens(span), least)
	default:
		w.Warmup = max(tens(warmup), 20*time.Second)
		if strings.HasPrefix(c.Get("budget"), "adaptive") {
			w.Warmup = max(w.Warmup, 80*time.Second)
		}
		w.Horizon = w.Warmup + max(tens(span), least)
	}
	return nil
}

func budgetCheck(v string) error {
	if v == "none" {
		return nil
	}
	_, err := clients.ParseBudget(v)
	return err
}

func budgetCheckRetries(v string) error {
	if n, err := spec.ParseCount(v); v != "unlimited" && (err != nil || n < 0 || n > 1000) {
		return errors.New("must be a whole number in 0..1000, or unlimited")
	}
	return nil
}

func budgetCheckShare(v string) error {
	if x, err := spec.ParseNumber(v); err != nil || x < 0 || x > 1 {
		return errors.New("must be a number in 0..1")
	}
	return nil
}

func budgetCheckServed(v string) error {
	x, err := spec.ParseNumber(v)
	if r, ok := new(big.Rat).SetString(v); err != nil || !ok || x < 0.001 || x > 1000 || !r.Num().IsInt64() || !r.Denom().IsInt64() {
		return errors.New("must be a number in 0.001..1000")
	}
	return nil
}

func budgetCheckTime(v string) error {
	d, err := spec.ParseDuration(v)
	if err == nil && (d < 0 || d > time.Hour) {
		err = errors.New("must lie in 0s..1h")
	}
	return err
}
