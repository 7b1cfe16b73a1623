package fleet

import (
	"time"

	"ratelab/des"
)

// doors are the clerks at the doors of all servers, see [Door].
type doors struct {
	fleet *Fleet
	cost  time.Duration
	doors []door
}

// door is one of them.
type door struct {
	refusals line // to be written, before all else
	coming   line // who have not been looked at
	writing  bool
	passing  bool // calls are let through right now
}

func newDoors(f *Fleet, cost time.Duration, servers int) *doors {
	return &doors{fleet: f, cost: cost, doors: make([]door, servers)}
}

// enter lets a call through to the limit, or has it wait.
func (d *doors) enter(s *des.Sim, call Call) {
	server := d.fleet.calls.at(call).server
	if at := &d.doors[server]; at.writing || at.passing || !at.coming.empty() {
		d.fleet.calls.push(&at.coming, call)
		return
	}
	d.fleet.coordination.Check(s, server, call)
}

// write writes a refusal, when those before it have been written.
func (d *doors) write(s *des.Sim, call Call) {
	at := &d.doors[d.fleet.calls.at(call).server]
	if at.writing {
		d.fleet.calls.push(&at.refusals, call)
		return
	}
	at.writing = true
	s.After(d.cost, d, uint64(call))
}

// Handle hands out a refusal, and lets through who waited for it.
func (d *doors) Handle(s *des.Sim, tag uint64) {
	call := Call(tag)
	server := d.fleet.calls.at(call).server
	at := &d.doors[server]
	at.writing = false
	at.passing = true
	for !at.writing && !(at.refusals.empty() && at.coming.empty()) {
		if !at.refusals.empty() {
			d.write(s, d.fleet.calls.pop(&at.refusals))
		} else {
			d.fleet.coordination.Check(s, server, d.fleet.calls.pop(&at.coming))
		}
	}
	at.passing = false
	d.fleet.finish(s, call)
}
