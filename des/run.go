package des

import "time"

// Run runs the events before until, in order, and then sets the clock to until.
// The interval is half-open: an event at until stays pending, and runs first when
// Run is called again with a later time.
//
// Run returns early, with the clock at the last event that ran, if a handler
// calls Stop. Run(Never) has no horizon to set the clock to: it returns when
// nothing is left that can run, with the clock at the last event. If until is not
// after Now, nothing happens.
//
// If a handler panics, Run panics with a *Failure. The simulation can still be
// looked at; its pending events are those that the handler left.
func (s *Sim) Run(until time.Duration) {
	var (
		h   Handler
		tag uint64
	)
	s.enter("Run")
	defer s.leave(&h, &tag)
	for !s.stopped {
		var ok bool
		if h, tag, ok = s.take(until); !ok {
			if until != Never {
				s.now = max(s.now, until)
			}
			return
		}
		h.Handle(s, tag)
	}
}

// Step runs the next event, and reports whether there was one. The clock is then
// at its time. If the handler panics, Step panics with a *Failure.
func (s *Sim) Step() bool {
	s.enter("Step")
	h, tag, ok := s.take(Never)
	defer s.leave(&h, &tag)
	if ok {
		h.Handle(s, tag)
	}
	return ok
}

// Stop makes the Run that is in progress return after the handler that calls it.
// What is pending stays pending, and a later Run goes on with it. Outside a
// handler Stop does nothing.
func (s *Sim) Stop() { s.stopped = true }

// take removes the first event before until and moves the clock to it. It
// returns false if there is none.
func (s *Sim) take(until time.Duration) (h Handler, tag uint64, ok bool) {
	q := &s.queue
	if q.hole {
		q.pop()
	}
	if s.instant.len() == 0 && len(q.keys) > root { // the usual case, spelled out for speed
		k := q.keys[root]
		if k.at >= until {
			return nil, 0, false
		}
		i := k.slot()
		if at := &s.slots.table[i]; at.order == k.order {
			q.hole = true // until something is scheduled, or the next event is taken
			s.now = k.at
			h, tag = at.handler, at.tag
			s.slots.release(i)
			return h, tag, true
		}
	}
	return s.takeFirst(until)
}

// takeFirst is take where there are dead keys, or events that were scheduled for
// now.
func (s *Sim) takeFirst(until time.Duration) (h Handler, tag uint64, ok bool) {
	k, ok := s.first()
	if !ok || k.at >= until {
		return nil, 0, false
	}
	if s.instant.len() > 0 && s.instant.first() == k.order {
		s.instant.pop()
	} else {
		s.queue.hole = true
	}
	s.now = k.at
	i := k.slot()
	h, tag = s.slots.table[i].handler, s.slots.table[i].tag
	s.slots.release(i)
	return h, tag, true
}

func (s *Sim) enter(method string) {
	if s.running {
		panic("des: " + method + " called from inside a handler")
	}
	s.running, s.stopped = true, false
}

// leave ends Run and Step, and says where in the simulation a panic came from.
func (s *Sim) leave(h *Handler, tag *uint64) {
	s.running = false
	if err := recover(); err != nil {
		panic(&Failure{At: s.now, Handler: *h, Tag: *tag, Err: err})
	}
}
