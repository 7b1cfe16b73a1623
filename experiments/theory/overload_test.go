package theory

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// stuck plays a server of capacity a second whose clients give up after one second and try again up to retries times, after an outage
// of ten seconds, and reports whether nothing is answered in time at the end. Fluid, in slots of 10 ms; retries are limited to most a
// second, and the queue to a bound.
func stuck(load, capacity float64, retries int, most, bound float64) bool {
	const slots, timeout = 100, 100 // a second
	type batch struct {
		amount  float64
		at      int
		retries int
	}
	var queue []batch
	const seconds = 400
	waiting := make([][]batch, seconds*slots+timeout+1) // when they give up
	queued, good := 0.0, 0.0
	for now := range seconds * slots {
		join := func(amount float64, left int) {
			amount = max(min(amount, bound-queued), 0)
			queue = append(queue, batch{amount, now, left})
			queued += amount
			waiting[now+timeout] = append(waiting[now+timeout], batch{amount, now, left})
		}
		room := most / slots
		for _, b := range waiting[now] { // in the queue still, if what was queued at b.at has not been served
			if b.retries > 0 && len(queue) > 0 && queue[0].at <= b.at {
				again := min(b.amount, room)
				room -= again
				join(again, b.retries-1)
			}
		}
		join(load/slots, retries)
		if now < 10*slots {
			continue
		}
		for left := capacity / slots; left > 0 && len(queue) > 0; {
			served := min(left, queue[0].amount)
			left -= served
			queued -= served
			if now-queue[0].at < timeout && now > (seconds-10)*slots {
				good += served
			}
			if queue[0].amount -= served; queue[0].amount <= 1e-12 {
				queue = queue[1:]
			}
		}
	}
	return good < load // of ten seconds' load
}

func TestRetryStormsHealBelowTheirThreshold(t *testing.T) {
	const capacity, never = 300, 1e9
	for _, retries := range []int{1, 2} {
		limit := OverloadHealsBelow(capacity, retries)
		assert.False(t, stuck(0.97*limit, capacity, retries, never, never), "below %v", limit)
		assert.True(t, stuck(1.03*limit, capacity, retries, never, never), "above %v", limit)
		assert.InDelta(t, capacity, OverloadOffered(limit, retries), 1e-9)
	}
	few := OverloadRetriesBelow(capacity, 280)
	assert.Equal(t, 20.0, few)
	assert.False(t, stuck(280, capacity, 1, 0.25*few, never), "few retries")
	assert.True(t, stuck(280, capacity, 1, 1.5*few, never), "many retries")
	in := OverloadQueueInTime(capacity, 1)
	assert.False(t, stuck(280, capacity, 1, never, 0.9*in), "short queue")
	assert.True(t, stuck(280, capacity, 1, never, 1.2*in), "long queue")
}

func TestTheDoorUsesWhatTheWorkersHave(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workers := rapid.IntRange(1, 64).Draw(t, "c")
		service := rapid.Float64Range(0.001, 1).Draw(t, "S")
		door := rapid.Float64Range(0.00001, 0.9).Draw(t, "D/S") * service
		arrivals := rapid.Float64Range(0.1, 10_000).Draw(t, "A")
		limit := rapid.Float64Range(0.1, 1000).Draw(t, "limit")
		for name, c := range map[string]struct{ goodput, used float64 }{
			"all decisions": {DoorGoodput(limit, workers, arrivals, door, service), DoorGoodput(limit, workers, arrivals, door, service)*service + arrivals*door},
			"refusals": {DoorGoodputRefusals(limit, workers, arrivals, door, service), DoorGoodputRefusals(limit, workers, arrivals, door, service)*service +
				(arrivals-DoorGoodputRefusals(limit, workers, arrivals, door, service))*door},
		} {
			full := c.used >= float64(workers)*(1-1e-9)
			switch {
			case c.goodput < 0 || c.goodput > min(limit, arrivals):
				t.Fatalf("%s: goodput %v", name, c.goodput)
			case c.goodput > 0 && c.used > float64(workers)*(1+1e-9):
				t.Fatalf("%s: %v of %d workers used", name, c.used, workers)
			case c.goodput < min(limit, arrivals) && !full:
				t.Fatalf("%s: goodput %v though only %v of %d workers are used", name, c.goodput, c.used, workers)
			case (c.goodput == 0) != (arrivals >= DoorCollapse(workers, door)):
				t.Fatalf("%s: goodput %v of %v arrivals, collapse at %v", name, c.goodput, arrivals, DoorCollapse(workers, door))
			}
		}
	})
	assert.Equal(t, 50.0, DoorGoodput(100, 1, 500, 0.001, 0.01))
	assert.Equal(t, 1000.0, DoorCollapse(1, 0.001))
}
