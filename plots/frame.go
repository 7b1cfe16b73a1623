package plots

import (
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// frame is what stands around a plot besides its axes: titles above it, which plot.Plot can only centre, and what its
// labels need. It is a plotter that draws nothing: its glyph boxes reserve the room.
type frame struct {
	title                    string
	titleLines, headLines    []string  // of the panel and of the y axis, wrapped
	key                      vg.Length // under the title of the y axis
	left, right, top, bottom vg.Length // beyond what the axes take
	area                     vg.Point  // that labels and titles must fit
	whole                    vg.Length // the same with all around it
}

const headSpace = labelSize + 4 // a panel title or an axis title above the plot

func (f *frame) setTitle(title string) { f.title = title }

// take takes the size of the plot area and of the whole panel. Once settled, it keeps the smallest: lines only get more
// and labels fewer, so that the rounds of the layout end.
func (f *frame) take(area vg.Point, whole vg.Length, settled bool) {
	if settled {
		area, whole = vg.Point{X: min(area.X, f.area.X), Y: min(area.Y, f.area.Y)}, min(whole, f.whole)
	}
	f.area, f.whole = area, whole
}

// wrap breaks the titles to the width of the panel, that of the x axis to the width of the plot, under which it stands.
func (f *frame) wrap(p *plot.Plot, yTitle, xTitle string) {
	f.titleLines = wrap(bold, labelSize, f.whole, f.title)
	f.headLines = wrap(regular, labelSize, f.whole, yTitle)
	p.X.Label.Text = strings.Join(wrap(regular, labelSize, f.area.X, xTitle), "\n")
	f.top = tickSize/2 + f.key + headSpace*vg.Length(len(f.titleLines)+len(f.headLines))
}

func (f *frame) Plot(draw.Canvas, *plot.Plot) {}

func (f *frame) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{
		{X: 0, Y: 0, Rectangle: vg.Rectangle{Min: vg.Point{X: -f.left, Y: -f.bottom}}},
		{X: 1, Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: f.right, Y: f.top}}},
	}
}

// heads draws the titles flush left at x: that of the panel under top, that of the y axis above the plot.
func (f *frame) heads(c draw.Canvas, x, top vg.Length, area vg.Rectangle) {
	stack(c, textStyle(bold, labelSize, ink), x, top, headSpace, f.titleLines)
	y := area.Max.Y + tickSize/2 + f.key + headSpace*vg.Length(len(f.headLines))
	stack(c, textStyle(regular, labelSize, ink), x, y, headSpace, f.headLines)
}

// bare is a plotter without its own glyph boxes and range: the frame and the scales decide them.
type bare struct{ plot.Plotter }

// plotFunc is a plotter for what the library has none for.
type plotFunc func(draw.Canvas, *plot.Plot)

func (f plotFunc) Plot(c draw.Canvas, p *plot.Plot) { f(c, p) }
