package theory

import (
	"math"
	"time"
)

// SlottedQueue returns the share of requests that a queue on a coarse clock refuses, and the mean wait, in slots, of those that it
// takes.
//
// Model: perSlot > 0 Poisson arrivals on average in each slot of the clock, all of them seen at its start; a request takes slots >= 1
// slots of service and is taken if no more than room >= 0 slots of work are ahead of it. As the slot becomes short against the service,
// it becomes M/D/1/K with K = room/slots + 1, and a room between whole services is a burst between whole numbers. With slots = 1 it is
// TickBucketLoss with one token a tick.
//
// The work at the start of a slot, before its arrivals, falls by one at most from slot to slot, so its stationary law is the balance of
// crossings of each level, without a subtraction, as in md1k.go. O((room+slots)²).
func SlottedQueue(perSlot float64, slots, room int) (loss, wait float64) {
	if !positive(perSlot) || perSlot > overloaded || slots < 1 || room < 0 || room > 1<<16 || slots > 1<<16 {
		return math.NaN(), math.NaN()
	}
	places := func(work int) int { // how many arrivals are taken that find this work
		if work > room {
			return 0
		}
		return (room-work)/slots + 1
	}
	tail := poissonTails(perSlot, places(0)+1)
	pi := make([]float64, room+slots)
	pi[0] = 1
	for n := 1; n < len(pi); n++ {
		up := 0.0
		for i := 0; i < n; i++ {
			if needed := (n + 1 - i + slots - 1) / slots; needed <= places(i) {
				up += pi[i] * tail[needed]
			}
		}
		down := 1.0
		if n <= room {
			down = poissonPMF(perSlot, 0)
		}
		pi[n] = up / down
		if pi[n] > 1/never {
			for i := 0; i <= n; i++ {
				pi[i] *= never
			}
		}
	}
	normalise(pi)
	var lost, taken, waited float64
	excess := make([]float64, places(0)+1)
	for k := range excess {
		excess[k] = poissonExcess(perSlot, k)
	}
	for work, share := range pi {
		k := places(work)
		lost += share * excess[k]
		for i := range k {
			taken += share * tail[i+1]
			waited += share * tail[i+1] * float64(work+i*slots)
		}
	}
	return lost / perSlot, waited / taken
}

// SlottedLossBounds returns what the loss of a queue with burst b = room/slots + 1 may be if each request is seen up to one slot late or
// early: that of M/D/1/K with a burst one slot's refill larger, and smaller. Totals admitted only grow with the burst, and a clock that
// is off by less than a slot moves the work that a request finds by less than a slot.
//
// A burst between whole numbers is that of SlottedQueue on a clock five times as fine, with one of its slots to spare.
func SlottedLossBounds(perSlot float64, slots, room int) (low, high float64) {
	const finer = 5
	low, _ = SlottedQueue(perSlot/finer, slots*finer, room*finer+finer+1)
	less := room*finer - finer - 1
	if less < 0 { // not even an empty queue need do
		return low, 1
	}
	high, _ = SlottedQueue(perSlot/finer, slots*finer, less)
	return low, high
}

// AtOnce is what nginx does with requests that come at one instant to an idle key.
type AtOnce struct {
	Passed  int64         // admitted
	Held    int64         // of them, those that wait
	Longest time.Duration // wait
}

// NginxAtOnce returns what limit_req does with n >= 0 requests at one instant, for a rate of milli >= 1 thousandths of a request per
// second, burst >= 0, and delay >= 0 of the burst that pass at once (all with nodelay). The k-th, from 0, finds k ahead of it: it
// passes if k <= burst, and waits ⌊(k - delay)·10⁶/milli⌋ ms if k > delay.
func NginxAtOnce(n, milli, burst, delay int64) AtOnce {
	if min(n, burst, delay) < 0 || milli < 1 || burst > 1<<30 {
		return AtOnce{-1, -1, -1}
	}
	a := AtOnce{Passed: min(n, burst+1)}
	if last := a.Passed - 1; last > delay {
		a.Held = last - delay
		a.Longest = time.Duration((last-delay)*1_000_000/milli) * time.Millisecond
	}
	return a
}

// NginxSpacing returns the time between the requests that limit_req without a burst admits of many, one a millisecond, for a rate of
// milli >= 1 thousandths of a request per second: the first whole ms at which ⌊milli·ms/1000⌋ is a request.
func NginxSpacing(milli int64) time.Duration {
	if milli < 1 {
		return -1
	}
	return time.Duration((1_000_000-1)/milli+1) * time.Millisecond
}
