package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Rows of dots stand between a plot and its x axis, and their key above the plot. The library has nothing like them.

const (
	rowHeight   = 11
	keyMark     = 9 // room for a mark before its word
	keyGap      = 8
	admittedKey = "admitted"
	refusedKey  = "refused"
)

func (p *xy) rowsHeight() vg.Length {
	if len(p.rows) == 0 {
		return 0
	}
	return vg.Length(len(p.rows))*p.rowHeight() + 5
}

func (p *xy) rowHeight() vg.Length {
	if p.ticked {
		return tickRowHeight
	}
	return rowHeight
}

func keyWidth() vg.Length {
	return 2*keyMark + keyGap + textWidth(regular, noteSize, admittedKey) + textWidth(regular, noteSize, refusedKey)
}

func (p *xy) drawRows(c draw.Canvas, _ *plot.Plot) {
	refused := draw.GlyphStyle{Color: grey, Radius: 1.9, Shape: cross{}}
	for i, row := range p.rows {
		y := c.Min.Y - 3 - (vg.Length(i)+0.5)*p.rowHeight()
		if p.ticked {
			y -= 2 // more stands on the line than hangs from it
			c.StrokeLine2(draw.LineStyle{Color: pale, Width: hairline}, c.Min.X, y, c.Max.X, y)
		}
		admitted := draw.GlyphStyle{Color: p.styles[row.Name].color, Radius: 2, Shape: disc{}}
		last := map[bool]vg.Length{true: vg.Length(math.Inf(-1)), false: vg.Length(math.Inf(-1))}
		for k, t := range row.Times {
			x, ok := c.X(p.x.norm(t)), row.Admitted[k]
			if !p.x.inside(t) || math.Abs(float64(x-last[ok])) < 0.25 { // one more on the same spot shows nothing
				continue
			}
			last[ok] = x
			if p.ticked {
				drawTick(c, p.styles[row.Name], ok, x, y)
			} else if ok {
				c.DrawGlyphNoClip(admitted, vg.Point{X: x, Y: y})
			} else {
				c.DrawGlyphNoClip(refused, vg.Point{X: x, Y: y})
			}
		}
		p.drawLabel(c, labelOf(row.Label, row.Name, p.styles), row.Name, vg.Point{X: c.Min.X + p.labelX, Y: y})
	}
	if !p.showKey {
		return
	}
	x, y := c.Max.X, c.Max.Y+tickSize/2+headSpace/2
	for _, entry := range []struct {
		word string
		mark draw.GlyphStyle
	}{{refusedKey, refused}, {admittedKey, draw.GlyphStyle{Color: grey, Radius: 2, Shape: disc{}}}} {
		x -= textWidth(regular, noteSize, entry.word)
		ok := entry.word == admittedKey
		sty := textStyle(regular, noteSize, grey)
		sty.YAlign = yMiddle
		c.FillText(sty, vg.Point{X: x, Y: y}, entry.word)
		switch {
		case p.ticked && ok:
			drawTick(c, style{color: grey}, true, x-5, y-admittedTick/2)
		case p.ticked:
			drawTick(c, style{}, false, x-5, y+refusedTick/2)
		default:
			c.DrawGlyphNoClip(entry.mark, vg.Point{X: x - 5, Y: y})
		}
		x -= keyMark + keyGap
	}
}

// disc is draw.CircleGlyph made of four Bézier arcs: the PDF canvas strokes arcs that it should fill.
type disc struct{}

func (disc) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	const k = 0.5522847498307936 // 4/3 (√2 − 1)
	v := func(x, y vg.Length) vg.Point {
		return at.Add(vg.Point{X: x, Y: y}.Scale(sty.Radius))
	}
	var p vg.Path
	p.Move(v(1, 0))
	p.CubeTo(v(1, k), v(k, 1), v(0, 1))
	p.CubeTo(v(-k, 1), v(-1, k), v(-1, 0))
	p.CubeTo(v(-1, -k), v(-k, -1), v(0, -1))
	p.CubeTo(v(k, -1), v(1, -k), v(1, 0))
	p.Close()
	c.Fill(p)
}

// cross is draw.CrossGlyph with lines thick enough to be seen in print.
type cross struct{}

func (cross) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	line, r := draw.LineStyle{Color: sty.Color, Width: 0.9}, sty.Radius
	c.StrokeLine2(line, at.X-r, at.Y-r, at.X+r, at.Y+r)
	c.StrokeLine2(line, at.X-r, at.Y+r, at.X+r, at.Y-r)
}
