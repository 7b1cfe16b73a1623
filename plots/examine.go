package plots

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

// Shown is a curve or a row of marks as a figure draws it.
type Shown struct {
	Panel  int    // from 0
	Name   string // of the series, which decides the look
	Look   Look   // its label is the text at the end of the curve
	Theory bool
}

// Examined is what stands on a figure.
type Examined struct {
	Width, Height float64 // in points
	Shown         []Shown
	Texts         []string
	Smallest      float64    // size of the smallest text, in points
	Covered       [][]string // pairs of texts of which one covers the other
	CutOff        []string   // texts that leave the figure; "a line" for what is no text
}

// Examine draws a figure into nothing and returns what stands on it, for tests of all figures at once.
func Examine(f Figure) (Examined, error) {
	l, err := f.layout()
	if err != nil {
		return Examined{}, err
	}
	type text struct {
		words string
		box   vg.Rectangle
	}
	var texts []text
	e := Examined{Width: float64(l.width), Height: float64(l.height)}
	canvas := &recorder.Canvas{}
	o := &outline{Canvas: canvas}
	o.seen = func(words string, box vg.Rectangle) {
		texts = append(texts, text{words, box})
		if size := float64(box.Size().Y) / capital; e.Smallest == 0 || size < e.Smallest {
			e.Smallest = size
		}
	}
	if err := f.paint(l, o); err != nil {
		return Examined{}, err
	}
	page := grow(vg.Rectangle{Max: vg.Point{X: l.width, Y: l.height}}, 1e-6)
	for i, a := range texts {
		e.Texts = append(e.Texts, a.words)
		if !within(a.box, page) {
			e.CutOff = append(e.CutOff, a.words)
		}
		for _, b := range texts[:i] {
			if overlaps(a.box, b.box) {
				e.Covered = append(e.Covered, []string{b.words, a.words})
			}
		}
	}
	for _, action := range canvas.Actions {
		var path vg.Path
		switch a := action.(type) {
		case *recorder.Fill:
			path = a.Path
		case *recorder.Stroke:
			path = a.Path
		}
		for _, c := range path {
			if c.Type != vg.CloseComp && !within(vg.Rectangle{Min: c.Pos, Max: c.Pos}, page) {
				e.CutOff = append(e.CutOff, "a line")
				break
			}
		}
	}
	for i, one := range l.panels {
		p, isXY := one.(*xy)
		if !isXY {
			continue
		}
		show := func(name, label string, theory bool) {
			look := p.styles[name].look()
			look.Label = labelOf(label, name, p.styles)
			e.Shown = append(e.Shown, Shown{i, name, look, theory})
		}
		for _, s := range p.series {
			show(s.Name, s.Label, s.Theory)
		}
		for _, r := range p.rows {
			show(r.Name, r.Label, false)
		}
	}
	return e, nil
}
