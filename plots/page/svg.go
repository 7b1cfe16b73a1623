package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// inline is a figure as it stands in a page.
type inline struct {
	SVG         template.HTML
	Title, Desc string
}

// drawing turns the SVG documents of package plots into elements of one page. The outlines of letters are what such a
// document mostly holds, and the same letter has the same outline wherever it stands: each goes once into the page,
// and is used by name. Coordinates are rounded to 1/100 point.
type drawing struct {
	known map[string][]shape // by commands
	list  []shape            // in order of appearance
}

// shape is an outline relative to its first point, in 1/100 point.
type shape struct {
	id    string
	piece piece
}

// piece is a part of a path: its commands and their coordinates, absolute, in 1/100 point.
type piece struct {
	commands string
	at       []int
}

// slack is how far, in 1/100 point, the coordinates of two outlines of one letter may lie apart: both ends of a
// difference are rounded to 1/100, as is what it is compared with.
const slack = 2

// inline reads a document and returns it as an element whose title and description have ids that begin with id.
func (d *drawing) inline(id string, document []byte) (inline, error) {
	var (
		out   inline
		body  bytes.Buffer
		box   string
		into  *string // the text that is being read
		paper bool    // a colour is not the theme's
	)
	decoder := xml.NewDecoder(bytes.NewReader(document))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return out, fmt.Errorf("svg: %w", err)
		}
		switch token := token.(type) {
		case xml.CharData:
			if into != nil {
				*into += string(token)
			}
		case xml.StartElement:
			attributes := map[string]string{}
			for _, a := range token.Attr {
				attributes[a.Name.Local] = a.Value
			}
			switch token.Name.Local {
			case "svg":
				box = attributes["viewBox"]
			case "title":
				into = &out.Title
			case "desc":
				into = &out.Desc
			case "g":
				body.WriteString(`<g transform="` + template.HTMLEscapeString(attributes["transform"]) + `">`)
			case "path":
				themed, err := d.path(&body, attributes["d"], attributes["style"])
				if err != nil {
					return out, fmt.Errorf("svg: %w", err)
				}
				paper = paper || !themed
			default:
				return out, fmt.Errorf("svg: element <%s> is none that package plots draws", token.Name.Local)
			}
		case xml.EndElement:
			into = nil
			if token.Name.Local == "g" {
				body.WriteString("</g>")
			}
		}
	}
	if box == "" || out.Title == "" || out.Desc == "" {
		return out, errors.New("svg: want a document with viewBox, title and desc, as package plots draws it")
	}
	class := "plot"
	if paper {
		class += " paper"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="%s" role="img" aria-labelledby="%s-title %s-desc" viewBox="%s"%s><title id="%s-title">%s</title><desc id="%s-desc">%s</desc>`,
		class, id, id, template.HTMLEscapeString(box), size(box), id, template.HTMLEscapeString(out.Title), id, template.HTMLEscapeString(out.Desc))
	b.Write(body.Bytes())
	b.WriteString("</svg>")
	out.SVG = template.HTML(b.String())
	return out, nil
}

// size gives the width and height of a view box as attributes, so that a figure has its shape before any style, and the
// width to the style (page.css), which draws all figures at one scale: their text is of one size.
func size(box string) string {
	fields := strings.Fields(box)
	if len(fields) != 4 {
		return ""
	}
	width, err := strconv.ParseFloat(fields[2], 64)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(` width="%s" height="%s" style="--points:%g"`, template.HTMLEscapeString(fields[2]), template.HTMLEscapeString(fields[3]), width)
}

// path writes a path, and reports whether its colours are the theme's.
func (d *drawing) path(w *bytes.Buffer, data, style string) (themed bool, err error) {
	subpaths, err := parsePath(data)
	if err != nil {
		return false, err
	}
	look, fill, themed, err := lookOf(style)
	if err != nil {
		return false, err
	}
	if !fill || strings.Contains(look, "opacity") { // what is translucent must not be laid down twice
		fmt.Fprintf(w, `<path %s d="`, look)
		writePath(w, slices.Concat(subpaths...))
		w.WriteString(`"/>`)
		return themed, nil
	}
	pieces := join(subpaths)
	if len(pieces) > 1 {
		fmt.Fprintf(w, `<g %s>`, look)
		look = ""
	}
	for _, subs := range pieces {
		p := slices.Concat(subs...)
		attributes := look
		if attributes != "" {
			attributes += " "
		}
		if len(p) > 5 { // more than a rectangle
			id, at := d.shape(p)
			fmt.Fprintf(w, `<use %shref="#%s" x="%s" y="%s"/>`, attributes, id, hundredths(at[0]), hundredths(at[1]))
			continue
		}
		fmt.Fprintf(w, `<path %sd="`, attributes)
		writePath(w, p)
		w.WriteString(`"/>`)
	}
	if len(pieces) > 1 {
		w.WriteString("</g>")
	}
	return themed, nil
}

// step is a command of a path with its coordinates, absolute, in 1/100 point.
type step struct {
	command byte
	at      []int
}

var coordinates = map[byte]int{'M': 2, 'L': 2, 'Q': 4, 'C': 6, 'Z': 0}

// parsePath reads the data of a path, absolute as package plots writes it, into subpaths that each begin with M.
func parsePath(data string) (subpaths [][]step, err error) {
	for i := 0; i < len(data); {
		command := data[i]
		n, known := coordinates[command]
		end := i + 1
		for end < len(data) && (data[end] < 'A' || data[end] > 'Z') {
			end++
		}
		fields := strings.FieldsFunc(data[i+1:end], func(r rune) bool { return r == ',' || r == ' ' || r == '\n' })
		if !known || len(fields) != n {
			return nil, fmt.Errorf("path: %q is no command of M, L, Q, C and Z with its coordinates", data[i:end])
		}
		s := step{command: command}
		for _, f := range fields {
			x, err := strconv.ParseFloat(f, 64)
			if err != nil || math.Abs(x) > 1e6 {
				return nil, fmt.Errorf("path: %q is no coordinate", f)
			}
			s.at = append(s.at, int(math.Round(x*100)))
		}
		if command == 'M' {
			subpaths = append(subpaths, nil)
		}
		if len(subpaths) == 0 {
			return nil, fmt.Errorf("path: want M first, got %q", data[i:end])
		}
		last := len(subpaths) - 1
		subpaths[last] = append(subpaths[last], s)
		i = end
	}
	return subpaths, nil
}

// join puts together the subpaths that lie beside or in each other, as a letter and its hole do: what is left apart has
// no point in common, and may be filled apart.
func join(subpaths [][]step) (pieces [][][]step) {
	right := math.MinInt
	for _, s := range subpaths {
		lo, hi := across(s)
		if len(pieces) > 0 && lo <= right && hi >= left(pieces[len(pieces)-1]) {
			pieces[len(pieces)-1] = append(pieces[len(pieces)-1], s)
			right = max(right, hi)
			continue
		}
		pieces = append(pieces, [][]step{s})
		right = hi
	}
	return pieces
}

func left(piece [][]step) int {
	lo := math.MaxInt
	for _, s := range piece {
		l, _ := across(s)
		lo = min(lo, l)
	}
	return lo
}

// across returns the extent of a subpath along x.
func across(steps []step) (lo, hi int) {
	lo, hi = math.MaxInt, math.MinInt
	for _, s := range steps {
		for i := 0; i < len(s.at); i += 2 {
			lo, hi = min(lo, s.at[i]), max(hi, s.at[i])
		}
	}
	return lo, hi
}

// shape returns the name of an outline, and where it begins.
func (d *drawing) shape(steps []step) (id string, at [2]int) {
	at = [2]int{steps[0].at[0], steps[0].at[1]}
	var p piece
	var commands strings.Builder
	for _, s := range steps {
		commands.WriteByte(s.command)
		for i, x := range s.at {
			p.at = append(p.at, x-at[i%2])
		}
	}
	p.commands = commands.String()
	for _, s := range d.known[p.commands] {
		if alike(s.piece.at, p.at) {
			return s.id, at
		}
	}
	s := shape{id: "g" + strconv.FormatInt(int64(len(d.list)), 36), piece: p}
	if d.known == nil {
		d.known = map[string][]shape{}
	}
	d.known[p.commands] = append(d.known[p.commands], s)
	d.list = append(d.list, s)
	return s.id, at
}

func alike(a, b []int) bool {
	for i := range a {
		if a[i]-b[i] > slack || b[i]-a[i] > slack {
			return false
		}
	}
	return true
}

// shapes returns the element that holds the outlines.
func (d *drawing) shapes() template.HTML {
	if len(d.list) == 0 {
		return ""
	}
	var b bytes.Buffer
	b.WriteString(`<svg class="shapes" width="0" height="0" aria-hidden="true" focusable="false"><defs>`)
	for _, s := range d.list {
		fmt.Fprintf(&b, `<path id="%s" d="`, s.id)
		var steps []step
		at := s.piece.at
		for i := range len(s.piece.commands) {
			n := coordinates[s.piece.commands[i]]
			steps = append(steps, step{s.piece.commands[i], at[:n]})
			at = at[n:]
		}
		writePath(&b, steps)
		b.WriteString(`"/>`)
	}
	b.WriteString("</defs></svg>\n")
	return template.HTML(b.String())
}

// writePath writes steps with coordinates relative to the current point, but for the first.
func writePath(w *bytes.Buffer, steps []step) {
	var x, y, startX, startY int
	var last byte
	for i, s := range steps {
		command := s.command + 'a' - 'A'
		if i == 0 {
			command = s.command
		}
		if s.command == 'Z' {
			w.WriteByte(command)
			x, y, last = startX, startY, command
			continue
		}
		repeated := command == last // which needs no letter
		if !repeated {
			w.WriteByte(command)
		}
		for k, c := range s.at {
			from := x
			if k%2 == 1 {
				from = y
			}
			text := hundredths(c - from)
			if (k > 0 || repeated) && text[0] != '-' {
				w.WriteByte(' ')
			}
			w.WriteString(text)
		}
		x, y, last = s.at[len(s.at)-2], s.at[len(s.at)-1], command
		if s.command == 'M' {
			startX, startY, last = x, y, 0 // what follows m without a letter would be a line
		}
	}
}

// hundredths is n/100 as SVG reads it, without zeros that say nothing.
func hundredths(n int) string {
	text := strconv.FormatFloat(float64(n)/100, 'f', -1, 64)
	if n > -100 && n < 100 && n != 0 {
		return strings.Replace(text, "0.", ".", 1)
	}
	return text
}
