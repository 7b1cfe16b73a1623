package scenario

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"ratelab/clients"
	"ratelab/des"
	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/workloads"
)

// Calling is a world of its own: clients call a server whose attempts fail for
// a reason from outside, or because a limiter refuses them, and retry as their
// policy and its budget allow. Nothing but the limiter and the budgets links
// one attempt with another.
type Calling struct {
	Client   clients.Spec // with an open loop and without a timeout
	Clients  int          // 1..clients.MaxClients
	Workload workloads.Spec
	Failure  float64       // chance that an attempt fails for a reason from outside, in [0, 1]
	Limiter  limiters.Spec // decides on what has not failed by then; the zero Spec admits all
	Latency  time.Duration // from an attempt to its reply
	Warmup   time.Duration // what happens before it is not counted
	Horizon  time.Duration // > Warmup
	Seed     uint64
	Rep      int
}

// Called is what happened in [Warmup, Horizon).
type Called struct {
	Calls     int64 // that began
	Attempts  int64 // that were sent
	Succeeded int64 // calls that ended well
	Ended     int64 // calls that ended
}

// Call simulates one replication. Each call comes from any of the clients with
// the same chance. It returns ctx's error if it is cancelled.
func Call(ctx context.Context, c Calling) (Called, error) {
	switch {
	case c.Client.IsZero():
		return Called{}, errors.New("calls need a client")
	case c.Client.Users() > 0 || c.Client.Timeout() > 0:
		return Called{}, fmt.Errorf("client %q must have neither users nor a timeout: calls come from the workload, and every reply arrives", c.Client)
	case !(c.Failure >= 0 && c.Failure <= 1):
		return Called{}, fmt.Errorf("failure must lie in [0, 1], got %v", c.Failure)
	case c.Latency < 0:
		return Called{}, fmt.Errorf("latency must be >= 0, got %s", c.Latency)
	case c.Warmup < 0 || c.Horizon <= c.Warmup:
		return Called{}, fmt.Errorf("warmup must lie in 0..horizon (%s), got %s", c.Horizon, c.Warmup)
	}
	mix, err := clients.ParseMix(c.Client.String())
	if err != nil {
		return Called{}, err
	}
	stream := workloads.Streams(c.Seed, c.Rep, "")
	calls, err := Arrivals(c.Workload, 1, stream)
	if err != nil {
		return Called{}, err
	}
	p, err := clients.New(clients.Config{Mix: mix, Clients: c.Clients, Sender: clients.Drawn, Workload: calls, Stream: stream})
	if err != nil {
		return Called{}, err
	}
	b := &backend{p: p, failure: c.Failure, failures: stream("failures"), latency: c.Latency}
	if !c.Limiter.IsZero() {
		b.limiter = c.Limiter.New(c.Seed, nil)
	}
	s := des.New()
	p.Start(s, b)
	var before clients.Tally
	for i, until := range []time.Duration{c.Warmup, c.Horizon} {
		if i == 1 {
			before = p.Total()
		}
		if err := runUntil(ctx, s, until); err != nil {
			return Called{}, err
		}
	}
	return called(p.Total()).minus(called(before)), nil
}

// runUntil runs in steps, and looks at the context between them.
func runUntil(ctx context.Context, s *des.Sim, until time.Duration) error {
	for step := max((until-s.Now())/64, 1); s.Now() < until; {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.Run(min(s.Now()+step, until))
	}
	return nil
}

func called(t clients.Tally) Called {
	c := Called{Calls: t.Requests, Attempts: t.Attempts, Succeeded: t.Ended[clients.Succeeded]}
	for _, n := range t.Ended {
		c.Ended += n
	}
	return c
}

func (c Called) minus(d Called) Called {
	return Called{c.Calls - d.Calls, c.Attempts - d.Attempts, c.Succeeded - d.Succeeded, c.Ended - d.Ended}
}

// backend is the server.
type backend struct {
	p        *clients.Population
	failure  float64
	failures *rand.Rand
	limiter  limiters.Limiter // nil: none
	latency  time.Duration
	replies  []contract.Reply // on their way, by the number in their requests' IDs
}

func (b *backend) Send(s *des.Sim, req contract.Request) clients.Call {
	r := b.reply(s.Now(), req)
	if b.latency == 0 {
		b.p.Done(s, req.ID, r)
		return 0
	}
	slot := int(uint32(req.ID))
	for len(b.replies) <= slot {
		b.replies = append(b.replies, contract.Reply{})
	}
	b.replies[slot] = r
	s.After(b.latency, b, req.ID)
	return 0
}

// reply decides an attempt.
func (b *backend) reply(now time.Duration, req contract.Request) contract.Reply {
	if b.failures.Float64() < b.failure {
		return contract.Reply{Outcome: contract.Shed}
	}
	if b.limiter == nil {
		return contract.Reply{}
	}
	d := b.limiter.Take(now, req.Key, req.Cost)
	b.p.Decided(req, d.Admitted)
	if d.Admitted {
		return contract.Reply{Decision: d}
	}
	return contract.Reply{Outcome: contract.Throttled, Decision: d}
}

// Handle tells the client the reply to the attempt that tag names.
func (b *backend) Handle(s *des.Sim, tag uint64) { b.p.Done(s, tag, b.replies[uint32(tag)]) }

// Cancel is never called: nobody has a timeout.
func (b *backend) Cancel(clients.Call) bool { return false }
