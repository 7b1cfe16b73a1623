package plots

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatCannotBeDrawnIsAnErrorThatSaysWhy(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one := []Series{{Name: "gcra", X: []float64{1, 2}, Y: []float64{1, 2}}}
	line := func(s Series) Chart { s.Name = "gcra"; return Line{Series: []Series{s}} }
	logY := Axis{Log: true}
	for name, c := range map[string]struct {
		chart Chart
		want  string
	}{
		"no chart":            {nil, "it has no chart"},
		"no series":           {Line{}, "the chart has no series"},
		"no name":             {Line{Series: []Series{{X: []float64{1}, Y: []float64{1}}}}, `series 1 "": it has no name`},
		"no points":           {line(Series{}), `series 1 "gcra": it has no points`},
		"all missing":         {line(Series{X: []float64{1}, Y: []float64{nan}}), `series 1 "gcra": every point is missing (NaN)`},
		"lengths":             {line(Series{X: []float64{1}, Y: []float64{1, 2}}), `series 1 "gcra": want as many y as x, got 2 and 1`},
		"interval lengths":    {line(Series{X: []float64{1}, Y: []float64{1}, Lo: []float64{1}}), `series 1 "gcra": want as many lo and hi as x, or neither, got 1, 0 and 1`},
		"interval upside":     {line(Series{X: []float64{1}, Y: []float64{1}, Lo: []float64{2}, Hi: []float64{1}}), `series 1 "gcra": point 1: want an interval with lo <= hi, both finite, got 2 to 1`},
		"infinite":            {line(Series{X: []float64{1}, Y: []float64{inf}}), `series 1 "gcra": point 1: y: +Inf is too large to draw`},
		"zero on log":         {Line{Y: logY, Series: []Series{{Name: "a", X: []float64{1}, Y: []float64{0}}}}, `series 1 "a": point 1: y: 0 cannot be drawn on a log axis: use a linear axis, or NaN for a gap`},
		"tiny on log":         {Line{X: logY, Series: []Series{{Name: "a", X: []float64{1e-305}, Y: []float64{0}}}}, `series 1 "a": point 1: x: 1e-305 is too small to draw on a log axis`},
		"upper end on log":    {Line{Y: logY, Series: []Series{{Name: "a", X: []float64{1}, Y: []float64{1}, Lo: []float64{-1}, Hi: []float64{0}}}}, `series 1 "a": point 1: hi: 0 cannot be drawn on a log axis: use a linear axis, or NaN for a gap`},
		"ends":                {Line{X: Axis{Min: 2, Max: 1}, Series: one}, "x axis: min must be clearly below max, got 2 and 1"},
		"negative log end":    {Line{Y: Axis{Log: true, Min: -1}, Series: one}, "y axis: a log axis starts above 0, got -1 to 0"},
		"infinite end":        {Line{Y: Axis{Max: inf}, Series: one}, "y axis: ends must lie within ±1e+300, or be NaN to leave them to the data, got 0 and +Inf"},
		"base":                {Line{Y: Axis{Base: 3}, Series: one}, "y axis: base must be 2 or 10, got 3"},
		"zero on a log axis":  {Line{Y: Axis{Log: true, Zero: true}, Series: one}, "y axis: a log axis cannot include 0"},
		"tick":                {Line{Y: Axis{Log: true, Ticks: []Tick{{0, "none"}}}, Series: one}, `y axis: tick "none": value 0 is not on the axis`},
		"reference":           {Line{Series: one, Refs: []Ref{{Value: nan, Label: "limit"}}}, `reference line 1 "limit": value NaN is not on the axis`},
		"dots without name":   {Step{Rows: []Dots{{}}}, "row of dots 1 has no name"},
		"no dots":             {Step{Rows: []Dots{{Name: "a"}}}, `row of dots 1 "a" has no dots`},
		"dots":                {Step{Rows: []Dots{{Name: "a", Times: []float64{1}}}}, `row of dots 1 "a": want as many admitted as times, got 0 and 1`},
		"dot time":            {Step{Rows: []Dots{{Name: "a", Times: []float64{nan}, Admitted: []bool{true}}}}, `row of dots 1 "a": time 1, NaN, is not on the axis`},
		"missing character":   {Line{X: Axis{Label: "時"}, Series: one}, `text "時": the font has no character '時'`},
		"no panels":           {Grid{}, "the grid has no panels"},
		"columns":             {Grid{Columns: -1}, "columns must be > 0, or 0 for 2, got -1"},
		"empty panel":         {Grid{Panels: []Panel{{Title: "a"}}}, `panel 1 "a" has no chart`},
		"grid in a grid":      {Grid{Panels: []Panel{{"a", Grid{}}}}, `panel 1 "a": a grid cannot stand in a grid`},
		"in a panel":          {Grid{Panels: []Panel{{"a", Line{Series: one}}, {"b", Line{}}}}, "panel 2: the chart has no series"},
		"no cells":            {Heat{X: []string{"a"}}, "a heat map needs rows and columns, got 0 and 1"},
		"rows of cells":       {Heat{X: []string{"a"}, Y: []string{"b"}}, "want as many rows of z as y, got 0 and 1"},
		"cells":               {Heat{X: []string{"a"}, Y: []string{"b"}, Z: [][]float64{{1, 2}}}, `row 1 "b": want as many z as x, got 2 and 1`},
		"blank":               {Heat{X: []string{"a"}, Y: []string{"b"}, Z: [][]float64{{nan}}}, "every value of the heat map is missing (NaN)"},
		"cell on log":         {Heat{X: []string{"a"}, Y: []string{"b"}, Z: [][]float64{{0}}, Log: true}, `row 1 "b", column 1 "a": 0 cannot be drawn on a log axis: use a linear axis, or NaN for a gap`},
		"colours":             {Heat{X: []string{"a"}, Y: []string{"b"}, Z: [][]float64{{1}}, Min: 2, Max: 1}, "min must be below max, got 2 and 1"},
		"log colours":         {Heat{X: []string{"a"}, Y: []string{"b"}, Z: [][]float64{{1}}, Max: 1, Log: true}, "with log, min must be > 0, got 0"},
		"infinite colours":    {Heat{X: []string{"a"}, Y: []string{"b"}, Z: [][]float64{{1}}, Max: inf}, "min and max must be finite"},
		"pointers are charts": {&Line{}, "the chart has no series"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, render := range []func(Figure) ([]byte, error){SVG, PDF, PNG} {
				_, err := render(Figure{Name: "f", Title: "t", Chart: c.chart})
				assert.EqualError(t, err, `figure "f": `+c.want)
			}
		})
	}
}

func TestFiguresThatAreTooSmallOrEmptyAreRefused(t *testing.T) {
	wide := Heat{X: make([]string, 40), Y: []string{"b"}, Z: [][]float64{make([]float64, 40)}}
	tall := Heat{X: []string{"a"}, Y: make([]string, 60), Z: make([][]float64, 60)}
	for i := range tall.Z {
		tall.Z[i] = []float64{1}
	}
	word := Heat{X: []string{"incomprehensible", "b"}, Y: []string{"c"}, Z: [][]float64{{1, 2}}}
	for name, c := range map[string]struct {
		figure Figure
		want   string
	}{
		"no title":      {Figure{Chart: sampleLine.Chart}, "it has no title: say what was found"},
		"tiny":          {Figure{Title: "t", Width: 50, Chart: sampleLine.Chart}, "width and height must be 0 or from 100 to 5000 points, got 50 and 0"},
		"not a number":  {Figure{Title: "t", Width: math.NaN(), Chart: sampleLine.Chart}, "width and height must be 0 or from 100 to 5000 points, got NaN and 0"},
		"no plot left":  {Figure{Title: "t", Width: 120, Chart: sampleLine.Chart}, "set a larger width or height, or shorter labels"},
		"narrow cells":  {Figure{Title: "t", Width: 300, Chart: wide}, "values do not fit in cells 7 pt wide: set a larger width, or 0, or a shorter format"},
		"low cells":     {Figure{Title: "t", Height: 300, Chart: tall}, "60 rows do not fit in a plot"},
		"names of cols": {Figure{Title: "t", Width: 100, Chart: word}, `column name "incomprehensible" does not fit under a cell`},
		"many labels":   {Figure{Title: "t", Height: 140, Chart: sampleBunched.Chart}, "8 labels do not fit beside a plot"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := SVG(c.figure)
			assert.ErrorContains(t, err, c.want)
		})
	}
}
