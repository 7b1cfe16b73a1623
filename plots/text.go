package plots

import (
	"fmt"
	"strings"
	"sync"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
)

// typeface is a font of the figures, without a size.
type typeface int

const (
	regular typeface = iota
	bold
)

// faces returns Liberation Sans, regular and bold, which are embedded in the program.
var faces = sync.OnceValue(func() (faces [2]*sfnt.Font) {
	for _, f := range liberation.Collection() {
		if f.Font.Variant == "Sans" && f.Font.Style == xfont.StyleNormal {
			switch f.Font.Weight {
			case xfont.WeightNormal:
				faces[regular] = f.Face
			case xfont.WeightBold:
				faces[bold] = f.Face
			}
		}
	}
	return faces
})

// glyphs walks over the glyphs of a text with kerning, in points, and returns the width of the text. A character that
// the font lacks is an error: it would come out as an empty box.
func glyphs(face typeface, size float64, text string, visit func(x float64, glyph sfnt.GlyphIndex, buffer *sfnt.Buffer)) (width float64, err error) {
	f := faces()[face]
	var buffer sfnt.Buffer
	units := fixed.I(int(f.UnitsPerEm()))
	scale := size / float64(units)
	previous := sfnt.GlyphIndex(0)
	for i, r := range text {
		glyph, err := f.GlyphIndex(&buffer, r)
		if err == nil && glyph == 0 {
			err = fmt.Errorf("the font has no character %q", r)
		}
		if err != nil {
			return width, fmt.Errorf("text %q: %w", text, err)
		}
		if i > 0 {
			if kern, err := f.Kern(&buffer, previous, glyph, units, xfont.HintingNone); err == nil {
				width += float64(kern) * scale
			}
		}
		if visit != nil {
			visit(width, glyph, &buffer)
		}
		advance, err := f.GlyphAdvance(&buffer, glyph, units, xfont.HintingNone)
		if err != nil {
			return width, fmt.Errorf("text %q: %w", text, err)
		}
		width += float64(advance) * scale
		previous = glyph
	}
	return width, nil
}

// textWidth is the width of a text in points. Text that cannot be drawn is reported when it is drawn.
func textWidth(face typeface, size float64, text string) float64 {
	width, _ := glyphs(face, size, text, nil)
	return width
}

// outline returns the outlines of a text that starts at (x, y) on the base line.
func outline(face typeface, size, x, y float64, text string) (vg.Path, error) {
	f := faces()[face]
	units := fixed.I(int(f.UnitsPerEm()))
	scale := size / float64(units)
	var path vg.Path
	var failed error
	_, err := glyphs(face, size, text, func(dx float64, glyph sfnt.GlyphIndex, buffer *sfnt.Buffer) {
		segments, err := f.LoadGlyph(buffer, glyph, units, nil)
		if err != nil {
			failed = fmt.Errorf("text %q: %w", text, err)
			return
		}
		at := func(p fixed.Point26_6) vg.Point {
			return vg.Point{X: vg.Length(x + dx + float64(p.X)*scale), Y: vg.Length(y - float64(p.Y)*scale)}
		}
		for i, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if i > 0 {
					path.Close()
				}
				path.Move(at(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(at(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(at(s.Args[0]), at(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(at(s.Args[0]), at(s.Args[1]), at(s.Args[2]))
			}
		}
		if len(segments) > 0 {
			path.Close()
		}
	})
	if err == nil {
		err = failed
	}
	return path, err
}

// wrap breaks a text at spaces into as few lines of at most this width as it needs, and makes them about equally
// long. A word that is wider than a line is broken anywhere.
func wrap(face typeface, size, width float64, text string) []string {
	lines := greedy(face, size, width, text)
	low, high := 0.0, width
	for len(lines) > 1 && high-low > 1 {
		middle := (low + high) / 2
		if narrow := greedy(face, size, middle, text); len(narrow) == len(lines) && fits(face, size, middle, narrow) {
			high = middle
		} else {
			low = middle
		}
	}
	if len(lines) > 1 {
		return greedy(face, size, high, text)
	}
	return lines
}

func fits(face typeface, size, width float64, lines []string) bool {
	for _, line := range lines {
		if textWidth(face, size, line) > width {
			return false
		}
	}
	return true
}

func greedy(face typeface, size, width float64, text string) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		candidate := word
		if line != "" {
			candidate = line + " " + word
		}
		if textWidth(face, size, candidate) <= width {
			line = candidate
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for textWidth(face, size, word) > width {
			head := ""
			for _, r := range word {
				if head != "" && textWidth(face, size, head+string(r)) > width {
					break
				}
				head += string(r)
			}
			if head == word {
				break // a single character that is wider than the line
			}
			lines = append(lines, head)
			word = word[len(head):]
		}
		line = word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
