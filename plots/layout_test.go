package plots

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
	"pgregory.net/rapid"
)

// seenText is a text with its box on the figure.
type seenText struct {
	text string
	box  vg.Rectangle
}

// trace draws a figure on a canvas that only notes what is drawn: the texts, and the box around everything.
func trace(f Figure) (texts []seenText, bounds, page vg.Rectangle, err error) {
	l, err := f.layout()
	if err != nil {
		return nil, bounds, page, err
	}
	canvas := &recorder.Canvas{}
	o := &outline{Canvas: canvas, seen: func(text string, box vg.Rectangle) { texts = append(texts, seenText{text, box}) }}
	l.draw(o)
	inf := vg.Length(math.Inf(1))
	bounds = vg.Rectangle{Min: vg.Point{X: inf, Y: inf}, Max: vg.Point{X: -inf, Y: -inf}}
	for _, action := range canvas.Actions {
		var path vg.Path
		switch a := action.(type) {
		case *recorder.Fill:
			path = a.Path
		case *recorder.Stroke:
			path = a.Path
		}
		for _, c := range path {
			if c.Type != vg.CloseComp {
				bounds.Min = vg.Point{X: min(bounds.Min.X, c.Pos.X), Y: min(bounds.Min.Y, c.Pos.Y)}
				bounds.Max = vg.Point{X: max(bounds.Max.X, c.Pos.X), Y: max(bounds.Max.Y, c.Pos.Y)}
			}
		}
	}
	return texts, bounds, vg.Rectangle{Max: vg.Point{X: l.width, Y: l.height}}, o.err
}

// requireTidy fails if something is cut off or a text covers another.
func requireTidy(t require.TestingT, f Figure) {
	texts, bounds, page, err := trace(f)
	require.NoError(t, err)
	require.True(t, within(bounds, grow(page, 1e-6)), "%s is cut off: %v on %v", f.Name, bounds, page)
	for i, a := range texts {
		require.True(t, within(a.box, page), "%q is cut off: %v on %v", a.text, a.box, page)
		for _, b := range texts[:i] {
			require.False(t, overlaps(a.box, b.box), "%q at %v covers %q at %v", a.text, a.box, b.text, b.box)
		}
	}
}

func TestNothingIsCutOffOrCovered(t *testing.T) {
	for _, f := range samples {
		t.Run(f.Name, func(t *testing.T) { requireTidy(t, f) })
		t.Run(f.Name+" with long words", func(t *testing.T) {
			f.Title = "Antidisestablishmentarianism_and_other_words_that_are_longer_than_any_line_of_this_figure_could_ever_be, said twice"
			f.Subtitle = f.Title + " " + f.Title
			requireTidy(t, f)
		})
	}
}

func TestTitlesAreWholeAndInOrder(t *testing.T) {
	texts, _, _, err := trace(sampleBunched)
	require.NoError(t, err)
	joined := ""
	for _, s := range texts[:5] {
		joined += s.text + " "
	}
	assert.Equal(t, sampleBunched.Title+" "+sampleBunched.Subtitle+" ", joined)
	assert.Greater(t, texts[0].box.Min.Y, texts[1].box.Max.Y)
}

func TestDefaultSizes(t *testing.T) {
	for name, c := range map[string]struct {
		figure        Figure
		width, height vg.Length
	}{
		"line":  {sampleLine, 360, 250},
		"fixed": {Figure{Title: "t", Width: 320, Height: 200, Chart: sampleLine.Chart}, 320, 200},
		"grid":  {sampleGrid, 360, 360},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, page, err := trace(c.figure)
			require.NoError(t, err)
			assert.Equal(t, vg.Rectangle{Max: vg.Point{X: c.width, Y: c.height}}, page)
		})
	}
}

// Any data and names: a figure is tidy or an error says why not; it never panics.
func TestLineChartsOfAnyDataAreTidy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64Range(-5, 5), rapid.Float64Range(1e-6, 1e6), rapid.Just(math.NaN()), rapid.Float64())
		positive := rapid.Float64Range(1e-9, 1e9)
		log := rapid.Bool().Draw(t, "log")
		if log {
			value = rapid.OneOf(positive, rapid.Float64Range(1, 8), rapid.Just(math.NaN()))
		}
		axis := func(label string) Axis {
			return Axis{Label: label, Log: log, Base: rapid.SampledFrom([]int{0, 2}).Draw(t, "base"), Percent: rapid.Bool().Draw(t, "percent")}
		}
		chart := Line{X: axis("x of a rather long name that goes on"), Y: axis("y")}
		names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"gcra", "local", "fixed-window", "a", "long name of a series", "ρ ≤ 1"}),
			1, 4, rapid.ID[string]).Draw(t, "names")
		steps := rapid.Bool().Draw(t, "steps")
		for _, name := range names {
			n := rapid.IntRange(1, 6).Draw(t, "n")
			chart.Series = append(chart.Series, Series{Name: name, Markers: rapid.Bool().Draw(t, "markers"),
				X: rapid.SliceOfN(value, n, n).Draw(t, "x"), Y: rapid.SliceOfN(value, n, n).Draw(t, "y")})
		}
		for range rapid.IntRange(0, 2).Draw(t, "refs") {
			chart.Refs = append(chart.Refs, Ref{Value: positive.Draw(t, "ref"), Vertical: rapid.Bool().Draw(t, "vertical"), Label: "limit"})
		}
		f := Figure{Name: "any", Title: "Title", Chart: chart}
		if steps {
			f.Chart = Step{X: chart.X, Y: chart.Y, Series: chart.Series, Refs: chart.Refs}
		}
		if columns := rapid.IntRange(0, 3).Draw(t, "columns"); columns > 0 {
			f.Chart = Grid{Columns: columns, Panels: []Panel{{"one", f.Chart}, {"two of them", f.Chart}, {"three", chart}}}
		}
		if _, err := f.layout(); err != nil {
			require.ErrorContains(t, err, `figure "any": `)
			require.NotContains(t, err.Error(), "find no place", "the rounds end")
			return
		}
		requireTidy(t, f)
	})
}

func TestLabelsArePushedApartInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "n")
		var heights []vg.Length
		for range n {
			heights = append(heights, vg.Length(rapid.Float64Range(0, 100).Draw(t, "height")))
		}
		moved := pushApart(heights, make([]vg.Length, n), 0, 100, 10)
		for i := range moved {
			require.GreaterOrEqual(t, float64(moved[i]), -1e-9)
			require.LessOrEqual(t, float64(moved[i]), 100+1e-9)
			for k := range i {
				require.GreaterOrEqual(t, math.Abs(float64(moved[i]-moved[k])), 10-1e-9)
				if math.Round(float64(heights[i])) > math.Round(float64(heights[k])) {
					require.Greater(t, moved[i], moved[k])
				}
			}
		}
	})
	assert.Equal(t, []vg.Length{50}, pushApart([]vg.Length{50}, []vg.Length{0}, 0, 100, 10))
	assert.Equal(t, []vg.Length{20, 60}, pushApart([]vg.Length{20, 60}, []vg.Length{0, 0}, 0, 100, 10), "what is apart stays")
	assert.Equal(t, []vg.Length{45, 55}, pushApart([]vg.Length{50, 50}, []vg.Length{1, 2}, 0, 100, 10), "the larger tie is above")
	assert.Equal(t, []vg.Length{0, 10}, pushApart([]vg.Length{0, 1}, []vg.Length{0, 0}, 0, 100, 10))
}

func TestCurvesThatEndInsideAreLabelledBesideThemselves(t *testing.T) {
	texts, _, _, err := trace(sampleTail)
	require.NoError(t, err)
	l, err := sampleTail.layout()
	require.NoError(t, err)
	inside := 0
	for _, s := range texts {
		if s.text == "ρ = 0.5" || s.text == "ρ = 0.8" || s.text == "ρ = 0.95" {
			assert.True(t, within(s.box, l.areas[0]), s.text)
			p := l.panels[0].(*xy)
			for i, pieces := range p.curves {
				for _, piece := range pieces {
					local := s.box.Add(vg.Point{}.Sub(l.areas[0].Min))
					assert.False(t, touches(local, piece), "%s lies on curve %d", s.text, i)
				}
			}
			inside++
		}
	}
	assert.Equal(t, 3, inside)
}

func TestALabelWithoutRoomInsideGoesOutsideWithALeader(t *testing.T) {
	chart := Line{Y: Axis{Min: 0, Max: 1}}
	for i := range 70 { // a thicket, in which one curve ends early
		x := []float64{0, 10}
		if i == 20 {
			x = []float64{0, 5}
		}
		label := ""
		if i == 20 {
			label = "a label"
		}
		y := float64(i) / 70
		chart.Series = append(chart.Series, Series{Name: fmt.Sprint(i), Label: label, Theory: i != 20, X: x, Y: []float64{y, y}})
	}
	f := Figure{Title: "t", Height: 600, Chart: chart}
	l, err := f.layout()
	require.NoError(t, err)
	p := l.panels[0].(*xy)
	found := false
	for _, label := range p.labels {
		if label.text == "a label" {
			found = true
			assert.Greater(t, label.box.Min.X, p.w)
			assert.NotEmpty(t, label.leader)
		}
	}
	assert.True(t, found)
}

func TestPanelsShareRangesOfAxesWithTheSameTitle(t *testing.T) {
	panel := func(title string, top float64) Panel {
		return Panel{title, Line{Y: Axis{Label: title}, Series: []Series{{Name: "a", X: []float64{0, 1}, Y: []float64{0, top}}}}}
	}
	g := Grid{Panels: []Panel{panel("y", 1), panel("y", 10), panel("z", 100)}}
	tops := func(g Grid) (tops []float64) {
		l, err := Figure{Title: "t", Chart: g}.layout()
		require.NoError(t, err)
		for _, p := range l.panels {
			tops = append(tops, p.(*xy).y.high)
		}
		return tops
	}
	assert.Equal(t, []float64{10, 10, 100}, tops(g))
	g.FreeY = true
	assert.Equal(t, []float64{1, 10, 100}, tops(g))
}

func TestEachRowOfAGridLabelsASeriesOnceInItsLastPanel(t *testing.T) {
	texts, _, _, err := trace(sampleGrid)
	require.NoError(t, err)
	count := map[string]int{}
	for _, s := range texts {
		count[s.text]++
	}
	assert.Equal(t, 2, count["local"])
	assert.Equal(t, 2, count["quota"])
	assert.Equal(t, 2, count["central"], "in the second row, only the first panel has it")
	assert.Equal(t, 1, count["Admitted over rate"])
	assert.Equal(t, 2, count["Servers"])
}

func TestGapsBreakCurves(t *testing.T) {
	nan := math.NaN()
	assert.Equal(t, [][]int{{0, 1}, {3}}, runs([]float64{1, 2, 3, 4, nan}, []float64{1, 1, nan, 1, 1}))
	assert.Nil(t, runs([]float64{nan}))

	l, err := Figure{Title: "t", Chart: Line{Series: []Series{{Name: "a", X: []float64{0, 1, 2, 3, 4, 5}, Y: []float64{0, 1, nan, 3, nan, 4}}}}}.layout()
	require.NoError(t, err)
	assert.Len(t, l.panels[0].(*xy).curves[0], 3)
}

func TestCurvesAreCutAtTheEndsOfTheAxes(t *testing.T) {
	for _, chart := range []Chart{
		Line{X: Axis{Max: 10}, Y: Axis{Max: 10}, Series: []Series{{Name: "a", X: []float64{-5, 5, 5, 8, 8}, Y: []float64{5, 5, 20, 20, 5}}}},
		Step{X: Axis{Max: 10}, Y: Axis{Max: 10}, Series: []Series{{Name: "a", X: []float64{-5, 5, 8, 8}, Y: []float64{5, 20, 5, 5}}}},
	} {
		l, err := Figure{Title: "t", Chart: chart}.layout()
		require.NoError(t, err)
		p := l.panels[0].(*xy)
		require.Len(t, p.curves[0], 2)
		first, second := p.curves[0][0], p.curves[0][1]
		assert.InDelta(t, float64(0), float64(first[0].X), 1e-5)
		assert.InDelta(t, float64(p.w/2), float64(first[len(first)-1].X), 1e-5)
		assert.InDelta(t, float64(p.h), float64(first[len(first)-1].Y), 1e-5)
		assert.InDelta(t, float64(p.w*0.8), float64(second[0].X), 1e-5)
		assert.InDelta(t, float64(p.h), float64(second[0].Y), 1e-5)
	}
	_, err := SVG(Figure{Title: "t", Chart: Line{X: Axis{Max: 1}, Series: []Series{{Name: "a", X: []float64{20}, Y: []float64{1}}}}})
	require.NoError(t, err, "nothing is left of it")
}

func TestSimplifyKeepsTheShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		line := make([]vg.Point, n)
		for i := range line {
			line[i] = vg.Point{X: vg.Length(rapid.Float64Range(0, 9).Draw(t, "x")), Y: vg.Length(rapid.Float64Range(0, 9).Draw(t, "y"))}
		}
		kept := simplify(line, 0.5)
		require.Equal(t, 0, kept[0])
		require.Equal(t, n-1, kept[len(kept)-1])
		for _, p := range line {
			near := slices.ContainsFunc(kept, func(k int) bool { return distance(p, line[k]) <= 0.5 })
			require.True(t, near)
		}
	})
	assert.Equal(t, []int{0, 2, 3}, simplify([]vg.Point{{X: 0}, {X: 0.1}, {X: 6}, {X: 6.1}}, 0.2), "the last point stays")
}

func TestStepsKeepTheirValueUntilTheNext(t *testing.T) {
	l, err := Figure{Title: "t", Chart: Step{Series: []Series{{Name: "a", X: []float64{0, 1, 2}, Y: []float64{0, 1, 3}}}}}.layout()
	require.NoError(t, err)
	p := l.panels[0].(*xy)
	require.Len(t, p.curves[0], 1)
	var got [][2]float64
	for _, q := range p.curves[0][0] {
		got = append(got, [2]float64{math.Round(float64(q.X / p.w * 2)), math.Round(float64(q.Y / p.h * 3))})
	}
	assert.Equal(t, [][2]float64{{0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 3}}, got)
}
