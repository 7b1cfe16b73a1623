package sweep

import (
	"slices"
	"strings"
)

// Pair is two points of a plan that are compared, by replication.
type Pair struct{ A, B []Cell }

// Unpaired says why points of the first plan have no partner in the second.
type Unpaired struct {
	Same    []Cell // whose partner they are themselves; replication 0 of each
	Without []Cell // that have none; replication 0 of each
}

// Pairs finds for each point of plan a the points of plan b that agree with it in all but the named factors and those
// that either plan computes from others. A point is no partner of itself. Both plans have the same factors and
// replications.
func Pairs(a, b *Plan, but []string) ([]Pair, Unpaired, error) {
	var un Unpaired
	left, err := a.Cells()
	if err != nil {
		return nil, un, err
	}
	right, err := b.Cells()
	if err != nil {
		return nil, un, err
	}
	free := make([]bool, len(a.Factors))
	for f, factor := range a.Factors {
		free[f] = slices.Contains(but, factor.Name) || a.computed(factor.Name) || b.computed(factor.Name)
	}
	rest := func(c Cell) string {
		kept := slices.Clone(c.values)
		for f := range kept {
			if free[f] {
				kept[f] = ""
			}
		}
		return pointKey(c.names, kept)
	}
	partners := make(map[string][]int) // first cells of points of b
	for i := 0; i < len(right); i += b.Reps {
		partners[rest(right[i])] = append(partners[rest(right[i])], i)
	}
	var pairs []Pair
	for i := 0; i < len(left); i += a.Reps {
		there := partners[rest(left[i])]
		if len(there) == 0 {
			un.Without = append(un.Without, left[i])
		}
		for _, k := range there {
			if slices.Equal(left[i].values, right[k].values) {
				un.Same = append(un.Same, left[i])
				continue
			}
			pairs = append(pairs, Pair{left[i : i+a.Reps], right[k : k+b.Reps]})
		}
	}
	return pairs, un, nil
}

// computed reports whether a grid computes a factor from others.
func (p *Plan) computed(factor string) bool {
	return slices.ContainsFunc(p.Grids, func(g Grid) bool {
		return slices.ContainsFunc(g, func(zipped Axis) bool {
			return slices.ContainsFunc(zipped.all(), func(a Axis) bool {
				return a.Factor == factor && (a.From != nil || slices.ContainsFunc(a.Values, isFormula))
			})
		})
	})
}

// Split shows where the points of a pair agree, and where each differs from the other: factor=value,….
func (p Pair) Split() (common, a, b string) {
	names := p.A[0].names
	same, left, right := make([]string, len(names)), make([]string, len(names)), make([]string, len(names))
	for f := range names {
		if v, w := p.A[0].values[f], p.B[0].values[f]; v == w {
			same[f] = v
		} else {
			left[f], right[f] = v, w
		}
	}
	return pointKey(names, same), absent(names, left, right), absent(names, right, left)
}

// absent is pointKey, and says of what applies to the other side only that it does not apply here.
func absent(names, values, other []string) string {
	parts := []string{}
	if key := pointKey(names, values); key != "" {
		parts = append(parts, key)
	}
	for f, v := range values {
		if v == "" && other[f] != "" {
			parts = append(parts, "no "+names[f])
		}
	}
	return strings.Join(parts, ",")
}
