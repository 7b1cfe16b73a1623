package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Series is a curve. Values that are NaN are gaps.
type Series struct {
	// Name decides colour and dash: a canonical limiter or coordination ("gcra", "quota", "gcra:rate=2/s,burst=5") has
	// the same in every figure, any other name takes what is free.
	Name  string
	Label string // text at its end; empty: a plain form of the name
	X, Y  []float64
	// Lo and Hi bound an interval at each point; both nil: none. A point with a NaN in them has none.
	Lo, Hi  []float64
	Markers bool // a dot at each point
	// Theory draws the curve thin and pale, under the others and without a label: what is expected of the series that has
	// the same name. A label that is not empty is drawn all the same.
	Theory bool
}

// Ref is a reference line across the plot.
type Ref struct {
	Value    float64
	Vertical bool   // at x = Value, otherwise at y = Value
	Label    string // small text along the line; may be empty
}

// Dots is a row of marks under a plot, one for each request: a dot for an admitted one, a cross for a refused one.
type Dots struct {
	Name, Label string // as in Series
	Times       []float64
	Admitted    []bool // as long as Times
}

func labelOf(label, name string, styles map[string]style) string {
	if label != "" {
		return label
	}
	return styles[name].label
}

func checkSeries(i int, s Series, x, y Axis) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("series %d %q: %w", i+1, s.Name, fmt.Errorf(format, args...))
	}
	if s.Name == "" {
		return fail("it has no name")
	}
	if len(s.X) == 0 {
		return fail("it has no points")
	}
	if len(s.Y) != len(s.X) {
		return fail("want as many y as x, got %d and %d", len(s.Y), len(s.X))
	}
	if (s.Lo != nil || s.Hi != nil) && (len(s.Lo) != len(s.X) || len(s.Hi) != len(s.X)) {
		return fail("want as many lo and hi as x, or neither, got %d, %d and %d", len(s.Lo), len(s.Hi), len(s.X))
	}
	any := false
	for k := range s.X {
		if err := x.holds(s.X[k]); err != nil {
			return fail("point %d: x: %w", k+1, err)
		}
		if err := y.holds(s.Y[k]); err != nil {
			return fail("point %d: y: %w", k+1, err)
		}
		if s.Lo != nil {
			if math.Abs(s.Lo[k]) > largest || math.Abs(s.Hi[k]) > largest || s.Lo[k] > s.Hi[k] {
				return fail("point %d: want an interval with lo <= hi, both finite, got %g to %g", k+1, s.Lo[k], s.Hi[k])
			}
			if err := y.holds(s.Hi[k]); err != nil {
				return fail("point %d: hi: %w", k+1, err)
			}
		}
		any = any || !math.IsNaN(s.X[k]) && !math.IsNaN(s.Y[k])
	}
	if !any {
		return fail("every point is missing (NaN)")
	}
	return nil
}

// xy is the panel under Line and Step: two axes with curves, reference lines, rows of dots and labels.
type xy struct {
	title    string
	xAxis    Axis
	yAxis    Axis
	series   []Series
	refs     []Ref
	rows     []Dots
	steps    bool
	showX    bool // the title of the x axis
	showY    bool // the title of the y axis
	showKey  bool // of the dots
	labelled []bool
	styles   map[string]style
	xData    extent
	xValues  []float64 // of the points of curves
	yData    extent

	// What fit decides, in coordinates of the plot area, whose lower left corner is the origin.
	w, h   float64
	x, y   scale
	curves [][][]point // of each series, its pieces
	labels []placed    // of series
	notes  []placed    // of reference lines
	labelX float64     // where labels outside start
	forced []bool      // series whose label found no room inside, in this fit or one before

	titleLines, headLines, footLines []string // the panel title and the titles of the y and x axis, wrapped
	room                             sides    // around the plot area
	keyApart                         bool     // no room for the key beside the title of the y axis
}

// placed is a label with its place.
type placed struct {
	text   string
	series int
	box    rect
	leader []point
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

const (
	rowHeight = 11
	headSpace = labelSize + 4 // a panel title or an axis title above the plot
)

func (p *xy) rowsHeight() float64 {
	if len(p.rows) == 0 {
		return 0
	}
	return float64(len(p.rows))*rowHeight + 5
}

func (p *xy) place(v, w float64) point {
	return point{p.x.norm(v) * p.w, p.y.norm(w) * p.h}
}

// fit lays the panel out for a plot area of this size and returns the room it needs around that area.
func (p *xy) fit(w, h float64) (sides, error) {
	p.w, p.h = w, h
	p.x = p.xAxis.scale(p.xData, max(2, int(w/36)), false)
	if ticks := p.xAxis.dataTicks(p.xValues, p.x.low, p.x.high, w); ticks != nil {
		p.x.ticks = slices.DeleteFunc(ticks, func(t Tick) bool { return !p.x.inside(t.Value) })
	}
	p.y = p.yAxis.scale(p.yData, max(2, int(h/25)), true)
	if len(p.series) == 0 {
		p.y.ticks = nil // rows of dots have no y axis
	}
	p.curves = make([][][]point, len(p.series))
	for i, s := range p.series {
		p.curves[i] = p.pieces(s)
	}
	err := p.placeLabels()

	need := sides{left: 2, right: 2}
	for _, t := range p.y.ticks {
		need.left = max(need.left, textWidth(regular, tickSize, t.Label)+5)
	}
	for _, t := range p.x.ticks {
		half, at := textWidth(regular, tickSize, t.Label)/2, p.x.norm(t.Value)*w
		need.left = max(need.left, half-at)
		need.right = max(need.right, at+half-w)
	}
	for _, l := range p.labels {
		need.right = max(need.right, l.box.x1-w)
	}
	for i := range p.rows {
		need.right = max(need.right, p.labelX-w+textWidth(bold, labelSize, labelOf(p.rows[i].Label, p.rows[i].Name, p.styles)))
	}

	whole := need.left + w + need.right
	p.titleLines = wrap(bold, labelSize, whole, p.title)
	p.headLines, p.footLines = nil, nil
	if p.showY {
		p.headLines = wrap(regular, labelSize, whole, p.yAxis.title())
	}
	if p.showX {
		p.footLines = wrap(regular, labelSize, whole, p.xAxis.title())
	}
	need.top = tickSize/2 + headSpace*float64(len(p.titleLines)+len(p.headLines))
	if p.showKey {
		p.keyApart = len(p.headLines) != 1 || textWidth(regular, labelSize, p.headLines[0])+10+keyWidth() > need.left+w
		if p.keyApart {
			need.top += headSpace
		}
	}
	need.bottom = p.rowsHeight() + tickLength + 2 + tickSize + headSpace*float64(len(p.footLines))
	p.room = need
	return need, err
}

// pieces turns a series into polylines: one for each run of points without a gap, cut at the ends of the axes.
func (p *xy) pieces(s Series) [][]point {
	var pieces [][]point
	area := rect{0, 0, p.w, p.h}
	for _, run := range runs(s.X, s.Y) {
		line := make([]point, 0, len(run))
		for _, k := range run {
			at := p.place(s.X[k], s.Y[k])
			if p.steps && len(line) > 0 {
				line = append(line, point{at.x, line[len(line)-1].y})
			}
			line = append(line, at)
		}
		pieces = append(pieces, clipLine(area, simplify(line, 0.15))...)
	}
	return pieces
}

// runs returns the indexes of points between gaps.
func runs(columns ...[]float64) [][]int {
	var all [][]int
	var run []int
next:
	for k := range columns[0] {
		for _, c := range columns {
			if math.IsNaN(c[k]) {
				if run != nil {
					all = append(all, run)
				}
				run = nil
				continue next
			}
		}
		run = append(run, k)
	}
	if run != nil {
		all = append(all, run)
	}
	return all
}

// clipLine cuts a polyline to an area that is a hair larger than r, so that rounding loses no point on its edge.
func clipLine(r rect, line []point) [][]point {
	r = r.grow(1e-6)
	if len(line) == 1 {
		if _, _, ok := r.clip(line[0], line[0]); ok {
			return [][]point{line}
		}
		return nil
	}
	var pieces [][]point
	var piece []point
	for k := 1; k < len(line); k++ {
		a, b, ok := r.clip(line[k-1], line[k])
		if !ok {
			continue
		}
		if len(piece) == 0 || piece[len(piece)-1] != a {
			if piece != nil {
				pieces = append(pieces, piece)
			}
			piece = []point{a}
		}
		piece = append(piece, b)
	}
	if piece != nil {
		pieces = append(pieces, piece)
	}
	return pieces
}

// simplify drops points that move a line by less than the tolerance (Ramer, Douglas and Peucker): dashes would smear
// over thousands of points, and files would grow.
func simplify(line []point, tolerance float64) []point {
	if len(line) < 3 {
		return line
	}
	keep := make([]bool, len(line))
	keep[0], keep[len(line)-1] = true, true
	todo := [][2]int{{0, len(line) - 1}}
	for len(todo) > 0 {
		from, to := todo[len(todo)-1][0], todo[len(todo)-1][1]
		todo = todo[:len(todo)-1]
		farthest, distance := 0, tolerance
		for k := from + 1; k < to; k++ {
			if d := distanceTo(line[k], line[from], line[to]); d > distance {
				farthest, distance = k, d
			}
		}
		if farthest > 0 {
			keep[farthest] = true
			todo = append(todo, [2]int{from, farthest}, [2]int{farthest, to})
		}
	}
	var kept []point
	for k, p := range line {
		if keep[k] {
			kept = append(kept, p)
		}
	}
	return kept
}

// distanceTo is the distance of a point from a segment.
func distanceTo(p, a, b point) float64 {
	dx, dy := b.x-a.x, b.y-a.y
	t := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		t = min(1, max(0, ((p.x-a.x)*dx+(p.y-a.y)*dy)/length))
	}
	return math.Hypot(p.x-a.x-t*dx, p.y-a.y-t*dy)
}

// placeLabels puts notes of reference lines and labels of series. A series that reaches the right edge is labelled
// there, outside. One that ends before it is labelled inside, beside its curve; if there is no room, outside after
// all, with a leader line.
func (p *xy) placeLabels() error {
	p.labels, p.notes = nil, nil
	if p.forced == nil {
		p.forced = make([]bool, len(p.series))
	}
	o := &obstacles{area: rect{0, 2, p.w, p.h}}
	for i, s := range p.series {
		for _, piece := range p.curves[i] {
			o.curves = append(o.curves, piece)
			o.owner = append(o.owner, s.Name)
		}
	}
	for _, r := range p.refs {
		if r.Label != "" {
			p.notes = append(p.notes, placed{text: r.Label, box: p.placeNote(o, r)})
		}
	}
	for _, r := range p.refs { // labels of series keep off reference lines as well
		if line := p.refLine(r); line != nil {
			o.curves = append(o.curves, line)
			o.owner = append(o.owner, "")
		}
	}
	var outside []int
	var ends, means []float64
	for i, s := range p.series {
		if !p.labelled[i] || len(p.curves[i]) == 0 {
			continue
		}
		last := p.curves[i][len(p.curves[i])-1]
		end := p.end(i)
		text := labelOf(s.Label, s.Name, p.styles)
		if end.x < p.w-8 && !p.forced[i] {
			var all []point
			for _, piece := range p.curves[i] {
				all = append(all, piece...)
			}
			box, ok := o.beside(s.Name, all, textWidth(bold, labelSize, text), labelSize)
			if ok {
				o.taken = append(o.taken, box)
				p.labels = append(p.labels, placed{text: text, series: i, box: box})
				continue
			}
			p.forced[i] = true
		}
		outside = append(outside, i)
		ends = append(ends, end.y)
		total, n := 0.0, 0.0
		for _, q := range walk(last, 4) {
			total, n = total+q.y, n+1
		}
		means = append(means, total/n) // of curves that end together, the one from above is labelled above
	}
	var err error
	if room := int((p.h + labelSpace) / (labelSpace - 1.5)); len(outside) > room {
		err = fmt.Errorf("%d labels do not fit beside a plot %.0f pt high, there is room for %d: use fewer series, a larger height or a grid",
			len(outside), p.h, room)
	}
	heights := pushApart(ends, means, 0, p.h, labelSpace)
	p.labelX = p.w + leaderSpace - 5
	for k, i := range outside { // if one label needs a leader line, all have one
		if end := p.end(i); math.Abs(heights[k]-end.y) > 2 || end.x < p.w-8 {
			p.labelX = p.w + leaderSpace
		}
	}
	for k, i := range outside {
		text := labelOf(p.series[i].Label, p.series[i].Name, p.styles)
		l := placed{text: text, series: i, box: rect{p.labelX, heights[k] - labelSize/2,
			p.labelX + textWidth(bold, labelSize, text), heights[k] + labelSize/2}}
		if p.labelX >= p.w+leaderSpace {
			l.leader = []point{{p.end(i).x + 2.5, p.end(i).y}, {p.labelX - 2, heights[k]}}
		}
		p.labels = append(p.labels, l)
	}
	return err
}

// end is the last point of a series that is drawn.
func (p *xy) end(i int) point {
	last := p.curves[i][len(p.curves[i])-1]
	return last[len(last)-1]
}

func (p *xy) refLine(r Ref) []point {
	if r.Vertical {
		if !p.x.inside(r.Value) {
			return nil
		}
		x := p.x.norm(r.Value) * p.w
		return []point{{x, -p.rowsHeight()}, {x, p.h}}
	}
	if !p.y.inside(r.Value) {
		return nil
	}
	y := p.y.norm(r.Value) * p.h
	return []point{{0, y}, {p.w, y}}
}

// placeNote puts the label of a reference line along it, where it covers least. A line beyond the axis has its label
// at the edge it is beyond.
func (p *xy) placeNote(o *obstacles, r Ref) rect {
	width, height := textWidth(regular, noteSize, r.Label), float64(noteSize)
	var candidates []point
	if r.Vertical {
		x := min(p.w, max(0, p.x.norm(r.Value)*p.w))
		for _, at := range []float64{1, 0.85, 0.7, 0.55, 0.4, 0.25, 0.1, 0} {
			y := 2 + at*(p.h-height-4)
			candidates = append(candidates, point{x + 3, y}, point{x - 3 - width, y})
		}
	} else {
		y := min(p.h, max(0, p.y.norm(r.Value)*p.h))
		for _, at := range []float64{1, 0, 0.85, 0.15, 0.7, 0.3, 0.5} {
			x := 1 + at*(p.w-width-2)
			candidates = append(candidates, point{x, y + 2.5}, point{x, y - 2.5 - height})
		}
	}
	best, least := rect{}, math.MaxInt
	for _, c := range candidates {
		box := rect{c.x, c.y, c.x + width, c.y + height}
		if n := o.conflicts(box); n < least {
			best, least = box, n
		}
	}
	o.taken = append(o.taken, best)
	return best
}

// draw draws the panel with its plot area at the given place, which has the size of the last fit.
func (p *xy) draw(s *surface, plot rect) {
	shift := func(points ...point) []point {
		moved := make([]point, len(points))
		for i, q := range points {
			moved[i] = point{q.x + plot.x0, q.y + plot.y0}
		}
		return moved
	}
	p.drawAxes(s, plot)
	for _, r := range p.refs {
		s.line(shift(p.refLine(r)...), hairline, pale, []float64{3, 2})
	}
	for _, l := range append(append([]placed(nil), p.notes...), p.labels...) {
		if l.box.x0 < p.w { // a halo, under the curves: lines of the grid do not cross text
			b := l.box.grow(1.2)
			s.rectangle(rect{b.x0 + plot.x0, b.y0 + plot.y0, b.x1 + plot.x0, b.y1 + plot.y0}, white)
		}
	}
	for i, q := range p.series {
		p.drawInterval(s, plot, i, q)
	}
	for _, theory := range []bool{true, false} {
		for i, q := range p.series {
			if q.Theory == theory {
				p.drawCurve(s, shift, i, q)
			}
		}
	}
	for _, n := range p.notes {
		s.middle(regular, noteSize, plot.x0+n.box.x0, plot.y0+(n.box.y0+n.box.y1)/2, left, n.text, grey)
	}
	for _, l := range p.labels {
		c := p.styles[p.series[l.series].Name].color
		s.line(shift(l.leader...), hairline, c, solid)
		s.middle(bold, labelSize, plot.x0+l.box.x0, plot.y0+(l.box.y0+l.box.y1)/2, left, l.text, textColor(c))
	}
	p.drawRows(s, plot)
}

func (p *xy) drawAxes(s *surface, plot rect) {
	for _, t := range p.y.ticks {
		y := plot.y0 + p.y.norm(t.Value)*plot.height()
		s.line([]point{{plot.x0, y}, {plot.x1, y}}, hairline, faint, solid)
	}
	if p.x.log {
		for _, t := range p.x.ticks {
			x := plot.x0 + p.x.norm(t.Value)*plot.width()
			s.line([]point{{x, plot.y0}, {x, plot.y1}}, hairline, faint, solid)
		}
	}
	lowest := math.Inf(-1)
	for _, t := range p.y.ticks {
		y := plot.y0 + p.y.norm(t.Value)*plot.height()
		if math.Abs(y-lowest) >= tickSize {
			s.middle(regular, tickSize, plot.x0-4, y, right, t.Label, grey)
			lowest = y
		}
	}
	base := plot.y0 - p.rowsHeight()
	if base < plot.y0 && len(p.series) > 0 {
		s.line([]point{{plot.x0, plot.y0}, {plot.x1, plot.y0}}, hairline, faint, solid)
	}
	s.line([]point{{plot.x0, base}, {plot.x1, base}}, hairline, grey, solid)
	free := math.Inf(-1)
	for _, t := range p.x.ticks {
		x := plot.x0 + p.x.norm(t.Value)*plot.width()
		s.line([]point{{x, base}, {x, base - tickLength}}, hairline, grey, solid)
		if half := textWidth(regular, tickSize, t.Label) / 2; x-half >= free {
			s.text(regular, tickSize, x, base-tickLength-1-tickSize*0.75, center, t.Label, grey)
			free = x + half + 4
		}
	}
	for _, v := range p.x.minor {
		if p.x.inside(v) {
			x := plot.x0 + p.x.norm(v)*plot.width()
			s.line([]point{{x, base}, {x, base - tickLength/2}}, hairline, grey, solid)
		}
	}
	for i, line := range p.footLines {
		y := base - tickLength - tickSize - 3 - labelSize - headSpace*float64(i)
		s.text(regular, labelSize, plot.x0+p.footAt(line), y, left, line, ink)
	}
}

func (p *xy) drawInterval(s *surface, plot rect, i int, q Series) {
	if q.Lo == nil {
		return
	}
	c := p.styles[q.Name].color
	y := func(v float64) float64 {
		if p.y.log && v < p.y.low {
			v = p.y.low
		}
		return plot.y0 + min(1, max(0, p.y.norm(v)))*plot.height()
	}
	for _, run := range runs(q.X, q.Y, q.Lo, q.Hi) {
		var upper, lower []point
		for _, k := range run {
			x := plot.x0 + p.x.norm(q.X[k])*plot.width()
			if !p.x.inside(q.X[k]) {
				continue // a band ends at the last point on the axis
			}
			if p.steps && len(upper) > 0 {
				upper = append(upper, point{x, upper[len(upper)-1].y})
				lower = append(lower, point{x, lower[len(lower)-1].y})
			}
			upper = append(upper, point{x, y(q.Hi[k])})
			lower = append(lower, point{x, y(q.Lo[k])})
		}
		if len(upper) == 1 { // no neighbours, no band: a whisker
			s.line([]point{lower[0], upper[0]}, 1, c, solid)
			continue
		}
		upper, lower = simplify(upper, 0.15), simplify(lower, 0.15)
		for k := len(lower) - 1; k >= 0; k-- {
			upper = append(upper, lower[k])
		}
		s.polygon(upper, translucent(c))
	}
}

func (p *xy) drawCurve(s *surface, shift func(...point) []point, i int, q Series) {
	look := p.styles[q.Name]
	width, c, dash := lineWidth, look.color, look.dash
	if q.Theory {
		width, dash = hairline, solid
		c.A = 0xA0
	}
	for _, piece := range p.curves[i] {
		moved := shift(piece...)
		if len(moved) == 1 {
			s.disc(moved[0], 2, c)
			continue
		}
		s.line(moved, width, c, dash)
	}
	if !q.Markers {
		return
	}
	for k := range q.X {
		if math.IsNaN(q.X[k]) || math.IsNaN(q.Y[k]) || !p.x.inside(q.X[k]) || !p.y.inside(q.Y[k]) {
			continue
		}
		at := shift(p.place(q.X[k], q.Y[k]))[0]
		s.disc(at, 2.7, white)
		s.disc(at, 2.1, c)
	}
}

func (p *xy) drawRows(s *surface, plot rect) {
	for i, row := range p.rows {
		y := plot.y0 - 3 - (float64(i)+0.5)*rowHeight
		c := p.styles[row.Name].color
		drawn := [2]float64{math.Inf(-1), math.Inf(-1)} // the last cross, the last dot
		for k, t := range row.Times {
			at := point{plot.x0 + p.x.norm(t)*plot.width(), y}
			kind := 0
			if row.Admitted[k] {
				kind = 1
			}
			if !p.x.inside(t) || math.Abs(at.x-drawn[kind]) < 0.25 { // one more on the same spot shows nothing
				continue
			}
			drawn[kind] = at.x
			if row.Admitted[k] {
				s.disc(at, 2, c)
			} else {
				s.cross(at, 1.9, grey)
			}
		}
		s.middle(bold, labelSize, plot.x0+p.labelX, y, left, labelOf(row.Label, row.Name, p.styles), textColor(c))
	}
}

// footAt is where a line of the x axis title starts: it is centred under the plot, and moved if it would leave the
// room of the panel.
func (p *xy) footAt(line string) float64 {
	width := textWidth(regular, labelSize, line)
	return min(max((p.w-width)/2, -p.room.left), p.w+p.room.right-width)
}

const (
	admittedKey = "admitted"
	refusedKey  = "refused"
	keyMark     = 9 // room for a mark before its word
	keyGap      = 8
)

func keyWidth() float64 {
	return 2*keyMark + keyGap + textWidth(regular, noteSize, admittedKey) + textWidth(regular, noteSize, refusedKey)
}

// heads draws what stands above the plot, from the bottom up: the key of the dots, the title of the y axis, the title
// of the panel, which hangs from the top. They start at x0.
func (p *xy) heads(s *surface, x0, top float64, plot rect) {
	y := plot.y1 + tickSize/2 + 4
	if p.showKey {
		x := plot.x1 - keyWidth() + keyMark
		s.disc(point{x - 5, y + 3}, 2, grey)
		s.text(regular, noteSize, x, y, left, admittedKey, grey)
		x = plot.x1 - textWidth(regular, noteSize, refusedKey)
		s.cross(point{x - 5, y + 3}, 1.9, grey)
		s.text(regular, noteSize, x, y, left, refusedKey, grey)
		if p.keyApart {
			y += headSpace
		}
	}
	stack(s, regular, x0, y-4+headSpace*float64(len(p.headLines)), p.headLines)
	stack(s, bold, x0, top, p.titleLines)
}

// stack draws lines of text under a height.
func stack(s *surface, face typeface, x, top float64, lines []string) {
	for i, line := range lines {
		s.text(face, labelSize, x, top-headSpace*float64(i+1)+4, left, line, ink)
	}
}

func (p *xy) setTitle(title string)             { p.title = title }
func (p *xy) setStyles(styles map[string]style) { p.styles = styles }

// natural leaves the width open. A chart of dots alone needs little height.
func (p *xy) natural() (w, h float64) {
	if len(p.series) == 0 {
		return 0, 2
	}
	return 0, 160
}
