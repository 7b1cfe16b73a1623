package scenario_test

import (
	"context"
	"fmt"
	"time"

	"ratelab/experiments/scenario"
	"ratelab/limiters"
	"ratelab/workloads"
)

// One replication of a world: one server, one minute, twice as much as its
// limit allows.
func ExampleRun() {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	limiter, err := limiters.Parse("gcra:rate=10/s,burst=5")
	must(err)
	workload, err := workloads.Parse("steady:rate=20/s")
	must(err)
	world := scenario.Default(limiter, workload)
	world.Horizon = time.Minute
	result, err := scenario.Run(context.Background(), world)
	must(err)
	for _, metric := range []string{"offered", "admitted", "refused", "max_window_admitted"} {
		fmt.Println(metric, result.Get(metric))
	}
	// Output:
	// offered 1200
	// admitted 604
	// refused 596
	// max_window_admitted 14
}
