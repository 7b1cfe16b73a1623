package fleet

import (
	"fmt"
	"time"

	"ratelab/des"
	"ratelab/internal/spec"
	"ratelab/limiters"
)

// synced gives every server a copy of the limit by which it decides at once.
// At every multiple of the period each server tells all others what it has
// admitted since the last, and they charge it to their copies when it reaches
// them, after the delay.
//
// With own=count a server charges its own copy as it admits, so that no server
// admits more than the limit, and N together at most N times. With own=ignore
// its own come back with the others', and nothing but the period holds it.
//
// What comes in may take a copy beyond the limit: a debt. With debt=carry it is
// paid: a bucket's level goes below 0, and what a fixed window counts above
// its limit, or what comes after its end, counts in the next. In the long run
// no more is admitted than the rate. With debt=forgive a bucket is taken to 0 at
// most, and a window begins from zero; what comes after its end is dropped.
type synced struct {
	perServer
	period, delay time.Duration
	own           bool // count
	forgive       bool
	edges         bool // the limiter's windows end at one time for all servers

	next    time.Duration   // when the next exchange is
	told    pairs           // of hits
	hits    []hit           // admitted since the last exchange, by server and key
	transit []hit           // under way, in the order in which they arrive
	head    int             // of transit: what was before has arrived
	spoke   []time.Duration // by server: its latest exchange with something to tell
}

// hit is what a server has admitted of a key.
type hit struct {
	server  int32
	key     uint32
	cost    int64
	until   time.Duration // the end of the window that it counts in, with debt=forgive
	arrives time.Duration
}

// Check decides by the server's copy.
func (y *synced) Check(s *des.Sim, server int, call Call) {
	c := y.fleet.calls.at(call)
	y.fleet.declare(s, call, y.decide(s.Now(), server, c.req.Key, c.req.Cost))
	y.fleet.Answer(s, call)
}

func (y *synced) decide(now time.Duration, server int, key uint32, cost int64) (d limiters.Decision) {
	y.elapse(now)
	if y.own {
		d = y.limiters[server].Take(now, key, cost)
	} else {
		d = y.limiters[server].Ask(now, key, cost)
	}
	if d.Admitted {
		y.admitted(now, server, key, cost, d.Reset)
	}
	return d
}

// admitted notes what is to be told at the next exchange.
func (y *synced) admitted(now time.Duration, server int, key uint32, cost int64, reset time.Duration) {
	i, fresh := y.told.of(server, key)
	if fresh {
		y.hits = append(y.hits, hit{server: int32(server), key: key})
	}
	h := &y.hits[i]
	if y.forgive && y.edges {
		if h.until <= now {
			h.cost = 0 // its window has ended
		}
		h.until = later(now, reset)
	}
	h.cost += cost
}

// elapse lets everything happen that happens by now: at one instant first what
// arrives, then an exchange, then what arrives at once from it.
func (y *synced) elapse(now time.Duration) {
	for {
		arrival := des.Never
		if y.head < len(y.transit) {
			arrival = y.transit[y.head].arrives
		}
		switch {
		case arrival <= now && arrival <= y.next:
			y.arrive(&y.transit[y.head])
			if y.head++; y.head == len(y.transit) {
				y.transit, y.head = y.transit[:0], 0
			}
		case y.next <= now && len(y.hits) == 0: // nothing to tell
			y.next = later(now-now%y.period, y.period)
		case y.next <= now:
			y.exchange(y.next)
			y.next = later(y.next, y.period)
		default:
			return
		}
	}
}

// exchange sends what was admitted to all others, at t.
func (y *synced) exchange(t time.Duration) {
	if y.head > 0 { // make room, so that the queue is as long as what is under way
		n := copy(y.transit, y.transit[y.head:])
		y.transit, y.head = y.transit[:n], 0
	}
	for _, h := range y.hits {
		if h.cost == 0 { // forgotten in a restart
			continue
		}
		if y.spoke[h.server] != t {
			y.spoke[h.server] = t
			y.fleet.account.Messages += int64(len(y.limiters) - 1)
			y.fleet.trouble.countPeers(int(h.server), len(y.limiters), t, later(t, y.delay))
		}
		h.arrives = later(t, y.delay)
		y.transit = append(y.transit, h)
	}
	y.hits = y.hits[:0]
	y.told.clear()
}

// arrive charges a hit to all copies that have not counted it.
func (y *synced) arrive(h *hit) {
	if y.forgive && y.edges && h.until <= h.arrives {
		return
	}
	for server, l := range y.limiters {
		if y.own && server == int(h.server) {
			continue
		}
		for range y.fleet.trouble.reach(int(h.server), server, h.arrives-y.delay, h.arrives) {
			cost := h.cost
			if y.forgive && !y.edges {
				if cost = min(cost, l.Ask(h.arrives, h.key, 1).Remaining); cost == 0 {
					continue
				}
			}
			l.Charge(h.arrives, h.key, cost)
		}
	}
}

// restart gives the server a new copy. What it has not yet told, nobody hears.
func (y *synced) restart(now time.Duration, server int) {
	y.elapse(now)
	y.perServer.restart(now, server)
	for i := range y.hits {
		if int(y.hits[i].server) == server {
			y.hits[i].cost = 0
		}
	}
}

func (y *synced) direct() []limiters.Limiter { return nil }

func init() {
	coordinations.Register(spec.Entry{
		Name: "synced",
		Doc:  "every server decides by a copy of the count, and they tell each other what they admitted, late",
		Params: []spec.Param{
			{Name: "period", Unit: "duration", Doc: "between two exchanges; they are at its multiples"},
			{Name: "delay", Unit: "duration", Default: "0s", Doc: "how long what is told is under way"},
			{Name: "own", Unit: "count|ignore", Default: "count", Doc: "whether a server counts what it admits itself before it is exchanged"},
			{Name: "debt", Unit: "carry|forgive", Default: "forgive", Doc: "what becomes of charges beyond the limit: they are paid later, or not"},
		},
		More: suitsText("synced"),
	}, func(v *spec.Values) (newCoordination, error) {
		period, delay := v.Duration("period"), v.DurationOrZero("delay")
		own := v.Choice("own", "count", "ignore") == "count"
		forgive := v.Choice("debt", "carry", "forgive") == "forgive"
		if err := v.Err(); err != nil {
			return nil, err
		}
		return func(f *Fleet, c Config) (Coordination, error) {
			y := &synced{
				perServer: perServer{fleet: f},
				period:    period, delay: delay, own: own, forgive: forgive,
				edges: c.Limiter.Name() == "fixed-window",
				next:  period,
				spoke: make([]time.Duration, c.Servers),
			}
			carries := !forgive && y.edges
			for range c.Servers {
				if _, ok := y.add(c, c.Limiter).(limiters.Indebted); !ok && carries {
					return nil, fmt.Errorf("debt=carry needs keys that are held for ever, not eviction %s", c.Eviction)
				}
			}
			if carries {
				for server := range y.limiters {
					l, _ := behind(y.limiters[server], 0)
					l.(limiters.Indebted).CarryDebt()
				}
				y.fresh = func(share limiters.Spec) limiters.Limiter {
					l := c.limiter(share)
					l.(limiters.Indebted).CarryDebt()
					return l
				}
			}
			return y, nil
		}, nil
	})
}
