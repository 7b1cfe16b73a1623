package plots

import (
	"image/color"

	"gonum.org/v1/plot/vg"
)

// point is a place on a figure, in points from its lower left corner.
type point struct{ x, y float64 }

// rect is an upright rectangle.
type rect struct{ x0, y0, x1, y1 float64 }

func (r rect) width() float64  { return r.x1 - r.x0 }
func (r rect) height() float64 { return r.y1 - r.y0 }
func (r rect) grow(d float64) rect {
	return rect{r.x0 - d, r.y0 - d, r.x1 + d, r.y1 + d}
}
func (r rect) overlaps(q rect) bool {
	return r.x0 < q.x1 && q.x0 < r.x1 && r.y0 < q.y1 && q.y0 < r.y1
}
func (r rect) within(q rect) bool {
	return r.x0 >= q.x0 && r.y0 >= q.y0 && r.x1 <= q.x1 && r.y1 <= q.y1
}

// clip cuts the segment from a to b to the rectangle (Liang and Barsky, 1984); ok tells whether anything is left.
func (r rect) clip(a, b point) (from, to point, ok bool) {
	t0, t1 := 0.0, 1.0
	dx, dy := b.x-a.x, b.y-a.y
	for _, side := range [4][2]float64{{-dx, a.x - r.x0}, {dx, r.x1 - a.x}, {-dy, a.y - r.y0}, {dy, r.y1 - a.y}} {
		p, q := side[0], side[1]
		switch {
		case p == 0 && q < 0:
			return a, b, false
		case p < 0:
			t0 = max(t0, q/p)
		case p > 0:
			t1 = min(t1, q/p)
		}
	}
	if t0 > t1 {
		return a, b, false
	}
	return point{a.x + t0*dx, a.y + t0*dy}, point{a.x + t1*dx, a.y + t1*dy}, true
}

// surface is what charts draw on. It keeps the first error, so that drawing code need not ask after each stroke.
type surface struct {
	canvas   vg.Canvas
	straight bool // vgpdf reads colours as if they were not premultiplied by alpha
	err      error
	seen     func(text string, box rect) // for tests: told of each text and the box of its capitals; may be nil
}

// straightAlpha is a colour whose RGBA is not premultiplied, against the contract of color.Color, for vgpdf.
type straightAlpha color.NRGBA

func (c straightAlpha) RGBA() (r, g, b, a uint32) {
	return uint32(c.R) * 0x101, uint32(c.G) * 0x101, uint32(c.B) * 0x101, uint32(c.A) * 0x101
}

func (s *surface) setColor(c color.NRGBA) {
	if s.straight {
		s.canvas.SetColor(straightAlpha(c))
	} else {
		s.canvas.SetColor(c)
	}
}

func path(points []point) vg.Path {
	var p vg.Path
	for i, at := range points {
		v := vg.Point{X: vg.Length(at.x), Y: vg.Length(at.y)}
		if i == 0 {
			p.Move(v)
		} else {
			p.Line(v)
		}
	}
	return p
}

// line strokes an open line through the points.
func (s *surface) line(points []point, width float64, c color.NRGBA, dash []float64) {
	if len(points) < 2 {
		return
	}
	lengths := make([]vg.Length, len(dash))
	for i, d := range dash {
		lengths[i] = vg.Length(d)
	}
	s.setColor(c)
	s.canvas.SetLineWidth(vg.Length(width))
	s.canvas.SetLineDash(lengths, 0)
	s.canvas.Stroke(path(points))
}

// polygon fills a closed shape.
func (s *surface) polygon(points []point, c color.NRGBA) {
	if len(points) < 3 {
		return
	}
	p := path(points)
	p.Close()
	s.setColor(c)
	s.canvas.Fill(p)
}

func (s *surface) rectangle(r rect, c color.NRGBA) {
	s.polygon([]point{{r.x0, r.y0}, {r.x1, r.y0}, {r.x1, r.y1}, {r.x0, r.y1}}, c)
}

// disc fills a circle, made of four Bézier arcs: the PDF canvas strokes arcs that it should fill.
func (s *surface) disc(at point, radius float64, c color.NRGBA) {
	const k = 0.5522847498307936 // 4/3 (√2 − 1)
	v := func(x, y float64) vg.Point {
		return vg.Point{X: vg.Length(at.x + radius*x), Y: vg.Length(at.y + radius*y)}
	}
	var p vg.Path
	p.Move(v(1, 0))
	p.CubeTo(v(1, k), v(k, 1), v(0, 1))
	p.CubeTo(v(-k, 1), v(-1, k), v(-1, 0))
	p.CubeTo(v(-1, -k), v(-k, -1), v(0, -1))
	p.CubeTo(v(k, -1), v(1, -k), v(1, 0))
	p.Close()
	s.setColor(c)
	s.canvas.Fill(p)
}

// cross draws a small ×.
func (s *surface) cross(at point, radius float64, c color.NRGBA) {
	s.line([]point{{at.x - radius, at.y - radius}, {at.x + radius, at.y + radius}}, 0.9, c, solid)
	s.line([]point{{at.x - radius, at.y + radius}, {at.x + radius, at.y - radius}}, 0.9, c, solid)
}

// Anchors of text: which part of it lies at x.
const (
	left   = 0
	center = 0.5
	right  = 1
)

// text draws a line of text with its base line at y.
func (s *surface) text(face typeface, size, x, y, anchor float64, text string, c color.NRGBA) {
	p, err := outline(face, size, x-anchor*textWidth(face, size, text), y, text)
	if err != nil && s.err == nil {
		s.err = err
	}
	if len(p) > 0 {
		s.setColor(c)
		s.canvas.Fill(p)
	}
	if s.seen != nil {
		width := textWidth(face, size, text)
		s.seen(text, rect{x - anchor*width, y, x + (1-anchor)*width, y + 0.7*size})
	}
}

// middle draws a line of text whose digits and capitals are centred on y.
func (s *surface) middle(face typeface, size, x, y, anchor float64, text string, c color.NRGBA) {
	s.text(face, size, x, y-0.35*size, anchor, text, c)
}
