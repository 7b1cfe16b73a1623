package adversary

import (
	"time"

	"ratelab/des"
	"ratelab/fleet"
	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/workloads"
)

// player lets requests arrive in a world that is new each time, all of one key
// and cost 1, and notes what becomes of them.
type player interface {
	play(at []time.Duration, o *outcome) error
}

// player makes the world.
func (c Config) player() (player, error) {
	var log *exactLog
	if c.Harm == Deficit {
		window, _ := c.Limiter.Window()
		log = &exactLog{limit: int(c.Limiter.Capacity()), window: window}
	}
	if c.Fresh != nil {
		return &apart{limiters: []limiters.Limiter{c.Fresh()}, picks: make([]int, c.Requests), log: log}, nil
	}
	w := &world{log: log, config: c.fleet()}
	f, err := fleet.New(w.config, w)
	if err != nil {
		return nil, err
	}
	switch c.kind() {
	case "local", "quota", "central":
		if f.AtOnce() {
			return c.apart(f, log), nil
		}
	}
	return w, nil
}

// fleet is built as that of a scenario.
func (c Config) fleet() fleet.Config {
	return fleet.Config{
		Servers: c.Servers, Balancer: c.Balancer, Coordination: c.Coordination, RTT: c.RTT, Limiter: c.Limiter,
		Seed: c.Seed, Stream: workloads.Streams(c.Seed, c.Rep, ""),
	}
}

// apart is limiters that do not hear of each other, and a balancer that goes by
// the order of requests alone: which of them decides the i-th request is always
// the same. Canonical limiters forget their key between two schedules, and
// nothing allocates; but that a log's ring grows anew. Dialects are made anew: a
// program's clock may outlive its keys.
type apart struct {
	limiters []limiters.Limiter
	anew     func(i int) limiters.Limiter // nil if they forget
	picks    []int                        // by request
	log      *exactLog                    // nil if the harm is no deficit
}

func (c Config) apart(f *fleet.Fleet, log *exactLog) *apart {
	p, shares := &apart{log: log}, f.Shares()
	for _, share := range shares {
		p.limiters = append(p.limiters, share.New(c.Seed, nil))
	}
	if _, dialect := limiters.DialectOf(c.Limiter.Name()); dialect {
		p.anew = func(i int) limiters.Limiter { return shares[i].New(c.Seed, nil) }
	}
	for range c.Requests {
		server, _, _ := f.Decide(0, 0, 1)
		p.picks = append(p.picks, f.Bucket(server))
	}
	return p
}

func (p *apart) play(at []time.Duration, o *outcome) error {
	o.clear()
	for i, l := range p.limiters {
		l.Forget(0)
		if p.anew != nil {
			p.limiters[i] = p.anew(i)
		}
	}
	for i, t := range at {
		if ok, delay := p.limiters[p.picks[i]].Admit(t, 0, 1); ok {
			o.admitted = append(o.admitted, t)
			o.delay = max(o.delay, delay)
		}
	}
	o.own = int64(len(o.admitted))
	if p.log != nil {
		p.log.begin()
		for _, t := range at {
			if p.log.ask(t) {
				o.log++
			}
		}
	}
	return nil
}

// world is a fleet, built anew for each schedule.
type world struct {
	config fleet.Config
	log    *exactLog
	fleet  *fleet.Fleet
	ahead  []time.Duration // arrivals that have not come
	out    *outcome
}

func (w *world) play(at []time.Duration, o *outcome) (err error) {
	o.clear()
	if w.log != nil {
		w.log.begin()
	}
	w.out, w.ahead = o, at
	if w.fleet, err = fleet.New(w.config, w); err != nil {
		return err
	}
	if !w.fleet.AtOnce() {
		sim := des.New()
		if len(at) > 0 {
			sim.At(at[0], w, 0)
		}
		sim.Run(des.Never)
		return nil
	}
	for _, t := range at {
		_, admitted, delay := w.fleet.Decide(t, 0, 1)
		w.decided(t, admitted)
		if admitted {
			o.delay = max(o.delay, delay)
		}
	}
	return nil
}

// Handle sends the next arrival, once the one after it is on its way.
func (w *world) Handle(s *des.Sim, _ uint64) {
	at := w.ahead[0]
	if w.ahead = w.ahead[1:]; len(w.ahead) > 0 {
		s.At(w.ahead[0], w, 0)
	}
	w.fleet.Send(s, contract.Request{At: at, Cost: 1})
}

func (w *world) decided(now time.Duration, admitted bool) {
	if admitted {
		w.out.own++
		w.out.admitted = append(w.out.admitted, now)
	}
	if w.log != nil && w.log.ask(now) {
		w.out.log++
	}
}

// Decided notes a decision.
func (w *world) Decided(now time.Duration, _ int, _ contract.Request, d contract.Decision) {
	w.decided(now, d.Admitted)
}

// Done notes how long an admitted request waited.
func (w *world) Done(s *des.Sim, _ fleet.Call, req contract.Request, r contract.Reply) {
	if r.Decision.Admitted {
		w.out.delay = max(w.out.delay, s.Now()-req.At)
	}
}
