package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ratelab/internal/spec"
)

// Precision asks for as many replications of each point as make its means precise: until, with a confidence of 95 %, the
// relative error of each chosen mean is at most Target, that is, half-width/|mean| <= Target/(1 + Target) (Law,
// Simulation Modeling and Analysis, section 9.4: the bound is on |estimate − mean|/|mean|, and the estimate stands in for
// the mean). The zero Precision asks for nothing: every point has the plan's replications.
//
// The rule looks at replications 0 … n − 1 for n = 10, 11, … and stops at the first n at which it holds. That depends on
// nothing but the values, so that neither workers nor an interruption change which replications count. A mean whose
// replications are all equal is precise; a metric without a value at a point is not looked at there. Where a mean is 0 or
// close to 0 a relative error means nothing: such a metric runs to MaxReps, and is better not chosen.
//
// To stop when it looks good makes intervals a little too narrow on average; Law found the loss small from ten
// replications on.
type Precision struct {
	Target  float64  `json:"target"`  // in (0, 1); 0 asks for nothing
	Metrics []string `json:"metrics"` // that must be precise; none chooses all
	MaxReps int      `json:"max_reps"`
}

// LeastReps is how many replications a point has before its precision is looked at.
const LeastReps = 10

// On reports whether any precision is asked for.
func (p Precision) On() bool { return p.Target != 0 }

// limit is the largest half-width/|mean|.
func (p Precision) limit() float64 { return p.Target / (1 + p.Target) }

func (p Precision) equal(q Precision) bool {
	return p.Target == q.Target && p.MaxReps == q.MaxReps && slices.Equal(p.Metrics, q.Metrics)
}

func (p Precision) String() string {
	what := strings.Join(p.Metrics, ", ")
	if len(p.Metrics) > 3 {
		what = fmt.Sprintf("%d metrics", len(p.Metrics))
	}
	return fmt.Sprintf("a precision of %.6g (%s, at most %d replications)", p.Target, what, p.MaxReps)
}

// resolved returns a plan's precision with the metrics that it chooses, in the plan's order, or an error.
func (p *Plan) resolved() (Precision, error) {
	q := p.Precision
	names := make([]string, len(p.Metrics))
	for i, m := range p.Metrics {
		names[i] = m.Name
	}
	for _, name := range q.Metrics {
		if !slices.Contains(names, name) {
			return q, fmt.Errorf("unknown metric %q%s; known: %s", name, spec.DidYouMean(name, names), strings.Join(names, ", "))
		}
	}
	switch {
	case !(q.Target > 0 && q.Target < 1):
		return q, fmt.Errorf("a precision must lie above 0 and below 1 (0.05 is ±5 %% of the mean), got %v", q.Target)
	case q.MaxReps < LeastReps:
		return q, fmt.Errorf("a precision is looked at from %d replications on: at most %d must be allowed, got %d", LeastReps, LeastReps, q.MaxReps)
	}
	if len(q.Metrics) > 0 {
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(q.Metrics, name) })
	}
	q.Metrics = names
	return q, nil
}

// sequence decides how many replications a point needs. It is used by one goroutine.
type sequence struct {
	Precision
	metrics []int // indices in a row
	doubter Doubter
	values  []float64
}

func newSequence(p *Plan) (*sequence, error) {
	q, err := p.resolved()
	if err != nil {
		return nil, err
	}
	s := &sequence{Precision: q}
	for i, m := range p.Metrics {
		if slices.Contains(q.Metrics, m.Name) {
			s.metrics = append(s.metrics, i)
		}
	}
	return s, nil
}

// width returns half-width/|mean| of values, and whether that is precise.
func (s *sequence) width(values []float64) (relative float64, precise bool) {
	e := NewEstimate(values)
	switch {
	case e.N == 0 || e.N >= LeastReps && e.SD == 0:
		return 0, true
	case e.N < LeastReps:
		return math.Inf(1), false
	}
	relative = e.relative(s.doubter.thresholds(e.N).t)
	return relative, relative <= s.limit()
}

// worst returns the largest half-width/|mean| of the chosen metrics in these replications, and whether all are precise.
// With quick, it may stop at the first that is not.
func (s *sequence) worst(rows []*Row, quick bool) (relative float64, precise bool) {
	precise = true
	for k, m := range s.metrics {
		s.values = s.values[:0]
		for _, row := range rows {
			s.values = append(s.values, row.values[m])
		}
		width, ok := s.width(s.values)
		relative = max(relative, width)
		if precise = precise && ok; !ok && quick {
			s.metrics[0], s.metrics[k] = s.metrics[k], s.metrics[0] // it will most likely be the one next time
			return relative, false
		}
	}
	return relative, precise
}

// stop returns the first n from least on at which replications 0 … n − 1 are precise.
func (s *sequence) stop(rows []*Row, least int) (n int, ok bool) {
	for n := max(least, LeastReps); n <= len(rows); n++ {
		if _, precise := s.worst(rows[:n], true); precise {
			return n, true
		}
	}
	return 0, false
}

// next returns how many replications to have before looking again: as many as the widths so far make likely, and more
// than now. What it says changes how many cells run in vain, and nothing else.
func (s *sequence) next(rows []*Row) int {
	n := len(rows)
	relative, _ := s.worst(rows, false)
	ratio := relative / s.limit()
	likely := float64(n) * float64(ratio*ratio)
	most := min(s.MaxReps, 2*n)
	if !(likely < float64(most)) { // infinite, or not a number
		return most
	}
	return min(most, max(n+1, int(likely)))
}

// course is one point on its way to precision.
type course struct {
	values   []string
	rows     []*Row // by replication; the last ones may be missing
	failures []*CellError
	checked  int // replications that are known not to be enough
	reps     int // that count, once it is done
	done     bool
	gap      bool // a replication is missing: what comes after it does not count
}

// settle looks at the replications that are there.
func (c *course) settle(s *sequence) {
	n, ok := s.stop(c.rows, c.checked+1)
	switch {
	case ok:
		c.reps, c.done = n, true
	case len(c.rows) >= s.MaxReps:
		c.reps, c.done = len(c.rows), true
	}
	c.checked = len(c.rows)
}

// precise runs the points of the bench's plan until they are precise, in rounds. A point of which a replication failed
// has those before and no more.
func (b *bench) precise(points [][]string) ([]*course, error) {
	s, err := newSequence(b.plan)
	if err != nil {
		return nil, err
	}
	courses := make([]*course, len(points))
	for i, values := range points {
		courses[i] = &course{values: values}
	}
	names := b.plan.factorNames()
	for {
		var cells []Cell
		var of []*course
		for _, c := range courses {
			if c.done {
				continue
			}
			want := min(LeastReps, s.MaxReps)
			if len(c.rows) > 0 {
				want = s.next(c.rows)
			}
			for rep := len(c.rows); rep < want; rep++ {
				cells = append(cells, Cell{Rep: rep, Seed: b.plan.Seed, names: names, values: c.values})
				of = append(of, c)
			}
		}
		if len(cells) == 0 || b.ended() {
			return courses, nil
		}
		order := make([]int, len(cells))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(cells[i].Rep, cells[k].Rep) })
		round := make([]Cell, len(cells))
		for turn, i := range order {
			round[turn] = cells[i]
		}
		rows, failures := b.run(round)
		for turn, i := range order { // in the order of replications
			c := of[i]
			if failures[turn] != nil {
				c.failures = append(c.failures, failures[turn])
			}
			if c.gap = c.gap || rows[turn] == nil; !c.gap {
				c.rows = append(c.rows, rows[turn])
			}
		}
		for _, c := range courses {
			switch {
			case c.done:
			case len(c.failures) > 0:
				c.done, c.reps = true, len(c.rows)
			case !c.gap:
				c.settle(s)
			}
		}
	}
}

// Sequence returns the cells that a run of a plan with a precision has, as far as the store knows: for each point those
// that count, or, where more replications than are stored are needed, these and the next; open is how many such points
// there are.
func (s *Store) Sequence(plan *Plan) (cells []Cell, open int, err error) {
	points, err := plan.points()
	if err != nil {
		return nil, 0, err
	}
	q, err := newSequence(plan)
	if err != nil {
		return nil, 0, err
	}
	names := plan.factorNames()
	for _, values := range points {
		c := &course{values: values}
		cell := func(rep int) Cell { return Cell{Rep: rep, Seed: plan.Seed, names: names, values: values} }
		for !c.done {
			row, err := s.lookup(plan, cell(len(c.rows)))
			if err != nil {
				return nil, 0, err
			}
			if row == nil {
				open++
				c.reps = max(LeastReps, len(c.rows)+1)
				break
			}
			c.rows = append(c.rows, row)
			if len(c.rows) >= LeastReps {
				c.settle(q)
			}
		}
		for rep := range c.reps {
			cells = append(cells, cell(rep))
		}
	}
	return cells, open, nil
}

// pointReps returns how many replications each point of a result has, in the order of its rows.
func pointReps(cells []Cell) (reps []int) {
	for i, c := range cells {
		if i == 0 || c.Rep == 0 {
			reps = append(reps, 0)
		}
		reps[len(reps)-1]++
	}
	return reps
}
