package fleet

import (
	"fmt"
	"time"

	"ratelab/des"
	"ratelab/internal/spec"
	"ratelab/limiters"
)

// racy keeps one limiter in a store that servers read and write in two
// operations. A server asks for the state, decides by it when it comes back,
// answers the caller, and sends what it admitted after a delay. All who ask
// before that is written decide by the same stale state.
//
// write=add adds the cost to whatever the state is by then. write=set writes
// back the count that was read, and the own cost: of writes that cross all but
// the last are lost. A write to a window that has ended changes nothing.
//
// From the reading to the writing pass half a round trip, the delay, and half
// of another: d in all. Under Poisson arrivals at rate Λ the overshoot of a
// window that fills is Poisson with mean Λd for add, and LΛd for set, where
// each value of the count admits 1 + Poisson(Λd).
type racy struct {
	store
	limiter limiters.Limiter
	counted limiters.Counted // the limiter, if its state is a count
	spec    limiters.Spec
	delay   time.Duration
	sets    bool
}

// Check reads the state, here and now if the store answers in no time.
func (r *racy) Check(s *des.Sim, _ int, call Call) {
	if !r.present(0) {
		r.ask(s, call, 0)
		return
	}
	r.read(s.Now(), call)
	r.conclude(s, call)
}

// read notes in the call what it would be answered, and the count.
func (r *racy) read(now time.Duration, call Call) {
	c := r.fleet.calls.at(call)
	d := r.limiter.Ask(now, c.req.Key, c.req.Cost)
	if r.counted != nil {
		c.value, c.until = r.counted.Count(now, c.req.Key)
		c.value += c.req.Cost
	}
	if !c.answered {
		c.decision = d
	}
}

// conclude decides at the server by what was read.
func (r *racy) conclude(s *des.Sim, call Call) {
	c := r.fleet.calls.at(call)
	r.fleet.declare(s, call, c.decision)
	if c.decision.Admitted {
		if r.atOnce() {
			r.shards[0].operations++
			r.fleet.account.Messages++
			r.put(s.Now(), c)
		} else {
			r.tell(s, call, 0, r.delay)
		}
	}
	r.fleet.Answer(s, call)
}

// put writes what a call was admitted with.
func (r *racy) put(now time.Duration, c *callSlot) {
	switch {
	case r.counted == nil:
		r.limiter.Charge(now, c.req.Key, c.req.Cost)
	case r.sets:
		r.counted.SetCount(now, c.req.Key, c.value, c.until)
	default:
		count, _ := r.counted.Count(now, c.req.Key)
		r.counted.SetCount(now, c.req.Key, count+c.req.Cost, c.until)
	}
}

// serve reads the state.
func (r *racy) serve(s *des.Sim, call Call, _ bool) { r.read(s.Now(), call) }

// replied decides at the server. An answer that comes too late decides
// nothing, and nothing is written.
func (r *racy) replied(s *des.Sim, call Call, late bool) {
	if !late {
		r.conclude(s, call)
	}
}

func (r *racy) again(*des.Sim, Call)  {} // reading twice changes nothing
func (r *racy) lost(*des.Sim, Call)   {}
func (r *racy) gaveUp(*des.Sim, Call) {}

// write puts down what a call was admitted with.
func (r *racy) write(s *des.Sim, call Call) { r.put(s.Now(), r.fleet.calls.at(call)) }

func (r *racy) atOnce() bool { return r.store.atOnce() && r.delay == 0 }

func (r *racy) decide(now time.Duration, _ int, key uint32, cost int64) limiters.Decision {
	r.count(0)
	d := r.limiter.Ask(now, key, cost)
	if d.Admitted {
		r.shards[0].operations++
		r.fleet.account.Messages++
		r.limiter.Charge(now, key, cost)
	}
	return d
}

func (r *racy) limiterOf(int) limiters.Limiter { return nil }
func (r *racy) copies() []limiters.Limiter     { return []limiters.Limiter{r.limiter} }
func (r *racy) buckets() int                   { return 1 }
func (r *racy) shares() []limiters.Spec        { return []limiters.Spec{r.spec} }
func (r *racy) zeroShares() int                { return 0 }

func init() {
	coordinations.Register(spec.Entry{
		Name: "central-racy",
		Doc:  "a limiter in a store that servers read, and write later: what is admitted between the two is not seen",
		Params: append([]spec.Param{
			{Name: "delay", Unit: "duration", Doc: "from a server's decision to the sending of its write; half a round trip lies before, and half after"},
			{Name: "write", Unit: "add|set", Default: "add", Doc: "add the cost to the count, or write the count that was read, with the cost"},
		}, storeParams...),
		More: `Two operations of the store for a request that is admitted, one for one that is refused. A
server that fails open or to a limiter of its own writes nothing. The store is as for
central.
` + suitsText("central-racy"),
	}, func(v *spec.Values) (newCoordination, error) {
		delay := v.DurationOrZero("delay")
		if delay > MaxRTT {
			v.Fail("delay", "must be at most %s, got %s", MaxRTT, v.Text("delay"))
		}
		set := v.Choice("write", "add", "set") == "set"
		if err := v.Err(); err != nil {
			return nil, err
		}
		return func(f *Fleet, c Config) (Coordination, error) {
			r := &racy{limiter: c.limiter(c.Limiter), spec: c.Limiter, delay: delay, sets: set}
			r.counted, _ = r.limiter.(limiters.Counted)
			if set && r.counted == nil {
				return nil, fmt.Errorf("write=set writes back a count, which needs keys that are held for ever, not eviction %s", c.Eviction)
			}
			r.store.set(f, c, r, 1)
			return r, nil
		}, nil
	})
}
