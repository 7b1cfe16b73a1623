package workloads

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// MostAtOnce bounds how many arrivals may come at one instant: a workload that
// sends more is taken for one that stands still.
const MostAtOnce = 1 << 24

// Order finds arrivals that go back in time, and workloads that stand still, for
// whoever reads arrivals. The zero Order has seen none.
type Order struct {
	instant time.Duration // at which several came
	many    int64         // of them
}

// Check looks at arrival n, counted from 1, that came at a time; the one before
// came at last. Only arrivals that are not later than last need to be checked;
// for the first, last is where time begins.
func (o *Order) Check(n int64, at, last time.Duration) error {
	switch {
	case at > last:
	case at < last && n == 1:
		return fmt.Errorf("arrival 1 at %v is before %v, where time begins", at, last)
	case at < last:
		return fmt.Errorf("arrival %d at %v is before arrival %d at %v", n, at, n-1, last)
	case at != o.instant || o.many == 0:
		o.instant, o.many = at, 2
	default:
		if o.many++; o.many > MostAtOnce {
			return fmt.Errorf("arrival %d at %v is the %dth at that instant: the workload stands still", n, at, o.many)
		}
	}
	return nil
}

// Ordered is a workload whose arrivals are checked as they are read: it ends at
// the first that is out of order.
type Ordered struct {
	w     Workload
	order Order
	n     int64
	last  time.Duration
	err   error
}

// InOrder checks the arrivals of a workload of the spec. Times must be >= 0,
// but for a trace whose times are taken as they are.
func (s Spec) InOrder(w Workload) *Ordered {
	o := &Ordered{w: w}
	if strings.Contains(s.String(), "start=asis") {
		o.last = math.MinInt64
	}
	return o
}

// Next returns the next arrival, and false after the last in order.
func (o *Ordered) Next() (Arrival, bool) {
	if o.err != nil {
		return Arrival{}, false
	}
	a, ok := o.w.Next()
	if !ok {
		return a, false
	}
	o.n++
	if a.At <= o.last {
		if o.err = o.order.Check(o.n, a.At, o.last); o.err != nil {
			return Arrival{}, false
		}
	}
	o.last = a.At
	return a, true
}

// Err says what was out of order; nil if nothing was.
func (o *Ordered) Err() error { return o.err }
