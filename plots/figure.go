package plots

import (
	"errors"
	"fmt"
	"math"
)

// Figure is a chart with its title block.
type Figure struct {
	Name     string // for errors; by custom the base name of its files
	Title    string // states the finding
	Subtitle string // states the measure, n, replications, level of the intervals
	Alt      string // what a reader who cannot see the figure should know; empty: the subtitle
	// Width and Height are in points; 0 leaves them to the chart: 400 × 250 for Line and Step with a title and subtitle
	// of one line, and what the cells need for Heat.
	Width, Height float64
	Chart         Chart
}

// Chart is a Line, Step, Heat or Grid.
type Chart interface {
	// panels returns the parts of the chart, row by row, and the number of columns.
	panels() ([]panel, int, error)
}

// panel is a plot area and what stands around it. Its methods are called in this order; fit may be called again.
type panel interface {
	setTitle(title string)
	check() error
	names() []string // of series, for the styles
	setStyles(styles map[string]style)
	natural() (w, h float64)                      // the plot area it asks for, w = 0: any
	fit(w, h float64) (sides, error)              // lays out for a plot area of this size: the room it needs around
	draw(s *surface, plot rect)                   // draws at the size of the last fit
	heads(s *surface, x0, top float64, plot rect) // draws the titles above, flush left at x0, under top
}

// sides is room around a plot area.
type sides struct{ left, right, top, bottom float64 }

const (
	defaultWidth = 400
	gridWidth    = 460 // with more than one column
	narrowest    = 280 // of a width left to the chart
	columnGap    = 16
	rowGap       = 10
)

// layout is a figure with the place of everything.
type layout struct {
	width, height   float64
	title, subtitle []string
	panels          []panel
	plots           []rect
	heads           []point // upper left corners of what stands above the plots
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
// found in rounds; from the fifth round on, margins only grow, so that the rounds end.
func (f Figure) fit(panels []panel, columns int) (*layout, error) {
	rows := (len(panels) + columns - 1) / columns
	var naturalW, naturalH float64
	for _, p := range panels {
		w, h := p.natural()
		naturalW, naturalH = max(naturalW, w), max(naturalH, h)
	}
	width := f.Width
	if width == 0 && naturalW == 0 {
		width = defaultWidth
		if columns > 1 {
			width = gridWidth
		}
	}
	w, h := naturalW, naturalH
	if w == 0 {
		w = width/float64(columns) - 60
	}
	if len(panels) > 1 && naturalW == 0 {
		naturalH = min(naturalH, 105)
		h = naturalH
	}
	l := &layout{panels: panels}
	lefts, rights := make([]float64, columns), make([]float64, columns)
	tops, bottoms := make([]float64, rows), make([]float64, rows)
	var header float64
	for round := 1; ; round++ {
		if round < 5 {
			clear(lefts)
			clear(rights)
			clear(tops)
			clear(bottoms)
		}
		var failed error // a size tried on the way need not do
		for i, p := range panels {
			need, err := p.fit(w, h)
			if err != nil && failed == nil {
				failed = inPanel(i, len(panels), err)
			}
			c, r := i%columns, i/columns
			lefts[c], rights[c] = max(lefts[c], need.left), max(rights[c], need.right)
			tops[r], bottoms[r] = max(tops[r], need.top), max(bottoms[r], need.bottom)
		}
		across := 2*margin + sum(lefts) + sum(rights) + columnGap*float64(columns-1)
		l.width = width
		if width == 0 {
			l.width = max(narrowest, math.Ceil(across+naturalW*float64(columns)))
		}
		l.title = wrap(bold, titleSize, l.width-2*margin, f.Title)
		l.subtitle = wrap(regular, subtitleSize, l.width-2*margin, f.Subtitle)
		header = titleSize*1.2*float64(len(l.title)) + subtitleSize*1.28*float64(len(l.subtitle)) + 8
		down := 2*margin + header + sum(tops) + sum(bottoms) + rowGap*float64(rows-1)
		l.height = f.Height
		if l.height == 0 {
			l.height = math.Ceil((down+naturalH*float64(rows))/10) * 10
		}
		nextW, nextH := (l.width-across)/float64(columns), (l.height-down)/float64(rows)
		if nextW < 40 || nextH < min(25, naturalH)-1e-6 {
			return nil, fmt.Errorf("%.0f × %.0f points leave a plot of %.0f × %.0f: set a larger width or height, or shorter labels",
				l.width, l.height, nextW, nextH)
		}
		if math.Abs(nextW-w) < 1e-6 && math.Abs(nextH-h) < 1e-6 || round == 20 {
			if failed != nil {
				return nil, failed
			}
			break
		}
		w, h = nextW, nextH
	}
	y := l.height - margin - header
	for r := range rows {
		y -= tops[r]
		x := float64(margin)
		for c := range columns {
			if i := r*columns + c; i < len(panels) {
				l.heads = append(l.heads, point{x, y + tops[r]})
				l.plots = append(l.plots, rect{x + lefts[c], y - h, x + lefts[c] + w, y})
			}
			x += lefts[c] + w + rights[c] + columnGap
		}
		y -= h + bottoms[r] + rowGap
	}
	return l, nil
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

func (l *layout) draw(s *surface) {
	s.rectangle(rect{0, 0, l.width, l.height}, white) // pages may be dark
	y := l.height - margin
	for _, line := range l.title {
		s.text(bold, titleSize, margin, y-titleSize*0.9, left, line, ink)
		y -= titleSize * 1.2
	}
	for _, line := range l.subtitle {
		s.text(regular, subtitleSize, margin, y-subtitleSize*1.05, left, line, grey)
		y -= subtitleSize * 1.28
	}
	for i, p := range l.panels {
		p.draw(s, l.plots[i])
		p.heads(s, l.heads[i].x, l.heads[i].y, l.plots[i])
	}
}
