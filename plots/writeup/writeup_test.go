package writeup_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/plots/writeup"
)

// here is what git keeps of the results.
var here = writeup.Source{Results: filepath.Join("..", "..", "results"), Folder: filepath.Join("..", "..", "docs")}

const blink = `"boundary-burst" "admitted_in_blink" "part=straddle,limiter=fixed-window,limit=100,window=1s"`

func Example() {
	text, err := writeup.Render("example", `A limit of `+"`100`"+` lets {{mean `+blink+`}} pass.`, here)
	fmt.Println(string(text), err)
	// Output: A limit of `100` lets 200 pass. <nil>
}

func TestNumbersAreLookedUp(t *testing.T) {
	for text, want := range map[string]string{
		`{{mean ` + blink + ` | times}}`:                                                                       "200×",
		`{{verdicts "boundary-burst"}}`:                                                                        "all ",
		`{{figure "boundary-burst" "story"}}`:                                                                  "](../results/boundary-burst/boundary-burst-story.svg)\n\n*[boundary-burst](../results/boundary-burst/summary.csv): `make boundary-burst`*",
		`{{figure "boundary-burst" "stroy"}}`:                                                                  `error: did you mean "story"`,
		`{{mean "boundary-bust" "admitted" ""}}`:                                                               `error: did you mean "boundary-burst"`,
		`{{mean "boundary-burst" "admited" "part=straddle"}}`:                                                  `error: did you mean "admitted"`,
		`{{mean "boundary-burst" "admitted" "part"}}`:                                                          `error: want FACTOR=VALUE`,
		`{{table "boundary-burst" "admitted" "limit" "window" "part=nowhere"}}`:                                "error: has no admitted at part=nowhere",
		`{{table "boundary-burst" "admitted_in_blink" "limit" "window" "part=straddle,limiter=fixed-window"}}`: "| limit | `1s` | `10s` | `1m` | `1h` | `1d` |\n|---|---:|---:|---:|---:|---:|\n| `10` | 20 | 20 | 20 | 20 | 20 |\n| `100` | 200 |",
		`{{mean `: "error: unclosed action",
	} {
		got, err := writeup.Render("test", text, here)
		if wrong, ok := strings.CutPrefix(want, "error: "); ok {
			assert.ErrorContains(t, err, wrong, text)
			continue
		}
		require.NoError(t, err, text)
		assert.Contains(t, string(got), want, text)
	}
}

func TestLinksLeadFromAnyFolder(t *testing.T) {
	results, err := filepath.Abs(here.Results)
	require.NoError(t, err)
	folder := t.TempDir()
	for _, src := range []writeup.Source{{Results: here.Results, Folder: folder}, {Results: results, Folder: "."}} {
		text, err := writeup.Render("test", `{{figure "boundary-burst" "story"}}`, src)
		require.NoError(t, err)
		_, link, _ := strings.Cut(string(text), "](")
		link, _, _ = strings.Cut(link, ")")
		assert.FileExists(t, filepath.Join(src.Folder, filepath.FromSlash(link)))
	}
}

func TestFiguresThatAreTypedAreRefused(t *testing.T) {
	for text, want := range map[string][]writeup.Figure{
		"eight servers, {{mean \"x\" \"p99\" \"servers=8\"}} of `limit=100`\n": nil,
		"answers 429, not 503 (RFC 6585); M/D/1 [here](a1.svg)":                nil,
		"```sh\nmake 100\n```":                        nil,
		"one line\ntwo 7.9× too much\n<!-- \n4 --> 5": {{Line: 2, Text: "7.9×"}, {Line: 4, Text: "5"}},
		"it is 37% of (12 requests)":                  {{Line: 1, Text: "37%"}, {Line: 1, Text: "(12"}},
	} {
		assert.Equal(t, want, writeup.Typed(text), text)
	}
	_, err := writeup.Render("page", "one\n8 times", here)
	assert.EqualError(t, err, `page:2: "8" is typed; a write-up looks its numbers up, as in {{mean "NAME" "METRIC" "FACTOR=VALUE,…"}}`)
}

func TestSectionsAreCutWhereFiguresStand(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "docs"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "docs", "a.svg"), []byte("<svg/>"), 0o600))
	sections, err := writeup.Sections([]byte("# Of limits\n\n![title](a.svg)\n\n*caption*\n\n| a | b |\n|---|---:|\n| 1 | 2 |\n\n<script>x</script>\n\n[data](../data.csv) [there](https://there/x)\n"), filepath.Join(folder, "docs"), writeup.Place{Folder: folder, Below: 1, Prefix: "t-"})
	require.NoError(t, err)
	require.Len(t, sections, 2)
	assert.Equal(t, "<h2 id=\"t-of-limits\">Of limits</h2>\n", string(sections[0].HTML))
	assert.Equal(t, "<svg/>", string(sections[0].SVG))
	assert.Equal(t, "a", sections[0].Name)
	assert.Contains(t, sections[1].HTML, "<em>caption</em>")
	assert.Contains(t, sections[1].HTML, "<td style=\"text-align:right\">2</td>")
	assert.NotContains(t, sections[1].HTML, "script")
	assert.Contains(t, sections[1].HTML, `<a href="data.csv">data</a> <a href="https://there/x">there</a>`)

	_, err = writeup.Sections([]byte("![title](b.svg)\n"), folder, writeup.Place{Folder: folder})
	assert.ErrorIs(t, err, os.ErrNotExist)
}
