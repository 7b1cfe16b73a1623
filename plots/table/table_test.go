package table

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var runColumns = []Column{
	{Name: "limiter", Type: Text, Description: "spec of the limiter"},
	{Name: "load", Type: Text, Unit: "1"},
	{Name: "rep", Type: Integer, Description: "replication, from 0"},
	{Name: "admitted", Type: Number, Unit: "requests"},
}

func runs(t *testing.T) *Table {
	t.Helper()
	r, err := New(runColumns...)
	require.NoError(t, err)
	for _, row := range [][]any{
		{"gcra", "0.5", 0, 10.0},
		{"gcra", "0.5", int64(1), 11.5},
		{"fixed-window", "1", 0, math.NaN()},
		{"fixed-window", "0.5", 0, 0.1},
	} {
		require.NoError(t, r.Append(row...))
	}
	return r
}

func TestColumnsComeBackByNameAndType(t *testing.T) {
	r := runs(t)
	assert.Equal(t, 4, r.Len())
	assert.Equal(t, runColumns, r.Columns())

	text, err := r.Text("admitted")
	require.NoError(t, err)
	assert.Equal(t, []string{"10", "11.5", "", "0.1"}, text)

	ints, err := r.Ints("rep")
	require.NoError(t, err)
	assert.Equal(t, []int64{0, 1, 0, 0}, ints)

	numbers, err := r.Floats("admitted")
	require.NoError(t, err)
	assert.True(t, math.IsNaN(numbers[2]))
	assert.Equal(t, []float64{10, 11.5}, numbers[:2])

	loads, err := r.Floats("load")
	require.NoError(t, err)
	assert.Equal(t, []float64{0.5, 0.5, 1, 0.5}, loads)

	reps, err := r.Floats("rep")
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 1, 0, 0}, reps)

	assert.Equal(t, []string{"fixed-window", "1", "0", ""}, r.Record(2))
}

func TestWhereKeepsRowsInOrder(t *testing.T) {
	r := runs(t)
	half, err := r.Where("load", "0.5", "rep", "0")
	require.NoError(t, err)
	names, err := half.Text("limiter")
	require.NoError(t, err)
	assert.Equal(t, []string{"gcra", "fixed-window"}, names)

	missing, err := r.Where("admitted", "")
	require.NoError(t, err)
	assert.Equal(t, 1, missing.Len())

	none, err := r.Where("limiter", "no such")
	require.NoError(t, err)
	assert.Zero(t, none.Len())
	empty, err := none.Floats("admitted")
	require.NoError(t, err)
	assert.Empty(t, empty)

	require.NoError(t, half.Append("x", "2", 9, 1.0))
	assert.Equal(t, 4, r.Len(), "what was picked is a copy")
}

func TestSelectReordersColumns(t *testing.T) {
	r := runs(t)
	s, err := r.Select("admitted", "limiter")
	require.NoError(t, err)
	assert.Equal(t, []string{"0.1", "fixed-window"}, s.Record(3))
	require.NoError(t, s.Append(1.0, "x"))
	assert.Equal(t, 4, r.Len())
	_, err = r.Select("rep", "rep")
	assert.ErrorContains(t, err, "twice")
}

func TestDistinctAndGroupsFollowTheOrderOfAppearance(t *testing.T) {
	r := runs(t)
	names, err := r.Distinct("limiter")
	require.NoError(t, err)
	assert.Equal(t, []string{"gcra", "fixed-window"}, names)

	groups, err := r.GroupBy("limiter", "load")
	require.NoError(t, err)
	var values [][]string
	var sizes []int
	for _, g := range groups {
		values = append(values, g.Values)
		sizes = append(sizes, g.Table.Len())
	}
	assert.Equal(t, [][]string{{"gcra", "0.5"}, {"fixed-window", "1"}, {"fixed-window", "0.5"}}, values)
	assert.Equal(t, []int{2, 1, 1}, sizes)

	one, err := r.GroupBy()
	require.NoError(t, err)
	require.Len(t, one, 1)
	assert.Equal(t, 4, one[0].Table.Len())
}

func TestGroupsDoNotMixValuesThatLookAlikeWhenJoined(t *testing.T) {
	r, err := New(Column{Name: "a"}, Column{Name: "b"})
	require.NoError(t, err)
	require.NoError(t, r.Append(`x","y`, `z`))
	require.NoError(t, r.Append(`x`, `y","z`))
	groups, err := r.GroupBy("a", "b")
	require.NoError(t, err)
	assert.Len(t, groups, 2)
}

func TestWrongColumnsAreNamed(t *testing.T) {
	r := runs(t)
	_, err := r.Text("lod")
	assert.EqualError(t, err, `no column "lod", the table has limiter, load, rep, admitted`)
	_, err = r.Ints("admitted")
	assert.EqualError(t, err, `column "admitted": want an integer column, got type number`)
	_, err = r.Floats("limiter")
	assert.EqualError(t, err, `column "limiter", row 1: want a decimal number such as 0.25 or 1e-06, or nothing for a missing one, got "gcra"`)
	_, err = r.Where("load")
	assert.EqualError(t, err, `column "load": no value to compare with`)
	for _, f := range []func() error{
		func() error { _, err := r.Ints("x"); return err },
		func() error { _, err := r.Floats("x"); return err },
		func() error { _, err := r.Where("x", "1"); return err },
		func() error { _, err := r.Select("x"); return err },
		func() error { _, err := r.Distinct("x"); return err },
		func() error { _, err := r.GroupBy("x"); return err },
	} {
		assert.ErrorContains(t, f(), `no column "x"`)
	}
}

func TestWrongCellsAreRefusedAndNothingIsAdded(t *testing.T) {
	for name, c := range map[string]struct {
		row  []any
		want string
	}{
		"too few":       {[]any{"gcra"}, "row 5: want 4 cells, got 1"},
		"number as int": {[]any{"gcra", "1", 0, 1}, `row 5, column "admitted": want a float64, got int 1`},
		"int as number": {[]any{"gcra", "1", 0.0, 1.0}, `row 5, column "rep": want an int64 or int, got float64 0`},
		"int as text":   {[]any{"gcra", 1, 0, 1.0}, `row 5, column "load": want a string, got int 1`},
		"text as int":   {[]any{"gcra", "1", "0", 1.0}, `row 5, column "rep": want an int64 or int, got string 0`},
		"infinity":      {[]any{"gcra", "1", 0, math.Inf(-1)}, `row 5, column "admitted": want a finite number, or NaN for a missing one, got -Inf`},
		"not UTF-8":     {[]any{"\xff", "1", 0, 1.0}, `row 5, column "limiter": text must be UTF-8, got "\xff"`},
		"unknown type":  {[]any{nil, "1", 0, 1.0}, `row 5, column "limiter": want a string, got <nil> <nil>`},
	} {
		t.Run(name, func(t *testing.T) {
			r := runs(t)
			assert.EqualError(t, r.Append(c.row...), c.want)
			assert.Equal(t, 4, r.Len())
			for i := range r.Len() {
				assert.Len(t, r.Record(i), 4)
			}
		})
	}
}

func TestWrongColumnDefinitionsAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		columns []Column
		want    string
	}{
		"no name":       {[]Column{{Name: "a"}, {}}, "column 2 has no name"},
		"twice":         {[]Column{{Name: "a"}, {Name: "a"}}, `column "a" is there twice, names must be unique`},
		"type":          {[]Column{{Name: "a", Type: 3}}, `column "a": unknown type 3, want Text, Integer or Number`},
		"digits":        {[]Column{{Name: "a", Type: Number, Digits: 18}}, `column "a": digits must be 0 (exact) to 17, got 18`},
		"digits of int": {[]Column{{Name: "a", Type: Integer, Digits: 3}}, `column "a": only a Number can have digits`},
		"not UTF-8":     {[]Column{{Name: "\xff"}}, `column "\xff": name must be UTF-8`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(c.columns...)
			assert.EqualError(t, err, c.want)
		})
	}
}
