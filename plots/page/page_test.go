package page

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/plots/table"
)

// write writes a page as text.
func write(t *testing.T, p Page) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Write(&out, p))
	return out.String()
}

func TestAPageHoldsAllItNeeds(t *testing.T) {
	text := write(t, Page{
		Title: "Bees & ants", Description: `A "page"`,
		Body: `<main>{{template "figure" .Figure}}{{template "table" .Table}}{{template "command" .Command}}{{template "verdict" "holds"}}</main>`,
		Data: map[string]any{
			"Figure":  Figure{ID: "f.1", SVG: drawn(t, lines()), Caption: "<b>", Links: []Link{{"SVG", "a/b c.svg"}}},
			"Table":   Table{Summary: "3 rows", Columns: []Column{{Name: "x", Unit: "s", Number: true}}, Rows: [][]string{{"1"}, {""}}, Left: 7, Links: []Link{{"CSV", "x.csv"}}},
			"Command": "ratelab run x --set 'a=<b>'",
		},
		Style: ".own { color: red; }\n", Script: "// own\n",
	})
	for _, want := range []string{
		"<!DOCTYPE html>\n<html lang=\"en\">", "<title>Bees &amp; ants</title>", `<meta name="description" content="A &#34;page&#34;">`,
		`<figure id="f.1">`, `role="img" aria-labelledby="f.1-title f.1-desc"`, ` style="--points:360"`, `<title id="f.1-title">Bees &amp; ants see 8%</title>`,
		`<desc id="f.1-desc">Buzzing &lt;zzz&gt;`, "<span>&lt;b&gt;</span>", `<a href="a/b%20c.svg">SVG</a>`,
		"<summary>3 rows</summary>", `<th scope="col" class="n">x <small>s</small></th>`, `<td class="n">1</td>`, "7 more rows are in the files. ",
		"<code>ratelab run x --set &#39;a=&lt;b&gt;&#39;</code>", `<span class="verdict holds">holds</span>`,
		".own { color: red; }", "// own\n", "Content-Security-Policy", `<path id="g0" d="M0 0`,
	} {
		assert.Contains(t, text, want)
	}
	for _, never := range []string{"http://", "https://", "ZgotmplZ", "@import", "url("} {
		assert.NotContains(t, text, never)
	}
	assert.Equal(t, 1, strings.Count(text, "<script>"))
}

func TestPagesThatCanNotBeWrittenSayWhy(t *testing.T) {
	figure := Figure{ID: "f", SVG: drawn(t, lines())}
	twice := `{{template "figure" .}}{{template "figure" .}}`
	for want, p := range map[string]Page{
		"page: it has no title":               {},
		`page "x": template: body:1:`:         {Title: "x", Body: "{{"},
		`figure "f": the ID is there twice`:   {Title: "x", Body: twice, Data: figure},
		`figure "1 2": want an ID of letters`: {Title: "x", Body: twice, Data: Figure{ID: "1 2"}},
		`figure "f": svg: want a document`:    {Title: "x", Body: twice, Data: Figure{ID: "f"}},
		`map has no entry for key "Nothing"`:  {Title: "x", Body: "{{.Nothing}}", Data: map[string]any{}},
	} {
		var out bytes.Buffer
		assert.ErrorContains(t, Write(&out, p), want)
		assert.Zero(t, out.Len(), "nothing is written of a page that can not be whole")
	}
	assert.ErrorIs(t, Write(full{}, Page{Title: "x"}), errFull)
}

type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestATableShowsItsFirstRows(t *testing.T) {
	rows, err := table.New(table.Column{Name: "name"}, table.Column{Name: "x", Unit: "s", Type: table.Number})
	require.NoError(t, err)
	for i := range 5 {
		require.NoError(t, rows.Append("r", float64(i)/4))
	}
	require.NoError(t, rows.Append("r", math.NaN()))
	assert.Equal(t, Table{
		Summary: "s", Columns: []Column{{Name: "name"}, {Name: "x", Unit: "s", Number: true}}, Rows: [][]string{{"r", "0"}, {"r", "0.25"}}, Left: 4,
	}, NewTable("s", rows, 2))
	all := NewTable("s", rows, 10)
	assert.Len(t, all.Rows, 6)
	assert.Zero(t, all.Left)
}
