package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// placed is a label with its place in the plot area or beside it.
type placed struct {
	text   string
	series string
	box    vg.Rectangle
	leader []vg.Point
}

// placeLabels puts notes of reference lines and labels of series, which take the place of plot.Legend. A series that
// reaches the right edge is labelled there, outside. One that ends before it is labelled inside, beside its curve; if
// there is no room, outside after all, with a leader line.
func (p *xy) placeLabels(settled bool) error {
	p.labels, p.notes = nil, nil
	if p.rounds++; p.rounds <= 3 { // the first sizes are guesses
		p.forced = make([]bool, len(p.series))
	}
	o := &obstacles{area: vg.Rectangle{Min: vg.Point{Y: 2}, Max: vg.Point{X: p.w, Y: p.h}}}
	for i, s := range p.series {
		for _, piece := range p.curves[i] {
			o.add(s.Name, piece)
		}
	}
	for _, r := range p.refs {
		if r.Label != "" {
			p.notes = append(p.notes, placed{text: r.Label, box: p.placeNote(o, r)})
		}
	}
	for _, r := range p.refs { // labels of series keep off reference lines as well
		if line := p.refLine(r); line != nil {
			o.add("", line)
		}
	}
	type outsider struct {
		label placed
		end   vg.Point
	}
	var outside []outsider
	var ends, means []vg.Length
	for i, s := range p.series {
		if !p.labelled[i] || len(p.curves[i]) == 0 {
			continue
		}
		last := p.curves[i][len(p.curves[i])-1]
		end := last[len(last)-1]
		l := placed{text: labelOf(s.Label, s.Name, p.styles), series: s.Name}
		if end.X < p.w-8 && !p.forced[i] {
			if box, ok := o.beside(s.Name, p.curves[i], textWidth(bold, labelSize, l.text), labelSize); ok {
				l.box = box
				o.taken, p.labels = append(o.taken, box), append(p.labels, l)
				continue
			}
			p.forced[i] = true
		}
		p.forced[i] = p.forced[i] || settled // or one that ends 8 pt from the edge could be in and out for ever
		outside = append(outside, outsider{l, end})
		ends = append(ends, end.Y)
		total, steps := vg.Length(0), walk(last, 4)
		for _, q := range steps {
			total += q.Y
		}
		means = append(means, total/vg.Length(len(steps))) // of curves that end together, the one from above is labelled above
	}
	var err error
	if room := int((p.h + labelSpace) / (labelSpace - 1.5)); len(outside) > room {
		err = fmt.Errorf("%d labels do not fit beside a plot %.0f pt high, there is room for %d: use fewer series, a larger height or a grid",
			len(outside), p.h, room)
	}
	heights := pushApart(ends, means, 0, p.h, labelSpace)
	p.leaders = p.leaders && settled
	for k, one := range outside { // if one label needs a leader line, all have one
		p.leaders = p.leaders || math.Abs(float64(heights[k]-one.end.Y)) > 2 || one.end.X < p.w-8
	}
	p.labelX = p.w + leaderSpace - 5
	if p.leaders {
		p.labelX = p.w + leaderSpace
	}
	for k, one := range outside {
		l := one.label
		l.box.Min = vg.Point{X: p.labelX, Y: heights[k] - labelSize/2}
		l.box.Max = l.box.Min.Add(vg.Point{X: textWidth(bold, labelSize, l.text), Y: labelSize})
		if p.leaders {
			l.leader = []vg.Point{{X: one.end.X + 2.5, Y: one.end.Y}, {X: p.labelX - 2, Y: heights[k]}}
		}
		p.labels = append(p.labels, l)
	}
	return err
}

// refLine is a reference line in the plot area, nil if it is beyond the axis.
func (p *xy) refLine(r Ref) []vg.Point {
	if r.Vertical {
		x := vg.Length(p.x.norm(r.Value)) * p.w
		if !p.x.inside(r.Value) {
			return nil
		}
		return []vg.Point{{X: x, Y: -p.rowsHeight()}, {X: x, Y: p.h}}
	}
	y := vg.Length(p.y.norm(r.Value)) * p.h
	if !p.y.inside(r.Value) {
		return nil
	}
	return []vg.Point{{Y: y}, {X: p.w, Y: y}}
}

// placeNote puts the label of a reference line along it, where it covers least. A line beyond the axis has its label
// at the edge it is beyond.
func (p *xy) placeNote(o *obstacles, r Ref) vg.Rectangle {
	width, height := textWidth(regular, noteSize, r.Label), vg.Length(noteSize)
	var candidates []vg.Point
	if r.Vertical {
		x := vg.Length(min(1, max(0, p.x.norm(r.Value)))) * p.w
		for _, at := range []vg.Length{1, 0.85, 0.7, 0.55, 0.4, 0.25, 0.1, 0} {
			y := 2 + at*(p.h-height-4)
			candidates = append(candidates, vg.Point{X: x + 3, Y: y}, vg.Point{X: x - 3 - width, Y: y})
		}
	} else {
		y := vg.Length(min(1, max(0, p.y.norm(r.Value)))) * p.h
		for _, at := range []vg.Length{1, 0, 0.85, 0.15, 0.7, 0.3, 0.5} {
			x := 1 + at*(p.w-width-2)
			candidates = append(candidates, vg.Point{X: x, Y: y + 2.5}, vg.Point{X: x, Y: y - 2.5 - height})
		}
	}
	box, _ := o.best("", width, height, clearance, candidates)
	o.taken = append(o.taken, box)
	return box
}

func (p *xy) drawLabels(c draw.Canvas, _ *plot.Plot) {
	sty := textStyle(regular, noteSize, grey)
	sty.YAlign = yMiddle
	for _, n := range p.notes {
		c.FillText(sty, c.Min.Add(vg.Point{X: n.box.Min.X, Y: (n.box.Min.Y + n.box.Max.Y) / 2}), n.text)
	}
	for _, l := range p.labels {
		if l.leader != nil {
			line := draw.LineStyle{Color: p.styles[l.series].color, Width: hairline}
			if distance(l.leader[0], l.leader[1]) > 3*leaderSpace { // nobody should take it for the curve
				line.Color, line.Dashes = pale, dotted
			}
			c.StrokeLines(line, shift(c, l.leader))
		}
		p.drawLabel(c, l.text, l.series, c.Min.Add(vg.Point{X: l.box.Min.X, Y: (l.box.Min.Y + l.box.Max.Y) / 2}))
	}
}

// drawLabel writes the label of a series in its colour.
func (p *xy) drawLabel(c draw.Canvas, text, series string, at vg.Point) {
	sty := textStyle(bold, labelSize, textColor(p.styles[series].color))
	sty.YAlign = yMiddle
	c.FillText(sty, at, text)
}
