package plots

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Heat is a table of values as colours, with each value printed in its cell.
type Heat struct {
	X, Y           []string // names of columns, from left to right, and of rows, from the bottom up
	XLabel, YLabel string
	Z              [][]float64 // Z[i][j] is the value at Y[i] and X[j]; NaN leaves the cell blank
	Format         string      // of values, for fmt; empty: "%.2f"
	// Min and Max are the values at the ends of the colours; both 0: the data decide. Colours stop at the ends.
	Min, Max float64
	Log      bool // colours follow the logarithm; values must be > 0
}

func (h Heat) panels() ([]panel, int, error) { return []panel{&heat{Heat: h}}, 1, nil }

// heat is the panel under Heat.
type heat struct {
	Heat
	frame
	values plotter.Labels // in the cells
}

func (h *heat) check() error {
	switch {
	case len(h.X) == 0 || len(h.Y) == 0:
		return fmt.Errorf("a heat map needs rows and columns, got %d and %d", len(h.Y), len(h.X))
	case len(h.Z) != len(h.Y):
		return fmt.Errorf("want as many rows of z as y, got %d and %d", len(h.Z), len(h.Y))
	case math.Abs(h.Min) > largest || math.Abs(h.Max) > largest || math.IsNaN(h.Min) || math.IsNaN(h.Max):
		return errors.New("min and max must be finite")
	case (h.Min != 0 || h.Max != 0) && h.Min >= h.Max:
		return fmt.Errorf("min must be below max, got %g and %g", h.Min, h.Max)
	case h.Log && (h.Min != 0 || h.Max != 0) && h.Min <= 0:
		return fmt.Errorf("with log, min must be > 0, got %g", h.Min)
	}
	axis := Axis{Log: h.Log}
	for i, row := range h.Z {
		if len(row) != len(h.X) {
			return fmt.Errorf("row %d %q: want as many z as x, got %d and %d", i+1, h.Y[i], len(row), len(h.X))
		}
		for j, z := range row {
			if err := axis.holds(z); err != nil {
				return fmt.Errorf("row %d %q, column %d %q: %w", i+1, h.Y[i], j+1, h.X[j], err)
			}
			if !math.IsNaN(z) {
				h.values.XYs = append(h.values.XYs, plotter.XY{X: float64(j), Y: float64(i)})
				h.values.Labels = append(h.values.Labels, strings.Replace(fmt.Sprintf(cmp.Or(h.Format, "%.2f"), z), "-", "−", 1))
			}
		}
	}
	if len(h.values.Labels) == 0 {
		return errors.New("every value of the heat map is missing (NaN)")
	}
	return nil
}

func (h *heat) names() []string            { return nil }
func (h *heat) setStyles(map[string]style) {}

const (
	cellHeight = 22
	cellSpace  = 7 // around the text of a cell, both sides together
	tightSpace = 3 // the least
)

func (h *heat) widestCell(size vg.Length) vg.Length {
	widest := vg.Length(0)
	for _, text := range h.values.Labels {
		widest = max(widest, textWidth(regular, size, text))
	}
	return widest
}

// natural is the size of the plot area at which all text has its usual size.
func (h *heat) natural() vg.Point {
	cell := max(30, h.widestCell(noteSize)+cellSpace)
	for _, name := range h.X {
		cell = max(cell, min(60, textWidth(regular, tickSize, name)+4))
		for _, word := range words(name) {
			cell = max(cell, textWidth(regular, tickSize, strings.TrimSpace(word))+4)
		}
	}
	return vg.Point{X: cell * vg.Length(len(h.X)), Y: cellHeight * vg.Length(len(h.Y))}
}

func (h *heat) fit(area vg.Point, whole vg.Length, settled bool) (*plot.Plot, error) {
	h.take(area, whole, settled)
	area = h.area
	var err error
	cell := area.X / vg.Length(len(h.X))
	if tall := area.Y / vg.Length(len(h.Y)); tall < tickSize+2 {
		err = fmt.Errorf("%d rows do not fit in a plot %.0f pt high: set a larger height, or 0", len(h.Y), area.Y)
	}
	size := vg.Length(noteSize)
	for size > smallestSize && h.widestCell(size) > cell-tightSpace {
		size -= 0.5
	}
	if h.widestCell(size) > cell-tightSpace {
		err = fmt.Errorf("values do not fit in cells %.0f pt wide: set a larger width, or 0, or a shorter format", cell)
	}
	names := make([]string, len(h.X))
	most := 1
	for j, name := range h.X {
		lines := wrap(regular, tickSize, cell-2, name)
		if slices.ContainsFunc(words(name), func(w string) bool { return textWidth(regular, tickSize, strings.TrimSpace(w)) > cell-2 }) {
			err = fmt.Errorf("column name %q does not fit under a cell %.0f pt wide: set a larger width, or 0", name, cell)
		}
		names[j] = strings.Join(lines, "\n")
		most = max(most, len(lines))
	}
	for j := range names { // names of fewer lines hang as high as the others
		names[j] += strings.Repeat("\n ", most-1-strings.Count(names[j], "\n"))
	}
	p := newPlot()
	p.X.Min, p.X.Max, p.X.Tick.Marker = -0.5, float64(len(h.X))-0.5, nominal(names)
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = -0.5, float64(len(h.Y))-0.5, nominal(h.Y)
	p.X.Padding = 2
	low, high := h.ends()
	colors := &plotter.HeatMap{GridXYZ: cells{h}, Palette: viridis{}, Min: low, Max: high, NaN: blank,
		Underflow: viridisAt(0), Overflow: viridisAt(1)}
	h.values.TextStyle = nil
	for _, at := range h.values.XYs {
		fill := viridisAt((h.color(h.Z[int(at.Y)][int(at.X)]) - low) / (high - low))
		sty := textStyle(regular, size, ink)
		if contrast(white, fill) > contrast(ink, fill) {
			sty.Color = white
		}
		sty.XAlign, sty.YAlign = draw.XCenter, yMiddle
		h.values.TextStyle = append(h.values.TextStyle, sty)
	}
	h.right = 2
	p.Add(bare{colors}, plotFunc(h.drawGaps), bare{&h.values}, &h.frame)
	h.wrap(p, h.YLabel, h.XLabel)
	return p, err
}

// nominal puts names at 0, 1, 2 …
func nominal(names []string) plot.ConstantTicks {
	ticks := make(plot.ConstantTicks, len(names))
	for i, name := range names {
		ticks[i] = plot.Tick{Value: float64(i), Label: name}
	}
	return ticks
}

// drawGaps draws white lines between the cells, which would show hairlines otherwise.
func (h *heat) drawGaps(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	line := draw.LineStyle{Color: white, Width: 1}
	for j := range len(h.X) + 1 {
		c.StrokeLine2(line, x(float64(j)-0.5), c.Min.Y, x(float64(j)-0.5), c.Max.Y)
	}
	for i := range len(h.Y) + 1 {
		c.StrokeLine2(line, c.Min.X, y(float64(i)-0.5), c.Max.X, y(float64(i)-0.5))
	}
}

// cells is a heat as a plotter.GridXYZ.
type cells struct{ *heat }

func (g cells) Dims() (c, r int)   { return len(g.Heat.X), len(g.Heat.Y) }
func (g cells) X(c int) float64    { return float64(c) }
func (g cells) Y(r int) float64    { return float64(r) }
func (g cells) Z(c, r int) float64 { return g.color(g.Heat.Z[r][c]) }

// color is the place of a value on the scale of colours.
func (h *heat) color(z float64) float64 {
	if h.Log {
		return math.Log10(z)
	}
	return z
}

// ends are the first and the last colour.
func (h *heat) ends() (low, high float64) {
	var data extent
	for _, z := range slices.Concat(h.Z...) {
		data.add(z)
	}
	low, high = data.low, data.high
	if h.Min != 0 || h.Max != 0 {
		low, high = h.Min, h.Max
	}
	low, high = h.color(low), h.color(high)
	if room := max(1e-9*math.Abs(low), 1e-9); high-low < room { // one colour, the middle one
		low, high = low-room, high+room
	}
	return low, high
}
