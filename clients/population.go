package clients

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"ratelab/des"
	"ratelab/internal/random"
	"ratelab/limiters/contract"
	"ratelab/workloads"
)

// Call is a server's name for an attempt that it has taken in.
type Call uint64

// Server is what clients send to. Send takes in an attempt; its end is told to
// [Population.Done] with the attempt's ID, once, before Send returns or later.
// Cancel gives an attempt up: its end is not told any more.
type Server interface {
	Send(s *des.Sim, req contract.Request) Call
	Cancel(call Call) bool
}

// Observer hears what happens, as the clients see it, in order of time. The
// policy is the index of the client's spec in the mix.
type Observer interface {
	// Sent is told of an attempt before the server has it; attempt counts
	// from 1.
	Sent(now time.Duration, policy int, req contract.Request, attempt int64)
	// Heard is told of an attempt's end, with the hints as the client sees
	// them; a timeout is the outcome Timeout, with no hints.
	Heard(now time.Duration, policy int, req contract.Request, r contract.Reply)
	// Ended is told of a request's end, exactly once.
	Ended(now time.Duration, e Ended)
}

// Ended is a request that has ended.
type Ended struct {
	Policy   int // index in the mix
	Client   int // from 0; the users of closed specs come after the open clients
	Key      uint32
	Cost     int64
	Since    time.Duration    // when it arrived, or was thought of
	Attempts int64            // that were sent, may be 0
	Outcome  contract.Outcome // of the last attempt
	End      End
}

// Sender says which of the open clients an arrival of the workload comes from.
type Sender uint8

// The senders.
const (
	ByKey  Sender = iota // client key mod n: with as many clients as keys, each key its own
	InTurn               // arrival k, counted from 0, from client k mod n
	Drawn                // any with the same chance, each arrival by itself
)

// Config is what a population is built from.
type Config struct {
	Mix      Mix
	Clients  int                // open clients, 1..MaxClients; 0 if all specs have users
	Sender   Sender             // of the workload's arrivals
	Workload workloads.Workload // of the open clients; nil if all specs have users
	Keys     uint32             // users of closed specs have key (their number mod Keys); 0: each its own, from Clients on
	Loss     float64            // chance that a reply goes astray, in [0, 1); needs timeouts
	// Idempotent gives each request a key for all its attempts.
	Idempotent bool
	Hints      HintsSpec // what the server tells those it refuses
	// Rounded is what headers do to a decision; nil leaves it exact. It must
	// not depend on anything but its argument.
	Rounded func(contract.Decision) contract.Decision
	// Stream returns the random stream for a purpose.
	Stream   func(purpose string) *rand.Rand
	Observer Observer // nil: none
}

// Population is clients at work: what they wait for, hold back and remember.
type Population struct {
	mix      []rule
	holds    []holding // of each part of the mix, nil if it holds nothing back
	clients  []client
	open     int
	sender   Sender
	arrivals workloads.Workload
	next     workloads.Arrival // that is on its way
	turn     int               // arrivals so far
	keys     uint32

	server     Server
	hints      Hints // nil: exact
	rounded    func(contract.Decision) contract.Decision
	loss       float64
	idempotent bool
	observer   Observer

	requests requests
	tallies  []Tally // of the parts of the mix

	senders, lost *rand.Rand
	draws         *rand.Rand // from source
	source        *borrowed
}

// client is one caller.
type client struct {
	part   uint8
	key    uint32   // of a user
	budget budget   // nil: none
	gate   *gate    // nil unless the policy holds back
	jitter rand.PCG // draws of its policy
	chance rand.PCG // draws of its budget
	think  rand.PCG
}

// borrowed lets one rand.Rand draw from whatever generator is set.
type borrowed struct{ *rand.PCG }

// New builds a population in which nothing has happened yet.
func New(c Config) (*Population, error) {
	switch {
	case len(c.Mix.parts) == 0:
		return nil, errors.New("a population needs a mix of clients")
	case c.Mix.Open() && (c.Clients < 1 || c.Clients > MaxClients):
		return nil, fmt.Errorf("clients must lie in 1..%d, got %d", MaxClients, c.Clients)
	case c.Mix.Open() && c.Workload == nil:
		return nil, errors.New("clients without users need a workload")
	case !c.Mix.Open() && (c.Clients != 0 || c.Workload != nil):
		return nil, fmt.Errorf("clients %q bring their own users: there must be no workload, and no number of clients", c.Mix)
	case !(c.Loss >= 0 && c.Loss < 1):
		return nil, fmt.Errorf("loss must lie in [0, 1), got %v", c.Loss)
	}
	total := int64(c.Clients)
	for _, p := range c.Mix.parts {
		if c.Loss > 0 && p.spec.timeout == 0 {
			return nil, fmt.Errorf("client %q needs a timeout where replies are lost, or it waits for ever", p.spec)
		}
		total += p.spec.users
	}
	if total > MaxClients {
		return nil, fmt.Errorf("a population has at most %d clients and users, got %d", MaxClients, total)
	}
	p := &Population{
		open: c.Clients, sender: c.Sender, arrivals: c.Workload, keys: c.Keys,
		hints: c.Hints.New(c.Stream), rounded: c.Rounded, loss: c.Loss, idempotent: c.Idempotent, observer: c.Observer,
		tallies: make([]Tally, len(c.Mix.parts)),
		senders: c.Stream("senders"), lost: c.Stream("loss"), source: &borrowed{},
	}
	if _, same := p.hints.(exact); same {
		p.hints = nil
	}
	p.draws = rand.New(p.source)
	for _, part := range c.Mix.parts {
		p.mix = append(p.mix, part.spec.rule)
		holds, _ := part.spec.policy.(holding)
		p.holds = append(p.holds, holds)
	}
	p.people(c)
	return p, nil
}

// people makes the clients.
func (p *Population) people(c Config) {
	parts := c.Mix.policies(c.Clients, c.Stream("mix"))
	p.clients = make([]client, len(parts))
	jitter, chance, think := c.Stream("jitter"), c.Stream("budget"), c.Stream("think")
	shared := make([]budget, len(p.mix))
	for i := range p.clients {
		k := &p.clients[i]
		k.part = parts[i]
		k.key = uint32(i)
		if c.Keys > 0 {
			k.key = uint32(i-c.Clients) % c.Keys // of users; the open ones have their arrivals'
		}
		k.jitter.Seed(jitter.Uint64(), jitter.Uint64())
		k.chance.Seed(chance.Uint64(), chance.Uint64())
		k.think.Seed(think.Uint64(), think.Uint64())
		if p.holds[k.part] != nil {
			k.gate = &gate{}
		}
		switch b := p.mix[k.part].budget; {
		case b.new == nil:
		case !b.shared:
			k.budget = b.new()
		default:
			if shared[k.part] == nil {
				shared[k.part] = b.new()
			}
			k.budget = shared[k.part]
		}
	}
}

// drawing returns a Rand that draws from g.
func (p *Population) drawing(g *rand.PCG) *rand.Rand {
	p.source.PCG = g
	return p.draws
}

// Start schedules the first arrival and the users' first requests, and sends
// all attempts to server. It is called once, at the simulated time 0.
func (p *Population) Start(s *des.Sim, server Server) {
	p.server = server
	p.arrive(s)
	for i := p.open; i < len(p.clients); i++ {
		p.thinking(s, uint32(i))
	}
}

// The events of a population, by what their tags are.
type (
	arrival   Population // 0
	thought   Population // client
	returning Population // slot of a request that has waited
	timedOut  Population // slot of a request in flight
	opening   Population // client at whose gate a request may pass
)

// arrive takes the workload's next arrival and schedules it.
func (p *Population) arrive(s *des.Sim) {
	if p.arrivals == nil {
		return
	}
	var ok bool
	if p.next, ok = p.arrivals.Next(); ok {
		s.At(p.next.At, (*arrival)(p), 0)
	}
}

// Handle begins a request for the arrival that is due.
func (a *arrival) Handle(s *des.Sim, _ uint64) {
	p := (*Population)(a)
	now := p.next
	p.arrive(s)
	var from int
	switch p.sender {
	case ByKey:
		from = int(now.Key) % p.open
	case InTurn:
		from = p.turn % p.open
		p.turn++
	case Drawn:
		from = p.senders.IntN(p.open)
	}
	p.begin(s, uint32(from), now)
}

// thinking schedules a user's next request.
func (p *Population) thinking(s *des.Sim, user uint32) {
	k := &p.clients[user]
	mean := float64(p.mix[k.part].think)
	d := float64(random.Exponential(p.drawing(&k.think)) * mean)
	if d >= float64(des.Never) {
		return // beyond the clock
	}
	s.After(time.Duration(d), (*thought)(p), uint64(user))
}

// Handle begins a request of the user named by tag.
func (t *thought) Handle(s *des.Sim, tag uint64) {
	p := (*Population)(t)
	user := uint32(tag)
	p.begin(s, user, workloads.Arrival{At: s.Now(), Key: p.clients[user].key, Cost: 1})
}

// begin takes up a client's new request.
func (p *Population) begin(s *des.Sim, from uint32, a workloads.Arrival) {
	k := &p.clients[from]
	p.tallies[k.part].Requests++
	if k.budget != nil {
		k.budget.begin(s.Now())
	}
	i := p.requests.open()
	x := &p.requests.slots[i]
	x.since, x.client = s.Now(), from
	x.key, x.ip, x.endpoint, x.cost = a.Key, a.IP, a.Endpoint, a.Cost
	switch {
	case k.gate == nil:
		p.send(s, i)
	case k.gate.waiting >= p.holds[k.part].room():
		p.end(s, i, Crowded, contract.Throttled)
	default:
		p.requests.pushBack(k.gate, i)
		p.release(s, from)
	}
}

// release sends what a client's gate lets pass now, and wakes up for the next.
func (p *Population) release(s *des.Sim, of uint32) {
	k := &p.clients[of]
	g, holds := k.gate, p.holds[k.part]
	if g.releasing {
		return // the loop below is at work, further up the stack
	}
	g.releasing = true
	s.Cancel(g.wake)
	for g.first != 0 {
		i := g.first - 1
		cost := p.requests.slots[i].cost
		if at := holds.ready(g, s.Now(), cost); at > s.Now() {
			if at != contract.Never {
				g.wake = s.At(at, (*opening)(p), uint64(of))
			}
			break
		}
		p.requests.popFront(g)
		p.send(s, i)
	}
	g.releasing = false
}

// Handle opens the gate of the client named by tag.
func (o *opening) Handle(s *des.Sim, tag uint64) { (*Population)(o).release(s, uint32(tag)) }

// Handle sends the request named by tag once more.
func (r *returning) Handle(s *des.Sim, tag uint64) { (*Population)(r).send(s, uint32(tag)) }

// send makes the next attempt of a request. When it returns, the request may
// have ended.
func (p *Population) send(s *des.Sim, i uint32) {
	x := &p.requests.slots[i]
	k, now := &p.clients[x.client], s.Now()
	rule, tally := &p.mix[k.part], &p.tallies[k.part]
	if k.budget != nil && !k.budget.permit(now, p.drawing(&k.chance)) {
		p.end(s, i, Withheld, contract.Shed)
		return
	}
	req := contract.Request{At: now, Key: x.key, IP: x.ip, Endpoint: x.endpoint, Cost: x.cost}
	req.ID = x.take(i, k.part)
	if p.idempotent {
		req.Idempotency = uint64(x.use)<<32 | uint64(i)
	}
	tally.Attempts++
	if x.obeys = x.hinted && !x.returned && now >= x.told; x.hinted {
		x.returned = true
	}
	if p.observer != nil {
		p.observer.Sent(now, int(k.part), req, x.attempts)
	}
	if k.gate != nil {
		k.gate.flying++
		k.gate.flyingUnits += x.cost
		p.holds[k.part].sent(k.gate, now, x.cost)
	}
	if rule.timeout > 0 {
		x.timer = s.After(rule.timeout, (*timedOut)(p), uint64(i))
	}
	call := p.server.Send(s, req)
	if x = &p.requests.slots[i]; x.flies(req.ID) {
		x.call = call
	}
}

// Done tells the population how an attempt has ended. It is ignored if nobody
// waits for it any more. A timeout is scheduled before the attempt is sent, so
// that a reply which takes exactly as long comes too late.
func (p *Population) Done(s *des.Sim, id uint64, r contract.Reply) {
	i := uint32(id)
	if int(i) >= len(p.requests.slots) || !p.requests.slots[i].flies(id) {
		return
	}
	x := &p.requests.slots[i]
	k := &p.clients[x.client]
	req := contract.Request{At: s.Now(), Key: x.key, IP: x.ip, Endpoint: x.endpoint, Cost: x.cost, ID: id}
	if p.hints != nil {
		r.Decision = p.hints.Tell(s.Now(), req, r.Decision)
	}
	if p.loss > 0 && p.lost.Float64() < p.loss {
		p.tallies[k.part].Lost++
		return
	}
	if p.rounded != nil {
		r.Decision = p.rounded(r.Decision)
	}
	s.Cancel(x.timer)
	p.hear(s, i, req, &r)
}

// Handle gives up the attempt of the request named by tag.
func (t *timedOut) Handle(s *des.Sim, tag uint64) {
	p, i := (*Population)(t), uint32(tag)
	x := &p.requests.slots[i]
	p.server.Cancel(x.call)
	part := p.clients[x.client].part
	p.tallies[part].TimedOut++
	req := contract.Request{At: s.Now(), Key: x.key, IP: x.ip, Endpoint: x.endpoint, Cost: x.cost, ID: x.id(i, part)}
	p.hear(s, i, req, &contract.Reply{Outcome: contract.Timeout})
}

// hear ends an attempt and settles what becomes of its request.
func (p *Population) hear(s *des.Sim, i uint32, req contract.Request, r *contract.Reply) {
	x := &p.requests.slots[i]
	x.land()
	from, now := x.client, s.Now()
	k := &p.clients[from]
	tally := &p.tallies[k.part]
	if p.observer != nil {
		p.observer.Heard(now, int(k.part), req, *r)
	}
	if k.budget != nil {
		k.budget.heard(now, r.Outcome)
	}
	if k.gate != nil {
		k.gate.flying--
		k.gate.flyingUnits -= x.cost
		p.holds[k.part].heard(k.gate, now, *r)
	}
	p.count(tally, x, now, r)
	if r.Outcome == contract.OK {
		p.end(s, i, Succeeded, contract.OK)
	} else {
		p.failed(s, i, r)
	}
	if k.gate != nil {
		p.release(s, from)
	}
}

// count takes refusals and the honesty of hints into account.
func (p *Population) count(tally *Tally, x *request, now time.Duration, r *contract.Reply) {
	refused := r.Outcome == contract.Throttled || r.Outcome == contract.Shed
	if x.obeys && (refused || r.Outcome == contract.OK) {
		tally.Obeyed++
		if !refused {
			tally.Honest++
		}
	}
	if !refused {
		return
	}
	tally.Refused++
	if pause, said := told(r.Decision); said && pause != contract.Never && !x.hinted {
		x.hinted, x.told = true, plus(now, pause)
	}
}

// failed asks whether a request comes back, and when.
func (p *Population) failed(s *des.Sim, i uint32, r *contract.Reply) {
	x := &p.requests.slots[i]
	k := &p.clients[x.client]
	rule := &p.mix[k.part]
	if rule.attempts > 0 && x.attempts >= rule.attempts {
		p.end(s, i, Exhausted, r.Outcome)
		return
	}
	f := failure{attempt: x.attempts, waited: x.waited, reply: *r}
	pause, ok := rule.policy.wait(f, p.drawing(&k.jitter))
	if !ok {
		p.end(s, i, Hopeless, r.Outcome)
		return
	}
	if k.budget != nil && !k.budget.retry(s.Now(), x.retried, r.Decision) {
		p.end(s, i, OverBudget, r.Outcome)
		return
	}
	x.retried, x.waited = true, pause
	if k.gate != nil {
		p.requests.pushFront(k.gate, i) // the caller releases it
		return
	}
	s.After(pause, (*returning)(p), uint64(i))
}

// end ends a request. A user begins to think.
func (p *Population) end(s *des.Sim, i uint32, why End, o contract.Outcome) {
	x := &p.requests.slots[i]
	from := x.client
	k := &p.clients[from]
	p.tallies[k.part].Ended[why]++
	if k.budget != nil {
		k.budget.end(x.retried)
	}
	if p.observer != nil {
		p.observer.Ended(s.Now(), Ended{
			Policy: int(k.part), Client: int(from), Key: x.key, Cost: x.cost, Since: x.since, Attempts: x.attempts, Outcome: o, End: why,
		})
	}
	p.requests.close(i)
	if int(from) >= p.open {
		p.thinking(s, from)
	}
}

// Decided is told by the server's side when a request is charged, or refused;
// a request that its Ledger knows is not charged again and must not be told.
// It counts units, those of attempts included that nobody waits for any more.
func (p *Population) Decided(req contract.Request, admitted bool) {
	if admitted {
		p.tallies[partOf(req.ID)].Charged += req.Cost
	}
}

// Clients returns how many clients and users there are; Policy returns the
// index in the mix of one's spec.
func (p *Population) Clients() int { return len(p.clients) }

// Policy returns the index in the mix of a client's spec.
func (p *Population) Policy(client int) int { return int(p.clients[client].part) }

// Tally returns what the clients of one spec of the mix did so far.
func (p *Population) Tally(policy int) Tally { return p.tallies[policy] }

// Total returns what all clients did so far.
func (p *Population) Total() Tally {
	var all Tally
	for i := range p.tallies {
		all.add(&p.tallies[i])
	}
	return all
}
