package fleet

import (
	"time"

	"ratelab/internal/spec"
)

// shedDelay is controlled delay for request queues (B. Maurer, "Fail at Scale",
// ACM Queue 13(8), 2015, after CoDel). A call that comes when the queue was last
// empty more than an interval ago may wait for target, any other for interval;
// if it has waited longer when its turn comes, it is shed. So a burst is let in
// line, and a line that stands is not.
type shedDelay struct{ target, interval time.Duration }

func (shedDelay) refuses(*station, *callSlot) bool { return false }

func (l shedDelay) admits(q *station, c *callSlot) {
	c.patience = l.interval
	if q.emptied < c.came-l.interval {
		c.patience = l.target
	}
}

func (shedDelay) expires(c *callSlot, now time.Duration) bool { return now-c.came > c.patience }

func init() {
	sheds.Register(spec.Entry{
		Name: "delay",
		Doc:  "by the delay in the queue: who has waited too long by his turn, which is less once the queue stands",
		Params: []spec.Param{
			{Name: "target", Unit: "duration", Default: "5ms", Doc: "the longest wait of those who come to a queue that has not been empty for an interval"},
			{Name: "interval", Unit: "duration", Default: "100ms", Doc: "the longest wait of others"},
		},
		More: "Controlled delay for request queues: B. Maurer, Fail at Scale, ACM Queue 13(8), 2015. It sheds at the head of the queue, so the delay of\n" +
			"what is served is bounded, whatever the service times.",
	}, func(v *spec.Values) shed {
		l := shedDelay{v.Duration("target"), v.Duration("interval")}
		if l.interval < l.target {
			v.Fail("interval", "must be at least target, %s, got %s", v.Text("target"), v.Text("interval"))
		}
		return l
	})
}
