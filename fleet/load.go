package fleet

import (
	"math/bits"
	"time"
)

// Load is what the workers of a fleet have done so far.
type Load struct {
	Came    [MaxTiers]int64 // calls that were admitted and came to the workers, by tier
	Useful  [MaxTiers]int64 // services that ended before their caller had given up
	Served  int64           // services that ended
	Shed    int64           // calls that were turned away
	Dropped int64           // calls passed over because their caller had given up

	Work   Total // time of the services that ended
	Wasted Total // of these, those whose caller had given up by then

	Busy    Total // over all workers, time at services and refusals
	Waiting Total // over all calls, time in the queues
}

// Minus returns what was counted after before, which was read from the same
// fleet.
func (l Load) Minus(before Load) Load {
	for i := range l.Came {
		l.Came[i] -= before.Came[i]
		l.Useful[i] -= before.Useful[i]
	}
	l.Served -= before.Served
	l.Shed -= before.Shed
	l.Dropped -= before.Dropped
	l.Work = l.Work.minus(before.Work)
	l.Wasted = l.Wasted.minus(before.Wasted)
	l.Busy = l.Busy.minus(before.Busy)
	l.Waiting = l.Waiting.minus(before.Waiting)
	return l
}

// Load returns what has been counted up to now, which must not lie before the
// latest event; zero if there are no workers.
func (f *Fleet) Load(now time.Duration) Load {
	if f.workers == nil {
		return Load{}
	}
	f.workers.settle(now)
	return f.workers.load
}

// Total is a sum of times, exact in 128 bits.
type Total struct{ high, low uint64 }

// add adds n times d, both >= 0.
func (t *Total) add(n int, d time.Duration) {
	high, low := bits.Mul64(uint64(n), uint64(d))
	var carry uint64
	t.low, carry = bits.Add64(t.low, low, 0)
	t.high += high + carry
}

func (t Total) minus(o Total) Total {
	low, borrow := bits.Sub64(t.low, o.low, 0)
	return Total{t.high - o.high - borrow, low}
}

// Seconds returns the sum in seconds.
func (t Total) Seconds() float64 {
	return (float64(float64(t.high)*0x1p64) + float64(t.low)) / 1e9
}
