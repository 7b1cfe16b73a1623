package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ratelab/internal/spec"
	"ratelab/plots/table"
)

// Factor is something that a plan varies. Its values are texts; an empty value says that the factor does not apply.
type Factor struct {
	Name, Unit, Description string
	// Default is the value in the grids that do not name the factor.
	Default string
	// Check, if there is one, refuses values that make no sense. It does not see the empty value.
	Check func(value string) error
}

// Metric is something that a cell measures.
type Metric struct{ Name, Unit, Description string }

// Grid is the product of its axes. The empty grid is one point: every factor has its default.
type Grid []Axis

// Plan is an experiment as data: what varies, what is measured, how often, and how.
type Plan struct {
	Name        string // lower-case letters, digits and dashes
	Description string
	Factors     []Factor // in the order of the columns and of sorting
	Metrics     []Metric
	Grids       []Grid // what runs is their union
	// Where, if there is one, keeps the points for which it is true; get returns a factor's value.
	Where func(get func(factor string) string) bool
	Reps  int // replications of every point, at least 1
	// Precision, if it asks for any, decides in place of Reps how many replications each point has.
	Precision Precision
	Seed      uint64 // base seed, below 2^63
	// Run measures one cell. It must take all randomness from the cell's seed and replication and share no state with
	// other cells, which run at the same time. What it returns, or panics with, fails the cell.
	Run func(ctx context.Context, c Cell, out *Row) error

	overridden  []Axis
	constraints []*expression
}

const maxPoints = 1_000_000

// refuses returns why a value makes no sense, nil if it does.
func (f Factor) refuses(value string) error {
	if f.Check == nil || value == "" {
		return nil
	}
	return f.Check(value)
}

func (f Factor) check(value string) error {
	if err := f.refuses(value); err != nil {
		return fmt.Errorf("factor %q: value %q: %w", f.Name, value, err)
	}
	return nil
}

// factor returns the index of a factor.
func (p *Plan) factor(name string) (int, error) {
	names := p.factorNames()
	if i := slices.Index(names, name); i >= 0 {
		return i, nil
	}
	if len(names) == 0 {
		return 0, fmt.Errorf("unknown factor %q: %q has no factors", name, p.Name)
	}
	return 0, fmt.Errorf("unknown factor %q%s; known: %s", name, spec.DidYouMean(name, names), strings.Join(names, ", "))
}

func (p *Plan) factorNames() []string {
	names := make([]string, len(p.Factors))
	for i, f := range p.Factors {
		names[i] = f.Name
	}
	return names
}

// validate refuses what would fail later, in the middle of a run or of a file.
func (p *Plan) validate() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("plan %q: %w", p.Name, fmt.Errorf(format, args...))
	}
	if p.Name == "" || strings.Trim(p.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return fail("a name must be of lower-case letters, digits and dashes")
	}
	if p.Reps < 1 {
		return fail("replications must be at least 1, got %d", p.Reps)
	}
	if p.Precision.On() {
		if _, err := p.resolved(); err != nil {
			return fail("%w", err)
		}
	}
	if p.Seed > math.MaxInt64 {
		return fail("seed must be below 2^63, got %d", p.Seed)
	}
	if p.Run == nil {
		return fail("no function to run")
	}
	if len(p.Metrics) == 0 {
		return fail("no metrics: nothing would be measured")
	}
	if len(p.Grids) == 0 {
		return fail("no grids: nothing would run")
	}
	taken := make(map[string]bool)
	takes := func(columns []table.Column) {
		for _, c := range columns {
			taken[c.Name] = true
		}
	}
	takes(runsTail())
	for _, m := range p.Metrics {
		if !goodName(m.Name) || taken[m.Name] {
			return fail("metric %q: a name must be of letters, digits, _ and -, and that of no other column", m.Name)
		}
		taken[m.Name] = true
	}
	takes(summaryTail())
	takes(warningsTail())
	for _, f := range p.Factors {
		if !goodName(f.Name) || taken[f.Name] {
			return fail("factor %q: a name must be of letters, digits, _ and -, and that of no other column", f.Name)
		}
		taken[f.Name] = true
		if err := f.check(f.Default); err != nil {
			return fail("%w", err)
		}
	}
	for _, g := range p.Grids {
		named := make(map[string]bool)
		for _, a := range g {
			if err := p.checkAxis(a); err != nil {
				return fail("%w", err)
			}
			for _, name := range a.factors() {
				if named[name] {
					return fail("a grid names factor %q twice", name)
				}
				named[name] = true
			}
		}
	}
	return nil
}

func goodName(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// levels returns for each factor all its values, in the order in which the grids bring them.
func (p *Plan) levels() [][]string {
	levels := make([][]string, len(p.Factors))
	seen := make([]map[string]bool, len(p.Factors))
	for f := range seen {
		seen[f] = make(map[string]bool)
	}
	add := func(f int, v string) {
		if !seen[f][v] {
			seen[f][v] = true
			levels[f] = append(levels[f], v)
		}
	}
	for _, g := range p.Grids {
		if g.computes() {
			_ = p.expand(g, func(c candidate) error { // points says what is wrong with it
				for f, v := range c.values {
					add(f, v)
				}
				return nil
			})
			continue
		}
		for f := range p.Factors {
			for _, v := range p.values(g, f) {
				add(f, v)
			}
		}
	}
	return levels
}

// values returns what a grid that computes nothing gives to factor f.
func (p *Plan) values(g Grid, f int) []string {
	for _, zipped := range g {
		for _, a := range zipped.all() {
			if a.Factor == p.Factors[f].Name {
				return a.Values
			}
		}
	}
	return []string{p.Factors[f].Default}
}

// points returns the union of the grids, without duplicates, sorted.
func (p *Plan) points() ([][]string, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	names := p.factorNames()
	seen := make(map[string]bool)
	reached := make(reach)
	var points [][]string
	kept := 0 // before the constraints that were added
	for _, g := range p.Grids {
		err := p.expand(g, func(c candidate) error {
			key := pointKey(names, c.values)
			if c.err == nil && seen[key] {
				reached.note(g, c)
				return nil
			}
			keep, err := p.keeps(names, c.values)
			if err != nil || !keep {
				return err
			}
			keep, err = p.meets(names, c.values)
			if err != nil && c.err != nil {
				err = fmt.Errorf("%w, at %s", c.err, key)
			}
			if err != nil {
				return err
			}
			kept++
			reached.note(g, c)
			if !keep {
				return nil
			}
			if c.err != nil {
				return fmt.Errorf("%w, at %s", c.err, key)
			}
			seen[key] = true
			points = append(points, c.values)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if err := p.checkReach(reached, points, kept); err != nil {
		return nil, err
	}
	p.sort(points)
	return points, nil
}

func (p *Plan) keeps(names, point []string) (keep bool, err error) {
	if p.Where == nil {
		return true, nil
	}
	keep = p.Where(func(factor string) string {
		i := slices.Index(names, factor)
		if i < 0 {
			_, err = p.factor(factor)
			err = fmt.Errorf("plan %q: constraint: %w", p.Name, err)
			return ""
		}
		return point[i]
	})
	return keep, err
}

// reach says which rows of which axes have a point that the plan's own constraint keeps.
type reach map[string]map[int]bool // by the names of an axis

func (r reach) note(g Grid, c candidate) {
	for i, a := range g {
		if r[a.name()] == nil {
			r[a.name()] = make(map[int]bool)
		}
		r[a.name()][c.rows[i]] = true
	}
}

// checkReach refuses a plan that runs nothing, or not all that Override asked for: a setting that silently does nothing
// is a trap. What an added constraint drops was asked for.
func (p *Plan) checkReach(reached reach, points [][]string, kept int) error {
	for _, a := range p.overridden {
		for row := range a.rows() {
			if reached[a.name()][row] {
				continue
			}
			if f, err := p.factor(a.Factor); err != nil {
				return err
			} else if len(a.With) == 0 && slices.ContainsFunc(points, func(point []string) bool { return point[f] == a.Values[row] }) {
				continue // by a default
			}
			return fmt.Errorf("factor %q: no cell has value %q: it goes with none of the values of the other factors", a.name(), a.shown(row))
		}
	}
	switch {
	case len(points) > 0:
		return nil
	case kept > 0:
		return fmt.Errorf("plan %q: %s keeps none of its %d points", p.Name, p.constraintText(), kept)
	}
	return fmt.Errorf("plan %q: %w", p.Name, errors.New("the constraint keeps no point of the grids"))
}

// sort orders points by factors in declared order: by value where all values of a factor are numbers, or all are
// durations, and in the order of the grids otherwise. What does not apply comes first.
func (p *Plan) sort(points [][]string) {
	ranks := make([]map[string]int, len(p.Factors))
	for f, values := range p.levels() {
		slices.SortStableFunc(values, byValue(values))
		ranks[f] = make(map[string]int, len(values))
		for i, v := range values {
			ranks[f][v] = i
		}
	}
	slices.SortFunc(points, func(a, b []string) int {
		for f := range ranks {
			if c := cmp.Compare(ranks[f][a[f]], ranks[f][b[f]]); c != 0 {
				return c
			}
		}
		return 0
	})
}

// byValue returns the order of these values: of numbers, of durations, or none but the empty value first.
func byValue(values []string) func(a, b string) int {
	size := make(map[string]float64, len(values))
	read := func(parse func(string) (float64, error)) bool {
		for _, v := range values {
			x, err := parse(v)
			if v == "" {
				x = math.Inf(-1)
			} else if err != nil {
				return false
			}
			size[v] = x
		}
		return true
	}
	duration := func(text string) (float64, error) {
		d, err := spec.ParseDuration(text)
		return float64(d), err
	}
	if !read(parseNumber) && !read(duration) {
		for _, v := range values {
			size[v] = 0
		}
		if _, ok := size[""]; ok {
			size[""] = -1
		}
	}
	return func(a, b string) int { return cmp.Compare(size[a], size[b]) }
}
