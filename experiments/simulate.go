package experiments

import (
	"context"

	"ratelab/des/metrics"
	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/plots/table"
)

// Simulate runs one scenario in replications 0..reps-1, on workers at the same
// time (0: as many as there are processors), and returns a table of metric,
// unit, n, mean, ci_low and ci_high (95 %, Student t over replications). A
// metric of which no replication has a value is left out.
func Simulate(ctx context.Context, c scenario.Config, reps, workers int, progress func(sweep.Progress)) (*table.Table, error) {
	plan := &sweep.Plan{
		Name: "simulate", Grids: []sweep.Grid{{}}, Reps: reps, Seed: c.Seed,
		Run: func(ctx context.Context, cell sweep.Cell, out *sweep.Row) error {
			c := c
			c.Rep = cell.Rep
			return measureAll(ctx, c, out)
		},
	}
	for _, m := range metrics.Dictionary() {
		plan.Metrics = append(plan.Metrics, sweep.Metric(m))
	}
	if policies := scenario.PolicyNames(c.Clients); len(policies) > 1 {
		for _, policy := range policies {
			for _, m := range metrics.OfPolicy(policy) {
				plan.Metrics = append(plan.Metrics, sweep.Metric(m))
			}
		}
	}
	result, err := sweep.Execute(ctx, plan, sweep.Options{Workers: workers, AtOnce: ctx.Done(), Progress: progress})
	if err != nil {
		return nil, err
	}
	summary, err := result.Summary()
	if err != nil {
		return nil, err
	}
	return summary.Select("metric", "unit", "n", "mean", "ci_low", "ci_high")
}

// measureAll puts everything that a scenario measures into a row.
func measureAll(ctx context.Context, c scenario.Config, out *sweep.Row) error {
	result, err := scenario.Run(ctx, c)
	if err != nil {
		return err
	}
	for _, v := range result {
		out.Set(v.Name, v.Value)
	}
	return nil
}
