package scenario

import (
	"ratelab/des/metrics"
	"ratelab/limiters"
)

// plain is the world that is simulated most: one limiter decides the requests of
// one key at once, and nothing is measured but counts, windows and delays. What
// it admits is handed to the meter a batch at a time.
type plain struct {
	*world
	limiter limiters.Limiter
	batch   [256]metrics.Admission
}

// plain returns the world as a plain one, and false if it is not.
func (w *world) plain() (*plain, bool) {
	l, sole := w.fleet.Sole()
	return &plain{world: w, limiter: l}, sole && w.meter.plain()
}

// straight decides every arrival as it comes, like that of any world.
func (p *plain) straight() error {
	for p.ctx.Err() == nil && p.decide() {
	}
	return p.failed()
}

// decide decides as many arrivals as fill the batch if all are admitted. It is
// false after the last.
func (p *plain) decide() (more bool) {
	start, costs := p.meter.span.Start, &p.meter.costs
	var offered, cost, delayed int64
	admitted := 0
	last := p.last
	for i := range p.batch {
		a, ok := p.arrivals.Next()
		if more = ok && a.At < p.horizon; !more {
			break
		}
		if a.At <= last {
			p.last = last
			if more = p.later(p.n+uint(i)+1, a.At); !more {
				break
			}
		}
		last = a.At
		if !costs.begun {
			costs.arrived(a.At)
		}
		ok, delay := p.limiter.Admit(a.At, a.Key, a.Cost)
		if a.At < start {
			continue // which nothing counts
		}
		offered++
		cost += a.Cost
		p.batch[admitted&(len(p.batch)-1)] = metrics.Admission{At: a.At, Cost: a.Cost}
		if ok {
			admitted++ // or the next one takes its place
			if delay != 0 {
				delayed++
				p.meter.delay.Add(delay)
			}
		}
	}
	p.last = last
	p.n += uint(len(p.batch)) // fewer only where it ends
	p.meter.decidedPlainly(offered, cost, p.batch[:admitted], delayed)
	return more
}
