package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/experiments/theory"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/workloads"
)

// counterErrorShapes are the arrival processes of the catalogue, all with the
// mean of counterErrorShapeMean in a window. Where a process has a clock of its
// own its period is no whole number of windows, so that windows begin at all of
// its places. Of four and of sixteen times the dispersion of Poisson arrivals
// there are several, which differ in how long they remember.
var counterErrorShapes = []struct {
	name, spec string
	unit       int64 // cost of one request, on average
}{
	{"steady", "steady:rate=20/s", 1},
	{"poisson", "poisson:rate=20/s", 1},
	{"thinned", "thin:(batch:rate=40/s,size=4),keep=0.5", 1},
	{"batch-4", "batch:rate=20/s,size=4", 1},
	{"batch-16", "batch:rate=20/s,size=16", 1},
	{"batch-geometric", "batch:rate=20/s,size=3,law=geometric", 1},
	{"batch-zipf", "batch:rate=20/s,size=40,law=zipf", 1},
	{"llm-tokens", "llm-tokens:rate=20/s,tokens=1000", 1000},
	{"on-off-4-brief", "on-off:rate=51.579/s,on=81667us,off=128947us", 1},
	{"on-off-4", "on-off:rate=25.285/s,on=2392225us,off=632120us", 1},
	{"on-off-4-long", "on-off:rate=23.203/s,on=36217922us,off=5800822us", 1},
	{"on-off-16-brief", "on-off:rate=177.895/s,on=56333us,off=444737us", 1},
	{"on-off-16", "on-off:rate=46.424/s,on=878445us,off=1160598us", 1},
	{"on-off-16-long", "on-off:rate=36.016/s,on=11243584us,off=9004110us", 1},
	{"on-off-scaled", "scale:(on-off:rate=40/s,on=4s,off=12s),speed=2", 1},
	{"mmpp", "mmpp:rates=10/100/s,stay=8s/1s", 1},
	{"diurnal", "diurnal:low=5/s,high=35/s,period=20300ms", 1},
	{"flash-crowd", "flash-crowd:rate=10/s,peak=110/s,from=3s,to=4130ms,every=11300ms", 1},
	{"pareto", "heavy-tail:rate=20/s,tail=1.5", 1},
	{"pareto-light", "heavy-tail:rate=20/s,tail=2.5", 1},
	{"weibull", "heavy-tail:rate=20/s,law=weibull,power=2", 1},
	{"self-similar", "self-similar:rate=20/s,sources=10,on=200ms,off=800ms", 1},
	{"page-load", "page-load:users=30,size=20,gap=50ms,think=29050ms", 1},
	{"tenants", "tenants:rate=16/s,keys=20,greedy=5", 1},
	{"burst-train", "burst-train:size=22,period=1100ms", 1},
	{"page-turn", "page-turn:size=42,window=1050ms,half=50ms", 1},
	{"paced-herd", "paced-herd:clients=102,every=5100ms", 1},
	{"paced-herd-spread", "paced-herd:clients=102,every=5100ms,jitter=2s", 1},
	{"sum", "sum:(poisson:rate=10/s)+(burst-train:size=11,period=1100ms)", 1},
	{"burst-train-in-step", "burst-train:size=40,period=2s", 1},
	{"page-turn-in-step", "page-turn:size=40,window=1s,half=50ms", 1},
	{"paced-herd-in-step", "paced-herd:clients=40,every=2s,jitter=200ms", 1},
}

// counterErrorInStep are the shapes whose clock goes with the windows: where
// their windows begin is a factor.
var counterErrorInStep = []string{"burst-train-in-step", "page-turn-in-step", "paced-herd-in-step"}

// counterErrorShapeMean is the mean number of requests of every shape in a window.
const counterErrorShapeMean = 20

// counterErrorAllShapes are the names of the shapes.
func counterErrorAllShapes() (names []string) {
	for _, s := range counterErrorShapes {
		names = append(names, s.name)
	}
	return names
}

// counterErrorShapeNames are those whose windows begin anywhere.
func counterErrorShapeNames() []string {
	all := counterErrorAllShapes()
	return all[:len(all)-len(counterErrorInStep)]
}

// counterErrorShape returns a shape's workload and what one of its requests
// costs on average. A name with a colon is a workload of the user's, of cost 1.
func counterErrorShape(name string) (w workloads.Spec, unit int64, err error) {
	for _, s := range counterErrorShapes {
		if s.name == name {
			w, err = workloads.Parse(s.spec)
			return w, s.unit, err
		}
	}
	w, err = workloads.Parse(name)
	return w, 1, err
}

// counterErrorShapeCheck accepts the shapes by name, and any workload with a mean rate.
func counterErrorShapeCheck(value string) error {
	if !strings.Contains(value, ":") {
		return oneOf(append([]string{"on-off"}, counterErrorAllShapes()...)...)(value)
	}
	w, err := workloads.Parse(value)
	if err != nil {
		return err
	}
	if _, ok := w.MeanRate(); !ok {
		return fmt.Errorf("%s has no mean rate", w)
	}
	return nil
}

// counterErrorPhases are how the windows are laid over the arrivals of a shape:
// so many ways, spaced evenly over a window from a random one on, and so many
// looks in each window of each. Seven has no factor in common with the periods
// and gaps of the shapes, so that no two ways are the same to one of them.
const (
	counterErrorPhases = 7
	counterErrorLooks  = 8
)

// counterErrorPath is a path of arrivals bent into a ring, so that it has no
// ends: what came in a span of whole windows comes again and again. Once around
// begins at 0; before it stand its last counterErrorLead windows.
type counterErrorPath struct {
	times   []time.Duration
	costs   []int64 // in thousandths of a request of mean cost
	first   int     // arrival from 0 on
	windows int
}

// counterErrorLead is how many windows of the ring are served before it is looked at.
const counterErrorLead = 3

// newCounterErrorPath reads a workload, all of one key, from its long run on.
func newCounterErrorPath(w workloads.Spec, unit int64, windows int, c sweep.Cell) (p counterErrorPath, err error) {
	next, err := scenario.Arrivals(w, 1, workloads.Streams(c.Seed, c.Rep, ""))
	if err != nil {
		return p, err
	}
	law, _ := w.Law()
	length := time.Duration(windows) * counterErrorT
	var times []time.Duration
	var costs []int64
	lead := 0 // first of the last windows
	for a, ok := next.Next(); ok && a.At-law.From < length; a, ok = next.Next() {
		if a.At < law.From {
			continue
		}
		if a.At-law.From < length-counterErrorLead*counterErrorT {
			lead = len(times) + 1
		}
		times = append(times, a.At-law.From)
		costs = append(costs, a.Cost*counterShadowUnits/unit)
	}
	if len(times) == 0 {
		return p, fmt.Errorf("nothing arrives of %s in %s", w, length)
	}
	for _, t := range times[lead:] {
		p.times = append(p.times, t-length)
	}
	p.first, p.windows = len(p.times), windows
	p.times = append(p.times, times...)
	p.costs = append(slices.Clone(costs[lead:]), costs...)
	return p, nil
}

// length is how long once around takes.
func (p *counterErrorPath) length() time.Duration { return time.Duration(p.windows) * counterErrorT }

// serve hands the ring to visit in order, its first window at the time that the
// phase says, with the last windows of the ring before.
func (p *counterErrorPath) serve(phase time.Duration, visit func(at time.Duration, cost int64)) {
	for i, t := range p.times {
		visit(counterErrorLead*counterErrorT+phase+t, p.costs[i])
	}
}

// byPairs returns what the lags between arrivals say of the error, whatever the
// windows: its mean square over time, in requests² of mean cost, and its mean at
// arrivals.
func (p *counterErrorPath) byPairs() (square, bias float64) {
	const unit = counterShadowUnits
	for i := p.first; i < len(p.times); i++ {
		pairs := 0.0
		for j := i - 1; j >= 0; j-- {
			lag := float64(p.times[i]-p.times[j]) / float64(counterErrorT)
			if lag >= 2 {
				break
			}
			theirs := float64(p.costs[j])
			if lag < 1 { // beyond, a pair brings nothing
				pairs += float64(theirs * theory.CounterErrorPair(lag))
			}
			bias += float64(theirs * theory.CounterErrorPairAtArrival(lag))
		}
		mine := float64(p.costs[i])
		square += float64(mine * (mine/6 + pairs))
	}
	return square / (unit * unit) / float64(p.windows), bias / unit / float64(len(p.times)-p.first)
}

// counterErrorByPaths measures the error of a counter on the ring of a shape,
// through the limiters, with windows laid over it in several ways, and what the
// counter and a log with a limit admit.
func counterErrorByPaths(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	w, unit, err := counterErrorShape(c.Get("process"))
	if err != nil {
		return err
	}
	windows := counterErrorWindows(c, lab.Quick)
	path, err := newCounterErrorPath(w, unit, windows, c)
	if err != nil {
		return err
	}
	s, err := newCounterShadow(lab, c)
	if err != nil {
		return err
	}
	doors, err := newCounterErrorDoors(lab, c, unit)
	if err != nil {
		return err
	}
	var open, arrivals, counts counterErrorSums
	instants := workloads.Streams(c.Seed, c.Rep, "")("error-instants")
	for k, phase := range counterErrorPhase(c) {
		s.forget()
		begin := counterErrorLead*counterErrorT + phase
		until := begin + path.length()
		const every = counterErrorT / counterErrorLooks
		stratum, next, window := begin, begin+time.Duration(instants.Int64N(int64(every))), begin+counterErrorT
		count := int64(0)
		lookUntil := func(t time.Duration) {
			for ; next < t && stratum < until; next = stratum + time.Duration(instants.Int64N(int64(every))) {
				units, _ := s.look(next)
				open.add(units)
				stratum += every
			}
			for ; window <= t; window += counterErrorT {
				counts.add(count)
				count = 0
			}
		}
		path.serve(phase, func(at time.Duration, cost int64) {
			lookUntil(at)
			if at >= begin {
				count += cost
				units, _ := s.look(at)
				arrivals.add(units)
			}
			s.arrive(at, cost)
		})
		lookUntil(until)
		if k%3 == 0 {
			doors.serve(&path, phase)
		}
	}
	square, bias := path.byPairs()
	out.Set("error_open_time_mean", open.mean())
	out.Set("error_open_time_mean_abs", open.meanAbs())
	out.Set("error_open_time_rms", math.Sqrt(open.square()))
	out.Set("error_open_time_square", open.square())
	out.Set("error_open_arrivals_mean", arrivals.mean())
	out.Set("error_square_by_pairs", square)
	out.Set("error_square_over_pairs", open.square()/square)
	out.Set("error_mean_over_rms", open.mean()/math.Sqrt(open.square()))
	out.Set("error_arrivals_over_pairs", (arrivals.mean()-bias)/math.Sqrt(square))
	mean := counts.mean()
	out.Set("dispersion_of_counts", max(0, counts.square()-float64(mean*mean))/mean)
	if law, ok := w.Law(); ok && !math.IsNaN(law.Correlation) && !math.IsInf(law.Correlation, 0) {
		out.Set("correlation_time", law.Correlation/counterErrorT.Seconds())
	}
	if doors.log > 0 {
		out.Set("throughput_deficit", float64(doors.log-doors.counter)/float64(doors.log))
	}
	return nil
}

// counterErrorPhase returns where windows begin to the arrivals of a cell: at a
// place, or, if that is any, at several spaced evenly over a window from a random
// one on.
func counterErrorPhase(c sweep.Cell) (phases []time.Duration) {
	if c.Get("place") != counterErrorAny {
		return []time.Duration{counterErrorPlace(c, "place")}
	}
	const span = counterErrorT / counterErrorPhases
	from := time.Duration(workloads.Streams(c.Seed, c.Rep, "")("window-phase").Int64N(int64(span)))
	for k := range time.Duration(counterErrorPhases) {
		phases = append(phases, from+k*span)
	}
	return phases
}

// counterErrorAny is the place of windows that begin anywhere.
const counterErrorAny = "any"

// counterErrorSums adds up numbers in thousandths.
type counterErrorSums struct {
	n                 int64
	sum, abs, squares float64 // of whole numbers, exact below 2⁵³
}

func (s *counterErrorSums) add(units int64) {
	x := float64(units)
	s.n++
	s.sum += x
	s.abs += math.Abs(x)
	s.squares += float64(x * x)
}

func (s *counterErrorSums) mean() float64    { return s.sum / float64(s.n) / counterShadowUnits }
func (s *counterErrorSums) meanAbs() float64 { return s.abs / float64(s.n) / counterShadowUnits }
func (s *counterErrorSums) square() float64 {
	return s.squares / float64(s.n) / (counterShadowUnits * counterShadowUnits)
}

// counterErrorDoors are a counter and an exact log with one limit, and how many
// requests each admitted.
type counterErrorDoors struct {
	limiters     [2]limiters.Limiter
	unit         int64 // cost of one request, in the workload's costs
	counter, log int64
}

func newCounterErrorDoors(lab Lab, c sweep.Cell, unit int64) (*counterErrorDoors, error) {
	d := &counterErrorDoors{unit: unit}
	for i, text := range []string{"sliding-counter:limit=%d,window=%s", "sliding-log:limit=%d,window=%s"} {
		l, err := limiters.Parse(fmt.Sprintf(text, c.Int("limit")*unit, spec.FormatDuration(counterErrorT)))
		if err != nil {
			return nil, err
		}
		d.limiters[i] = lab.Limiter(l, c.Seed)
	}
	return d, nil
}

func (d *counterErrorDoors) serve(path *counterErrorPath, phase time.Duration) {
	for i, l := range d.limiters {
		admitted := int64(0)
		l.Forget(0)
		path.serve(phase, func(at time.Duration, cost int64) {
			if ok, _ := l.Admit(at, 0, cost*d.unit/counterShadowUnits); ok && at >= counterErrorLead*counterErrorT+phase {
				admitted++
			}
		})
		if i == 0 {
			d.counter += admitted
		} else {
			d.log += admitted
		}
	}
}
