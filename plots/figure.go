package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Figure is a chart with its title block.
type Figure struct {
	Name     string // for errors; by custom the base name of its files
	Title    string // states the finding
	Subtitle string // states the measure, n, replications, level of the intervals
	Alt      string // what a reader who cannot see the figure should know; empty: the subtitle
	// Width and Height are in points; 0 leaves them to the chart: 360 wide, or what the cells of a Heat need if that is
	// more, and 250 high for a Line or Step with a title and subtitle of one line.
	Width, Height float64
	Chart         Chart
}

// Chart is a Line, Step, Timeline, Tail, Heat or Grid.
type Chart interface {
	// panels returns the parts of the chart, row by row, and the number of columns.
	panels() ([]panel, int, error)
}

// panel is a plot and its titles. Its methods are called in this order; fit may be called again.
type panel interface {
	setTitle(title string)
	check() error
	names() []string // of series, for the styles
	setStyles(styles map[string]style)
	natural() vg.Point // the size of the plot area it asks for, X = 0: any width
	// fit makes the plot for a plot area of this size in a panel of this whole width. Once settled, what would change
	// the size of the area, as its ticks do, stays as it was.
	fit(area vg.Point, whole vg.Length, settled bool) (*plot.Plot, error)
	heads(c draw.Canvas, x, top vg.Length, area vg.Rectangle) // draws the titles
}

const (
	defaultWidth = 360 // of all figures, so that their text is of one size in a column
	columnGap    = 16
	rowGap       = 10

	titleSpace    = titleSize * 1.2
	subtitleSpace = subtitleSize * 1.28
)

// layout is a figure with the place of everything.
type layout struct {
	width, height   vg.Length
	title, subtitle []string
	panels          []panel
	plots           []*plot.Plot
	tiles           []vg.Rectangle // of the plots with their axes and labels
	areas           []vg.Rectangle // of the data
	heads           []vg.Point     // upper left corners of the titles
}

func (f Figure) layout() (*layout, error) {
	l, err := f.arrange()
	if err != nil {
		return nil, fmt.Errorf("figure %q: %w", f.Name, err)
	}
	return l, nil
}

func (f Figure) arrange() (*layout, error) {
	switch {
	case f.Title == "":
		return nil, errors.New("it has no title: say what was found")
	case f.Chart == nil:
		return nil, errors.New("it has no chart")
	}
	for _, size := range []float64{f.Width, f.Height} {
		if !(size == 0 || size >= 100 && size <= 5000) {
			return nil, fmt.Errorf("width and height must be 0 or from 100 to 5000 points, got %g and %g", f.Width, f.Height)
		}
	}
	panels, columns, err := f.Chart.panels()
	if err != nil {
		return nil, err
	}
	columns = min(columns, len(panels))
	var names []string
	for i, p := range panels {
		if err := p.check(); err != nil {
			return nil, inPanel(i, len(panels), err)
		}
		names = append(names, p.names()...)
	}
	styles := assign(names)
	for _, p := range panels {
		p.setStyles(styles)
	}
	if g, isGrid := f.Chart.(Grid); isGrid {
		if !g.FreeX {
			share(panels, func(p *xy) (Axis, *extent) { return p.xAxis, &p.xData })
		}
		if !g.FreeY {
			share(panels, func(p *xy) (Axis, *extent) { return p.yAxis, &p.yData })
		}
	}
	arrange(panels, columns)
	return f.fit(panels, columns)
}

func inPanel(i, panels int, err error) error {
	if panels == 1 {
		return err
	}
	return fmt.Errorf("panel %d: %w", i+1, err)
}

// fit finds sizes. The room around the plots depends on their size (more room, more ticks, longer labels), so it is
// found in rounds.
func (f Figure) fit(panels []panel, columns int) (*layout, error) {
	rows := (len(panels) + columns - 1) / columns
	var natural vg.Point
	for _, p := range panels {
		size := p.natural()
		natural.X, natural.Y = max(natural.X, size.X), max(natural.Y, size.Y)
	}
	if len(panels) > 1 && natural.X == 0 {
		natural.Y = min(natural.Y, 105)
	}
	l := &layout{width: vg.Length(f.Width), height: vg.Length(f.Height), panels: panels}
	autoWidth, autoHeight := l.width == 0 && natural.X > 0, l.height == 0
	switch {
	case autoWidth:
		l.width = natural.X*vg.Length(columns) + 300
	case l.width == 0:
		l.width = defaultWidth
	}
	if autoHeight {
		l.height = natural.Y*vg.Length(rows) + 400
	}
	whole := l.width / vg.Length(columns)
	for range panels { // a guess
		l.tiles = append(l.tiles, vg.Rectangle{Max: vg.Point{X: whole}})
		l.areas = append(l.areas, vg.Rectangle{Max: vg.Point{X: max(natural.X, whole-60), Y: natural.Y}})
	}
	for round := range 40 {
		var failed error // a size tried on the way need not do
		l.plots = nil
		for i, p := range panels {
			plt, err := p.fit(l.areas[i].Size(), l.tiles[i].Size().X, round >= 5)
			if err != nil && failed == nil {
				failed = inPanel(i, len(panels), err)
			}
			l.plots = append(l.plots, plt)
		}
		l.title = wrap(bold, titleSize, l.width-2*margin, f.Title)
		l.subtitle = wrap(regular, subtitleSize, l.width-2*margin, f.Subtitle)
		before := l.areas
		l.align(rows, columns)
		area := l.areas[0].Size()
		narrowest := area.X
		if round >= 5 { // labels of one column may leave no room for another
			for _, a := range l.areas {
				narrowest = min(narrowest, a.Size().X)
			}
		}
		if !autoWidth && narrowest < 40 || !autoHeight && area.Y < min(25, natural.Y)-1e-6 {
			return nil, fmt.Errorf("%.0f × %.0f points leave a plot of %.0f × %.0f: set a larger width or height, or shorter labels",
				l.width, l.height, narrowest, area.Y)
		}
		still := slices.EqualFunc(before, l.areas, func(a, b vg.Rectangle) bool { return near(a.Size(), b.Size()) })
		page := vg.Point{X: l.width, Y: l.height}
		if autoWidth {
			across := l.width + vg.Length(columns)*(natural.X-area.X)
			l.width = max(defaultWidth, vg.Length(math.Ceil(float64(across)-1e-6)))
		}
		if autoHeight {
			down := l.height + vg.Length(rows)*(natural.Y-area.Y)
			l.height = vg.Length(math.Ceil(float64(down)/10-1e-6) * 10)
		}
		if still && near(page, vg.Point{X: l.width, Y: l.height}) {
			return l, failed
		}
	}
	return nil, errors.New("its labels find no place: set a width and a height, or shorter labels")
}

func near(a, b vg.Point) bool {
	return math.Abs(float64(a.X-b.X)) < 1e-6 && math.Abs(float64(a.Y-b.Y)) < 1e-6
}

// align puts the plots side by side under the title block, and notes where everything is.
func (l *layout) align(rows, columns int) {
	grid := make([][]*plot.Plot, rows)
	for r := range grid {
		grid[r] = make([]*plot.Plot, columns)
		copy(grid[r], l.plots[r*columns:])
	}
	header := titleSpace*vg.Length(len(l.title)) + subtitleSpace*vg.Length(len(l.subtitle)) + 8
	canvases := plot.Align(grid, draw.Tiles{Rows: rows, Cols: columns, PadX: columnGap, PadY: rowGap},
		draw.Crop(draw.NewCanvas(nil, l.width, l.height), margin, -margin, margin, -margin-header))
	l.tiles, l.areas = nil, nil
	lefts, tops := make([]vg.Length, columns), make([]vg.Length, rows)
	for i, p := range l.plots {
		c := canvases[i/columns][i%columns]
		l.tiles, l.areas = append(l.tiles, c.Rectangle), append(l.areas, p.DataCanvas(c).Rectangle)
		if i < columns || c.Min.X < lefts[i%columns] {
			lefts[i%columns] = c.Min.X
		}
		tops[i/columns] = max(tops[i/columns], c.Max.Y)
	}
	l.heads = nil
	for i := range l.plots {
		l.heads = append(l.heads, vg.Point{X: lefts[i%columns], Y: tops[i/columns]})
	}
}

func (l *layout) draw(o *outline) {
	c := draw.NewCanvas(o, l.width, l.height)
	c.SetColor(white) // pages may be dark
	c.Fill(c.Rectangle.Path())
	y := stack(c, textStyle(bold, titleSize, ink), margin, l.height-margin+1.5, titleSpace, l.title)
	stack(c, textStyle(regular, subtitleSize, grey), margin, y-2, subtitleSpace, l.subtitle)
	for i, p := range l.plots {
		p.Draw(draw.Canvas{Canvas: o, Rectangle: l.tiles[i]})
		l.panels[i].heads(c, l.heads[i].X, l.heads[i].Y, l.areas[i])
	}
}
