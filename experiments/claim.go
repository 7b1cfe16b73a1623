package experiments

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ratelab/experiments/sweep"
	"ratelab/plots/table"
)

// Relation says how what was observed must lie to what is expected.
type Relation string

// The relations of a claim.
const (
	// Equal: the expected value lies in the interval, widened by its error.
	Equal Relation = "="
	// AtMost and AtLeast: the whole interval lies on the right side.
	AtMost  Relation = "<="
	AtLeast Relation = ">="
	// Exact: every replication equals the expected value.
	Exact Relation = "exact"
	// Differs is what Equal and Exact are checked by outside a claim's
	// domain: the interval, widened, does not hold the expected value.
	Differs Relation = "!="
)

// Claim is a statement about one metric that an experiment can refute.
type Claim struct {
	Text     string // the statement
	Domain   string // where it holds
	Wrong    string // what would make it false
	Source   string // of what is expected: a formula, a theorem
	Metric   string
	Relation Relation
	Points   []Point // in the domain, three at least
	Outside  []Point // out of the domain, one at least: the claim must fail there
}

// Point is one place at which a claim is checked.
type Point struct {
	At       []string // factor, value, factor, value …: which rows of runs.csv
	Expected float64
	Error    float64 // what Expected itself may be off by, >= 0
	Scale    float64 // what precision is judged against; 0: |Expected|
	// Late, if there is one, fills in the three when the claim is judged: for
	// what takes too long to compute at every start of the program.
	Late func(*Point)
}

func (p Point) String() string {
	var b strings.Builder
	for i := 0; i+1 < len(p.At); i += 2 {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.At[i] + "=" + p.At[i+1])
	}
	return b.String()
}

// matches reports whether the point names these values of factors.
func (p Point) matches(get func(factor string) string) bool {
	for i := 0; i+1 < len(p.At); i += 2 {
		if get(p.At[i]) != p.At[i+1] {
			return false
		}
	}
	return true
}

// Verdict is what became of a claim at one point.
type Verdict string

// The verdicts.
const (
	Holds     Verdict = "holds"
	Fails     Verdict = "fails"
	Undecided Verdict = "undecided"
)

// Checked is one row of claims.csv.
type Checked struct {
	Claim         string // text and point
	Text          string // of the claim alone
	At            string // of the point alone
	Relation      Relation
	Observed      float64 // mean over replications
	Low, High     float64
	Level         float64
	Expected      float64
	ExpectedError float64
	Source        string
	Verdict       Verdict
	Outside       bool
}

// precise is the largest half-width, as a share of a claim's scale, at which
// it is decided.
const precise = 0.02

// errSeveral is returned inside when several points of the grid are at a point.
var errSeveral = errors.New("more than one point of the grid is there; name more factors")

// errNoRows is returned inside when no row of the data is at a point.
var errNoRows = errors.New("no rows")

// checkClaims judges every claim at every point, at level 1 − 0.01/m for m
// points, so that a true program fails about once in a hundred seeds. With
// partial, points of which the data has nothing, or of which it has several
// kinds, are left out.
func checkClaims(claims []Claim, runs *table.Table, partial bool) ([]Checked, error) {
	type place struct {
		c       Claim
		p       Point
		o       observation
		outside bool
	}
	var places []place
	for _, c := range claims {
		for i, p := range append(c.Points[:len(c.Points):len(c.Points)], c.Outside...) {
			o, err := observe(c.Metric, p, runs)
			if p.Late != nil && err == nil {
				p.Late(&p)
			}
			if err == nil && math.IsNaN(p.Expected+p.Error) {
				err = errors.New("nothing is expected there: theory gives NaN")
			}
			if partial && (errors.Is(err, errNoRows) || errors.Is(err, errSeveral)) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("claim %q at %s: %w", c.Text, p, err)
			}
			places = append(places, place{c, p, o, i >= len(c.Points)})
		}
	}
	level := 1 - 0.01/float64(max(1, len(places)))
	var checked []Checked
	for _, at := range places {
		checked = append(checked, judge(at.c, at.p, at.o, level, at.outside))
	}
	return checked, nil
}

// observation is what the replications at a point measured.
type observation struct {
	sweep.Estimate
	missing int // replications without a value
}

// observe reads a metric at a point, which must be one point of the grid:
// several would pass for more replications than there are.
func observe(metric string, p Point, runs *table.Table) (o observation, err error) {
	rows, err := runs.Where(p.At...)
	if err != nil {
		return o, err
	}
	reps, err := rows.Floats("rep")
	if err != nil {
		return o, err
	}
	slices.Sort(reps)
	if len(slices.Compact(reps)) < rows.Len() {
		return o, errSeveral
	}
	values, err := rows.Floats(metric)
	if err != nil {
		return o, err
	}
	o.Estimate = sweep.NewEstimate(values)
	o.missing = len(values) - o.N
	if o.N == 0 {
		return o, errNoRows
	}
	return o, nil
}

func judge(c Claim, p Point, o observation, level float64, outside bool) Checked {
	lo, hi := o.Interval(level)
	k := Checked{
		Claim: c.Text + " [" + p.String() + "]", Text: c.Text, At: p.String(), Relation: c.Relation, Observed: o.Mean, Low: lo, High: hi,
		Level: level, Expected: p.Expected, ExpectedError: p.Error, Source: c.Source, Outside: outside,
	}
	if c.Relation == Exact {
		k.Low, k.High = o.Min, o.Max
	}
	if outside {
		k.Claim = "outside its domain: " + k.Claim
		k.Relation = map[Relation]Relation{Equal: Differs, Exact: Differs, AtMost: AtLeast, AtLeast: AtMost}[c.Relation]
	}
	scale := p.Scale
	if scale == 0 {
		scale = math.Abs(p.Expected)
	}
	within := k.Low-p.Error <= p.Expected && p.Expected <= k.High+p.Error
	narrow := (k.High-k.Low)/2 <= float64(precise*scale)
	switch k.Relation {
	case Exact:
		k.Verdict = verdict(o.Min == p.Expected && o.Max == p.Expected && o.missing == 0, true)
	case Equal:
		k.Verdict = verdict(within, narrow || !within)
	case Differs:
		k.Verdict = verdict(!within, narrow || !within)
	case AtMost, AtLeast:
		right, wrong := k.High <= p.Expected+p.Error, k.Low > p.Expected+p.Error
		if c.Relation == AtLeast {
			right, wrong = k.Low >= p.Expected-p.Error, k.High < p.Expected-p.Error
		}
		if outside {
			right, wrong = wrong, right
		}
		k.Verdict = verdict(right, right || wrong)
	}
	return k
}

func verdict(holds, decided bool) Verdict {
	switch {
	case !decided:
		return Undecided
	case holds:
		return Holds
	}
	return Fails
}

// Tally counts verdicts.
type Tally struct{ Holds, Fails, Undecided int }

// Count adds up verdicts.
func Count(checked []Checked) Tally {
	var t Tally
	for _, k := range checked {
		switch k.Verdict {
		case Holds:
			t.Holds++
		case Fails:
			t.Fails++
		case Undecided:
			t.Undecided++
		}
	}
	return t
}

// Plus adds two tallies.
func (t Tally) Plus(u Tally) Tally {
	return Tally{t.Holds + u.Holds, t.Fails + u.Fails, t.Undecided + u.Undecided}
}

// Points returns how many verdicts were counted.
func (t Tally) Points() int { return t.Holds + t.Fails + t.Undecided }

// Passes reports whether nothing fails and, at full precision, nothing is
// undecided; a quick run may leave a fifth undecided.
func (t Tally) Passes(quick bool) bool {
	if quick {
		return t.Fails == 0 && 5*t.Undecided <= t.Holds+t.Undecided
	}
	return t.Fails == 0 && t.Undecided == 0
}

func (t Tally) String() string {
	return fmt.Sprintf("claims: %d hold, %d fail, %d undecided", t.Holds, t.Fails, t.Undecided)
}

func claimsTable(checked []Checked) (*table.Table, error) {
	number := func(name, unit, doc string) table.Column {
		return table.Column{Name: name, Unit: unit, Description: doc, Type: table.Number, Digits: 12}
	}
	t, err := table.New(
		table.Column{Name: "claim", Description: "the statement, and the point at which it is checked"},
		table.Column{Name: "relation", Description: "=, <=, >= or exact; != where the claim must fail, outside its domain"},
		number("observed", "", "mean over replications, in the unit of the metric"),
		number("ci_low", "", "lower end of the interval at the row's level; the smallest replication for exact"),
		number("ci_high", "", "upper end of the interval at the row's level; the largest replication for exact"),
		number("level", "1", "confidence level of the interval: 1 - 0.01/m for m rows"),
		number("expected", "", "what theory says, in the unit of the metric"),
		number("expected_error", "", "what the expected value itself may be off by"),
		table.Column{Name: "source", Description: "where the expected value comes from"},
		table.Column{Name: "verdict", Description: "holds, fails or undecided"},
	)
	if err != nil {
		return nil, err
	}
	for _, k := range checked {
		if err := t.Append(k.Claim, string(k.Relation), k.Observed, finite(k.Low), finite(k.High), k.Level,
			k.Expected, k.ExpectedError, k.Source, string(k.Verdict)); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// finite turns an infinite end of an interval, as one replication has it,
// into a missing value.
func finite(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}

// shareScale is what the precision of a share is judged against: the smaller of
// it and its complement, of which 2 % is allowed; five times that where it is
// rarer than 1 in 50, so that 10 % will do.
func shareScale(share float64) float64 {
	scale := min(share, 1-share)
	if scale < 0.02 {
		scale *= 5
	}
	return scale
}
