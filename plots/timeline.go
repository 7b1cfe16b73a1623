package plots

import (
	"errors"
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Timeline is what happened to single requests over time: a row of ticks for each limiter, one tick a request. A tick
// that stands on its line is an admitted request, one that hangs from it, thin and grey, a refused one, so that
// neither colour nor number of requests hides which is which. The first row may be the arrivals, all of them admitted.
type Timeline struct {
	X    Axis
	Rows []Dots
	Refs []Ref // vertical ones
}

func (t Timeline) panels() ([]panel, int, error) {
	if len(t.Rows) == 0 {
		return nil, 0, errors.New("the time-line has no rows")
	}
	for i, r := range t.Refs {
		if !r.Vertical {
			return nil, 0, fmt.Errorf("reference line %d %q: a time-line has vertical ones only", i+1, r.Label)
		}
	}
	return []panel{&xy{xAxis: t.X, refs: t.Refs, rows: t.Rows, ticked: true}}, 1, nil
}

// Lengths in points of rows of ticks.
const (
	tickRowHeight = 19
	admittedTick  = 8 // upwards
	refusedTick   = 5 // downwards
)

var (
	admittedTickLine = draw.LineStyle{Width: 1.3}
	refusedTickLine  = draw.LineStyle{Color: grey, Width: 0.9}
)

// drawTick draws a request on the line of its row.
func drawTick(c draw.Canvas, s style, admitted bool, x, y vg.Length) {
	if !admitted {
		c.StrokeLine2(refusedTickLine, x, y, x, y-refusedTick)
		return
	}
	line := admittedTickLine
	line.Color = s.color
	c.StrokeLine2(line, x, y, x, y+admittedTick)
}
