package peers

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"ratelab/des"
	"ratelab/fleet"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

// races reports whether servers read and write the store in two operations.
func (c StoreCase) races() bool { return strings.HasPrefix(c.Coordination, "central-racy:") }

// storeReplay is a simulated fleet to which the requests of a run come when they
// were sent in the real one, at the same servers where those hold anything.
type storeReplay struct {
	StoreCase
	*storeRun
	typical  storeTimes
	fleet    *fleet.Fleet
	sim      *des.Sim
	rtt      time.Duration   // of all; negative: as they were measured
	halves   []time.Duration // by request: from its sending to the reading
	trip     time.Duration   // the next one to be drawn
	asked    []int           // questions of servers that lease, by window
	admitted []int           // by window
	total    int64
}

// replay simulates a run in which the store reads and writes for every request
// when the real one did. The simulated round trips have equal halves: if the
// answer then comes after what follows from it, the request is sent later than it
// was, by so much. Questions for a lease take as long as they took, in their order.
func (c StoreCase) replay(run *storeRun) (*storeReplay, error) { return c.simulate(run, -1, c.Pause) }

// simulate replays the arrivals of a run with round trips that all take as long,
// and a pause that does.
func (c StoreCase) simulate(run *storeRun, rtt, pause time.Duration) (*storeReplay, error) {
	text := c.Coordination
	if c.races() {
		text = fmt.Sprintf("%s,delay=%dns", text, pause.Nanoseconds())
	}
	coordination, err := fleet.ParseCoordination(text)
	if err != nil {
		return nil, err
	}
	limiter, err := limiters.Parse(fmt.Sprintf("fixed-window:limit=%d,window=%dus", c.Limit, c.Window.Microseconds()))
	if err != nil {
		return nil, err
	}
	p := &storeReplay{StoreCase: c, storeRun: run, typical: run.times(0.5), sim: des.New(), rtt: rtt, asked: make([]int, c.Windows), admitted: make([]int, c.Windows)}
	trips := fleet.FixedRTT(max(0, rtt))
	if rtt < 0 {
		if trips, err = fleet.ParseRTT(fmt.Sprintf("uniform:max=%dns", tripBound-1)); err != nil {
			return nil, err
		}
	}
	p.fleet, err = fleet.New(fleet.Config{
		Servers: c.Servers, Coordination: coordination, RTT: trips, Limiter: limiter,
		Seed: 1, Stream: func(string) *rand.Rand { return rand.New(p) },
	}, p)
	if err != nil {
		return nil, err
	}
	p.halves = make([]time.Duration, len(run.requests))
	for i, r := range run.requests {
		at := r.at
		if rtt < 0 && r.read > 0 {
			p.halves[i] = r.read - r.at
			if r.written > 0 {
				p.halves[i] = min(p.halves[i], r.written-r.read-c.Pause)
			}
			p.halves[i] = max(0, p.halves[i])
			at = r.read - p.halves[i]
		}
		p.sim.At(at, p, uint64(i))
	}
	p.sim.Run(des.Never)
	return p, nil
}

// tripBound is above all round trips: 18 minutes, in ns. As it is a power of two, a
// uniform draw below it is the low bits of what the source says.
const tripBound = 1 << 40

// Uint64 is the source of the simulated round trips: it says the measured ones.
func (p *storeReplay) Uint64() uint64 {
	if len(p.asks) > 0 {
		sum := 0
		for _, n := range p.asked {
			sum += n
		}
		ask := p.asks[min(sum, len(p.asks)-1)]
		p.trip = ask.answered - ask.at
		if w := int((p.sim.Now() + p.trip/2) / p.Window); w < p.Windows {
			p.asked[w]++
		}
	}
	return uint64(p.trip)
}

// Handle sends a request.
func (p *storeReplay) Handle(s *des.Sim, i uint64) {
	p.trip = 2 * p.halves[i]
	p.fleet.Send(s, contract.Request{At: s.Now(), Cost: 1, ID: i})
}

// Decided counts what is admitted, by the window in which the store was read. What
// is written then comes there after the delay and half of a round trip.
func (p *storeReplay) Decided(now time.Duration, _ int, req contract.Request, d contract.Decision) {
	if !d.Admitted {
		return
	}
	r, half := &p.requests[req.ID], p.halves[req.ID]
	if p.races() {
		if p.rtt >= 0 {
			half = p.rtt - p.rtt/2
		}
		// A request that was not admitted by the real fleet wrote nothing; its write
		// would have been like another.
		if p.trip = p.typical.trip; r.admitted {
			p.trip = 2 * (r.written - now - p.Pause)
		}
		now -= half
	}
	p.total++
	if w := int(now / p.Window); w < p.Windows {
		p.admitted[w]++
	}
}

// Done hears the answer.
func (p *storeReplay) Done(*des.Sim, fleet.Call, contract.Request, contract.Reply) {}

// count is what was counted.
func (p *storeReplay) count() storeCount {
	return storeCount{operations: p.fleet.Account(des.Never).StoreOps, admitted: p.total, byWindow: p.admitted, asked: p.asked}
}

var _ rand.Source = (*storeReplay)(nil)
