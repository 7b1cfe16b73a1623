package engines

import (
	"time"

	"ratelab/des"
)

// RunDES does a work on ratelab's engine.
func RunDES(w Work, d *Draws) Outcome {
	s := des.New()
	if w.Model == "hold" {
		h := &desHold{draws: d, left: w.Count}
		for i := range w.N {
			s.After(h.next(), h, uint64(i))
		}
		cpu := cpuOf(func() { s.Run(des.Never) })
		return Outcome{int64(s.Now()), cpu}
	}
	h := &desStation{newStation(d, w.Count)}
	s.After(h.gap(), h, arrival)
	cpu := cpuOf(func() { s.Run(des.Never) })
	return Outcome{h.sum, cpu}
}

type desHold struct {
	draws *Draws
	drawn int
	left  int
}

func (h *desHold) next() time.Duration {
	h.drawn++
	return h.draws.Gaps[h.drawn&mask]
}

// Handle holds the event again.
func (h *desHold) Handle(s *des.Sim, tag uint64) {
	s.After(h.next(), h, tag)
	if h.left--; h.left == 0 {
		s.Stop()
	}
}

const (
	arrival = iota
	departure
)

type desStation struct{ *station }

// Handle is an arrival or a departure.
func (h *desStation) Handle(s *des.Sim, tag uint64) {
	begins := false
	if tag == arrival {
		begins = h.arrive(s.Now())
		if h.arrived < h.count {
			s.After(h.gap(), h, arrival)
		}
	} else {
		begins = h.depart(s.Now())
	}
	if begins {
		s.After(h.service(), h, departure)
	}
}
