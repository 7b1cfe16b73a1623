package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Tail is a chart of distributions: the share of values above x, on a log scale, on which what happens once in a
// thousand times has as much room as what happens once in ten. Series have shares as Y, from a sample (Above), measured
// elsewhere, or proved (Theory). A share of 0 has no place on the scale: the curve ends before it. The lower end of an
// interval may be 0.
type Tail struct {
	X      Axis
	Of     string  // what has a share, the title of the y axis: "Requests that wait longer"
	Least  float64 // lower end of the scale, above 0; 0: the data decide
	Series []Series
	Refs   []Ref
}

func (t Tail) panels() ([]panel, int, error) {
	if t.Least < 0 || t.Least >= 1 || math.IsNaN(t.Least) {
		return nil, 0, fmt.Errorf("the least share must be 0, or above it and below 1, got %g", t.Least)
	}
	least := 1.0
	series := slices.Clone(t.Series)
	for i, s := range series {
		series[i].Y = slices.Clone(s.Y)
		for k, y := range s.Y {
			switch {
			case y < 0 || y > 1:
				return nil, 0, fmt.Errorf("series %d %q: point %d: want a share from 0 to 1, got %g", i+1, s.Name, k+1, y)
			case y == 0:
				series[i].Y[k] = math.NaN()
			case y >= smallest: // false for NaN
				least = min(least, y)
			}
		}
	}
	y := Axis{Label: t.Of, Log: true, Percent: true, Min: t.Least, Max: 1}
	if t.Least == 0 { // the power of ten below the data
		y.Min = at(1, min(-1, max(-12, int(math.Floor(math.Log10(least)+1e-9)))))
	}
	for power := 0; power >= -12; power-- {
		if v := at(1, power); v >= y.Min*(1-1e-9) {
			y.Ticks = append(y.Ticks, Tick{v, shareLabel(power)})
		}
	}
	return []panel{&xy{xAxis: t.X, yAxis: y, series: series, refs: t.Refs}}, 1, nil
}

// shareLabel writes a power of ten as a share: "10%", "0.01%", below that "1 in 100,000".
func shareLabel(power int) string {
	if power >= -4 {
		return Axis{Percent: true}.format(at(1, power), power, 1)
	}
	return "1 in " + Axis{}.format(at(1, -power), -power, at(1, -power))
}

// Above makes the series of a sample: at each value, from the smallest, the share of the sample above it. It begins at
// x = start, where the share is that of values above start, and has a step at each value: the empirical complementary
// distribution function. Missing values (NaN) are left out. An error if none is left, or one is below start.
func Above(name string, start float64, sample []float64) (Series, error) {
	values := slices.DeleteFunc(slices.Clone(sample), math.IsNaN)
	if len(values) == 0 {
		return Series{}, errors.New("the sample has no values")
	}
	slices.Sort(values)
	if values[0] < start {
		return Series{}, fmt.Errorf("the sample has %g, below its start %g", values[0], start)
	}
	s := Series{Name: name}
	above := func(i int) float64 { return float64(len(values)-i) / float64(len(values)) } // of those before i are not
	i := 0
	for i < len(values) && values[i] == start {
		i++
	}
	s.X, s.Y = append(s.X, start), append(s.Y, above(i))
	for i < len(values) {
		before, v := above(i), values[i]
		for i < len(values) && values[i] == v {
			i++
		}
		s.X, s.Y = append(s.X, v, v), append(s.Y, before, above(i))
	}
	return s, nil
}
