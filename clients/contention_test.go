package clients

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"ratelab/des"
	"ratelab/internal/random"
	"ratelab/limiters/contract"
)

// row is the server of the AWS study of contention: one row with a version. An
// attempt reads the version and writes with it; between the two lie the reply
// to the one and the way of the other. A write with an old version fails.
type row struct {
	p       *Population
	legs    *rand.Rand
	version int64
	writes  []write
}

type write struct {
	id   uint64
	read int64 // the version
}

// The steps of an attempt, in the low bits of its events' tags.
const (
	reads = iota
	getsVersion
	writesRow
	hears
	hearsFailure
	steps
)

// leg is a one-way delay: |N(10 ms, 2 ms)|.
func (w *row) leg() time.Duration {
	return time.Duration(math.Abs(10e6 + 2e6*w.legs.NormFloat64()))
}

func (w *row) Send(s *des.Sim, req contract.Request) Call {
	w.writes = append(w.writes, write{id: req.ID})
	s.After(w.leg(), w, uint64(len(w.writes)-1)*steps+reads)
	return 0
}

func (w *row) Cancel(Call) bool { return false }

func (w *row) Handle(s *des.Sim, tag uint64) {
	x := &w.writes[tag/steps]
	switch tag % steps {
	case reads:
		x.read = w.version
		s.After(w.leg(), w, tag-reads+getsVersion)
	case getsVersion:
		s.After(w.leg(), w, tag-getsVersion+writesRow)
	case writesRow:
		if x.read == w.version {
			w.version++
			s.After(w.leg(), w, tag-writesRow+hears)
		} else {
			s.After(w.leg(), w, tag-writesRow+hearsFailure)
		}
	case hears:
		w.p.Done(s, x.id, contract.Reply{})
	case hearsFailure:
		w.p.Done(s, x.id, contract.Reply{Outcome: contract.Shed})
	}
}

// The five algorithms of the AWS study against another program's means of 400
// runs, with the errors of both.
func TestTheAWSStudyOfContention(t *testing.T) {
	const backoff = "backoff:base=5ms,cap=2s,attempts=unlimited,"
	for _, c := range []struct {
		clients             int
		spec                string
		ms, msError         float64
		writes, writesError float64
	}{
		{10, backoff + "jitter=none,first=double", 3440.9, 257.4 / 2, 50.6, 0.4},
		{10, backoff + "jitter=decorrelated", 433.7, 15.8 / 2, 37.8, 0.2},
		{10, backoff + "jitter=equal,first=double", 733.2, 38.2 / 2, 42.6, 0.2},
		{10, backoff + "jitter=full,first=double", 470.2, 22.2 / 2, 39.0, 0.2},
		{10, "rude:every=0,attempts=1000", 378.7, 4, 50.8, 0.4},
		{50, backoff + "jitter=none,first=double", 36242, 327, 623.1, 2.9},
		{50, backoff + "jitter=decorrelated", 2250, 52, 374.2, 1.3},
		{50, backoff + "jitter=equal,first=double", 4244, 51, 347.6, 0.5},
		{50, backoff + "jitter=full,first=double", 2941, 55, 332.6, 0.5},
		{50, "rude:every=0,attempts=1000", 1140.5, 5, 690.2, 1.7},
	} {
		var ms, writes []float64
		for seed := range uint64(2000 / c.clients) {
			p, err := New(Config{
				Mix: mustMix(t, c.spec), Clients: c.clients, Sender: InTurn, Workload: &together{n: c.clients, at: []time.Duration{0}},
				Stream: func(purpose string) *rand.Rand { return random.Stream(seed, purpose) },
			})
			if err != nil {
				t.Fatal(err)
			}
			sim := des.New()
			p.Start(sim, &row{p: p, legs: random.Stream(seed, "network")})
			sim.Run(des.Never)
			total := p.Total()
			assert.EqualValues(t, c.clients, total.Ended[Succeeded])
			ms = append(ms, float64(sim.Now())/1e6)
			writes = append(writes, float64(total.Attempts))
		}
		within(t, c.ms, ms, 2*c.msError, c.spec+" time in ms")
		within(t, c.writes, writes, 2*c.writesError, c.spec+" writes")
	}
}
