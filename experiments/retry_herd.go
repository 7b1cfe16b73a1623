package experiments

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"ratelab/clients"
	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/workloads"
)

func init() {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	together, spread := axis("part", "together"), axis("part", "spread")
	second, timeline, key := axis("part", "second"), axis("part", "timeline"), axis("part", "key")
	register(Experiment{
		Name:     "retry-herd",
		Question: "Fifty clients are told the same Retry-After: how do they return?",
		Hypothesis: "Obedience alone brings all of them back in one second, and so does back-off without jitter, in every round. Jitter as long as the wait " +
			"spreads them; full jitter from a short base brings most of them at once. Waiters of one key need a place in line.",
		Factors: []sweep.Factor{
			{Name: "part", Default: "spread", Check: oneOf("together", "spread", "second", "timeline", "key"),
				Description: "which question: together (the busiest second of returns, where chance has no part), spread (where it has), second and timeline (one second of them), key (all wait for tokens of one bucket)"},
			{Name: "clients", Unit: "clients", Default: "50", Check: wholeNumber(10_000), Description: "that are refused at the same instant"},
			{Name: "client", Default: herdTold, Check: clientsCheck, Description: "what each does then"},
			{Name: "hints", Default: "exact", Check: hintsCheck, Description: "what the server tells them"},
			{Name: "second", Unit: "s", Check: upToSeconds(100), Description: "the second of the returns, counted from the refusal; in parts second and timeline"},
			{Name: "rate", Check: func(v string) error { _, err := spec.ParseRate(v); return err }, Description: "of the bucket; in part key"},
			{Name: "headers", Default: "exact", Check: oneOf("exact", "rounded"), Description: "rounded: hints are whole seconds, rounded up, as headers carry them"},
		},
		Metrics: append([]sweep.Metric{
			{Name: "peak", Unit: "requests", Description: "Most returns in a second of the clock; mean over the herds of the replication."},
			{Name: "least", Unit: "requests", Description: "Fewest returns in a second of the clock that has any; mean over the herds of the replication."},
			{Name: "in_second", Unit: "requests", Description: "Returns in the second; mean over the herds of the replication."},
			{Name: "returns", Unit: "requests", Description: "Returns in all, until everyone is served."},
		}, fromDictionary("time_to_success_max")...),
		Grids: []sweep.Grid{
			{together, axis("clients", "10", "50", "200", "1000"), axis("client", herdTold, herdPlain)},
			{spread, axis("client", herdJittered(10), herdJittered(30), herdJittered(60))},
			{spread, axis("clients", "100"), axis("client", herdJittered(30))},
			{spread, axis("hints", "server-jitter:max=30s")},
			{spread, axis("client", herdFull)},
			{second, axis("clients", "20", "50", "200"), axis("client", herdFull), axis("second", "0")},
			{second, axis("client", herdDouble), axis("second", "0", "1")},
			{second, axis("client", herdFull), axis("second", "1", "2")},
			{second, axis("client", herdPlain, "backoff:base=1s,cap=30s,jitter=equal,attempts=unlimited"), axis("second", "0", "1")},
			{timeline, axis("client", herdTold, herdJittered(30), herdPlain, herdFull), axis("second", herdSeconds()...)},
			{key, axis("clients", "10", "25", "50", "100"), axis("client", herdWaits), axis("rate", "2/s"), axis("hints", "exact", "place-in-line:rate=2/s")},
			{key, axis("clients", "10", "25", "50", "100"), axis("client", herdWaits), axis("rate", "2/s"), axis("headers", "rounded")},
			{key, axis("client", herdWaits), axis("rate", "10/s"), axis("hints", "exact", "place-in-line:rate=10/s")},
			{key, axis("client", herdWaits), axis("rate", "10/s"), axis("headers", "rounded")},
		},
		Where: func(get func(string) string) bool {
			part := get("part")
			return (get("rate") != "") == (part == "key") && (get("second") != "") == (part == "second" || part == "timeline")
		},
		Reps:      40,
		QuickReps: 10,
		Cell:      herdCell,
		Claims:    herdClaims(),
		Figures:   []Figure{{Name: "timeline", Draw: herdDrawTimeline}, {Name: "key", Draw: herdDrawKey}},
		Findings:  herdFindings,
		Threats: []string{
			"All are refused at one instant, and their clocks and networks are alike: in life a herd is smeared by its round trips, some hundredths of a second, not by seconds.",
			"Nobody else is there: newcomers take the tokens of those who wait, and no place in line is kept for them.",
			"Seconds are those of the clock, and the wait ends on one: in any half-open second the mean peak of 50 in 30 s is 5.68 instead of 4.77.",
			"The window has room for the whole herd when it returns; with less, those refused again make another herd.",
			"A hint rounded up to whole seconds is good for a bucket whose burst holds what comes in a second; a smaller one loses the rest.",
		},
	})
}

// What clients do who have been refused, with a wait of 30 s.
const (
	herdTold   = "retry-after:attempts=2"
	herdPlain  = "backoff:base=1s,cap=1m,jitter=none,attempts=6"
	herdFull   = "backoff:base=1s,cap=30s,attempts=unlimited"
	herdDouble = "backoff:base=1s,cap=30s,first=double,attempts=unlimited"
	herdWaits  = "retry-after:attempts=unlimited"
)

func herdJittered(seconds int) string {
	return fmt.Sprintf("retry-after:jitter=%ds,attempts=2", seconds)
}

func herdSeconds() (all []string) {
	for s := range 61 {
		all = append(all, strconv.Itoa(s))
	}
	return all
}

// herdRefused is when the herd is refused: 30 s before its minute ends.
const herdRefused = 30 * time.Second

// herdOften is about how many clients the herds of a replication have in all,
// in part second: as many herds as make its mean known within 2 %.
const herdOften, herdOftenQuick = 6000, 1000

func herdCell(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	n, part := int(c.Int("clients")), c.Get("part")
	if part == "key" {
		return herdKey(ctx, lab, c, out)
	}
	w, err := herdWorld(c, n)
	if err != nil {
		return err
	}
	herds, seconds := 1, 130
	switch part {
	case "spread":
		if herds = 40; lab.Quick {
			herds = 10
		}
	case "second":
		herds = max(1, herdOften/n)
		if lab.Quick {
			herds = max(1, herdOftenQuick/n)
		}
	case "timeline":
		if !lab.Quick {
			herds = 4
		}
	}
	if c.Get("second") != "" {
		seconds = int(c.Int("second")) + 1
	}
	w.Horizon = herdRefused + time.Duration(seconds)*time.Second
	var peak, least, last int
	err = rounds(c.Seed, c.Rep, herds, func(seed uint64) error {
		w.Seed = seed
		r, _, err := watchReturns(ctx, lab, w)
		if err != nil {
			return err
		}
		counts := r.bySecond(herdRefused, seconds)
		most, fewest := busiest(counts)
		peak, least, last = peak+most, least+fewest, last+counts[seconds-1]
		return nil
	})
	mean := func(sum int) float64 { return float64(sum) / float64(herds) }
	if c.Get("second") == "" {
		out.Set("peak", mean(peak))
		out.Set("least", mean(least))
	} else {
		out.Set("in_second", mean(last))
	}
	return err
}

// herdWorld is a fixed window of a minute that n clients spend, at its middle,
// so that the next request of each is refused and told 30 s. The next window
// has room for all.
func herdWorld(c sweep.Cell, n int) (w scenario.Config, err error) {
	limiter, err := limiters.Parse(fmt.Sprintf("fixed-window:limit=%d,window=1m", n))
	if err != nil {
		return w, err
	}
	together, err := workloads.Parse(fmt.Sprintf("burst-train:size=%d,period=1d,phase=%s", 2*n, herdRefused))
	if err != nil {
		return w, err
	}
	w = scenario.Default(limiter, together)
	return w, herdPeople(&w, c, n)
}

func herdPeople(w *scenario.Config, c sweep.Cell, n int) (err error) {
	w.Population, w.Sender = n, clients.InTurn
	w.Rounded = c.Get("headers") == "rounded"
	w.Seed, w.Rep = c.Seed, c.Rep
	if w.Clients, err = clients.ParseMix(c.Get("client")); err != nil {
		return err
	}
	w.Hints, err = clients.ParseHints(c.Get("hints"))
	return err
}

// herdBurst is the bucket's: what comes in a second at 2/s, so that no hint
// rounded up to whole seconds loses a token there.
const herdBurst = 2

// herdKey: clients who want one token each of one bucket that others have just
// emptied.
func herdKey(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	n := int(c.Int("clients"))
	limiter, err := limiters.Parse(fmt.Sprintf("token-bucket:rate=%s,burst=%d", c.Get("rate"), herdBurst))
	if err != nil {
		return err
	}
	together, err := workloads.Parse(fmt.Sprintf("burst-train:size=%d,period=1d", n+herdBurst))
	if err != nil {
		return err
	}
	w := scenario.Default(limiter, together)
	if err := herdPeople(&w, c, n+herdBurst); err != nil {
		return err
	}
	r, result, err := watchReturns(ctx, lab, w)
	if err != nil {
		return err
	}
	if result.Get("unfinished") == 0 {
		out.Set("returns", float64(len(r.again)))
		out.Set("time_to_success_max", result.Get("time_to_success_max"))
	}
	return nil
}
