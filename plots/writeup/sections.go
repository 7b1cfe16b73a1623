package writeup

import (
	"bytes"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"regexp"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
)

// Section is a stretch of a write-up as HTML, and the figure under it.
type Section struct {
	HTML template.HTML
	SVG  []byte // of the figure; nil behind the last stretch
	Name string // of the figure's file, without its ending
}

// shown is a line that [Render] made of a figure.
var shown = regexp.MustCompile(`(?m)^!\[[^\n]*\]\(([^)\n]+\.svg)\)$`)

// Sections turns a rendered write-up that lies in a folder into HTML, cut where
// figures stand, so that a page can hold these itself. Links to Markdown files
// and to results stay as they are.
func Sections(text []byte, folder string) ([]Section, error) {
	var sections []Section
	from := 0
	for _, at := range shown.FindAllSubmatchIndex(text, -1) {
		file := filepath.Join(folder, filepath.FromSlash(string(text[at[2]:at[3]])))
		svg, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		html, err := toHTML(text[from:at[0]])
		if err != nil {
			return nil, err
		}
		name := filepath.Base(file)
		sections = append(sections, Section{html, svg, name[:len(name)-len(filepath.Ext(name))]})
		from = at[1]
	}
	html, err := toHTML(text[from:])
	if err != nil {
		return nil, err
	}
	return append(sections, Section{HTML: html}), nil
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// toHTML trusts the text, which is the project's own; HTML in it is left out.
func toHTML(text []byte) (template.HTML, error) {
	var b bytes.Buffer
	if err := markdown.Convert(text, &b); err != nil {
		return "", fmt.Errorf("Markdown: %w", err)
	}
	return template.HTML(b.String()), nil
}
