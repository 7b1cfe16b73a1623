package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// xy is the panel under Line, Step, Timeline and Tail: two axes with curves, reference lines, rows of dots and labels.
type xy struct {
	frame
	xAxis    Axis
	yAxis    Axis
	series   []Series
	refs     []Ref
	rows     []Dots
	steps    bool
	ticked   bool // rows have ticks instead of dots
	showX    bool // the title of the x axis
	showY    bool // the title of the y axis
	showKey  bool // of the dots
	labelled []bool
	styles   map[string]style
	xData    extent
	xValues  []float64 // of the points of curves
	yData    extent

	// What fit decides. Points are in the plot area, whose lower left corner is the origin.
	w, h    vg.Length
	x, y    scale
	curves  [][][]vg.Point // of each series, its pieces
	labels  []placed       // of series
	notes   []placed       // of reference lines
	labelX  vg.Length      // where labels outside start
	leaders bool           // to labels outside
	rounds  int            // of fits so far
	forced  []bool         // series whose label is outside, in this fit or one before
}

func (p *xy) check() error {
	if err := p.xAxis.check(); err != nil {
		return fmt.Errorf("x axis: %w", err)
	}
	if err := p.yAxis.check(); err != nil {
		return fmt.Errorf("y axis: %w", err)
	}
	if len(p.series) == 0 && len(p.rows) == 0 {
		return errors.New("the chart has no series")
	}
	for i, s := range p.series {
		if err := checkSeries(i, s, p.xAxis, p.yAxis); err != nil {
			return err
		}
	}
	for i, r := range p.refs {
		axis := p.yAxis
		if r.Vertical {
			axis = p.xAxis
		}
		if err := axis.holds(r.Value); err != nil || math.IsNaN(r.Value) {
			return fmt.Errorf("reference line %d %q: value %g is not on the axis", i+1, r.Label, r.Value)
		}
	}
	for i, row := range p.rows {
		switch {
		case row.Name == "":
			return fmt.Errorf("row of dots %d has no name", i+1)
		case len(row.Times) == 0:
			return fmt.Errorf("row of dots %d %q has no dots", i+1, row.Name)
		case len(row.Times) != len(row.Admitted):
			return fmt.Errorf("row of dots %d %q: want as many admitted as times, got %d and %d", i+1, row.Name, len(row.Admitted), len(row.Times))
		}
		for k, t := range row.Times {
			if err := p.xAxis.holds(t); err != nil || math.IsNaN(t) {
				return fmt.Errorf("row of dots %d %q: time %d, %g, is not on the axis", i+1, row.Name, k+1, t)
			}
		}
	}
	p.measure()
	return nil
}

func (p *xy) names() []string {
	var names []string
	for _, s := range p.series {
		names = append(names, s.Name)
	}
	for _, r := range p.rows {
		names = append(names, r.Name)
	}
	return names
}

// measure finds the ranges of the data.
func (p *xy) measure() {
	for _, s := range p.series {
		for k := range s.X {
			if math.IsNaN(s.X[k]) || math.IsNaN(s.Y[k]) {
				continue
			}
			p.xData.add(s.X[k])
			p.xValues = append(p.xValues, s.X[k])
			p.yData.add(s.Y[k])
			if s.Lo != nil && !math.IsNaN(s.Lo[k]) && !math.IsNaN(s.Hi[k]) {
				p.yData.add(s.Hi[k])
				if !p.yAxis.Log || s.Lo[k] > 0 {
					p.yData.add(s.Lo[k])
				}
			}
		}
	}
	for _, r := range p.refs {
		if r.Vertical {
			p.xData.add(r.Value)
		} else {
			p.yData.add(r.Value)
		}
	}
	for _, row := range p.rows {
		for _, t := range row.Times {
			p.xData.add(t)
		}
	}
}

func (p *xy) setStyles(styles map[string]style) { p.styles = styles }

// natural leaves the width open. A chart of dots alone needs little height.
func (p *xy) natural() vg.Point {
	switch {
	case len(p.series) == 0 && len(p.refs) > 0:
		return vg.Point{Y: noteSize + 4} // for their labels
	case len(p.series) == 0:
		return vg.Point{Y: 2}
	}
	return vg.Point{Y: 160}
}

// Lengths along an axis that a tick label takes.
func tickWidth(label string) vg.Length { return textWidth(regular, tickSize, label) + 4.5 }
func tickHeight(string) vg.Length      { return tickSize }

func (p *xy) fit(area vg.Point, whole vg.Length, settled bool) (*plot.Plot, error) {
	p.w, p.h = area.X, area.Y
	p.take(area, whole, settled)
	if !settled {
		p.scales()
	}
	plt := newPlot()
	p.x.set(&plt.X, p.area.X, tickWidth)
	p.y.set(&plt.Y, p.area.Y, tickHeight)
	plt.X.Tick.Length = tickLength
	if len(p.series) == 0 {
		plt.HideY() // rows of dots have no y axis
	}
	grid := &plotter.Grid{Horizontal: draw.LineStyle{Color: faint, Width: hairline}}
	if p.x.log {
		grid.Vertical = grid.Horizontal
	}
	plt.Add(plotFunc(func(c draw.Canvas, plt *plot.Plot) { // a hair larger, or rounding loses a line on the edge
		grid.Plot(draw.Crop(c, -1e-6, 1e-6, -1e-6, 1e-6), plt)
	}), plotFunc(p.drawUnder))
	p.addCurves(plt)
	err := p.placeLabels(settled)
	plt.Add(plotFunc(p.drawLabels), plotFunc(p.drawRows), &p.frame)
	p.reserve(plt)
	return plt, err
}

// scales lays the axes over the data.
func (p *xy) scales() {
	p.x = p.xAxis.scale(p.xData, max(2, int(p.w/36)), false)
	with := p.x
	with.ticks = slices.DeleteFunc(p.xAxis.dataTicks(p.xValues, max(math.Abs(p.x.low), math.Abs(p.x.high))),
		func(t plot.Tick) bool { return !p.x.inside(t.Value) })
	if len(with.ticks) > 0 && !slices.ContainsFunc(with.apart(p.w, tickWidth), plot.Tick.IsMinor) {
		p.x = with
	}
	p.y = p.yAxis.scale(p.yData, max(2, int(p.h/25)), true)
}

// reserve finds the room that the labels and rows need, and those of the labels of the x axis: the library forgets the
// first, beyond the labels of the y axis, and plot.Align is exact only for boxes that stand at the ends.
func (p *xy) reserve(plt *plot.Plot) {
	p.left, p.right, p.bottom, p.key = 0, 2, p.rowsHeight(), 0
	var yLabels vg.Length
	for _, t := range plt.Y.Tick.Marker.Ticks(plt.Y.Min, plt.Y.Max) {
		yLabels = max(yLabels, textWidth(regular, tickSize, t.Label)+4)
	}
	for _, t := range plt.X.Tick.Marker.Ticks(plt.X.Min, plt.X.Max) {
		at := vg.Length(plt.X.Norm(t.Value)) * p.w
		half := textWidth(regular, tickSize, t.Label) / 2
		p.left, p.right = max(p.left, half-at-yLabels), max(p.right, at+half-p.w)
	}
	for _, l := range p.labels {
		p.right = max(p.right, l.box.Max.X-p.w)
	}
	for _, r := range p.rows {
		p.right = max(p.right, p.labelX-p.w+textWidth(bold, labelSize, labelOf(r.Label, r.Name, p.styles)))
	}
	xTitle, yTitle := "", ""
	if p.showX {
		xTitle = p.xAxis.title()
	}
	if p.showY {
		yTitle = p.yAxis.title()
	}
	if p.showKey && textWidth(regular, labelSize, yTitle)+10+keyWidth() > yLabels+p.area.X || p.showKey && yTitle == "" {
		p.key = headSpace
	}
	p.wrap(plt, yTitle, xTitle)
}

// drawUnder draws the line of the x axis, which the grid would cover, reference lines, and the ground under
// labels inside the plot: lines of the grid do not cross text.
func (p *xy) drawUnder(c draw.Canvas, _ *plot.Plot) {
	if len(p.rows) > 0 && len(p.series) > 0 {
		c.StrokeLine2(draw.LineStyle{Color: faint, Width: hairline}, c.Min.X, c.Min.Y, c.Max.X, c.Min.Y)
	}
	base := c.Min.Y - p.rowsHeight()
	c.StrokeLine2(draw.LineStyle{Color: grey, Width: hairline}, c.Min.X, base, c.Max.X, base)
	for _, r := range p.refs {
		if line := p.refLine(r); line != nil {
			c.StrokeLines(draw.LineStyle{Color: pale, Width: hairline, Dashes: []vg.Length{3, 2}}, shift(c, line))
		}
	}
	for _, l := range slices.Concat(p.notes, p.labels) {
		if l.box.Min.X < p.w {
			c.SetColor(white)
			c.Fill(grow(l.box, 1.2).Add(c.Min).Path())
		}
	}
}

// shift moves points of the plot area to its place.
func shift(c draw.Canvas, points []vg.Point) []vg.Point {
	moved := make([]vg.Point, len(points))
	for i, at := range points {
		moved[i] = at.Add(c.Min)
	}
	return moved
}
