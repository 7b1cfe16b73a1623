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

// take removes the first event before until from the queue and moves the clock
// to it. It returns false if there is none.
func (s *Sim) take(until time.Duration) (Handler, uint64, bool) {
	for len(s.queue.keys) > 0 {
		k := s.queue.keys[0]
		if k.at >= until {
			break
		}
		s.queue.pop()
		i := k.slot()
		at := &s.slots.table[i]
		if at.order != k.order {
			s.dead--
			continue
		}
		h, tag := at.handler, at.tag
		s.slots.release(i)
		s.now = k.at
		return h, tag, true
	}
	return nil, 0, false
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
