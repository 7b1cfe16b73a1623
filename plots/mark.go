package plots

import (
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// mark is the shape of a point. Where points stand without a line, it is the code beside colour, as dashes are for lines.
type mark uint8

const (
	round mark = iota
	square
	upward   // a triangle that stands
	diamond  // a square on its corner
	downward // a triangle that hangs
	ring
	box    // a hollow square
	hollow // a hollow diamond
	marks
)

// dashMarks are the marks that go with dashes.
var dashMarks = []mark{round, square, upward, diamond}

func (m mark) String() string {
	return [...]string{"disc", "square", "triangle", "diamond", "hanging triangle", "ring", "hollow square", "hollow diamond"}[m]
}

// open tells whether the shape is an outline.
func (m mark) open() bool { return m == ring || m == box || m == hollow }

// corners of the shape around 0, of about the area of a disc of radius 1; none: a disc.
func (m mark) corners() []vg.Point {
	const side, up = 0.9, 1.45
	switch m {
	case square, box:
		return []vg.Point{{X: -side, Y: -side}, {X: side, Y: -side}, {X: side, Y: side}, {X: -side, Y: side}}
	case diamond, hollow:
		const half = 1.28
		return []vg.Point{{X: -half}, {Y: -half}, {X: half}, {Y: half}}
	case upward, downward:
		y := vg.Length(up)
		if m == downward {
			y = -y
		}
		return []vg.Point{{X: -1.25, Y: -y / 2}, {X: 1.25, Y: -y / 2}, {Y: y}}
	}
	return nil
}

// glyph draws a mark: filled, or white with an outline.
type glyph struct{ mark }

func (g glyph) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	open := g.open()
	fill := sty
	if open {
		fill.Color = white
	}
	outline := draw.LineStyle{Color: sty.Color, Width: sty.Radius * 0.5}
	corners := g.corners()
	if corners == nil {
		if !open {
			disc{}.DrawGlyph(c, fill, at)
			return
		}
		outer := sty
		outer.Radius *= 1.1
		disc{}.DrawGlyph(c, outer, at)
		fill.Radius *= 0.6
		c.SetColor(white)
		disc{}.DrawGlyph(c, fill, at)
		return
	}
	var path vg.Path
	for i, corner := range corners {
		p := at.Add(corner.Scale(sty.Radius))
		if i == 0 {
			path.Move(p)
		} else {
			path.Line(p)
		}
	}
	path.Close()
	c.SetColor(fill.Color)
	c.Fill(path)
	if open {
		c.SetLineStyle(outline)
		c.Stroke(path)
	}
}

// scatter draws marks of one shape.
func scatter(points plotter.XYs, shape draw.GlyphDrawer, radius vg.Length, style draw.GlyphStyle) bare {
	style.Radius, style.Shape = radius, shape
	return bare{&plotter.Scatter{XYs: points, GlyphStyle: style}}
}
