package engines

import (
	"math"
	"time"
)

// RunRaw does M/M/1 without a queue of events: two variables say when the next
// customer comes and when the one in service goes.
func RunRaw(w Work, d *Draws) Outcome {
	m := newStation(d, w.Count)
	cpu := cpuOf(func() {
		comes, goes := m.gap(), never
		for m.served < m.count {
			begins := false
			now := min(comes, goes)
			if comes <= goes {
				begins = m.arrive(now)
				comes = never
				if m.arrived < m.count {
					comes = now + m.gap()
				}
			} else {
				begins = m.depart(now)
				goes = never
			}
			if begins {
				goes = now + m.service()
			}
		}
	})
	return Outcome{m.sum, cpu}
}

const never time.Duration = math.MaxInt64
