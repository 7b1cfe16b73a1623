package page

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/plots"
)

// drawn is a figure of package plots as SVG.
func drawn(t *testing.T, chart plots.Chart) []byte {
	t.Helper()
	svg, err := plots.SVG(plots.Figure{Name: "test", Title: "Bees & ants see 8%", Subtitle: `Buzzing <zzz> "Oo" i: ij`, Chart: chart})
	require.NoError(t, err)
	return svg
}

func lines() plots.Line {
	x := []float64{1, 2, 4, 8}
	chart := plots.Line{X: plots.Axis{Label: "Servers"}, Y: plots.Axis{Label: "Share", Percent: true}, Refs: []plots.Ref{{Value: 0.5, Label: "half"}}}
	for i, name := range []string{"token-bucket", "gcra", "sliding-log", "sliding-counter", "fixed-window", "leaky-meter", "leaky-queue"} {
		s := plots.Series{Name: name, X: x, Markers: true}
		for k := range x {
			y := float64(i+1) / 10 * float64(k+1) / 4
			s.Y, s.Lo, s.Hi = append(s.Y, y), append(s.Lo, y-0.01), append(s.Hi, y+0.01)
		}
		chart.Series = append(chart.Series, s)
	}
	return chart
}

func heat() plots.Heat {
	return plots.Heat{XLabel: "x", X: []string{"1", "2"}, Y: []string{"a", "b"}, Z: [][]float64{{0, 1}, {0.3, 0.8}}, Min: 0, Max: 1}
}

func TestFiguresArePutIntoThePageFaithfully(t *testing.T) {
	for name, chart := range map[string]plots.Chart{
		"line": lines(), "heat": heat(),
		"grid": plots.Grid{Panels: []plots.Panel{{Title: "one", Chart: lines()}, {Title: "two", Chart: lines()}}},
	} {
		t.Run(name, func(t *testing.T) {
			svg := drawn(t, chart)
			d := &drawing{}
			first, err := d.inline("first", svg)
			require.NoError(t, err)
			known := len(d.list)
			again, err := d.inline("first", svg)
			require.NoError(t, err)
			assert.Equal(t, first, again)
			assert.Len(t, d.list, known, "the same letters have the same outlines")
			assert.Less(t, len(first.SVG), len(svg)/3)
			assert.Equal(t, "Bees & ants see 8%", first.Title)
			assert.Equal(t, `Buzzing <zzz> "Oo" i: ij`, first.Desc)

			want, got := points(t, string(svg), nil), points(t, string(first.SVG), shapesOf(t, string(d.shapes())))
			require.Len(t, got, len(want))
			for i := range want {
				require.InDelta(t, want[i], got[i], 0.03, "coordinate %d", i)
			}
		})
	}
}

func TestFiguresFollowTheThemeUnlessTheirColoursAreTheirOwn(t *testing.T) {
	d := &drawing{}
	line, err := d.inline("line", drawn(t, lines()))
	require.NoError(t, err)
	assert.Contains(t, line.SVG, `<svg class="plot" `)
	assert.NotContains(t, line.SVG, "#0", "every colour is named")
	assert.Contains(t, line.SVG, "f-black", "also that which SVG takes for granted")
	for _, m := range regexp.MustCompile(`<(path|use) [^>]*>|<g [^>]*>`).FindAllString(string(line.SVG), -1) {
		if strings.HasPrefix(m, "<path") && !strings.Contains(m, "class=") {
			assert.Regexp(t, `^<path d=`, m, "it is in a group that has the colour")
		}
	}
	heat, err := d.inline("heat", drawn(t, heat()))
	require.NoError(t, err)
	assert.Contains(t, heat.SVG, `<svg class="plot paper" `)
}

var rule = regexp.MustCompile(`--([a-z-]+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\);`)

func TestTheStyleKnowsTheColoursOfFigures(t *testing.T) {
	light, dark := map[string]string{}, map[string]string{}
	for _, m := range rule.FindAllStringSubmatch(style, -1) {
		light[m[1]], dark[m[1]] = m[2], m[3]
	}
	for _, c := range theme {
		rgb, err := strconv.ParseInt(light[c.name], 16, 32)
		require.NoError(t, err, c.name)
		assert.EqualValues(t, c.rgb, rgb, c.name)
		assert.Contains(t, style, ".f-"+c.name+" { fill: var(--"+c.name+"); }")
		assert.Contains(t, style, ".s-"+c.name+" { stroke: var(--"+c.name+"); }")
		switch c.name {
		case "sheet", "blank", "faint", "pale": // not text
		default:
			assert.GreaterOrEqual(t, contrast(t, dark[c.name], dark["sheet"]), 4.5, "%s in the dark", c.name)
		}
	}
}

// contrast is the contrast ratio of two colours by WCAG 2.1.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(hex string) (sum float64) {
		rgb, err := strconv.ParseInt(hex, 16, 32)
		require.NoError(t, err)
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			x := float64(rgb>>(16-8*i)&0xFF) / 255
			if x <= 0.04045 {
				x /= 12.92
			} else {
				x = math.Pow((x+0.055)/1.055, 2.4)
			}
			sum += weight * x
		}
		return sum
	}
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x, y) / min(x, y)
}

func TestSVGsThatPackagePlotsDoesNotDrawAreRefused(t *testing.T) {
	around := func(body string) string {
		return `<svg viewBox="0 0 10 10"><title>t</title><desc>d</desc>` + body + `</svg>`
	}
	for body, want := range map[string]string{
		"":                                  "want a document with viewBox, title and desc",
		"<svg>":                             "svg: XML syntax error",
		`<svg viewBox="0 0 10 10"></svg>`:   "want a document with viewBox, title and desc",
		around(`<script>alert(1)</script>`): "element <script> is none that package plots draws",
		around(`<path d="h1" style="fill:#000000"/>`):                          `"h1" is no command`,
		around(`<path d="M1" style="fill:#000000"/>`):                          `"M1" is no command`,
		around(`<path d="L1,2" style="fill:#000000"/>`):                        "want M first",
		around(`<path d="M1,x" style="fill:#000000"/>`):                        `"x" is no coordinate`,
		around(`<path d="M1,NaN" style="fill:#000000"/>`):                      `is no command`,
		around(`<path d="M1,2" style="fill:#000000;filter:url(http://x/y)"/>`): `style "filter:url(http://x/y)" is none`,
	} {
		_, err := (&drawing{}).inline("x", []byte(body))
		assert.ErrorContains(t, err, want, body)
	}
}

func FuzzInline(f *testing.F) {
	f.Add(`<svg viewBox="0 0 10 10"><title>t</title><desc>d</desc><path d="M1,2L3,4Q1,2,3,4Z" style="fill:#000000;fill-opacity:0.2"/></svg>`)
	f.Fuzz(func(t *testing.T, document string) {
		out, err := (&drawing{}).inline("x", []byte(document))
		if err == nil {
			var element any
			require.NoError(t, xml.Unmarshal([]byte(out.SVG), &element))
		}
	})
}

func TestNumbersAreShortAndExact(t *testing.T) {
	for n, want := range map[int]string{0: "0", 5: ".05", -5: "-.05", 50: ".5", 100: "1", -100: "-1", 1005: "10.05", 10: ".1"} {
		assert.Equal(t, want, hundredths(n))
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(-1e6, 1e6).Draw(t, "n")
		x, err := strconv.ParseFloat(hundredths(n), 64)
		require.NoError(t, err)
		require.Equal(t, n, int(math.Round(x*100)))
	})
}

// points reads all coordinates of the paths of a document, with the shapes that it uses put in.
func points(t *testing.T, document string, shapes map[string]string) (all []float64) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(document))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		a := map[string]string{}
		for _, attribute := range start.Attr {
			a[attribute.Name.Local] = attribute.Value
		}
		switch start.Name.Local {
		case "path":
			all = append(all, trace(t, a["d"], 0, 0)...)
		case "use":
			x, err := strconv.ParseFloat(a["x"], 64)
			require.NoError(t, err)
			y, err := strconv.ParseFloat(a["y"], 64)
			require.NoError(t, err)
			require.Contains(t, shapes, strings.TrimPrefix(a["href"], "#"))
			all = append(all, trace(t, shapes[strings.TrimPrefix(a["href"], "#")], x, y)...)
		}
	}
}

// shapesOf reads the outlines that a page holds.
func shapesOf(t *testing.T, element string) map[string]string {
	t.Helper()
	var parsed struct {
		Paths []struct {
			ID   string `xml:"id,attr"`
			Data string `xml:"d,attr"`
		} `xml:"defs>path"`
	}
	require.NoError(t, xml.Unmarshal([]byte(element), &parsed))
	shapes := map[string]string{}
	for _, p := range parsed.Paths {
		shapes[p.ID] = p.Data
	}
	return shapes
}

// trace reads the coordinates of a path, relative or not, by the grammar of SVG 1.1 (8.3.9), as absolute ones.
func trace(t *testing.T, data string, dx, dy float64) (all []float64) {
	t.Helper()
	words := regexp.MustCompile(`[A-Za-z]|-?(\d+\.?\d*|\.\d+)`).FindAllString(data, -1)
	var x, y, startX, startY float64
	command := ""
	for i := 0; i < len(words); {
		if regexp.MustCompile(`^[A-Za-z]$`).MatchString(words[i]) {
			command = words[i]
			i++
			if command == "z" || command == "Z" {
				x, y = startX, startY
				continue
			}
		}
		n := map[string]int{"M": 2, "L": 2, "Q": 4, "C": 6}[strings.ToUpper(command)]
		require.Positive(t, n, command)
		relative := command == strings.ToLower(command)
		fromX, fromY := x, y
		for k := range n {
			v, err := strconv.ParseFloat(words[i+k], 64)
			require.NoError(t, err)
			to, from, shift := &x, fromX, dx
			if k%2 == 1 {
				to, from, shift = &y, fromY, dy
			}
			if relative {
				v += from
			}
			*to = v
			all = append(all, v+shift)
		}
		if strings.ToUpper(command) == "M" {
			startX, startY = x, y
			command = map[string]string{"M": "L", "m": "l"}[command]
		}
		i += n
	}
	return all
}
