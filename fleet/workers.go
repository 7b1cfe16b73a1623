package fleet

import (
	"math/rand/v2"
	"time"

	"ratelab/des"
)

// workers are those of all servers.
type workers struct {
	Capacity
	fleet    *Fleet
	stations []station // one a server
	draws    *rand.Rand
	observer ServiceObserver // the caller, if it is one
	load     Load
	busy     int // workers that do something, in the whole fleet
	waiting  int // calls in its queues
	at       time.Duration
}

// ServiceObserver is a Caller that also hears of its servers' queues.
type ServiceObserver interface {
	// Queued is told how many calls wait at a server, when one more does.
	Queued(now time.Duration, server, waiting int)
	// Begun is told how long a call waited, when its service begins.
	Begun(now, waited time.Duration)
}

// station is the workers of one server, and those who wait for them.
type station struct {
	lines     [MaxTiers]line
	refusals  line // for the workers to write, before all else
	waiting   [MaxTiers]int
	serving   int           // calls in service
	busy      int           // workers: at those, and at refusals
	emptied   time.Duration // when a call last came to an empty queue
	assigning bool          // calls are being given to workers right now
}

// queued returns how many calls wait.
func (q *station) queued() (n int) {
	for _, k := range q.waiting {
		n += k
	}
	return n
}

// before returns how many calls wait that go before a new one of a tier.
func (q *station) before(tier uint8) (n int) {
	for _, k := range q.waiting[:tier+1] {
		n += k
	}
	return n
}

// inFlight returns how many calls wait or are in service.
func (q *station) inFlight() int { return q.queued() + q.serving }

func newWorkers(f *Fleet, c Capacity, servers int, stream func(string) *rand.Rand) *workers {
	w := &workers{Capacity: c, fleet: f, stations: make([]station, servers), draws: stream("service")}
	w.observer, _ = f.caller.(ServiceObserver)
	return w
}

func (w *workers) free(q *station) bool { return w.Workers == 0 || q.busy < w.Workers }

// come takes in a call that was admitted. How much work it is, is drawn in any
// case, so that what is shed shifts no other's.
func (w *workers) come(s *des.Sim, call Call) {
	c := w.fleet.calls.at(call)
	q := &w.stations[c.server]
	c.tier, c.work, c.came = uint8(w.Tiers.Of(c.req.Key)), w.Service.draw(w.draws), s.Now()
	w.load.Came[c.tier]++
	switch waiting := q.queued(); {
	case w.Shed.refuses(q, c):
		w.turnAway(s, call)
	case w.free(q) && waiting == 0:
		w.begin(s, call)
	case w.Queue == Unlimited || waiting < w.Queue:
		w.wait(s, call)
	default:
		w.full(s, call)
	}
}

// full finds no room for a call: it takes that of the latest one of a lower
// tier, if one waits.
func (w *workers) full(s *des.Sim, call Call) {
	c := w.fleet.calls.at(call)
	q := &w.stations[c.server]
	for tier := w.Tiers.N() - 1; tier > int(c.tier); tier-- {
		if q.waiting[tier] == 0 {
			continue
		}
		w.settle(s.Now())
		victim := w.fleet.calls.popLast(&q.lines[tier])
		q.waiting[tier]--
		w.waiting--
		w.wait(s, call)
		w.turnAway(s, victim)
		return
	}
	w.turnAway(s, call)
}

// wait puts a call into its queue.
func (w *workers) wait(s *des.Sim, call Call) {
	w.settle(s.Now())
	c := w.fleet.calls.at(call)
	q := &w.stations[c.server]
	if q.queued() == 0 {
		q.emptied = s.Now()
	}
	w.Shed.admits(q, c)
	w.fleet.calls.push(&q.lines[c.tier], call)
	q.waiting[c.tier]++
	w.waiting++
	if w.observer != nil {
		w.observer.Queued(s.Now(), c.server, q.queued())
	}
}

// next takes the call whose turn it is from the queue; 0 if there is none.
func (w *workers) next(s *des.Sim, q *station) Call {
	for tier := range q.waiting {
		if q.waiting[tier] == 0 {
			continue
		}
		w.settle(s.Now())
		call := w.fleet.calls.pop(&q.lines[tier])
		q.waiting[tier]--
		w.waiting--
		return call
	}
	return 0
}

// assign gives work to the workers of a server who have none.
func (w *workers) assign(s *des.Sim, server int) {
	q := &w.stations[server]
	if q.assigning {
		return // the loop below is at work, further up the stack
	}
	q.assigning = true
	for w.free(q) {
		if !q.refusals.empty() {
			w.writeNow(s, w.fleet.calls.pop(&q.refusals))
			continue
		}
		call := w.next(s, q)
		if call == 0 {
			break
		}
		switch c := w.fleet.calls.at(call); {
		case w.DropAbandoned && c.givenUp:
			w.load.Dropped++
			w.fleet.finish(s, call)
		case w.Shed.expires(c, s.Now()):
			w.turnAway(s, call)
		default:
			w.begin(s, call)
		}
	}
	q.assigning = false
}

// begin serves a call.
func (w *workers) begin(s *des.Sim, call Call) {
	w.settle(s.Now())
	c := w.fleet.calls.at(call)
	q := &w.stations[c.server]
	q.busy++
	q.serving++
	w.busy++
	if w.observer != nil {
		w.observer.Begun(s.Now(), s.Now()-c.came)
	}
	c.work = w.Slowdown.of(c.work, q.inFlight())
	s.After(c.work, (*serviceEnds)(w), uint64(call))
}

// The events of workers.
type (
	serviceEnds    workers
	refusalWritten workers
)

// Handle ends a service, and takes up the next.
func (h *serviceEnds) Handle(s *des.Sim, tag uint64) {
	w, call := (*workers)(h), Call(tag)
	w.settle(s.Now())
	c := w.fleet.calls.at(call)
	server := c.server
	q := &w.stations[server]
	q.busy--
	q.serving--
	w.busy--
	w.load.Served++
	w.load.Work.add(1, c.work)
	if c.givenUp {
		w.load.Wasted.add(1, c.work)
	} else {
		w.load.Useful[c.tier]++
	}
	w.assign(s, server)
	w.fleet.finish(s, call)
}

// turnAway sheds a call.
func (w *workers) turnAway(s *des.Sim, call Call) {
	w.load.Shed++
	w.fleet.calls.at(call).shed = true
	w.fleet.refuse(s, call)
}

// write has a refusal written as soon as a worker is free.
func (w *workers) write(s *des.Sim, call Call) {
	q := &w.stations[w.fleet.calls.at(call).server]
	if w.free(q) && q.refusals.empty() {
		w.writeNow(s, call)
		return
	}
	w.fleet.calls.push(&q.refusals, call)
}

func (w *workers) writeNow(s *des.Sim, call Call) {
	w.settle(s.Now())
	w.stations[w.fleet.calls.at(call).server].busy++
	w.busy++
	s.After(w.RefusalCost, (*refusalWritten)(w), uint64(call))
}

// Handle hands out a refusal.
func (h *refusalWritten) Handle(s *des.Sim, tag uint64) {
	w, call := (*workers)(h), Call(tag)
	w.settle(s.Now())
	server := w.fleet.calls.at(call).server
	w.stations[server].busy--
	w.busy--
	w.assign(s, server)
	w.fleet.finish(s, call)
}

// settle counts up to now what was going on.
func (w *workers) settle(now time.Duration) {
	w.load.Busy.add(w.busy, now-w.at)
	w.load.Waiting.add(w.waiting, now-w.at)
	w.at = now
}
