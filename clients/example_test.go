package clients_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"ratelab/clients"
	"ratelab/des"
	"ratelab/fleet"
	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/workloads"
)

// world joins clients and a fleet: each knows the other by what it needs.
type world struct {
	fleet *fleet.Fleet
	*clients.Population
}

func (w *world) Send(s *des.Sim, req contract.Request) clients.Call {
	return clients.Call(w.fleet.Send(s, req))
}

func (w *world) Cancel(call clients.Call) bool { return w.fleet.Cancel(fleet.Call(call)) }

func (w *world) Decided(_ time.Duration, _ int, req contract.Request, d contract.Decision) {
	w.Population.Decided(req, d.Admitted)
}

func (w *world) Done(s *des.Sim, _ fleet.Call, req contract.Request, r contract.Reply) {
	w.Population.Done(s, req.ID, r)
}

// Eight polite and two rude clients under one bucket in a store.
func ExamplePopulation() {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	stream := workloads.Streams(1, 0, "")
	arrivals, err := workloads.Parse("poisson:rate=30/s")
	must(err)
	w, err := arrivals.New(workloads.Env{Stream: stream})
	must(err)
	mix, err := clients.ParseMix("retry-after:jitter=1s * 0.8", "rude:every=20ms,attempts=10 * 0.2")
	must(err)
	people, err := clients.New(clients.Config{
		Mix: mix, Clients: 10, Sender: clients.InTurn, Workload: w,
		Stream: func(purpose string) *rand.Rand { return stream("clients " + purpose) },
	})
	must(err)
	limiter, err := limiters.Parse("token-bucket:rate=20/s,burst=20")
	must(err)
	central, err := fleet.ParseCoordination("central")
	must(err)

	both := &world{Population: people}
	both.fleet, err = fleet.New(fleet.Config{
		Servers: 3, Coordination: central, RTT: fleet.FixedRTT(2 * time.Millisecond), Limiter: limiter, Stream: stream,
	}, both)
	must(err)
	sim := des.New()
	people.Start(sim, both)
	sim.Run(10 * time.Minute)

	for i, s := range mix.Specs() {
		t := people.Tally(i)
		fmt.Printf("%-30s %.2f attempts a request, %.0f %% succeed\n", s, t.Amplification(), 100*t.SuccessShare())
	}
	fmt.Printf("%d charged, %d under way\n", people.Total().Charged, both.fleet.InFlight())
	// Output:
	// retry-after:jitter=1s          2.91 attempts a request, 61 % succeed
	// rude:every=20ms,attempts=10    3.84 attempts a request, 94 % succeed
	// 12019 charged, 0 under way
}
