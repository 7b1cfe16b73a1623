package plots

import (
	"errors"
	"fmt"
	"math"
)

// Axis describes an axis. The zero value is a linear axis over the range of the data.
type Axis struct {
	Label string // "Offered load"
	Unit  string // "requests/s"; shown in brackets after the label, unless it is "1"
	// Min and Max are the ends. Both 0: the data decide. An end that is NaN, or 0 on a log axis, is left to the data;
	// Max 0 under Min > 0 is too. Curves are cut at the ends.
	Min, Max float64
	Zero     bool   // a range left to the data includes 0; linear axes only
	Log      bool   // logarithmic; a value <= 0 is an error
	Base     int    // of the ticks of a log axis: 10 (also if 0) or 2
	Percent  bool   // computed ticks show shares as "10%"
	Ticks    []Tick // instead of computed ones; a range left to the data includes them
}

// Tick is a labelled place on an axis. Where labels would collide, some are left out, their marks stay.
type Tick struct {
	Value float64
	Label string
}

func (a Axis) title() string {
	if a.Unit == "" || a.Unit == "1" {
		return a.Label
	}
	if a.Label == "" {
		return a.Unit
	}
	return a.Label + " (" + a.Unit + ")"
}

func (a Axis) check() error {
	switch {
	case math.Abs(a.Min) > largest || math.Abs(a.Max) > largest:
		return fmt.Errorf("ends must lie within ±%g, or be NaN to leave them to the data, got %g and %g", largest, a.Min, a.Max)
	case a.fixedMin() && a.fixedMax() && (a.Min >= a.Max || flat(a.Min, a.Max)):
		return fmt.Errorf("min must be clearly below max, got %g and %g", a.Min, a.Max)
	case a.Log && (a.Min < 0 || a.Max < 0):
		return fmt.Errorf("a log axis starts above 0, got %g to %g", a.Min, a.Max)
	case a.Base != 0 && a.Base != 2 && a.Base != 10:
		return fmt.Errorf("base must be 2 or 10, got %d", a.Base)
	case a.Log && a.Zero:
		return errors.New("a log axis cannot include 0")
	}
	for _, t := range a.Ticks {
		if err := a.holds(t.Value); err != nil || math.IsNaN(t.Value) {
			return fmt.Errorf("tick %q: value %g is not on the axis", t.Label, t.Value)
		}
	}
	return nil
}

// largest is the largest magnitude that is drawn, smallest the smallest on a log axis: ranges and ratios stay finite.
const largest, smallest = 1e300, 1e-300

// flat tells whether two ends are too close for ticks between them.
func flat(low, high float64) bool {
	return high-low <= max(smallest, 1e-9*max(math.Abs(low), math.Abs(high)))
}

// holds returns an error if a value cannot be drawn on the axis. A missing value can: it is a gap.
func (a Axis) holds(v float64) error {
	switch {
	case math.IsNaN(v):
		return nil
	case math.Abs(v) > largest:
		return fmt.Errorf("%g is too large to draw", v)
	case a.Log && v <= 0:
		return fmt.Errorf("%g cannot be drawn on a log axis: use a linear axis, or NaN for a gap", v)
	case a.Log && v < smallest:
		return fmt.Errorf("%g is too small to draw on a log axis", v)
	}
	return nil
}

func (a Axis) fixedMin() bool {
	return !math.IsNaN(a.Min) && (a.Min != 0 || !a.Log && a.Max > 0)
}

func (a Axis) fixedMax() bool {
	return !math.IsNaN(a.Max) && (a.Max != 0 || !a.Log && a.Min < 0)
}
