package plots

import (
	"image/color"
	"strings"
	"time"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The faces of the figures: Liberation Sans, which gonum.org/v1/plot embeds in the program.
const (
	regular = xfont.WeightNormal
	bold    = xfont.WeightBold
)

// Heights of text. The library centres lines; these centre digits and capitals. Labels on the y axis need their own,
// since the library draws them higher by a descender.
const (
	yMiddle     = draw.YAlignment(-0.398)
	yTickMiddle = draw.YAlignment(-0.588)
)

// textStyle is the style of a text that hangs from, or with another alignment stands at, a point on its left.
func textStyle(face xfont.Weight, size vg.Length, c color.Color) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Weight: face, Size: size}
	return text.Style{Color: c, Font: f, YAlign: draw.YTop, Handler: plot.DefaultTextHandler}
}

// textWidth is the width of a text in points.
func textWidth(face xfont.Weight, size vg.Length, text string) vg.Length {
	return textStyle(face, size, nil).Width(text)
}

// stack draws lines of text from the top down and returns where the next would hang.
func stack(c draw.Canvas, sty text.Style, x, top, space vg.Length, lines []string) vg.Length {
	for _, line := range lines {
		c.FillText(sty, vg.Point{X: x, Y: top}, line)
		top -= space
	}
	return top
}

// wrap breaks a text at spaces into as few lines of at most this width as it needs, and makes them about equally
// long. A word that is wider than a line is broken anywhere.
func wrap(face xfont.Weight, size, width vg.Length, text string) []string {
	lines := greedy(face, size, width, text)
	low, high := vg.Length(0), width
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

func fits(face xfont.Weight, size, width vg.Length, lines []string) bool {
	for _, line := range lines {
		if textWidth(face, size, line) > width {
			return false
		}
	}
	return true
}

func greedy(face xfont.Weight, size, width vg.Length, text string) []string {
	var lines []string
	line := ""
	wide := func(s string) bool { return textWidth(face, size, strings.TrimSpace(s)) > width }
	for _, word := range words(text) {
		if !wide(line + word) {
			line += word
			continue
		}
		if line != "" {
			lines, line = append(lines, line), ""
		}
		if !wide(word) {
			line = word
			continue
		}
		for _, r := range word {
			if line != "" && r != ' ' && wide(line+string(r)) { // a word wider than a line
				lines, line = append(lines, line), ""
			}
			line += string(r)
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return lines
}

// words splits a text where a line may end: after spaces and hyphens. Each word keeps its hyphen or one space.
func words(text string) []string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.FieldsFunc(strings.NewReplacer(" ", " \n", "-", "-\n").Replace(text), func(r rune) bool { return r == '\n' })
}

// Duration writes a duration for a reader, with a blank before each unit: "4 s", "100 ms", "1 min 30 s".
func Duration(d time.Duration) string {
	text := strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
	var out strings.Builder
	for i, r := range text {
		digit := r >= '0' && r <= '9' || r == '.' || r == '-'
		if i > 0 {
			before := text[i-1]
			wasDigit := before >= '0' && before <= '9' || before == '.' || before == '-'
			if digit != wasDigit {
				out.WriteByte(' ')
			}
		}
		out.WriteRune(r)
		if r == 'm' && (i+1 == len(text) || text[i+1] != 's') {
			out.WriteString("in")
		}
	}
	return strings.Replace(out.String(), "-", "−", 1)
}
