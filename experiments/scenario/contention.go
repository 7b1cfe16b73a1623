package scenario

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"ratelab/clients"
	"ratelab/des"
	"ratelab/internal/random"
	"ratelab/limiters/contract"
	"ratelab/workloads"
)

// Contention is a world of its own: clients that each want to write once to
// the same row, under optimistic concurrency control. An attempt reads the
// row's version and writes with it; if another write came between, it fails,
// and the client waits as its policy says and starts over. All begin at once.
//
// Each way between client and server takes |Normal(Leg, Spread)|, drawn anew
// each time; the server does one thing after the other, each for Service.
type Contention struct {
	Client      clients.Spec // with an open loop and without a timeout
	Clients     int          // 1..clients.MaxClients
	Leg, Spread time.Duration
	Service     time.Duration // of a read, and of a write; 0: the server takes everything at once
	Contests    int           // >= 1: how often it is played, each time with chance of its own
	Seed        uint64
	Rep         int
}

// Contended is what became of the contests, on average.
type Contended struct {
	Writes float64       // of all clients until each had succeeded once; reads are not counted
	Time   time.Duration // until the last client had heard of its success
}

// Contend plays the contests of one replication. It returns ctx's error if it
// is cancelled.
func Contend(ctx context.Context, c Contention) (Contended, error) {
	switch {
	case c.Client.IsZero():
		return Contended{}, errors.New("a contention needs a client")
	case c.Client.Users() > 0 || c.Client.Timeout() > 0:
		return Contended{}, fmt.Errorf("client %q must have neither users nor a timeout: each client wants one write and waits for the reply", c.Client)
	case c.Leg < 0 || c.Spread < 0 || c.Service < 0:
		return Contended{}, errors.New("the times of a contention must be >= 0")
	case c.Contests < 1:
		return Contended{}, fmt.Errorf("contests must be >= 1, got %d", c.Contests)
	}
	mix, err := clients.ParseMix(c.Client.String())
	if err != nil {
		return Contended{}, err
	}
	writes, total := int64(0), time.Duration(0)
	for k := range c.Contests {
		if err := ctx.Err(); err != nil {
			return Contended{}, err
		}
		n, took, err := c.contest(mix, workloads.Streams(c.Seed, c.Rep, strconv.Itoa(k)))
		if err != nil {
			return Contended{}, err
		}
		writes, total = writes+n, total+took
	}
	return Contended{Writes: float64(writes) / float64(c.Contests), Time: total / time.Duration(c.Contests)}, nil
}

// contest plays once.
func (c Contention) contest(mix clients.Mix, stream func(purpose string) *rand.Rand) (writes int64, took time.Duration, err error) {
	p, err := clients.New(clients.Config{
		Mix: mix, Clients: c.Clients, Sender: clients.InTurn, Workload: &atOnce{c.Clients}, Stream: stream,
	})
	if err != nil {
		return 0, 0, err
	}
	s := des.New()
	p.Start(s, &row{p: p, legs: stream("network"), leg: float64(c.Leg), spread: float64(c.Spread), service: c.Service, writes: make([]write, c.Clients)})
	s.Run(des.Never)
	total := p.Total()
	if lost := total.GaveUp(); lost > 0 {
		return 0, 0, fmt.Errorf("client %q: %d of %d gave up before they had written: the contest needs more attempts", mix, lost, c.Clients)
	}
	return total.Attempts, s.Now(), nil
}

// atOnce is the given number of arrivals, all at the beginning.
type atOnce struct{ left int }

func (w *atOnce) Next() (workloads.Arrival, bool) {
	w.left--
	return workloads.Arrival{Cost: 1}, w.left >= 0
}

// row is the server.
type row struct {
	p           *clients.Population
	legs        *rand.Rand
	leg, spread float64 // ns
	service     time.Duration
	free        time.Duration // when it has done what it was asked for so far
	version     int64
	writes      []write // under way, by the number in their requests' IDs
}

type write struct {
	id   uint64
	read int64 // the version
	ok   bool
}

// The steps of an attempt, in the low bits of its events' tags.
const (
	asks      = iota // its read has come to the server
	reads            // and is served
	submits          // the client, once it has the version, has written: that has come to the server
	commits          // and is served
	concludes        // the client hears
	steps
)

func (w *row) Send(s *des.Sim, req contract.Request) clients.Call {
	slot := uint32(req.ID)
	w.writes[slot] = write{id: req.ID}
	s.After(w.way(), w, uint64(slot)*steps+asks)
	return 0
}

// Cancel is never called: nobody has a timeout.
func (w *row) Cancel(clients.Call) bool { return false }

// way is how long something travels through the network, one way.
func (w *row) way() time.Duration {
	d := time.Duration(w.leg + float64(w.spread*random.Normal(w.legs)))
	return max(d, -d)
}

// serve is the turn of what has come to the server.
func (w *row) serve(s *des.Sim, tag uint64) {
	if w.service == 0 {
		w.Handle(s, tag)
		return
	}
	w.free = max(w.free, s.Now()) + w.service
	s.At(w.free, w, tag)
}

// Handle takes an attempt to its next step.
func (w *row) Handle(s *des.Sim, tag uint64) {
	x := &w.writes[tag/steps]
	switch tag % steps {
	case asks, submits:
		w.serve(s, tag+1)
	case reads:
		x.read = w.version
		s.After(w.way()+w.way(), w, tag+1) // the version comes, the write goes
	case commits:
		if x.ok = x.read == w.version; x.ok {
			w.version++
		}
		s.After(w.way(), w, tag+1)
	case concludes:
		r := contract.Reply{}
		if !x.ok {
			r.Outcome = contract.Shed
		}
		w.p.Done(s, x.id, r)
	}
}
