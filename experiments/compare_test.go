package experiments

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/sweep"
	"ratelab/internal/random"
)

// shops is an experiment with a value that is the same draw at every point,
// scaled by size, plus one that is the point's own.
func shops(ran *[]string) Experiment {
	return Experiment{
		Name: "shops", Question: "How much?", Reps: 12, QuickReps: 3,
		Factors: []sweep.Factor{{Name: "part", Description: "of town"}, {Name: "size", Description: "m"}, {Name: "goods", Description: "in it"}},
		Metrics: []sweep.Metric{{Name: "sales", Unit: "1", Description: "a metric"}, {Name: "luck", Description: "a metric"}, {Name: "rent", Description: "north only"}},
		Grids: []sweep.Grid{
			{{Factor: "part", Values: []string{"north"}}, {Factor: "size", Values: []string{"1", "2"}}, {Factor: "goods", Values: []string{"{10*size}"}}},
			{{Factor: "part", Values: []string{"south"}}},
		},
		Cell: func(_ context.Context, _ Lab, c sweep.Cell, out *sweep.Row) error {
			if c.Get("size") == "13" {
				return errors.New("no such shop")
			}
			*ran = append(*ran, c.Key())
			shared := random.Stream(c.Seed, strconv.Itoa(c.Rep), "shared", "").NormFloat64()
			out.Set("luck", random.Stream(c.Seed, strconv.Itoa(c.Rep), "own", c.Key()).NormFloat64())
			if c.Get("part") == "south" {
				out.Set("sales", shared)
				return nil
			}
			out.Set("sales", 100*c.Float("size")+shared+c.Float("goods")/1000)
			out.Set("rent", c.Float("size"))
			return nil
		},
	}
}

func set(factor, value string) Setting { return Setting{Factor: factor, Values: []string{value}} }

func TestCompareTakesDifferencesReplicationByReplication(t *testing.T) {
	var ran []string
	e := shops(&ran)
	o := Options{Out: t.TempDir(), Seed: 1, Workers: 1, Program: Program{Hash: "one"}}
	c, err := Compare(t.Context(), e, o, nil, []Setting{set("size", "2")}, nil)
	require.NoError(t, err)
	require.Len(t, c.Pairs, 1, "size 2 is no partner of itself, and south has no size")
	common, a, b := c.Pairs[0].Pair.Split()
	assert.Equal(t, []string{"part=north", "size=1,goods=10", "size=2,goods=20"}, []string{common, a, b}, "what is computed follows")
	assert.Len(t, ran, 24)
	sales, luck, rent := c.Pairs[0].Metrics[0], c.Pairs[0].Metrics[1], c.Pairs[0].Metrics[2]
	assert.InDelta(t, 100.01, sales.Difference.Mean, 1e-9)
	assert.InDelta(t, 100.01, sales.Low, 1e-9, "the shared draw cancels")
	assert.Greater(t, sales.VarianceRatio, 1e6)
	assert.InDelta(t, 1, luck.VarianceRatio, 0.9, "independent draws bring nothing")
	assert.Less(t, luck.Low, luck.High)
	assert.True(t, math.IsNaN(rent.VarianceRatio))
	assert.Equal(t, []float64{1, 2, 1, 1, 1}, []float64{rent.A.Mean, rent.B.Mean, rent.Difference.Mean, rent.Low, rent.High})
	assert.Empty(t, rent.Warnings)

	ran = nil
	again, err := Compare(t.Context(), e, o, nil, []Setting{set("size", "2")}, []string{"sales"})
	require.NoError(t, err)
	assert.Empty(t, ran, "cells are stored")
	assert.Equal(t, c.Pairs[0].Metrics[:1], again.Pairs[0].Metrics)
	_, err = Run(t.Context(), e, o)
	require.NoError(t, err)
	assert.Len(t, ran, 12, "and serve a run, which lacks only the south")
}

func TestCompareOffTheGridRunsWhatIsMissing(t *testing.T) {
	var ran []string
	e := shops(&ran)
	o := Options{Out: t.TempDir(), Seed: 1, Workers: 1, Reps: 1, Program: Program{Hash: "one"}}
	c, err := Compare(t.Context(), e, o, []Setting{set("size", "5")}, []Setting{set("size", "7")}, nil)
	require.NoError(t, err)
	require.Len(t, c.Pairs, 1)
	assert.Equal(t, []string{"part=north,size=5,goods=50,rep=0", "part=north,size=7,goods=70,rep=0"}, ran)
	assert.Equal(t, sweep.Single, c.Pairs[0].Metrics[0].Warnings[0].Doubt)
	assert.True(t, math.IsInf(c.Pairs[0].Metrics[0].High, 1))
	table, err := c.Table(e)
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, table.Write(&text))
	lines := strings.Split(text.String(), "\n")
	assert.Equal(t, "part,a_size,b_size,a_goods,b_goods,metric,unit,n,mean_a,mean_b,difference,ci_low,ci_high,variance_ratio,warnings", lines[0])
	assert.Regexp(t, `^north,5,7,50,70,sales,1,1,\d+\.\d+,\d+\.\d+,200\.02,,,,single$`, lines[1])
}

func TestWhatIsNotMeasuredOnBothSidesIsNotCompared(t *testing.T) {
	var ran []string
	e := shops(&ran)
	o := Options{Out: t.TempDir(), Seed: 1, Workers: 1, Program: Program{Hash: "one"}}
	e.Grids = []sweep.Grid{{{Factor: "part", Values: []string{"north", "south"}}, {Factor: "size", Values: []string{"1"}}, {Factor: "goods", Values: []string{"3"}}}}
	c, err := Compare(t.Context(), e, o, []Setting{set("part", "north")}, []Setting{set("part", "south")}, nil)
	require.NoError(t, err)
	require.Len(t, c.Pairs, 1)
	assert.Len(t, c.Pairs[0].Metrics, 2)
}

func TestComparisonsThatCanNotBe(t *testing.T) {
	var ran []string
	e := shops(&ran)
	o := Options{Out: t.TempDir(), Seed: 1, Workers: 1, Program: Program{Hash: "one"}}
	for _, c := range []struct {
		a, b   []Setting
		metric string
		want   string
	}{
		{nil, nil, "", `compare needs --b FACTOR=VALUE: what to compare with the experiment's own values, or with --a`},
		{nil, []Setting{{"size", []string{"1", "2"}}}, "", `--b size: want one value, got 2`},
		{[]Setting{set("size", "1"), set("size", "2")}, []Setting{set("size", "1")}, "", `--a size is given twice`},
		{nil, []Setting{set("sise", "1")}, "", `experiment "shops": unknown factor "sise" (did you mean "size"?)`},
		{nil, []Setting{set("size", "1")}, "sale", `experiment "shops": unknown metric "sale" (did you mean "sales"?); known: sales, luck, rent`},
		{[]Setting{set("size", "1")}, []Setting{set("size", "1")}, "", `experiment "shops": nothing to compare with size=1; it changes nothing at 1 point, such as part=north,size=1,goods=10; ` +
			`choose other values with --a, or see ratelab show shops`},
		{[]Setting{set("part", "north")}, []Setting{set("part", "north")}, "", `nothing to compare with part=north; it changes nothing at 3 points, such as `},
	} {
		var metrics []string
		if c.metric != "" {
			metrics = []string{c.metric}
		}
		_, err := Compare(t.Context(), e, o, c.a, c.b, metrics)
		var running RunError
		assert.False(t, errors.As(err, &running))
		assert.ErrorContains(t, err, c.want)
	}
	ran = nil
	_, err := Compare(t.Context(), e, o, nil, []Setting{set("size", "13")}, nil)
	var running RunError
	require.ErrorAs(t, err, &running)
	assert.ErrorContains(t, err, "no such shop")
}
