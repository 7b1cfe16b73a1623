package experiments

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"ratelab/experiments/sweep"
)

func init() {
	register(Experiment{
		Name:     "choose",
		Question: "Which limiter for which traffic shape?",
		Hypothesis: "With the same worst window, or the same long-run rate, limiters refuse the well-behaved differently: a bucket as deep and as fast as their arrival curve refuses none, " +
			"a log none as long as nobody exceeds the curve, the counter and the fixed window pay for their worst case with half of their limit, and a queue buys a lower worst window with delay. " +
			"Which of them is on the Pareto front depends on the shape of the traffic, the bytes a key hardly.",
		Factors: []sweep.Factor{
			{Name: "part", Check: oneOf("window", "rate", "laws", "flood"), Description: "what is equal: window: the most that is proved to pass in any 10 s; rate: the long-run rate, 2/s; laws: what is true of the former whatever arrives; flood: a check of the latter, a hundred times as much as passes"},
			{Name: "workload", Check: oneOf(append(chooseShapes(), chooseFlood)...), Description: "arrivals of a key, 2 a second on average: " + strings.Join(chooseShapes(), ", ") + "; of tenants, four send 1 a second each and one sends 6; of shared-key, two senders have one key"},
			{Name: "limiter", Check: oneOf(chooseLimiters()...), Description: "the limiter, one a key; optimum: knows all that will come, and admits well-behaved requests only; none: no limit"},
			{Name: "tuning", Unit: "1", Check: chooseTuning, Description: "the limiter's own parameter: window / 10 s; of buckets, burst / what passes in 10 s, at most or, in part rate, on average; of the queue, its places likewise"},
			{Name: "most", Unit: "requests", Check: wholeNumber(200), Description: "the most that may pass in any 10 s; from it and the tuning follow limit or rate"},
		},
		Metrics:   chooseMeasures(),
		Grids:     chooseGrids(),
		Where:     chooseApplies,
		Reps:      30,
		QuickReps: 4,
		Cell:      chooseCell,
		Claims:    chooseClaims(),
		Figures: []Figure{
			{Name: "fronts", Draw: chooseFrontsFigure},
			{Name: "refused", Draw: chooseRefusedFigure},
		},
		Tables:   []Derived{{Name: "fronts", Description: "who is on the Pareto front of each workload, and who dominates the others", Columns: chooseFrontColumns(), Fill: chooseFillFronts}},
		Findings: chooseFindings,
		Threats: []string{
			"Well-behaved is what conforms to a token bucket, sender by sender: a definition that suits buckets. What else the curve might be is looked at, other kinds of curve are not.",
			"Of a sender who exceeds the curve for long, the test says which request is the conforming one; a limiter that admits as many others in its place counts as harmful. harm_in_standing leaves such senders out.",
			"Parameters are solved for what is proved of any traffic. Who knows that a worst case never comes may allow more.",
			"Each limiter is swept over two or three tunings. A finer sweep may find a better bucket where the worst window is not that of the curve.",
			"Nobody comes back after a refusal, and nobody gives up in a queue.",
			"Requests cost 1. Tokens of language models, where a large request is refused sooner than a small one, are left out.",
			"One point of control: the sliding log is the central exact log. What a fleet loses against it is the question of fleet-overshoot, fleet-quota and fleet-sync.",
			"Memory is the state of one key by the limiter's own account; a queue's requests in waiting are not in it.",
		},
	})
}

// What is fixed before any limiter is chosen.
const (
	chooseWindow = 10 * time.Second // in which what passes is counted
	chooseRate   = 2                // a second: mean of every workload, rate of the arrival curve
	chooseBurst  = 20               // of the arrival curve
	// chooseMost is the most that the curve itself lets pass in a window:
	// b* + ⌈r*·w⌉ - 1.
	chooseMost = chooseBurst + chooseRate*10 - 1
)

// chooseTuned are the limiters in the order of tables and figures, with the
// tunings that each is swept over where what is proved of 10 s is equal, and
// where the rate is; "" for who has nothing to tune. The first is the usual one.
var chooseTuned = []struct {
	name         string
	worst, rates []string
}{
	{"fixed-window", []string{"1", "1/2", "1/4"}, []string{"1", "1/2"}},
	{"sliding-counter-fits", []string{"1", "1/2"}, []string{"1", "1/2"}},
	{"sliding-counter-below", []string{"1"}, []string{"1"}},
	{"sliding-log", []string{"1", "1/2"}, []string{"1", "1/2"}},
	{"token-bucket", []string{"1/2", "1/4", "3/4"}, []string{"1", "1/2", "2"}},
	{"leaky-meter", []string{""}, []string{""}},
	{"leaky-queue", []string{"1/2", "1"}, []string{"1", "1/2"}},
	{"none", []string{""}, nil},
	{"optimum", []string{""}, nil},
}

// chooseGCRA decides as the token bucket, which a claim checks; it is in no
// front, where it would stand beside each bucket.
const chooseGCRA = "gcra"

func chooseLimiters() []string {
	names := []string{chooseGCRA}
	for _, l := range chooseTuned {
		names = append(names, l.name)
	}
	return names
}

// chooseTuning checks a tuning: a fraction such as 1/2, or a whole number.
func chooseTuning(value string) error {
	f, ok := new(big.Rat).SetString(value)
	if !ok || strings.ContainsAny(value, ".eE-+") || f.Sign() <= 0 || f.Cmp(big.NewRat(10, 1)) > 0 {
		return fmt.Errorf("want a fraction such as 1/2, above 0 and at most 10")
	}
	return nil
}

// chooseApplies keeps the points at which a limiter has a tuning if it can be
// tuned, and what may pass is given where that is equal.
func chooseApplies(get func(factor string) string) bool {
	limiter, part := get("limiter"), get("part")
	plain := limiter == "none" || limiter == "optimum"
	equalWindow := part == "window" || part == "laws"
	return (get("tuning") != "") == (!plain && limiter != "leaky-meter") &&
		(get("workload") == chooseFlood) == (part == "flood") &&
		(!plain || equalWindow) &&
		(!equalWindow || get("most") != "") && (part != "rate" || get("most") == "")
}

func chooseGrids() (grids []sweep.Grid) {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	untuned := func(values []string) sweep.Axis {
		if values[0] == "" {
			return sweep.Axis{Factor: "tuning"} // does not apply
		}
		return axis("tuning", values...)
	}
	add := func(axes ...sweep.Axis) {
		var grid sweep.Grid
		for _, a := range axes {
			if len(a.Values) > 0 {
				grid = append(grid, a)
			}
		}
		grids = append(grids, grid)
	}
	window, laws, shapes := axis("part", "window"), axis("part", "laws"), axis("workload", chooseShapes()...)
	curve := axis("most", fmt.Sprint(chooseMost))
	for _, l := range chooseTuned {
		limiter := axis("limiter", l.name)
		add(window, shapes, limiter, untuned(l.worst), curve)
		add(laws, axis("workload", "poisson", "batch", "page-turn", "on-off", "tenants", "shared-key"), limiter, untuned(l.worst[:1]), axis("most", "20", curve.Values[0]))
		if chooseDrawn(l.name) {
			tuning := untuned(l.worst)
			if l.name != "token-bucket" { // whose best burst depends on what may pass
				tuning = untuned(l.worst[:1])
			}
			add(window, shapes, limiter, tuning, axis("most", chooseLevels...))
		}
		if len(l.rates) > 0 {
			add(axis("part", "rate"), shapes, limiter, untuned(l.rates))
			add(axis("part", "flood"), axis("workload", chooseFlood), limiter, untuned(l.rates[:1]))
		}
	}
	add(window, axis("workload", "poisson", "on-off", "tenants"), axis("limiter", chooseGCRA), axis("tuning", "1/2"), curve)
	add(laws, axis("workload", "page-turn"), axis("limiter", "fixed-window"), axis("tuning", "1"), axis("most", "30"))
	add(axis("part", "flood"), axis("workload", chooseFlood), axis("limiter", "fixed-window", "sliding-log"), axis("tuning", "1"), curve)
	return grids
}

// chooseLevels are other worst windows than that of the curve, for the figure.
var chooseLevels = []string{"20", "30", "60"}

// chooseDrawn reports whether a limiter is in the figure of the fronts.
func chooseDrawn(limiter string) bool {
	switch limiter {
	case "fixed-window", "sliding-counter-fits", "sliding-log", "token-bucket", "leaky-queue", "optimum":
		return true
	}
	return false
}

func chooseMeasures() []sweep.Metric {
	list := []sweep.Metric{
		{Name: "harm", Unit: "1", Description: fmt.Sprintf("Share of the well-behaved requests that are refused: of those that conform, sender by sender, to a token bucket of burst %d and rate %d/s.", chooseBurst, chooseRate)},
		{Name: "worst_window", Unit: "requests", Description: "Most let through in any half-open 10 s, after their delay if they have one; the largest over keys."},
		{Name: "delay", Unit: "s", Description: "Mean delay of the well-behaved requests that are admitted, of limiters that delay."},
		{Name: "bytes_per_key", Unit: "bytes", Description: "Memory that the states take by their own account / keys."},
	}
	for _, c := range chooseOtherCurves() {
		list = append(list, sweep.Metric{Name: c.metric, Unit: "1", Description: "harm if the well-behaved keep to " + c.says() + "."})
	}
	return append(list,
		sweep.Metric{Name: "above_most", Unit: "requests", Description: "max(0, worst_window - most)."},
		sweep.Metric{Name: "beats_optimum", Unit: "1", Description: "1 if more well-behaved requests are admitted than anybody can who knows all arrivals, lets at most as many pass in any 10 s, and delays nothing; else 0."},
		sweep.Metric{Name: "admitted_over_possible", Unit: "1", Description: "Admitted / the most that can be admitted without delay such that no 10 s hold more than `most`."},
		fromDictionary("admitted_over_rate")[0],
	)
}
