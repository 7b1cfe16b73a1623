package experiments

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"ratelab/clients"
	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/workloads"
)

func init() {
	register(Experiment{
		Name:     "retry-etiquette",
		Question: "What does it cost to be rude, and what does politeness bring?",
		Hypothesis: "Who retries before the time it was told is refused each time, and has nothing of it; who waits is served at its first return. " +
			"Retries help against failures from outside; behind a limiter they bring nothing but refusals, and without an idempotency key a lost reply is paid for again.",
		Factors: []sweep.Factor{
			{Name: "part", Default: "story", Check: oneOf("story", "lone", "lost", "outside", "limiter"),
				Description: "which question: story (clients A and B), lone (nobody else is there), lost (replies go astray), outside (attempts fail for a reason from outside), limiter (a limiter refuses them)"},
			{Name: "renewed", Check: oneOf("window", "bucket"),
				Description: "how the limit renews in part story: in a fixed window of a minute, or in a token bucket of that rate and burst, with hints of whole seconds"},
			{Name: "limit", Unit: "requests", Check: wholeNumber(100_000), Description: "of a minute; in part story"},
			{Name: "told", Unit: "s", Check: etiquetteCheckTold, Description: "from the refusals of A and B to the end of the minute; in part story"},
			{Name: "retries", Check: upToSeconds(1000), Description: "most retries: of A in part story, of a call in parts outside and limiter"},
			{Name: "limiter", Check: limiterCheck, Description: "in part lone"},
			{Name: "client", Check: clientsCheck, Description: "in part lone"},
			{Name: "clients", Check: wholeNumber(1000), Unit: "clients", Description: "that share the key; in part lone"},
			{Name: "lost", Unit: "1", Check: etiquetteCheckLost, Description: "chance that a reply goes astray; in part lost"},
			{Name: "key", Check: oneOf("none", "idempotency"), Description: "whether the attempts of a request have one idempotency key; in part lost"},
			{Name: "failure", Unit: "1", Check: budgetCheckShare, Description: "chance that an attempt fails for a reason from outside; in part outside"},
			{Name: "served", Unit: "1", Check: budgetCheckServed, Description: "the limiter's rate over the rate of calls; in part limiter"},
			{Name: "spread", Unit: "duration", Check: budgetCheckTime, Description: "a retry waits uniformly in 0..spread; 0s is at once; in part limiter"},
		},
		Metrics: append(fromDictionary("refused", "time_to_success_max", "units_per_success", "amplification", "success_share"),
			sweep.Metric{Name: "returns_of_b", Unit: "requests", Description: "Attempts of B after its refusal."},
			sweep.Metric{Name: "left_to_b", Unit: "requests", Description: "Remaining that B was told when it was admitted at last."},
			sweep.Metric{Name: "refused_share", Unit: "1", Description: "Attempts that did not succeed / attempts."},
		),
		Grids:     etiquetteGrids(),
		Where:     etiquetteWhere,
		Reps:      20,
		QuickReps: 20,
		Cell:      etiquetteCell,
		Claims:    etiquetteClaims(),
		Figures:   []Figure{{Name: "limiter", Draw: etiquetteDrawLimiter}, {Name: "lost", Draw: etiquetteDrawLost}},
		Findings:  etiquetteFindings,
		Threats: []string{
			"Refusals cost the server nothing here; where they do, rudeness takes from everyone: overload-collapse.",
			"Nobody is punished: a server that lengthens the wait of who comes too early would make rudeness dearer still.",
			"The lone client hears its answers at once, its clock is the server's, and hints are exact: headers of whole seconds make it wait longer, not sooner.",
			"Failures from outside, and losses, are independent of each other and of the load.",
			"Only replies are lost, never requests: a lost request costs no token.",
			"A bucket frees tokens while B waits, and a hint rounded up to whole seconds leaves A time to take them: there rudeness pays.",
			"A retry behind the limiter waits up to 4 s; with retries at once, each finds the same empty bucket.",
		},
	})
}

func etiquetteGrids() []sweep.Grid {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	story, lone, window := axis("part", "story"), axis("part", "lone"), axis("renewed", "window")
	return []sweep.Grid{
		{story, window, axis("limit", "100"), axis("told", "30"), axis("retries", "1", "5", "20", "100")},
		{story, window, axis("limit", "10", "1000"), axis("told", "30"), axis("retries", "5")},
		{story, window, axis("limit", "100"), axis("told", "15", "45"), axis("retries", "5")},
		{story, axis("renewed", "bucket"), axis("limit", "100"), axis("told", "30"), axis("retries", "5")},
		{lone, axis("limiter", etiquetteLimiters()...), axis("client", "paced"), axis("clients", "1")},
		{lone, axis("limiter", "fixed-window:limit=10,window=10s", "token-bucket:rate=1/s,burst=10"), axis("client", "paced"), axis("clients", "20")},
		{lone, axis("limiter", "fixed-window:limit=10,window=10s"), axis("client", "retry-after"), axis("clients", "1")},
		{axis("part", "lost"), axis("lost", "0.05", "0.1", "0.25", "0.4", "0.5", "0.6", "0.75"), axis("key", "none", "idempotency")},
		{axis("part", "outside"), axis("failure", "0.1"), axis("retries", "1", "3")},
		{axis("part", "outside"), axis("failure", "0.3", "0.5", "0.7"), axis("retries", "0", "1", "3", "10")},
		{axis("part", "limiter"), axis("served", "0.1", "0.25", "0.5", "0.75", "0.9"), axis("retries", "0", "1", "3"), axis("spread", "4s")},
		{axis("part", "limiter"), axis("served", "0.25", "0.5"), axis("retries", "10"), axis("spread", "4s")},
		{axis("part", "limiter"), axis("served", "0.5"), axis("retries", "3"), axis("spread", "0s")},
	}
}

// etiquetteLimiters are all canonical ones, each of ten and one a second.
func etiquetteLimiters() []string {
	return []string{
		"fixed-window:limit=10,window=10s", "sliding-log:limit=10,window=10s", "sliding-counter:limit=10,window=10s",
		"token-bucket:rate=1/s,burst=10", "gcra:rate=1/s,burst=10", "leaky-meter:rate=1/s", "leaky-queue:rate=1/s,queue=9",
	}
}

// etiquetteFactors are the factors that each part has, besides part.
var etiquetteFactors = map[string][]string{
	"story":   {"renewed", "limit", "told", "retries"},
	"lone":    {"limiter", "client", "clients"},
	"lost":    {"lost", "key"},
	"outside": {"failure", "retries"},
	"limiter": {"served", "retries", "spread"},
}

// etiquetteWhere keeps the factors to the parts that have them.
func etiquetteWhere(get func(string) string) bool {
	has := make(map[string]bool)
	for _, factor := range etiquetteFactors[get("part")] {
		has[factor] = true
	}
	for _, factors := range etiquetteFactors {
		for _, factor := range factors {
			if (get(factor) != "") != has[factor] {
				return false
			}
		}
	}
	return true
}

func etiquetteCell(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	switch c.Get("part") {
	case "story":
		return etiquetteStory(ctx, lab, c, out)
	case "lone":
		return etiquetteLone(ctx, lab, c, out)
	case "lost":
		return etiquetteLost(ctx, lab, c, out)
	}
	return etiquetteCalls(ctx, lab, c, out)
}

// listener is what B hears: of the second policy, after its refusal.
type listener struct{ returns }

// etiquetteB is B's place in the mix.
const etiquetteB = 1

func (l *listener) Sent(now time.Duration, policy int, req contract.Request, attempt int64) {
	if policy == etiquetteB {
		l.returns.Sent(now, policy, req, attempt)
	}
}

func (l *listener) Heard(now time.Duration, policy int, req contract.Request, reply contract.Reply) {
	if policy == etiquetteB {
		l.returns.Heard(now, policy, req, reply)
	}
}

// etiquetteStory: A and B spend a minute's limit together, and ask once more
// each. A, refused, tries again every 400 ms; B waits.
func etiquetteStory(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	limit := c.Int("limit")
	begin := time.Minute - time.Duration(c.Int("told"))*time.Second
	text := fmt.Sprintf("fixed-window:limit=%d,window=1m", limit)
	bucket := c.Get("renewed") == "bucket"
	if bucket {
		text = fmt.Sprintf("token-bucket:rate=%d/1m,burst=%d", limit, limit)
	}
	limiter, err := limiters.Parse(text)
	if err != nil {
		return err
	}
	together, err := workloads.Parse(fmt.Sprintf("burst-train:size=%d,period=1d,phase=%s", limit+2, begin))
	if err != nil {
		return err
	}
	w := scenario.Default(limiter, together)
	w.Seed, w.Rep, w.Horizon = c.Seed, c.Rep, 3*time.Minute
	w.Population, w.Sender, w.Rounded = 2, clients.InTurn, bucket
	w.Clients, err = clients.ParseMix(fmt.Sprintf("rude:every=400ms,attempts=%d * 0.5", c.Int("retries")+1), "retry-after * 0.5")
	if err != nil {
		return err
	}
	b := &listener{}
	w.Observer = b
	r, err := lab.Simulate(ctx, w)
	if err != nil {
		return err
	}
	out.Set("refused", r.Get("refused"))
	out.Set("time_to_success_max", r.Get("time_to_success_max"))
	out.Set("returns_of_b", float64(len(b.again)))
	out.Set("left_to_b", float64(b.left))
	return nil
}

// etiquetteLone: three requests a second where one is allowed.
func etiquetteLone(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	limiter, err := limiters.Parse(c.Get("limiter"))
	if err != nil {
		return err
	}
	poisson, err := workloads.Parse("poisson:rate=3/s")
	if err != nil {
		return err
	}
	w := scenario.Default(limiter, poisson)
	w.Seed, w.Rep, w.Horizon = c.Seed, c.Rep, 2*time.Minute
	w.Population, w.Sender = int(c.Int("clients")), clients.InTurn
	if w.Clients, err = clients.ParseMix(c.Get("client")); err != nil {
		return err
	}
	r, err := lab.Simulate(ctx, w)
	if err != nil {
		return err
	}
	if r.Get("succeeded") == 0 {
		return errors.New("the lone client never succeeds: to be refused never would say nothing")
	}
	out.Set("refused", r.Get("refused"))
	return nil
}

// etiquetteLost: all requests are asked until a reply arrives, and all have
// ended before the horizon.
func etiquetteLost(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	limiter, err := limiters.Parse("token-bucket:rate=1000/s,burst=1000")
	if err != nil {
		return err
	}
	length := 80 * time.Second // 4000 requests
	if lab.Quick {
		length /= 2
	}
	steady, err := workloads.Parse(fmt.Sprintf("clip:(steady:rate=50/s),to=%s", length))
	if err != nil {
		return err
	}
	w := scenario.Default(limiter, steady)
	w.Seed, w.Rep, w.Horizon = c.Seed, c.Rep, time.Hour
	w.Loss, w.Idempotent = c.Float("lost"), c.Get("key") == "idempotency"
	if w.Clients, err = clients.ParseMix("fixed:wait=1s,timeout=500ms,attempts=unlimited"); err != nil {
		return err
	}
	r, err := lab.Simulate(ctx, w)
	if err != nil {
		return err
	}
	out.Set("units_per_success", r.Get("units_per_success"))
	return nil
}

// etiquetteCalls: 100 calls a second whose attempts fail from outside, or
// behind a limiter.
func etiquetteCalls(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	const rate = 100
	attempts := c.Int("retries") + 1
	w := scenario.Calling{Clients: 1, Seed: c.Seed, Rep: c.Rep}
	client := fmt.Sprintf("rude:every=0,attempts=%d", attempts)
	if c.Get("part") == "outside" { // calls are over at once: nothing to warm up
		w.Failure = c.Float("failure")
	} else {
		served, ok := new(big.Rat).SetString(c.Get("served"))
		if !ok {
			return errors.New("factor \"served\": must be given in part limiter")
		}
		capacity, err := spec.ParseRate(fmt.Sprintf("%d/s", rate))
		if err != nil {
			return err
		}
		if capacity, err = capacity.Times(served.Num().Int64(), served.Denom().Int64()); err != nil {
			return err
		}
		if w.Limiter, err = limiters.Parse(fmt.Sprintf("token-bucket:rate=%s,burst=10", capacity)); err != nil {
			return err
		}
		w.Warmup = 20 * time.Second
		if spread := c.Duration("spread"); spread > 0 {
			client = fmt.Sprintf("backoff:base=%s,cap=%s,attempts=%d", spread, spread, attempts)
			// Until the longest that came first have ended, and as long again.
			w.Warmup = max(w.Warmup, time.Duration(2*attempts)*spread)
			if lab.Quick {
				w.Warmup /= 2
			}
		}
	}
	w.Horizon = w.Warmup + 150*time.Second
	if lab.Quick {
		w.Horizon = w.Warmup + 30*time.Second
	}
	var err error
	if w.Client, err = clients.Parse(client); err != nil {
		return err
	}
	if w.Workload, err = workloads.Parse(fmt.Sprintf("poisson:rate=%d/s", rate)); err != nil {
		return err
	}
	r, err := lab.Call(ctx, w)
	if err != nil {
		return err
	}
	out.Set("amplification", float64(r.Attempts)/float64(r.Calls))
	out.Set("success_share", float64(r.Succeeded)/float64(r.Ended))
	out.Set("refused_share", float64(r.Attempts-r.Succeeded)/float64(r.Attempts))
	return nil
}

// etiquetteCheckTold checks a wait within the minute of the story.
func etiquetteCheckTold(v string) error {
	if n, err := spec.ParseCount(v); err != nil || n < 1 || n > 60 {
		return errors.New("must be a whole number in 1..60")
	}
	return nil
}

func etiquetteCheckLost(v string) error {
	if x, err := spec.ParseNumber(v); err != nil || x < 0 || x > 0.9 {
		return errors.New("must be a number in 0..0.9")
	}
	return nil
}
