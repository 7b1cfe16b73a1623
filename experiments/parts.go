package experiments

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ratelab/experiments/sweep"
)

// parts are the sub-questions of an experiment, the values of its factor
// "part": the factors that each needs, and what it does with a cell.
type parts[F any] []struct {
	name, needs string
	cell        F
}

// cellFunc is what Experiment.Cell is.
type cellFunc = func(context.Context, Lab, sweep.Cell, *sweep.Row) error

// byPart measures a cell as the part says that it is of.
func byPart(ps parts[cellFunc]) cellFunc {
	return func(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
		cell, err := ps.find(c.Get("part"))
		if err != nil {
			return err
		}
		return cell(ctx, lab, c, out)
	}
}

func (ps parts[F]) names() (names []string) {
	for _, p := range ps {
		names = append(names, p.name)
	}
	return names
}

func (ps parts[F]) find(name string) (cell F, err error) {
	for _, p := range ps {
		if p.name == name {
			return p.cell, nil
		}
	}
	return cell, fmt.Errorf("unknown part %q", name)
}

// fit reports whether of these factors a point has those that its part needs,
// and no others.
func (ps parts[F]) fit(get func(factor string) string, factors ...string) bool {
	for _, p := range ps {
		if p.name != get("part") {
			continue
		}
		needs := strings.Fields(p.needs)
		return !slices.ContainsFunc(factors, func(f string) bool { return slices.Contains(needs, f) != (get(f) != "") })
	}
	return false
}

// factorNames returns the names of factors.
func factorNames(factors []sweep.Factor) (names []string) {
	for _, f := range factors {
		names = append(names, f.Name)
	}
	return names
}
