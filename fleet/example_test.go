package fleet_test

import (
	"fmt"
	"time"

	"ratelab/fleet"
	"ratelab/limiters"
	"ratelab/workloads"
)

// Three servers that each allow the whole burst allow three of them.
func ExampleFleet_Decide() {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	limit, err := limiters.Parse("token-bucket:rate=2/s,burst=20")
	must(err)
	balancer, err := fleet.ParseBalancer("round-robin")
	must(err)
	for _, text := range []string{"local", "quota"} {
		coordination, err := fleet.ParseCoordination(text)
		must(err)
		f, err := fleet.New(fleet.Config{
			Servers: 3, Balancer: balancer, Coordination: coordination, Limiter: limit, Stream: workloads.Streams(1, 0, ""),
		}, nil)
		must(err)
		passed := 0
		for range 100 {
			if _, admitted, _ := f.Decide(time.Second, 0, 1); admitted {
				passed++
			}
		}
		fmt.Println(text, passed)
	}
	// Output:
	// local 60
	// quota 20
}
