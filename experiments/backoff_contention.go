package experiments

import (
	"context"
	"errors"
	"math"
	"time"

	"ratelab/clients"
	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
)

func init() {
	register(Experiment{
		Name:       "backoff-contention",
		Question:   "How should clients back off that contend for one row?",
		Hypothesis: "Jitter halves the work of exponential back-off and ends sooner; not backing off at all ends soonest only where the server takes no time.",
		Factors: []sweep.Factor{
			{Name: "part", Default: "each", Check: oneOf("each", "compare"),
				Description: "which question: each (one algorithm), compare (all five in the same replication, as ratios)"},
			{Name: "algorithm", Check: oneOf(backoffNames()...), Description: "how a client waits after a failure, as the AWS study calls it; where empty, all"},
			{Name: "clients", Unit: "clients", Check: wholeNumber(10_000), Description: "that each want one write to the same row, and begin at once"},
			{Name: "service", Unit: "duration", Default: "0s", Check: backoffCheckService, Description: "that a read, and a write, takes the server, one after the other; 0s is the study's"},
		},
		Metrics: append([]sweep.Metric{
			{Name: "calls", Unit: "writes", Description: "Writes of all clients until each has succeeded once, reads not counted; mean over the contests of the replication."},
			{Name: "time", Unit: "s", Description: "Until the last client has heard of its success; mean over the contests of the replication."},
		}, backoffRatios()...),
		Grids:     backoffGrids(),
		Where:     backoffWhere,
		Reps:      40,
		QuickReps: 16,
		Cell:      backoffCell,
		Claims:    backoffClaims(),
		Figures: []Figure{
			{Name: "calls", Draw: backoffDrawCalls},
			{Name: "time", Draw: backoffDrawTime},
			{Name: "service", Draw: backoffDrawService},
		},
		Findings: backoffFindings,
		Threats: []string{
			"The study's server takes no time, however many ask at once: that is why not to back off ends soonest. Part each has servers that take theirs.",
			"One row, one write a client, and all begin at once: the worst case of contention, not traffic.",
			"The network's times are independent and nearly alike for all; with other spreads, clients without jitter keep in step longer or less long.",
			"Nobody gives up, times out, or is refused, and no reply is lost.",
			"What the values are compared with is another simulation of the same model, of 400 contests: both could misread the study in the same way.",
		},
	})
}

// backoffAlgorithms are the five of the study. All its exponential waits count
// the attempt before they wait, so that the first is 10 ms.
var backoffAlgorithms = []struct {
	name, spec string
	// contests is how many a replication plays with one client, and with n the
	// n-th part, so that calls and most times are known within 2 %.
	contests int
}{
	{"exponential", "backoff:base=5ms,cap=2s,jitter=none,first=double,attempts=unlimited", 1800},
	{"decorrelated", "backoff:base=5ms,cap=2s,jitter=decorrelated,attempts=unlimited", 1800},
	{"equal", "backoff:base=5ms,cap=2s,jitter=equal,first=double,attempts=unlimited", 1800},
	{"full", "backoff:base=5ms,cap=2s,jitter=full,first=double,attempts=unlimited", 1800},
	{"none", "rude:every=0,attempts=1000000", 900},
}

func backoffNames() (names []string) {
	for _, a := range backoffAlgorithms {
		names = append(names, a.name)
	}
	return names
}

func backoffGrids() []sweep.Grid {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	all := axis("algorithm", backoffNames()...)
	return []sweep.Grid{
		{axis("part", "each"), all, axis("clients", "10", "20", "30", "50", "70", "100", "150", "190")},
		{axis("part", "each"), all, axis("clients", "100"), axis("service", "500us", "1ms", "2ms", "5ms")},
		{axis("part", "compare"), axis("clients", "10", "50", "100", "150", "190")},
		{axis("part", "compare"), axis("clients", "100"), axis("service", "5ms")},
	}
}

// The metrics of part compare: what the study says of its algorithms.
const (
	backoffFullCalls       = "calls_full_over_exponential"
	backoffEqualCalls      = "calls_equal_over_full"
	backoffNoneCalls       = "calls_none_over_next"
	backoffExponentialTime = "time_exponential_over_next"
	backoffNoneTime        = "time_none_over_next"
)

func backoffRatios() []sweep.Metric {
	return []sweep.Metric{
		{Name: backoffFullCalls, Unit: "1", Description: "Calls of full jitter / calls of exponential back-off without jitter."},
		{Name: backoffEqualCalls, Unit: "1", Description: "Calls of equal jitter / calls of full jitter."},
		{Name: backoffNoneCalls, Unit: "1", Description: "Calls without back-off / the most calls of the four others."},
		{Name: backoffExponentialTime, Unit: "1", Description: "Time of exponential back-off without jitter / the longest time of the four others."},
		{Name: backoffNoneTime, Unit: "1", Description: "Time without back-off / the shortest time of the four others."},
	}
}

// backoffWhere keeps an algorithm to the part that has one.
func backoffWhere(get func(string) string) bool {
	return (get("part") == "compare") == (get("algorithm") == "")
}

func backoffCell(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	n := c.Int("clients")
	if c.Get("part") == "each" {
		for _, a := range backoffAlgorithms {
			if a.name != c.Get("algorithm") {
				continue
			}
			contests := int64(a.contests)
			if lab.Quick {
				contests /= 6
			}
			if c.Duration("service") > 0 { // which no claim needs to 2 %
				contests /= 4
				if lab.Quick {
					contests /= 3
				}
			}
			r, err := backoffContend(ctx, lab, c, a.spec, (contests+n-1)/n)
			out.Set("calls", r.Writes)
			out.Set("time", r.Time.Seconds())
			return err
		}
		return errors.New("factor \"algorithm\": must be given in part each")
	}
	calls, times := make(map[string]float64), make(map[string]float64)
	contests := 4 + 60/n
	if lab.Quick {
		contests = 1 + 60/n
	}
	for _, a := range backoffAlgorithms {
		r, err := backoffContend(ctx, lab, c, a.spec, contests)
		if err != nil {
			return err
		}
		calls[a.name], times[a.name] = r.Writes, r.Time.Seconds()
	}
	others := func(of map[string]float64, name string, choose func(a, b float64) float64) float64 {
		chosen := math.NaN()
		for _, a := range backoffAlgorithms {
			switch {
			case a.name == name:
			case math.IsNaN(chosen):
				chosen = of[a.name]
			default:
				chosen = choose(chosen, of[a.name])
			}
		}
		return chosen
	}
	out.Set(backoffFullCalls, calls["full"]/calls["exponential"])
	out.Set(backoffEqualCalls, calls["equal"]/calls["full"])
	out.Set(backoffNoneCalls, calls["none"]/others(calls, "none", math.Max))
	out.Set(backoffExponentialTime, times["exponential"]/others(times, "exponential", math.Max))
	out.Set(backoffNoneTime, times["none"]/others(times, "none", math.Min))
	return nil
}

// backoffContend plays the contests of a cell with one algorithm, in the
// network of the study.
func backoffContend(ctx context.Context, lab Lab, c sweep.Cell, client string, contests int64) (scenario.Contended, error) {
	s, err := clients.Parse(client)
	if err != nil {
		return scenario.Contended{}, err
	}
	return lab.Contend(ctx, scenario.Contention{
		Client: s, Clients: int(c.Int("clients")), Leg: 10 * time.Millisecond, Spread: 2 * time.Millisecond, Service: c.Duration("service"),
		Contests: int(contests), Seed: c.Seed, Rep: c.Rep,
	})
}

func backoffCheckService(v string) error {
	d, err := spec.ParseDuration(v)
	if err == nil && (d < 0 || d > time.Second) {
		err = errors.New("must lie in 0s..1s")
	}
	return err
}
