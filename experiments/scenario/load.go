package scenario

import (
	"fmt"
	"time"

	"ratelab/des/metrics"
	"ratelab/fleet"
)

// load counts what servers that take their time do, in the span.
type load struct {
	capacity fleet.Capacity
	servers  int
	fleet    *fleet.Fleet
	span     metrics.Span
	before   fleet.Load    // at the beginning of the span
	longest  int           // queue
	waits    metrics.Delay // for a worker
}

func (l *load) begin() { l.before = l.fleet.Load(l.span.Start) }

func (l *load) queued(now time.Duration, waiting int) {
	if l.span.Contains(now) {
		l.longest = max(l.longest, waiting)
	}
}

func (l *load) begun(now, waited time.Duration) {
	if l.span.Contains(now) {
		l.waits.Add(waited)
	}
}

// emit reads out what was counted, at the end of the span.
func (l *load) emit(emit func(name string, value float64)) {
	did := l.fleet.Load(l.span.End).Minus(l.before)
	seconds := l.span.Length().Seconds()
	useful := int64(0)
	for _, n := range did.Useful {
		useful += n
	}
	emit("goodput", float64(useful)/seconds)
	emit("served", float64(did.Served))
	emit("wasted_work_share", did.Wasted.Seconds()/did.Work.Seconds())
	if l.capacity.Workers > 0 {
		emit("utilisation", did.Busy.Seconds()/(float64(l.capacity.Workers*l.servers)*seconds))
	}
	emit("shed", float64(did.Shed))
	emit("dropped_abandoned", float64(did.Dropped))
	emit("queue_length_mean", did.Waiting.Seconds()/(float64(l.servers)*seconds))
	emit("queue_length_max", float64(l.longest))
	l.waits.Statistics("queue_delay", emit)
	if n := l.capacity.Tiers.N(); n > 1 {
		for tier := range n {
			emit(fmt.Sprintf("useful_share_tier_%d", tier), ratio(did.Useful[tier], did.Came[tier]))
		}
	}
}

// good is the share of the requests that began which must end well, for a time
// to be good.
const good = 0.5

// recovery follows how many requests begin and how many replies are successes
// that a client waits for, second by second of the clock.
type recovery struct {
	span metrics.Span
	from time.Duration // the end of the trouble; < 0: nobody asks

	second      int64 // that is counted
	began, well int64 // in it
	bad         int64 // the second after the latest bad one

	lateFrom            time.Duration // the last tenth of the span begins
	lateBegan, lateWell int64
}

func newRecovery(span metrics.Span, from time.Duration) *recovery {
	return &recovery{span: span, from: from, lateFrom: span.End - span.Length()/10}
}

// isGood reports whether enough of those that began ended well.
func isGood(began, well int64) bool { return float64(well) >= good*float64(began) }

// begins counts a request that begins, ends one that ends well.
func (r *recovery) begins(now time.Duration) {
	r.upTo(now)
	r.began++
	if now >= r.lateFrom {
		r.lateBegan++
	}
}

func (r *recovery) ends(now time.Duration) {
	r.upTo(now)
	r.well++
	if now >= r.lateFrom {
		r.lateWell++
	}
}

// upTo closes the second that is counted, if it is over. Seconds in which
// nothing began are good.
func (r *recovery) upTo(now time.Duration) {
	second := int64(now / time.Second)
	if second == r.second {
		return
	}
	if !isGood(r.began, r.well) {
		r.bad = r.second + 1
	}
	r.second, r.began, r.well = second, 0, 0
}

// emit reads out what was counted, at the end of the span.
func (r *recovery) emit(emit func(name string, value float64)) {
	r.upTo(r.span.End)
	switch {
	case r.lateBegan == 0:
	case isGood(r.lateBegan, r.lateWell):
		emit("stuck", 0)
	default:
		emit("stuck", 1)
	}
	if r.from < 0 {
		return
	}
	until := time.Duration(r.bad) * time.Second
	if last := r.span.End / time.Second; r.bad == int64(last) {
		emit("recovered", 0)
		return
	}
	emit("recovered", 1)
	emit("time_to_recover", max(0, until-r.from).Seconds())
}
