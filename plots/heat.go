package plots

import (
	"errors"
	"fmt"
	"image/color"
	"math"
)

// Heat is a table of values as colours, with each value printed in its cell.
type Heat struct {
	X, Y           []string // names of columns, from left to right, and of rows, from the bottom up
	XLabel, YLabel string
	Z              [][]float64 // Z[i][j] is the value at Y[i] and X[j]; NaN leaves the cell blank
	Format         string      // of values, for fmt; empty: "%.2f"
	// Min and Max are the values at the ends of the colours; both 0: the data decide. Colours stop at the ends.
	Min, Max float64
	Log      bool // colours follow the logarithm; values must be > 0
}

func (h Heat) panels() ([]panel, int, error) { return []panel{&heat{Heat: h}}, 1, nil }

// heat is the panel under Heat.
type heat struct {
	Heat
	title                            string
	cells                            [][]string
	columns                          [][]string // names of columns, wrapped
	titleLines, headLines, footLines []string
	size                             float64 // of the text in cells
	w                                float64
	room                             sides
}

func (h *heat) check() error {
	switch {
	case len(h.X) == 0 || len(h.Y) == 0:
		return fmt.Errorf("a heat map needs rows and columns, got %d and %d", len(h.Y), len(h.X))
	case len(h.Z) != len(h.Y):
		return fmt.Errorf("want as many rows of z as y, got %d and %d", len(h.Z), len(h.Y))
	case math.Abs(h.Min) > largest || math.Abs(h.Max) > largest || math.IsNaN(h.Min) || math.IsNaN(h.Max):
		return errors.New("min and max must be finite")
	case (h.Min != 0 || h.Max != 0) && h.Min >= h.Max:
		return fmt.Errorf("min must be below max, got %g and %g", h.Min, h.Max)
	case h.Log && (h.Min != 0 || h.Max != 0) && h.Min <= 0:
		return fmt.Errorf("with log, min must be > 0, got %g", h.Min)
	}
	axis := Axis{Log: h.Log}
	any := false
	for i, row := range h.Z {
		if len(row) != len(h.X) {
			return fmt.Errorf("row %d %q: want as many z as x, got %d and %d", i+1, h.Y[i], len(row), len(h.X))
		}
		for j, z := range row {
			if err := axis.holds(z); err != nil {
				return fmt.Errorf("row %d %q, column %d %q: %w", i+1, h.Y[i], j+1, h.X[j], err)
			}
			any = any || !math.IsNaN(z)
		}
	}
	if !any {
		return errors.New("every value of the heat map is missing (NaN)")
	}
	format := h.Format
	if format == "" {
		format = "%.2f"
	}
	h.cells = make([][]string, len(h.Z))
	for i, row := range h.Z {
		h.cells[i] = make([]string, len(row))
		for j, z := range row {
			if !math.IsNaN(z) {
				h.cells[i][j] = fmt.Sprintf(format, z)
			}
		}
	}
	return nil
}

func (h *heat) names() []string            { return nil }
func (h *heat) setTitle(title string)      { h.title = title }
func (h *heat) setStyles(map[string]style) {}

const (
	cellHeight = 22
	cellSpace  = 7 // around the text of a cell, both sides together
	tightSpace = 3 // the least
)

func (h *heat) widestCell(size float64) float64 {
	widest := 0.0
	for _, row := range h.cells {
		for _, text := range row {
			widest = max(widest, textWidth(regular, size, text))
		}
	}
	return widest
}

// natural is the size of the plot area at which all text has its usual size.
func (h *heat) natural() (w, hh float64) {
	cell := max(30, h.widestCell(noteSize)+cellSpace)
	for _, name := range h.X {
		cell = max(cell, min(60, textWidth(regular, tickSize, name)+4))
		for _, word := range words(name) {
			cell = max(cell, textWidth(regular, tickSize, word)+4)
		}
	}
	return cell * float64(len(h.X)), cellHeight * float64(len(h.Y))
}

// words splits a name where it may be wrapped: after spaces and hyphens.
func words(name string) []string {
	var list []string
	word := ""
	for _, r := range name {
		if r != ' ' {
			word += string(r)
		}
		if r == ' ' || r == '-' {
			list = append(list, word)
			word = ""
		}
	}
	return append(list, word)
}

// fold wraps a name to a width, after spaces and hyphens; ok tells whether it fits.
func fold(name string, width float64) (lines []string, ok bool) {
	ok = true
	line := ""
	for _, word := range words(name) {
		joined := line + word
		if line != "" && line[len(line)-1] != '-' {
			joined = line + " " + word
		}
		if line != "" && textWidth(regular, tickSize, joined) > width {
			lines = append(lines, line)
			joined = word
		}
		line = joined
		ok = ok && textWidth(regular, tickSize, line) <= width
	}
	return append(lines, line), ok
}

func (h *heat) fit(w, height float64) (sides, error) {
	var err error
	h.w = w
	cell := w / float64(len(h.X))
	if tall := height / float64(len(h.Y)); tall < tickSize+2 {
		err = fmt.Errorf("%d rows do not fit in a plot %.0f pt high: set a larger height, or 0", len(h.Y), height)
	}
	h.size = noteSize
	for h.size > smallestSize && h.widestCell(h.size) > cell-tightSpace {
		h.size -= 0.5
	}
	if h.widestCell(h.size) > cell-tightSpace {
		err = fmt.Errorf("values do not fit in cells %.0f pt wide: set a larger width, or 0, or a shorter format", cell)
	}
	h.columns = make([][]string, len(h.X))
	most := 1
	for j, name := range h.X {
		lines, ok := fold(name, cell-2)
		if !ok {
			err = fmt.Errorf("column name %q does not fit under a cell %.0f pt wide: set a larger width, or 0", name, cell)
		}
		h.columns[j] = lines
		most = max(most, len(lines))
	}
	need := sides{right: 2}
	for _, name := range h.Y {
		need.left = max(need.left, textWidth(regular, tickSize, name)+5)
	}
	whole := need.left + w + need.right
	h.titleLines = wrap(bold, labelSize, whole, h.title)
	h.headLines = wrap(regular, labelSize, whole, h.YLabel)
	h.footLines = wrap(regular, labelSize, whole, h.XLabel)
	need.top = 4 + headSpace*float64(len(h.titleLines)+len(h.headLines))
	need.bottom = 5 + tickSize*1.15*float64(most) + headSpace*float64(len(h.footLines))
	h.room = need
	return need, err
}

func (h *heat) draw(s *surface, plot rect) {
	low, high := h.ends()
	cw, ch := plot.width()/float64(len(h.X)), plot.height()/float64(len(h.Y))
	for i, row := range h.Z {
		y := plot.y0 + float64(i)*ch
		s.middle(regular, tickSize, plot.x0-4, y+ch/2, right, h.Y[i], grey)
		for j, z := range row {
			x := plot.x0 + float64(j)*cw
			box := rect{x + 0.5, y + 0.5, x + cw - 0.5, y + ch - 0.5} // gaps of 1 pt
			if math.IsNaN(z) {
				s.rectangle(box, color.NRGBA{0xF3, 0xF3, 0xF3, 0xFF})
				continue
			}
			at := 0.5
			if h.Log && high > low {
				at = math.Log(z/low) / math.Log(high/low)
			} else if high > low {
				at = (z - low) / (high - low)
			}
			fill := viridis(at)
			s.rectangle(box, fill)
			text := ink
			if contrast(white, fill) > contrast(ink, fill) {
				text = white
			}
			s.middle(regular, h.size, x+cw/2, y+ch/2, center, h.cells[i][j], text)
		}
	}
	deepest := 0
	for j, lines := range h.columns {
		for k, line := range lines {
			s.text(regular, tickSize, plot.x0+(float64(j)+0.5)*cw, plot.y0-3-tickSize*(0.8+1.15*float64(k)), center, line, grey)
		}
		deepest = max(deepest, len(lines))
	}
	for i, line := range h.footLines {
		y := plot.y0 - 3 - tickSize*1.15*float64(deepest) - 1 - labelSize - headSpace*float64(i)
		width := textWidth(regular, labelSize, line)
		x := min(max((h.w-width)/2, -h.room.left), h.w+h.room.right-width)
		s.text(regular, labelSize, plot.x0+x, y, left, line, ink)
	}
}

func (h *heat) heads(s *surface, x0, top float64, plot rect) {
	stack(s, regular, x0, plot.y1+2+headSpace*float64(len(h.headLines)), h.headLines)
	stack(s, bold, x0, top, h.titleLines)
}

// ends are the values of the first and last colour.
func (h *heat) ends() (low, high float64) {
	if h.Min != 0 || h.Max != 0 {
		return h.Min, h.Max
	}
	var data extent
	for _, row := range h.Z {
		for _, z := range row {
			data.add(z)
		}
	}
	return data.low, data.high
}

// viridisStops are eleven equally spaced colours of matplotlib's viridis (van der Walt and Smith, 2015; CC0).
var viridisStops = [11][3]float64{
	{0x44, 0x01, 0x54}, {0x48, 0x24, 0x75}, {0x41, 0x44, 0x87}, {0x35, 0x5F, 0x8D}, {0x2A, 0x78, 0x8E}, {0x21, 0x91, 0x8C},
	{0x22, 0xA8, 0x84}, {0x44, 0xBF, 0x70}, {0x7A, 0xD1, 0x51}, {0xBD, 0xDF, 0x26}, {0xFD, 0xE7, 0x25},
}

// viridis returns the colour at a place from 0 to 1; beyond, that at the end.
func viridis(at float64) color.NRGBA {
	at = min(1, max(0, at)) * float64(len(viridisStops)-1)
	k := min(int(at), len(viridisStops)-2)
	t := at - float64(k)
	mix := func(c int) uint8 {
		return uint8(math.Round(viridisStops[k][c]*(1-t) + viridisStops[k+1][c]*t))
	}
	return color.NRGBA{mix(0), mix(1), mix(2), 0xFF}
}

// contrast is the contrast ratio of two colours by WCAG 2.1, from 1 to 21.
func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x, y) / min(x, y)
}
