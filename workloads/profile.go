package workloads

import (
	"math"
	"math/rand/v2"
	"time"

	"ratelab/internal/random"
)

// stretch is a time in which the rate goes in a straight line.
type stretch struct {
	length   time.Duration // > 0
	from, to float64       // requests per ns, >= 0
}

func (s stretch) area() float64 { return float64((s.from + s.to) / 2 * float64(s.length)) }

// varying is a Poisson process whose rate follows stretches, one after the
// other and then again from the one at loop on.
//
// Its arrivals are those of a process of rate 1 on the clock of expected
// arrivals: each draws an exponential and finds when so much has become
// expected, by the root of a square. That is the law that thinning has too, with
// one draw for each arrival and none thrown away.
type varying struct {
	r         *rand.Rand
	stretches []stretch
	loop      int
	again     float64       // expected from loop to the end of the stretches, > 0
	period    time.Duration // of what is repeated
	now       int           // the present stretch
	start     time.Duration // of it; < 0 after the end of the clock
	into      float64       // ns of it that have passed
}

func newVarying(r *rand.Rand, stretches []stretch, loop int) *varying {
	w := &varying{r: r, stretches: stretches, loop: loop}
	for _, s := range stretches[loop:] {
		w.again += s.area()
		w.period = later(w.period, s.length)
	}
	return w
}

func (w *varying) Next() (Arrival, bool) {
	need := random.Exponential(w.r)
	for w.start >= 0 {
		s := &w.stretches[w.now]
		slope := (s.to - s.from) / float64(s.length)
		rate := s.from + float64(slope*w.into)
		if left := float64((rate + s.to) / 2 * (float64(s.length) - w.into)); need >= left {
			need -= left
			w.next(&need)
			continue
		}
		w.into += 2 * need / (rate + math.Sqrt(max(0, float64(rate*rate)+float64(2*slope*need))))
		w.into = min(w.into, float64(s.length))
		if at := time.Duration(w.into); at < math.MaxInt64-w.start {
			return Arrival{At: w.start + at, Cost: 1}, true
		}
		w.start = -1
	}
	return Arrival{}, false
}

// next goes on to the next stretch; before the first that is repeated it skips
// whole repetitions in which nothing comes.
func (w *varying) next(need *float64) {
	end := later(w.start, w.stretches[w.now].length)
	if w.now++; w.now == len(w.stretches) {
		w.now = w.loop
		if times := math.Floor(*need / w.again); times >= 1 {
			*need = max(0, *need-float64(times*w.again))
			end = later(end, nearest(float64(times*float64(w.period))))
		}
	}
	w.into, w.start = 0, end
	if end == math.MaxInt64 {
		w.start = -1
	}
}

// repeated is the cycle of a rate that follows stretches again and again.
func repeated(stretches []stretch) cycle {
	var c cycle
	expected := 0.0
	for _, s := range stretches {
		c.bends = append(c.bends, float64(c.period))
		c.period = later(c.period, s.length)
		expected += s.area()
	}
	c.rate = expected / float64(c.period)
	by := func(t float64) float64 { // expected by t
		cycles := math.Floor(t / float64(c.period))
		t -= cycles * float64(c.period)
		sum := cycles * expected
		for _, s := range stretches {
			x := min(t, float64(s.length))
			sum += x * (s.from + (s.to-s.from)*x/float64(s.length)/2)
			t -= x
		}
		return sum
	}
	c.count = func(phase, t float64) (mean, variance float64) {
		mean = by(phase+t) - by(phase)
		return mean, mean
	}
	return c
}
