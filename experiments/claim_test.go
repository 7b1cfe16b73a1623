package experiments

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/plots/table"
)

// measured is a runs.csv with one factor, at, and one metric, m: the values of
// each point by replication.
func measured(t *testing.T, points map[string][]float64) *table.Table {
	t.Helper()
	runs, err := table.New(table.Column{Name: "at"}, table.Column{Name: "rep", Type: table.Integer}, table.Column{Name: "m", Type: table.Number})
	require.NoError(t, err)
	for at, values := range points {
		for rep, v := range values {
			require.NoError(t, runs.Append(at, rep, v))
		}
	}
	return runs
}

func TestVerdicts(t *testing.T) {
	nan := math.NaN()
	near := []float64{9.99, 10, 10.01, 10, 10, 9.99, 10.01, 10} // an interval of about 10 +- 0.015
	wide := []float64{5, 15, 8, 12, 2, 18, 9, 11}
	for _, c := range []struct {
		name      string
		relation  Relation
		values    []float64
		expected  float64
		error     float64
		scale     float64
		in, outOf Verdict // as a point of the domain, and as one outside it
	}{
		{"inside a narrow interval", Equal, near, 10, 0, 0, Holds, Fails},
		{"inside a wide interval", Equal, wide, 10, 0, 0, Undecided, Undecided},
		{"inside one that is narrow on a given scale", Equal, wide, 10, 0, 1000, Holds, Fails},
		{"off a narrow interval", Equal, near, 10.5, 0, 0, Fails, Holds},
		{"off it by less than its own error", Equal, near, 10.5, 0.6, 0, Holds, Fails},
		{"off a wide interval", Equal, wide, 100, 0, 0, Fails, Holds},
		{"zero, without a scale", Equal, []float64{-1, 1}, 0, 0, 0, Undecided, Undecided},
		{"one replication", Equal, []float64{10}, 10, 0, 0, Undecided, Undecided},
		{"below", AtMost, near, 11, 0, 0, Holds, Fails},
		{"above", AtMost, near, 9, 0, 0, Fails, Holds},
		{"across", AtMost, near, 10, 0, 0, Undecided, Undecided},
		{"at the bound", AtMost, []float64{10, 10}, 10, 0, 0, Holds, Fails},
		{"above the bound by less than its error", AtMost, []float64{10, 10}, 9, 1, 0, Holds, Fails},
		{"not below", AtLeast, near, 9, 0, 0, Holds, Fails},
		{"not above", AtLeast, near, 11, 0, 0, Fails, Holds},
		{"at the other bound", AtLeast, []float64{10, 10}, 10, 0, 0, Holds, Fails},
		{"every replication", Exact, []float64{3, 3, 3}, 3, 0, 0, Holds, Fails},
		{"one replication that is off", Exact, []float64{3, 3, 3.0000001}, 4, 0, 0, Fails, Holds},
		{"the mean alone", Exact, []float64{2, 4}, 3, 0, 0, Fails, Undecided},
		{"one replication that has no value", Exact, []float64{3, nan, 3}, 3, 0, 0, Fails, Fails},
	} {
		t.Run(string(c.relation)+" "+c.name, func(t *testing.T) {
			p := Point{At: []string{"at", "x"}, Expected: c.expected, Error: c.error, Scale: c.scale}
			checked, err := checkClaims([]Claim{{Metric: "m", Relation: c.relation, Points: []Point{p}, Outside: []Point{p}}},
				measured(t, map[string][]float64{"x": c.values}), false)
			require.NoError(t, err)
			require.Len(t, checked, 2)
			assert.Equal(t, c.in, checked[0].Verdict)
			assert.Equal(t, c.outOf, checked[1].Verdict, "outside the domain")
			assert.Equal(t, 1-0.01/2, checked[0].Level, "one chance in a hundred that any of the two is off")
		})
	}
}

func TestWhatCanNotBeJudged(t *testing.T) {
	runs := measured(t, map[string][]float64{"x": {1, 2}, "y": {1, 2}, "empty": {math.NaN()}})
	for _, c := range []struct {
		name, want string
		metric     string
		p          Point
	}{
		{"two points for one", "more than one point of the grid", "m", Point{}},
		{"no point", "no rows", "m", Point{At: []string{"at", "z"}}},
		{"no value", "no rows", "m", Point{At: []string{"at", "empty"}}},
		{"no metric", `"n"`, "n", Point{At: []string{"at", "x"}}},
		{"no factor", `"on"`, "m", Point{At: []string{"on", "x"}}},
		{"no expectation", "theory gives NaN", "m", Point{At: []string{"at", "x"}, Expected: math.NaN()}},
		{"no late expectation", "theory gives NaN", "m", Point{At: []string{"at", "x"}, Late: func(p *Point) { p.Expected = math.NaN() }}},
	} {
		_, err := checkClaims([]Claim{{Text: "t", Metric: c.metric, Relation: Equal, Points: []Point{c.p}}}, runs, false)
		assert.ErrorContains(t, err, c.want, c.name)
	}
	checked, err := checkClaims([]Claim{{Metric: "m", Points: []Point{{At: []string{"at", "z"}}}}}, runs, true)
	assert.NoError(t, err)
	assert.Empty(t, checked, "of part of a grid, what is not there is left out")
}

func TestWhatPasses(t *testing.T) {
	for _, c := range []struct {
		t           Tally
		full, quick bool
	}{
		{Tally{Holds: 8}, true, true},
		{Tally{Holds: 8, Undecided: 2}, false, true},
		{Tally{Holds: 7, Undecided: 2}, false, false},
		{Tally{Holds: 100, Fails: 1}, false, false},
	} {
		assert.Equal(t, c.full, c.t.Passes(false), c.t)
		assert.Equal(t, c.quick, c.t.Passes(true), c.t)
	}
}
