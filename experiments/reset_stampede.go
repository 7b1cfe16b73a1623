package experiments

import (
	"context"
	"fmt"
	"math"
	"time"

	"ratelab/clients"
	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/limiters"
	"ratelab/workloads"
)

func init() {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	flip, jitter, refill, timeline := axis("part", "flip"), axis("part", "jitter"), axis("part", "refill"), axis("part", "timeline")
	own, one, both := axis("keys", "own"), axis("keys", "one"), axis("keys", "own", "one")
	limiter := func(all ...string) sweep.Axis { return axis("limiter", all...) }
	register(Experiment{
		Name:     "reset-stampede",
		Question: "Who comes back when a window turns?",
		Hypothesis: "Everyone who was blocked comes at the turn of a fixed window. Edges of their own for each key spread clients with keys of their own, and do " +
			"nothing for clients of one key. A sliding log has no turn, but repeats the burst that filled it.",
		Factors: []sweep.Factor{
			{Name: "part", Default: "flip", Check: oneOf("flip", "jitter", "refill", "timeline"),
				Description: "which question: flip (the busiest second, edges alike), jitter (edges jittered by key), refill (one key, filled by a burst: when its window frees it again), timeline (one second)"},
			{Name: "clients", Unit: "clients", Default: "50", Check: wholeNumber(10_000), Description: "that are blocked"},
			{Name: "limiter", Default: stampedeFixed, Check: limiterCheck, Description: "that blocks them"},
			{Name: "keys", Default: "own", Check: oneOf("own", "one"), Description: "each client its own, or one for all"},
			{Name: "think", Unit: "duration", Default: "1s", Check: budgetCheckTime, Description: "mean of a client's exponential time from one request's end to the next request"},
			{Name: "burst", Check: stampedeCheckBurst, Description: "rate of the Poisson burst that fills the window; in part refill"},
			{Name: "second", Unit: "s", Check: upToSeconds(600), Description: "of the clock; in part timeline"},
		},
		Metrics: []sweep.Metric{
			{Name: "peak", Unit: "requests", Description: "Most returns in a second of the clock of the second minute; mean over the rounds of the replication."},
			{Name: "in_second", Unit: "requests", Description: "Returns in the second."},
			{Name: "shape_error", Unit: "s", Description: "Largest distance of an admission from one window after the admission that was as many before it as the limit."},
			{Name: "admitted_peak", Unit: "requests", Description: "Most admitted in a second of the clock after the first window, of what that window's burst left blocked."},
		},
		Grids: []sweep.Grid{
			{flip, axis("clients", "10", "50", "200", "1000"), own},
			{flip, axis("clients", "10", "50", "200"), one},
			{jitter, limiter(stampedeJitter(10), stampedeJitter(30), stampedeJitter(60)), both},
			{jitter, axis("clients", "100"), limiter(stampedeJitter(30)), both},
			{refill, limiter(stampedeLog), axis("burst", "10/s", "20/s", "100/s", "1000/s")},
			{refill, limiter(stampedeSpent, stampedeCounter), axis("burst", "10/s", "20/s", "100/s")},
			{timeline, limiter(stampedeFixed, stampedeJitter(30), stampedeOwnLog), axis("think", "5s"), axis("second", stampedeSeconds()...)},
		},
		Where: func(get func(string) string) bool {
			return (get("burst") != "") == (get("part") == "refill") && (get("second") != "") == (get("part") == "timeline")
		},
		Reps:      40,
		QuickReps: 10,
		Cell:      stampedeCell,
		Claims:    stampedeClaims(),
		Figures:   []Figure{{Name: "timeline", Draw: stampedeDrawTimeline}},
		Findings:  stampedeFindings,
		Threats: []string{
			"Everyone who is blocked obeys and has nothing else to do: in life some give up, and fewer come back the longer the window.",
			"Clocks and networks of all are alike; a stampede is smeared by their round trips, which is little against a second.",
			"Limiters hold their keys for ever, and are one: several servers whose clocks differ turn at several instants.",
			"A sliding log repeats a burst only while enough are waiting to take each place that it frees; and of one key, all who wait come for each.",
			"Jittered edges have the same windows, so the same doubling at each edge: only not for all at the same time.",
		},
	})
}

// The limiters: one request a minute for each key, and a key that 50 have
// requests of.
const (
	stampedeFixed   = "fixed-window:limit=1,window=1m"
	stampedeOwnLog  = "sliding-log:limit=1,window=1m"
	stampedeSpent   = "fixed-window:limit=50,window=1m"
	stampedeLog     = "sliding-log:limit=50,window=1m"
	stampedeCounter = "sliding-counter:limit=50,window=1m"
)

func stampedeJitter(seconds int) string { return fmt.Sprintf("%s,jitter=%ds", stampedeFixed, seconds) }

func stampedeSeconds() (all []string) {
	for s := 55; s <= 130; s++ {
		all = append(all, fmt.Sprint(s))
	}
	return all
}

func stampedeCell(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	switch c.Get("part") {
	case "refill":
		return stampedeRefill(ctx, lab, c, out)
	case "timeline":
		second := time.Duration(c.Int("second")) * time.Second
		w, err := stampedeWorld(c, second+time.Second)
		if err != nil {
			return err
		}
		return rounds(c.Seed, c.Rep, 1, func(seed uint64) error {
			w.Seed = seed
			r, _, err := watchReturns(ctx, lab, w)
			out.Set("in_second", float64(r.bySecond(second, 1)[0]))
			return err
		})
	}
	often := 1
	if c.Get("part") == "jitter" && c.Get("keys") == "own" {
		if often = 40; lab.Quick {
			often = 10
		}
	}
	w, err := stampedeWorld(c, 2*time.Minute)
	if err != nil {
		return err
	}
	peaks := 0
	err = rounds(c.Seed, c.Rep, often, func(seed uint64) error {
		w.Seed = seed
		r, _, err := watchReturns(ctx, lab, w)
		most, _ := busiest(r.bySecond(time.Minute, 60))
		peaks += most
		return err
	})
	out.Set("peak", float64(peaks)/float64(often))
	return err
}

// stampedeWorld is clients who think for a second or a few and ask again, and
// are told to wait until their window turns: after the first minute each key's
// limit is spent and all are blocked. Edges that are jittered by less than a
// minute turn once in the second minute.
func stampedeWorld(c sweep.Cell, horizon time.Duration) (w scenario.Config, err error) {
	limiter, err := limiters.Parse(c.Get("limiter"))
	if err != nil {
		return w, err
	}
	w = scenario.Default(limiter, workloads.Spec{})
	w.Seed, w.Rep, w.Horizon = c.Seed, c.Rep, horizon
	if c.Get("keys") == "own" {
		w.Keys = int(c.Int("clients"))
	}
	w.Clients, err = clients.ParseMix(fmt.Sprintf("retry-after:attempts=unlimited,users=%d,think=%s", c.Int("clients"), c.Get("think")))
	return w, err
}

// stampedeRefill: a burst fills the window of one key, and leaves three times
// its limit blocked.
func stampedeRefill(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	limiter, err := limiters.Parse(c.Get("limiter"))
	if err != nil {
		return err
	}
	window, ok := limiter.Window()
	if !ok {
		return fmt.Errorf("limiter %q: part refill needs a window", limiter)
	}
	limit := int(limiter.Capacity())
	burst, err := workloads.Parse("poisson:rate=" + c.Get("burst"))
	if err != nil {
		return err
	}
	w := scenario.Default(limiter, burst)
	w.Seed, w.Rep, w.Horizon = c.Seed, c.Rep, 2*window+window/2
	w.Population = 1
	if w.Clients, err = clients.ParseMix("retry-after:attempts=unlimited"); err != nil {
		return err
	}
	// The burst ends when four times the limit have come, give or take.
	rate, _ := burst.MeanRate()
	length := time.Duration(4 * float64(limit) / rate * float64(time.Second))
	if w.Workload, err = workloads.Parse(fmt.Sprintf("clip:(%s),to=%s", burst, length)); err != nil {
		return err
	}
	r, _, err := watchReturns(ctx, lab, w)
	if err != nil {
		return err
	}
	if len(r.admitted) < 2*limit {
		return fmt.Errorf("only %d were admitted in %s; part refill needs two windows full, %d", len(r.admitted), w.Horizon, 2*limit)
	}
	worst, counts := 0.0, make(map[time.Duration]int)
	for i, at := range r.admitted[limit : 2*limit] {
		worst = math.Max(worst, math.Abs((at - r.admitted[i] - window).Seconds()))
		counts[at/time.Second]++
	}
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	out.Set("shape_error", worst)
	out.Set("admitted_peak", float64(most))
	return nil
}

// stampedeCheckBurst checks the rate of a burst.
func stampedeCheckBurst(v string) error {
	_, err := workloads.Parse("poisson:rate=" + v)
	return err
}
