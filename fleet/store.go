package fleet

import (
	"math/rand/v2"
	"time"

	"ratelab/des"
	"ratelab/internal/spec"
	"ratelab/limiters"
)

// store is the machine that the servers of a fleet ask: one, or several shards
// that are each a machine. A question takes half a round trip to it, waits for
// its turn, is served in 1/capacity, and its answer takes the rest of the round
// trip. What it does takes effect when it has been served, one operation after
// the other: operations are atomic.
//
// A server that has not had its answer by the timeout does without: it admits
// (open), refuses (closed), or asks a limiter of its own with the whole limit
// (local). An answer at the very instant of the timeout is too late. The
// question is still on its way then, or under service, and its charge stays;
// it is counted as wasted.
//
// A store that is down loses what reaches it and what it has not yet served.
type store struct {
	fleet  *Fleet
	config storeConfig
	rtt    RTT
	trips  *rand.Rand // nil if all round trips are alike
	does   operation
	shards []shard
	down   bool
	fell   time.Duration      // when it last went down; -1: never
	fallen []limiters.Limiter // by server: what decides in place of the store, if fail=local
	make   func() limiters.Limiter
}

// operation is what a coordination does in the store.
type operation interface {
	// serve does what the call asks for, at the store. late says that its
	// answer will not be waited for.
	serve(s *des.Sim, call Call, late bool)
	// replied hears the answer at the server; late, that nobody waits for it.
	replied(s *des.Sim, call Call, late bool)
	// again does at the store what a question asks that has come twice. Nobody
	// waits for its answer.
	again(s *des.Sim, call Call)
	// lost hears that the answer to a question has lost its way.
	lost(s *des.Sim, call Call)
	// gaveUp hears that a call waits for the store no longer.
	gaveUp(s *des.Sim, call Call)
	// write does what a call tells the store without waiting for an answer.
	write(s *des.Sim, call Call)
}

// asks is embedded by operations that only ask.
type asks struct{}

func (asks) lost(*des.Sim, Call)   {}
func (asks) gaveUp(*des.Sim, Call) {}
func (asks) write(*des.Sim, Call)  {}

// shard is one machine's queue. Service times are P/N nanoseconds for a
// capacity of N/P; their fractions are carried along while it is busy, so that
// k operations in a row take ⌊k·P/N⌋.
type shard struct {
	free       time.Duration // when it will be idle
	fraction   int64         // N-ths of a nanosecond that free leaves out
	operations int64
}

// turn returns when an operation that comes at now will have been served, and
// how long it will wait before that begins.
func (q *shard) turn(now time.Duration, capacity spec.Rate) (served, wait time.Duration) {
	if capacity.N == 0 {
		return now, 0
	}
	if q.free <= now {
		q.free, q.fraction = now, 0
	}
	wait = q.free - now
	q.free += capacity.P / time.Duration(capacity.N)
	q.fraction += int64(capacity.P % time.Duration(capacity.N))
	if q.fraction >= capacity.N {
		q.fraction -= capacity.N
		q.free++
	}
	return q.free, wait
}

// storeConfig is what a spec says of the store.
type storeConfig struct {
	capacity spec.Rate     // operations that a shard serves; zero: any number at once
	timeout  time.Duration // 0: servers wait for ever
	fail     string        // what they do then
}

var storeParams = []spec.Param{
	{Name: "capacity", Unit: "rate", Default: "none", Doc: "operations that the store serves, in order; none: any number at once"},
	{Name: "timeout", Unit: "duration", Default: "none", Doc: "how long a server waits for the store; none: for ever"},
	{Name: "fail", Unit: "open|closed|local", Default: "open", Doc: "what a server does then: admit, refuse, or ask a limiter of its own with the whole limit"},
}

func readStore(v *spec.Values) (c storeConfig) {
	if v.Given("capacity") {
		c.capacity = v.Rate("capacity")
	}
	if v.Given("timeout") {
		c.timeout = v.Duration("timeout")
	}
	c.fail = v.Choice("fail", "open", "closed", "local")
	if v.Given("fail") && !v.Given("timeout") {
		v.Fail("fail", "needs a timeout: without one servers wait for ever")
	}
	return c
}

// set makes the store of a fleet, of n shards.
func (st *store) set(f *Fleet, c Config, does operation, n int) {
	*st = store{fleet: f, config: c.Coordination.store, rtt: c.RTT, does: does, shards: make([]shard, n), fell: -1}
	if c.RTT.draw != nil {
		st.trips = c.Stream("rtt")
	}
	if st.config.fail == "local" {
		st.fallen = make([]limiters.Limiter, c.Servers)
		st.make = func() limiters.Limiter { return c.limiter(c.Limiter) }
	}
	f.store = st
}

// atOnce reports whether the store answers in no time, and always.
func (st *store) atOnce() bool {
	return st.rtt.IsZero() && st.config.capacity.N == 0 && !st.fleet.trouble.messages()
}

// present reports whether a question can be answered here and now, without an
// event, and counts it as an operation if so.
func (st *store) present(shard int) bool {
	if !st.atOnce() || st.down {
		return false
	}
	st.count(shard)
	return true
}

// count counts a question that was answered here and now.
func (st *store) count(shard int) {
	st.shards[shard].operations++
	st.fleet.account.Messages += 2
}

// ask sends the call's question to a shard, and begins to wait for the answer.
func (st *store) ask(s *des.Sim, call Call, shard int) {
	c := st.fleet.calls.at(call)
	trip := st.rtt.next(st.trips)
	there := trip / 2
	c.back, c.shard, c.served = trip-there, shard, false
	st.await(s, call)
	st.send(s, call, there, (*questionArrives)(st))
}

// send sends a message to the store, which may lose its way or arrive twice.
func (st *store) send(s *des.Sim, call Call, way time.Duration, arrives des.Handler) {
	c := st.fleet.calls.at(call)
	st.fleet.account.Messages++
	for range st.fleet.trouble.carry(c.server, s.Now(), later(s.Now(), way)) {
		c.held++
		s.After(way, arrives, uint64(call))
	}
}

// await begins to wait for the store on behalf of a call.
func (st *store) await(s *des.Sim, call Call) {
	c := st.fleet.calls.at(call)
	if c.deadline != 0 {
		return // it does
	}
	c.deadline = des.Never
	if st.config.timeout > 0 {
		c.deadline = later(s.Now(), st.config.timeout)
		c.timer = s.After(st.config.timeout, (*timesOut)(st), uint64(call))
	}
}

// later returns t+d, or the end of all time.
func later(t, d time.Duration) time.Duration {
	if d > des.Never-t {
		return des.Never
	}
	return t + d
}

// tell sends a word to a shard that nobody waits for.
func (st *store) tell(s *des.Sim, call Call, shard int, delay time.Duration) {
	c := st.fleet.calls.at(call)
	c.shard = shard
	st.send(s, call, later(delay, st.rtt.next(st.trips)/2), (*wordArrives)(st))
}

// The events of a store, one type each. A question arrives, has been served,
// has its answer come back, or times out; a word arrives and is written.
type (
	questionArrives store
	questionServed  store
	answerArrives   store
	timesOut        store
	wordArrives     store
	wordServed      store
)

// arrived takes in what has reached a shard; serve is told when it has been
// served.
func (st *store) arrived(s *des.Sim, tag uint64, serve des.Handler) {
	st.fleet.keepUp(s.Now())
	served, ok := st.queue(s, Call(tag))
	switch {
	case !ok:
	case served == s.Now():
		serve.Handle(s, tag)
	default:
		s.At(served, serve, tag)
	}
}

// queue gives what has reached a shard its turn; false: it is lost.
func (st *store) queue(s *des.Sim, call Call) (served time.Duration, ok bool) {
	if st.down {
		st.fleet.calls.letGo(call)
		return 0, false
	}
	c := st.fleet.calls.at(call)
	c.reached = s.Now()
	served, wait := st.shards[c.shard].turn(s.Now(), st.config.capacity)
	if st.fleet.observer != nil {
		st.fleet.observer.StoreWaited(s.Now(), wait)
	}
	return served, true
}

// Handle takes a question in.
func (h *questionArrives) Handle(s *des.Sim, tag uint64) {
	(*store)(h).arrived(s, tag, (*questionServed)(h))
}

// Handle does what was asked for and sends the answer back. A call that was
// given up on the way is charged all the same: the store can not know.
func (h *questionServed) Handle(s *des.Sim, tag uint64) {
	st, call := (*store)(h), Call(tag)
	st.fleet.keepUp(s.Now())
	c := st.fleet.calls.at(call)
	if c.reached <= st.fell {
		st.fleet.calls.letGo(call)
		return
	}
	st.shards[c.shard].operations++
	st.fleet.account.Messages++
	if c.served {
		st.does.again(s, call)
		st.fleet.calls.letGo(call)
		return
	}
	c.served = true
	arrives := later(s.Now(), c.back)
	comes := st.fleet.trouble.carryBack(c.server, s.Now(), arrives)
	late := !comes || c.answered || arrives >= c.deadline && c.deadline != des.Never
	st.does.serve(s, call, late)
	if !comes {
		st.does.lost(s, call)
		st.fleet.calls.letGo(call)
		return
	}
	s.After(st.fleet.calls.at(call).back, (*answerArrives)(st), tag)
}

// Handle hands the answer to the server.
func (h *answerArrives) Handle(s *des.Sim, tag uint64) {
	st, call := (*store)(h), Call(tag)
	st.fleet.keepUp(s.Now())
	c := st.fleet.calls.at(call)
	st.does.replied(s, call, c.answered || s.Now() >= c.deadline && c.deadline != des.Never)
	st.fleet.calls.letGo(call)
}

// Handle does without the store.
func (h *timesOut) Handle(s *des.Sim, tag uint64) {
	st, call := (*store)(h), Call(tag)
	st.fleet.keepUp(s.Now())
	c := st.fleet.calls.at(call)
	c.unasked = true
	st.fleet.account.Late++
	c.held++ // for gaveUp
	switch st.config.fail {
	case "open":
		st.fleet.account.FailedOpen++
		c.uncharged = true
		st.fleet.declare(s, call, limiters.Decision{Admitted: true})
	case "closed":
		st.fleet.account.FailedClosed++
		st.fleet.declare(s, call, limiters.Decision{})
	case "local":
		st.fleet.account.FailedLocal++
		if st.fallen[c.server] == nil {
			st.fallen[c.server] = st.fleet.byClock(c.server, st.make())
		}
		st.fleet.take(s, call, st.fallen[c.server])
	}
	st.fleet.Answer(s, call)
	st.does.gaveUp(s, call)
	st.fleet.calls.letGo(call)
}

// Handle takes a word in.
func (h *wordArrives) Handle(s *des.Sim, tag uint64) {
	(*store)(h).arrived(s, tag, (*wordServed)(h))
}

// setDown takes the store down at now, or up again, with what it had counted.
// While it is down it loses what reaches it, and what it has not yet served is
// lost when it goes down. Without a timeout the calls that wait for it then
// never end.
func (st *store) setDown(now time.Duration, down bool) {
	if down && !st.down {
		st.fell = now
		for i := range st.shards {
			st.shards[i].free = 0
		}
	}
	st.down = down
}

// restart makes a server forget the limiter with which it does without the
// store.
func (st *store) restart(_ time.Duration, server int) {
	if st.fallen != nil {
		st.fallen[server] = nil
	}
}

// Handle writes.
func (h *wordServed) Handle(s *des.Sim, tag uint64) {
	st, call := (*store)(h), Call(tag)
	st.fleet.keepUp(s.Now())
	if c := st.fleet.calls.at(call); c.reached > st.fell {
		st.shards[c.shard].operations++
		st.does.write(s, call)
	}
	st.fleet.calls.letGo(call)
}
