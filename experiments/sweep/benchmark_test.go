package sweep_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"ratelab/experiments/sweep"
)

// equalCells is a sweep of 200 cells that take the same time, about 5 ms.
func equalCells() *sweep.Plan {
	return &sweep.Plan{
		Name:    "equal",
		Factors: []sweep.Factor{{Name: "cell", Description: "one as long as the other"}},
		Metrics: []sweep.Metric{{Name: "sum", Unit: "1", Description: "of what is drawn"}},
		Grids:   []sweep.Grid{{{Factor: "cell", Values: []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}}}},
		Reps:    20,
		Seed:    1,
		Run: func(_ context.Context, c sweep.Cell, out *sweep.Row) error {
			r, sum := rand.New(rand.NewPCG(c.Seed, uint64(c.Rep))), 0.0
			for range 1_000_000 {
				sum += r.Float64()
			}
			out.Set("sum", sum)
			return nil
		},
	}
}

// BenchmarkWorkers runs the same sweep with one worker and with two, in turn, and
// reports how many times faster two are: nearly 2, if two processors are idle.
func BenchmarkWorkers(b *testing.B) {
	run := func(workers int) time.Duration {
		begin := time.Now()
		if _, err := sweep.Execute(context.Background(), equalCells(), sweep.Options{Workers: workers}); err != nil {
			b.Fatal(err)
		}
		return time.Since(begin)
	}
	var one, two time.Duration
	for b.Loop() {
		one += run(1)
		two += run(2)
	}
	b.ReportMetric(one.Seconds()/two.Seconds(), "times-faster")
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		var load float64
		if _, err := fmt.Sscan(string(text), &load); err == nil {
			b.ReportMetric(load, "load") // of the machine, a minute's average
		}
	}
}
