package engines

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"time"
)

// Work is what an engine is given to do.
type Work struct {
	Model string // "hold" or "mm1"
	N     int    // pending events of the HOLD model
	Count int    // events of the HOLD model, customers of M/M/1
}

func (w Work) String() string {
	if w.Model == "hold" {
		return fmt.Sprintf("HOLD N=%d", w.N)
	}
	return "M/M/1"
}

// Outcome is what came of a work.
type Outcome struct {
	// Check is the time of the last event of the HOLD model, the customers' sum
	// of times in the system of M/M/1, what was admitted of the open loop, in
	// nanoseconds or requests: the same for all engines.
	Check int64
	CPU   time.Duration // processor time that it took
}

const (
	draws = 8192 // a power of two
	mask  = draws - 1
)

// Draws are the increments of the HOLD model, which are the gaps between the
// arrivals of M/M/1 (exponential, mean 1 ms), and the service times of M/M/1
// (mean 0.9 ms), used over and over.
type Draws struct{ Gaps, Services [draws]time.Duration }

// NewDraws draws them, the same every time.
func NewDraws() *Draws {
	r, d := rand.New(rand.NewPCG(1, 2)), new(Draws)
	for i := range draws {
		d.Gaps[i] = 1 + time.Duration(r.ExpFloat64()*1e6)
		d.Services[i] = 1 + time.Duration(r.ExpFloat64()*0.9e6)
	}
	return d
}

// WriteFile writes the gaps and then the service times, one number a line.
func (d *Draws) WriteFile(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for _, list := range [][draws]time.Duration{d.Gaps, d.Services} {
		for _, t := range list {
			fmt.Fprintln(w, int64(t))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// station is the single server of M/M/1 and its queue, whatever the engine.
type station struct {
	draws           *Draws
	count           int // customers
	arrived, served int
	waiting         []time.Duration // a ring: when customers served..arrived-1 came
	sum             int64           // of times in the system, ns
}

func newStation(d *Draws, count int) *station {
	return &station{draws: d, count: count, waiting: make([]time.Duration, 1<<16)}
}

func (m *station) gap() time.Duration     { return m.draws.Gaps[m.arrived&mask] }
func (m *station) service() time.Duration { return m.draws.Services[m.served&mask] }

// arrive takes in a customer, and reports whether the server was idle.
func (m *station) arrive(now time.Duration) (begins bool) {
	m.waiting[m.arrived&(len(m.waiting)-1)] = now
	m.arrived++
	return m.arrived-m.served == 1
}

// depart lets a customer go, and reports whether another waits.
func (m *station) depart(now time.Duration) (begins bool) {
	m.sum += int64(now - m.waiting[m.served&(len(m.waiting)-1)])
	m.served++
	return m.arrived > m.served
}
