package experiments

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/plots"
)

// Experiment is one question with the means to answer it.
type Experiment struct {
	Name       string
	Question   string
	Hypothesis string
	Factors    []sweep.Factor
	Metrics    []sweep.Metric
	Grids      []sweep.Grid
	Where      func(get func(factor string) string) bool // keeps a point; nil keeps all
	Reps       int                                       // replications at full precision
	QuickReps  int
	// Cell measures one cell. It reaches simulation and limiters through lab
	// only, so that a test can break them on purpose.
	Cell    func(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error
	Claims  []Claim
	Figures []Figure
	Tables  []Derived
	// Content, if there is one, says what a value of a factor stands for where
	// that may change and the value stays, as the digest of a file does; ""
	// where the value says all. Cells of other contents are other cells.
	Content func(factor, value string) (string, error)
	Threats []string // threats to validity: what the model leaves out
	// Findings says what was found, in sentences made from the data: the first
	// is the answer to Question.
	Findings func(d *Data) ([]string, error)
}

// Lab is what a cell works with.
type Lab struct {
	// Quick asks for a shorter horizon; the grid's ends stay. Glance, in a quick
	// run only, says that no claim looks at the point: a figure alone does, for
	// which less will do.
	Quick    bool
	Glance   bool
	Simulate func(ctx context.Context, c scenario.Config) (scenario.Result, error)
	Limiter  func(s limiters.Spec, seed uint64) limiters.Limiter
	Layers   func(s limiters.LayersSpec, seed uint64) *limiters.Layers
	Contend  func(ctx context.Context, c scenario.Contention) (scenario.Contended, error)
	Call     func(ctx context.Context, c scenario.Calling) (scenario.Called, error)
}

// trueLab simulates with the real models.
func trueLab(quick bool) Lab {
	return Lab{
		Quick:    quick,
		Simulate: scenario.Run,
		Limiter:  func(s limiters.Spec, seed uint64) limiters.Limiter { return s.New(seed, nil) },
		Layers:   func(s limiters.LayersSpec, seed uint64) *limiters.Layers { return s.New(seed, nil) },
		Contend:  scenario.Contend,
		Call:     scenario.Call,
	}
}

// Figure draws one finding from what was measured. Its title states the
// finding with numbers taken from the data.
type Figure struct {
	Name string // file name without NAME- and ending
	Draw func(d *Data) (plots.Figure, error)
}

// plan returns what the bench executes: the experiment in a lab.
func (e Experiment) plan(lab Lab) *sweep.Plan {
	p := &sweep.Plan{
		Name: e.Name, Description: e.Question, Factors: e.Factors, Metrics: e.Metrics, Grids: e.Grids, Where: e.Where,
		Reps: e.Reps, Seed: 1,
		Run: func(ctx context.Context, c sweep.Cell, out *sweep.Row) error {
			lab := lab
			lab.Glance = lab.Quick && !e.claims(c.Get)
			return e.Cell(ctx, lab, c, out)
		},
	}
	if lab.Quick {
		p.Reps = e.QuickReps
	}
	return p
}

// claims reports whether a claim looks at a point.
func (e Experiment) claims(get func(factor string) string) bool {
	for _, c := range e.Claims {
		for _, points := range [][]Point{c.Points, c.Outside} {
			for _, p := range points {
				if p.matches(get) {
					return true
				}
			}
		}
	}
	return false
}

var registry []Experiment

func register(e Experiment) {
	i, found := slices.BinarySearchFunc(registry, e.Name, func(e Experiment, name string) int { return strings.Compare(e.Name, name) })
	if found {
		panic("experiments: " + e.Name + " is registered twice")
	}
	registry = slices.Insert(registry, i, e)
}

// All returns the experiments, sorted by name.
func All() []Experiment { return registry }

// Lookup finds an experiment by name.
func Lookup(name string) (Experiment, error) {
	names := make([]string, len(registry))
	for i, e := range registry {
		if e.Name == name {
			return e, nil
		}
		names[i] = e.Name
	}
	return Experiment{}, fmt.Errorf("unknown experiment %q%s; known: %s", name, spec.DidYouMean(name, names), strings.Join(names, ", "))
}
