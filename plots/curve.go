package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// addCurves adds the intervals, the theory and the curves of all series, in this order.
func (p *xy) addCurves(plt *plot.Plot) {
	p.curves = make([][][]vg.Point, len(p.series))
	for _, s := range p.series {
		if s.Lo != nil {
			p.addInterval(plt, s)
		}
	}
	for _, theory := range []bool{true, false} {
		for i, s := range p.series {
			if s.Theory == theory {
				p.addCurve(plt, i, s)
			}
		}
	}
}

func (p *xy) addInterval(plt *plot.Plot, s Series) {
	c := p.styles[s.Name].color
	lo := slices.Clone(s.Lo)
	for k := range lo {
		if p.y.log && lo[k] < p.y.low { // it may be 0
			lo[k] = p.y.low
		}
	}
	for _, run := range runs(s.X, s.Y, s.Lo, s.Hi) {
		ring, lower := p.line(run, s.X, s.Hi), p.line(run, s.X, lo)
		slices.Reverse(lower)
		ring = append(ring, lower...)
		if len(run) == 1 { // no neighbours, no band: a whisker
			plt.Add(bare{&plotter.Line{XYs: ring, LineStyle: draw.LineStyle{Color: c, Width: 1}}})
			continue
		}
		plt.Add(bare{&plotter.Polygon{XYs: []plotter.XYs{ring}, Color: translucent(c)}})
	}
}

func (p *xy) addCurve(plt *plot.Plot, i int, s Series) {
	look := p.styles[s.Name]
	line := draw.LineStyle{Color: look.color, Width: lineWidth, Dashes: look.dash}
	if s.Theory {
		c := look.color
		c.A = 0xA0
		line = draw.LineStyle{Color: c, Width: theoryWidth}
	}
	area := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: p.w, Y: p.h}}}
	var points plotter.XYs
	for _, run := range runs(s.X, s.Y) {
		piece := p.line(run, s.X, s.Y)
		for _, k := range run {
			points = append(points, plotter.XY{X: p.x.at(s.X[k]), Y: p.y.at(s.Y[k])})
		}
		if len(piece) == 1 {
			if !s.Markers {
				plt.Add(scatter(piece, glyph{look.mark}, 2, draw.GlyphStyle{Color: line.Color}))
			}
			if at := p.place(piece); area.Contains(at[0]) {
				p.curves[i] = append(p.curves[i], at)
			}
			continue
		}
		plt.Add(bare{&plotter.Line{XYs: piece, LineStyle: line}})
		p.curves[i] = append(p.curves[i], area.ClipLinesXY(p.place(piece))...)
	}
	if s.Markers {
		under := look.mark
		if under.open() {
			under = round
		}
		plt.Add(scatter(points, glyph{under}, 2.8, draw.GlyphStyle{Color: white}),
			scatter(points, glyph{look.mark}, 2.1, draw.GlyphStyle{Color: look.color}))
	}
}

// line joins points in the coordinates of the plot. Steps are made here: plotter.Line cuts a line at the ends of the
// axes before it makes steps of it, which moves the step.
func (p *xy) line(run []int, x, y []float64) plotter.XYs {
	var line plotter.XYs
	for _, k := range run {
		at := plotter.XY{X: p.x.at(x[k]), Y: p.y.at(y[k])}
		if p.steps && len(line) > 0 {
			line = append(line, plotter.XY{X: at.X, Y: line[len(line)-1].Y})
		}
		line = append(line, at)
	}
	var kept plotter.XYs
	for _, k := range simplify(p.place(line), 0.5) {
		kept = append(kept, line[k])
	}
	return kept
}

// place returns where points in the coordinates of the plot lie in the plot area.
func (p *xy) place(line plotter.XYs) []vg.Point {
	norm := func(s scale, v float64) vg.Length {
		return vg.Length((v - s.at(s.low)) / (s.at(s.high) - s.at(s.low)))
	}
	points := make([]vg.Point, len(line))
	for i, at := range line {
		points[i] = vg.Point{X: norm(p.x, at.X) * p.w, Y: norm(p.y, at.Y) * p.h}
	}
	return points
}

// runs returns the indexes of points between gaps.
func runs(columns ...[]float64) [][]int {
	var all [][]int
	var run []int
	for k := range columns[0] {
		if slices.ContainsFunc(columns, func(c []float64) bool { return math.IsNaN(c[k]) }) {
			if run != nil {
				all = append(all, run)
			}
			run = nil
			continue
		}
		run = append(run, k)
	}
	if run != nil {
		all = append(all, run)
	}
	return all
}

// simplify returns which points of a line to keep: the last, and those farther than the tolerance from the one kept before.
// Dashes would smear over thousands of points, and files would grow.
func simplify(line []vg.Point, tolerance float64) []int {
	keep := []int{0}
	for k := 1; k < len(line); k++ {
		if k == len(line)-1 || distance(line[k], line[keep[len(keep)-1]]) > tolerance {
			keep = append(keep, k)
		}
	}
	return keep
}

func distance(a, b vg.Point) float64 { return math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y)) }
