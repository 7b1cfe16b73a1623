package writeup

import (
	"bytes"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Section is a stretch of a write-up as HTML, and the figure under it.
type Section struct {
	HTML template.HTML
	SVG  []byte // of the figure; nil behind the last stretch
	Name string // of the figure's file, without its ending
}

// Place is where the HTML of a write-up goes.
type Place struct {
	Folder string // in which the page lies, from which links lead
	Below  int    // levels that headings stand below those of the text
	Prefix string // of the ids of headings, so that they are nobody else's
}

// shown is a line that [Render] made of a figure.
var shown = regexp.MustCompile(`(?m)^!\[[^\n]*\]\(([^)\n]+\.svg)\)$`)

// Sections turns a rendered write-up that lies in a folder into HTML, cut where
// figures stand, so that a page can hold these itself.
func Sections(source []byte, folder string, place Place) ([]Section, error) {
	var sections []Section
	from := 0
	for _, at := range shown.FindAllSubmatchIndex(source, -1) {
		file := filepath.Join(folder, filepath.FromSlash(string(source[at[2]:at[3]])))
		svg, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		html, err := toHTML(source[from:at[0]], folder, place)
		if err != nil {
			return nil, err
		}
		name := filepath.Base(file)
		sections = append(sections, Section{html, svg, name[:len(name)-len(filepath.Ext(name))]})
		from = at[1]
	}
	html, err := toHTML(source[from:], folder, place)
	if err != nil {
		return nil, err
	}
	return append(sections, Section{HTML: html}), nil
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// toHTML trusts the text, which is the project's own; HTML in it is left out.
func toHTML(source []byte, folder string, place Place) (template.HTML, error) {
	doc := markdown.Parser().Parse(text.NewReader(source))
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			n.Level = min(6, n.Level+place.Below)
			if id, ok := n.AttributeString("id"); ok {
				n.SetAttributeString("id", append([]byte(place.Prefix), id.([]byte)...))
			}
		case *ast.Link:
			to := string(n.Destination)
			if strings.Contains(to, "://") || strings.HasPrefix(to, "#") {
				break
			}
			moved, err := from(place.Folder, filepath.Join(folder, filepath.FromSlash(to)))
			if err != nil {
				return ast.WalkStop, err
			}
			n.Destination = []byte(moved)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, source, doc); err != nil {
		return "", err
	}
	return template.HTML(b.String()), nil
}
