package adversary

import (
	"context"
	"runtime"
	"strconv"
	"sync"
	"time"

	"ratelab/workloads"
)

// Found is the worst that a search came upon.
type Found struct {
	Config                   // as it was searched, with its defaults
	Arrivals []time.Duration // in order, all of one key and cost 1
	Admitted int             // of them
	// Count is the harm as a whole number: requests, the requests that a log
	// admits more, or ns. Of is what a deficit is a share of, else 1.
	Count, Of int64
	From      time.Duration // of Window: the beginning of the worst interval
	Tried     int64         // schedules, in all climbs
	Climb     int           // the first that came so far, from 0
	After     int64         // schedules that it had tried by then
}

// Value returns the harm: requests, a share, or ns.
func (f Found) Value() float64 { return float64(f.Count) / float64(f.Of) }

// Search looks for the schedule that does the most harm. The same Config finds
// the same, whatever the workers. It returns ctx's error if it is cancelled.
func Search(ctx context.Context, c Config) (Found, error) {
	c = c.Filled()
	if err := c.Validate(); err != nil {
		return Found{}, err
	}
	climbs := make([]climb, c.Tries)
	workers := c.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	var (
		group sync.WaitGroup
		mutex sync.Mutex
		next  int
		done  int
	)
	for range min(workers, c.Tries) {
		group.Go(func() {
			for {
				mutex.Lock()
				i := next
				next++
				mutex.Unlock()
				if i >= c.Tries || ctx.Err() != nil {
					return
				}
				climbs[i].run(ctx, c, i)
				mutex.Lock()
				if done++; c.Progress != nil && climbs[i].err == nil {
					c.Progress(done, c.Tries)
				}
				mutex.Unlock()
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return Found{}, err
	}
	best := 0
	f := Found{Config: c}
	for i := range climbs {
		if err := climbs[i].err; err != nil {
			return Found{}, err
		}
		f.Tried += climbs[i].tried
		if climbs[i].best.harm(climbs[best].best) > 0 {
			best = i
		}
	}
	f.Climb, f.After = best, climbs[best].after
	p, err := c.player()
	if err != nil {
		return Found{}, err
	}
	e := evaluator{player: p, harm: c.Harm, within: c.Within}
	f.Arrivals = e.plain(climbs[best].at)
	s := e.try(f.Arrivals)
	f.Count, f.Of, f.Admitted = s.value, s.of, int(e.out.own)
	_, f.From = mostWithin(e.out.admitted, c.Within)
	return f, e.err
}

// evaluator scores schedules.
type evaluator struct {
	player player
	harm   Harm
	within time.Duration
	out    outcome
	err    error // the first
}

func (e *evaluator) try(at []time.Duration) score {
	if err := e.player.play(at, &e.out); err != nil && e.err == nil {
		e.err = err
	}
	return e.out.score(e.harm, e.within)
}

// climb is one walk that never goes down.
type climb struct {
	at    []time.Duration
	best  score
	tried int64
	after int64
	err   error
}

// run climbs from a random schedule. Every second climb goes by the harm alone
// and is free to walk on its plateaus; the others follow the slope.
func (b *climb) run(ctx context.Context, c Config, i int) {
	p, err := c.player()
	if err != nil {
		b.err = err
		return
	}
	e := evaluator{player: p, harm: c.Harm, within: c.Within}
	m := mutation{random: workloads.Streams(c.Seed, c.Rep, strconv.Itoa(i))("adversary"), span: c.Span, within: c.Within, most: c.Requests}
	b.at = m.begin(nil)
	var next []time.Duration
	b.best = e.try(b.at)
	b.tried, b.after = 1, 1
	reached := b.best // when it last came on
	for idle := int64(0); idle < c.Patience; idle++ {
		if b.tried%256 == 0 && ctx.Err() != nil {
			return
		}
		next = m.change(next, b.at)
		s := e.try(next)
		if i%2 == 1 {
			s.slope = b.best.slope
		}
		b.tried++
		if s.worse(b.best) {
			continue
		}
		if s.harm(b.best) > 0 {
			b.after = b.tried
		}
		b.best = s
		if s.harm(reached) > 0 || s.slope > reached.slope/2 { // half as far from one more
			idle, reached = 0, s
		}
		b.at, next = next, b.at
	}
	b.err = e.err
}

// Next returns the arrivals one after another, as what writes them wants them.
func (f Found) Next() func() (at time.Duration, key, endpoint uint32, cost int64, ok bool) {
	i := -1
	return func() (time.Duration, uint32, uint32, int64, bool) {
		if i++; i >= len(f.Arrivals) {
			return 0, 0, 0, 0, false
		}
		return f.Arrivals[i], 0, 0, 1, true
	}
}
