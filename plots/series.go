package plots

import (
	"fmt"
	"math"
)

// Series is a curve. Values that are NaN are gaps.
type Series struct {
	// Name decides colour and dash: a canonical limiter or coordination ("gcra", "quota", "gcra:rate=2/s,burst=5") has
	// the same in every figure, any other name takes what is free.
	Name  string
	Label string // text at its end; empty: a plain form of the name
	X, Y  []float64
	// Lo and Hi bound an interval at each point; both nil: none. A point with a NaN in them has none.
	Lo, Hi  []float64
	Markers bool // a dot at each point
	Quiet   bool // no text at its end: the subtitle says what it is
	// Theory draws the curve thin and pale, under the others and without a label: what is expected of the series that has
	// the same name. A label that is not empty is drawn all the same.
	Theory bool
}

// Ref is a reference line across the plot.
type Ref struct {
	Value    float64
	Vertical bool   // at x = Value, otherwise at y = Value
	Label    string // small text along the line; may be empty
}

// Dots is a row of marks under a plot, one for each request: a dot for an admitted one, a cross for a refused one.
type Dots struct {
	Name, Label string // as in Series
	Times       []float64
	Admitted    []bool // as long as Times
}

func labelOf(label, name string, styles map[string]style) string {
	if label != "" {
		return label
	}
	return styles[name].label
}

func checkSeries(i int, s Series, x, y Axis) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("series %d %q: %w", i+1, s.Name, fmt.Errorf(format, args...))
	}
	if s.Name == "" {
		return fail("it has no name")
	}
	if len(s.X) == 0 {
		return fail("it has no points")
	}
	if len(s.Y) != len(s.X) {
		return fail("want as many y as x, got %d and %d", len(s.Y), len(s.X))
	}
	if (s.Lo != nil || s.Hi != nil) && (len(s.Lo) != len(s.X) || len(s.Hi) != len(s.X)) {
		return fail("want as many lo and hi as x, or neither, got %d, %d and %d", len(s.Lo), len(s.Hi), len(s.X))
	}
	any := false
	for k := range s.X {
		if err := x.holds(s.X[k]); err != nil {
			return fail("point %d: x: %w", k+1, err)
		}
		if err := y.holds(s.Y[k]); err != nil {
			return fail("point %d: y: %w", k+1, err)
		}
		if s.Lo != nil {
			if math.Abs(s.Lo[k]) > largest || math.Abs(s.Hi[k]) > largest || s.Lo[k] > s.Hi[k] {
				return fail("point %d: want an interval with lo <= hi, both finite, got %g to %g", k+1, s.Lo[k], s.Hi[k])
			}
			if err := y.holds(s.Hi[k]); err != nil {
				return fail("point %d: hi: %w", k+1, err)
			}
		}
		any = any || !math.IsNaN(s.X[k]) && !math.IsNaN(s.Y[k])
	}
	if !any {
		return fail("every point is missing (NaN)")
	}
	return nil
}
