package plots

import (
	"fmt"
	"image/color"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// outline is a canvas that draws text as the outlines of its glyphs, so that a figure looks the same with or without its
// fonts installed, and bold and Greek come out right in PDF. The rest goes to the canvas inside.
type outline struct {
	vg.Canvas
	straight bool                                // vgpdf reads colours as if they were not premultiplied by alpha
	err      error                               // the first: the methods of a canvas return none
	seen     func(text string, box vg.Rectangle) // for Examine: told of each text and the box of its capitals; may be nil
}

// capital is the height of a capital over the size of the text.
const capital = 0.7

// straightAlpha is a colour whose RGBA is not premultiplied, against the contract of color.Color, for vgpdf.
type straightAlpha color.NRGBA

func (c straightAlpha) RGBA() (r, g, b, a uint32) {
	return uint32(c.R) * 0x101, uint32(c.G) * 0x101, uint32(c.B) * 0x101, uint32(c.A) * 0x101
}

// SetColor sets the colour of what is drawn next.
func (o *outline) SetColor(c color.Color) {
	if o.straight && c != nil {
		c = straightAlpha(color.NRGBAModel.Convert(c).(color.NRGBA))
	}
	o.Canvas.SetColor(c)
}

// FillString fills the outlines of a line of text that starts at a point on the base line. A character that the font
// lacks is an error: it would come out as an empty box.
func (o *outline) FillString(f font.Face, at vg.Point, text string) {
	path, err := outlines(f, at, text)
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("text %q: %w", text, err)
	}
	if len(path) == 0 {
		return
	}
	o.Fill(path)
	if o.seen != nil {
		o.seen(text, vg.Rectangle{Min: at, Max: at.Add(vg.Point{X: f.Width(text), Y: capital * f.Font.Size})})
	}
}

// outlines walks over the glyphs of a text as font.Face.Width does, so that what is measured is what is drawn.
func outlines(f font.Face, start vg.Point, text string) (path vg.Path, err error) {
	var buffer sfnt.Buffer
	units := fixed.I(int(f.Face.UnitsPerEm()))
	scale := f.Font.Size / vg.Length(units)
	at := func(p fixed.Point26_6) vg.Point {
		return start.Add(vg.Point{X: vg.Length(p.X) * scale, Y: -vg.Length(p.Y) * scale})
	}
	previous := sfnt.GlyphIndex(0)
	for i, r := range text {
		glyph, err := f.Face.GlyphIndex(&buffer, r)
		if err != nil || glyph == 0 {
			return path, fmt.Errorf("the font has no character %q", r)
		}
		if i > 0 {
			if kern, err := f.Face.Kern(&buffer, previous, glyph, units, xfont.HintingNone); err == nil {
				start.X += vg.Length(kern) * scale
			}
		}
		segments, err := f.Face.LoadGlyph(&buffer, glyph, units, nil)
		if err != nil {
			return path, err
		}
		for k, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if k > 0 {
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
		advance, err := f.Face.GlyphAdvance(&buffer, glyph, units, xfont.HintingNone)
		if err != nil {
			return path, err
		}
		start.X += vg.Length(advance) * scale
		previous = glyph
	}
	return path, nil
}
