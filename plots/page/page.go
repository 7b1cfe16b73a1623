// Package page writes the pages that a reader opens: one HTML file that holds all it needs, opens without a network,
// prints, works without JavaScript, and is light or dark as the reader's system is.
//
// Write puts the shared head, style and script around a body. The body is a text of html/template, executed with the
// data of the caller, and may use these parts beside its own HTML:
//
//	{{template "figure" .F}}      a Figure: an SVG of package plots, in the page itself, with its description
//	{{template "table" .T}}       a Table, folded
//	{{template "command" .C}}     a command line, with a button that copies it
//	{{template "verdict" .V}}     holds, fails or undecided, as a badge
//	{{template "key" .K}}         a Key: a line as figures draw it, and what it stands for
//
// A whole page:
//
//	err := page.Write(w, page.Page{
//		Title: "Bursts",
//		Body:  `<header><h1>{{.Question}}</h1></header><section>{{template "figure" .Figure}}</section>`,
//		Data:  data,
//	})
//
// JavaScript only adds: the theme can be chosen, figures open large, commands are copied, tables with many rows can be
// filtered, and sorted by a click on a head. A page that needs more brings its own in Page.Script.
//
// Figures keep to the colours of package plots, which in the dark give way to lighter ones of the same hue (page.css);
// a figure with other colours, as a heat map has, lies on white. Text in figures is outlines, which are alike from one
// figure to the next: a page holds each once (svg.go).
package page

import (
	"bytes"
	_ "embed" // style, script and parts
	"errors"
	"fmt"
	"html/template"
	"io"
	"regexp"

	"ratelab/plots/table"
)

//go:embed page.html
var parts string

//go:embed page.css
var style string

//go:embed page.js
var script string

// Page is a document.
type Page struct {
	Title       string // of the window; the heading is the body's
	Description string // a sentence for those who list pages
	Body        string // html/template text; see the package comment
	Data        any    // what Body is executed with
	Style       string // CSS after the shared one
	Script      string // JavaScript after the shared one
}

// Figure is an SVG of package plots on a page.
type Figure struct {
	ID      string // unique on the page: a letter, then letters, digits, '-', '_' or '.'
	SVG     []byte // as plots.SVG gives it
	Caption string // under the figure; may be empty
	Links   []Link // under the figure: the files
}

// Link is a link to a file beside the page, or to a place on it.
type Link struct{ Text, Href string }

// Table is rows of text under named columns, folded until it is wanted.
type Table struct {
	Summary string // what is seen while it is folded
	Open    bool   // it is not folded at first
	Note    string // under the table; may be empty
	Columns []Column
	Rows    [][]string
	Left    int    // rows that were left out, after those shown
	Links   []Link // files with all rows
}

// Key is a line as figures draw it.
type Key struct {
	Label string
	Color string // of package plots: "#D55E00"
	Dash  string // lengths of dash and gap, "5,2"; empty: solid
}

// Column is a column of a Table.
type Column struct {
	Name        string
	Unit        string // may be empty
	Description string // may be empty
	Number      bool   // set flush right, sorted by value
}

// NewTable returns the first rows of a table, at most so many.
func NewTable(summary string, t *table.Table, most int) Table {
	p := Table{Summary: summary, Left: max(0, t.Len()-most)}
	for _, c := range t.Columns() {
		p.Columns = append(p.Columns, Column{Name: c.Name, Unit: c.Unit, Description: c.Description, Number: c.Type != table.Text})
	}
	for i := range min(most, t.Len()) {
		p.Rows = append(p.Rows, t.Record(i))
	}
	return p
}

// identifier is what an ID may be, so that it needs no quoting in a link.
var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)

// Write writes a page. The same page gives the same bytes.
func Write(w io.Writer, p Page) error {
	if p.Title == "" {
		return errors.New("page: it has no title")
	}
	d := &drawing{}
	ids := map[string]bool{}
	t, err := template.New("page").Option("missingkey=error").Funcs(template.FuncMap{
		"stroke": func(k Key) (template.HTMLAttr, error) {
			look, _, _, err := lookOf("fill:none;stroke:" + k.Color + ";stroke-dasharray:" + k.Dash)
			return template.HTMLAttr(look), err
		},
		"draw": func(f Figure) (inline, error) {
			if !identifier.MatchString(f.ID) {
				return inline{}, fmt.Errorf("figure %q: want an ID of letters and digits, a letter first", f.ID)
			}
			if ids[f.ID] {
				return inline{}, fmt.Errorf("figure %q: the ID is there twice", f.ID)
			}
			ids[f.ID] = true
			drawn, err := d.inline(f.ID, f.SVG)
			if err != nil {
				return drawn, fmt.Errorf("figure %q: %w", f.ID, err)
			}
			return drawn, nil
		},
	}).Parse(parts)
	if err != nil {
		return err
	}
	if _, err := t.New("body").Parse(p.Body); err != nil {
		return fmt.Errorf("page %q: %w", p.Title, err)
	}
	var body bytes.Buffer
	if err := t.ExecuteTemplate(&body, "body", p.Data); err != nil {
		return fmt.Errorf("page %q: %w", p.Title, err)
	}
	// Style and script are the program's own text; the body was escaped when it was executed.
	return t.ExecuteTemplate(w, "document", map[string]any{
		"Title": p.Title, "Description": p.Description,
		"Style":  template.CSS(style + p.Style),
		"Script": template.JS(script + p.Script),
		"Body":   template.HTML(body.String()),
		"Shapes": d.shapes(),
	})
}
